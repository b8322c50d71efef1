package draw

import (
	"fmt"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/theme"
)

// Node is one thread in the tree of who asked whom.
type Node struct {
	Thread   router.ThreadView
	Children int
	Folded   bool
	Orphan   bool   // its parent is not in the view
	last     []bool // for each level, whether the branch is its parent's last
}

// Tree orders the threads of v as a tree, parents before their children. Those
// below a folded one are left out.
func Tree(v *router.View, folded map[router.ThreadID]bool) []Node {
	byID := make(map[router.ThreadID]int, len(v.Threads))
	children := map[router.ThreadID][]int{}
	for i, t := range v.Threads {
		byID[t.ID] = i
	}
	var roots []int
	for i, t := range v.Threads {
		if _, ok := byID[t.Parent]; ok && t.Parent != t.ID {
			children[t.Parent] = append(children[t.Parent], i)
		} else {
			roots = append(roots, i)
		}
	}
	b := treeBuilder{v: v, children: children, folded: folded, seen: map[router.ThreadID]bool{}}
	for _, i := range roots {
		b.add(i, nil, v.Threads[i].Parent != "")
	}
	return b.out
}

type treeBuilder struct {
	v        *router.View
	children map[router.ThreadID][]int
	folded   map[router.ThreadID]bool
	seen     map[router.ThreadID]bool // a cycle must not hang the screen
	out      []Node
}

func (b *treeBuilder) add(i int, last []bool, orphan bool) {
	t := b.v.Threads[i]
	if b.seen[t.ID] {
		return
	}
	b.seen[t.ID] = true
	kids := b.children[t.ID]
	b.out = append(b.out, Node{Thread: t, Children: len(kids), Folded: b.folded[t.ID], Orphan: orphan, last: last})
	if b.folded[t.ID] {
		return
	}
	for n, k := range kids {
		b.add(k, append(append([]bool(nil), last...), n == len(kids)-1), false)
	}
}

// Lines draws the branches before a node.
func (n Node) Lines(g theme.Glyphs) string {
	var b strings.Builder
	for i, last := range n.last {
		switch {
		case i < len(n.last)-1 && last:
			b.WriteString(g.Blank)
		case i < len(n.last)-1:
			b.WriteString(g.Bar)
		case last:
			b.WriteString(g.Last)
		default:
			b.WriteString(g.Branch)
		}
	}
	return b.String()
}

// Delivery is the state of a thread in a word or two: what is owed, how far the
// newest message came, or how long ago the work was done. It never says more
// than the view does.
func (c Context) Delivery(t router.ThreadView, asks bool) (string, theme.Style) {
	n, of := seen(t)
	switch {
	case asks:
		return "asks", c.Styles.Asks
	case done(t):
		return "done " + c.Age(t.Updated), c.Good
	case t.State == wire.Held:
		return "held", c.Styles.Asks
	case needsContext(t):
		return "needs answer", c.Styles.Asks
	case t.State == wire.Refused || t.State == wire.Expired || t.State == wire.Withdrawn:
		return string(t.State), c.Bad
	case of > 1:
		return fmt.Sprintf("seen %d/%d", n, of), c.lively(t)
	case t.State == wire.Seen:
		return "seen " + c.Age(t.Since), c.lively(t)
	}
	return string(t.State), c.Dim
}

// lively is the look of what still waits for an answer.
func (c Context) lively(t router.ThreadView) theme.Style {
	if t.Open {
		return c.Styles.Busy
	}
	return c.Dim
}

// done says whether there was work in a thread and all of it is answered.
func done(t router.ThreadView) bool {
	if t.Open {
		return false
	}
	for _, m := range t.Messages {
		if m.Kind == wire.KindReply {
			return true
		}
	}
	return false
}

func needsContext(t router.ThreadView) bool {
	for _, o := range t.Owes {
		if o.Waiting {
			return true
		}
	}
	return false
}

// seen counts how many recipients have seen the thread's newest message, or its
// newest task while one is open.
func seen(t router.ThreadView) (n, of int) {
	for i := len(t.Messages) - 1; i >= 0; i-- {
		m := t.Messages[i]
		if t.Open && m.Kind != wire.KindTask {
			continue
		}
		for _, d := range m.Deliveries {
			of++
			if d.State == wire.Seen || d.State == wire.Answered {
				n++
			}
		}
		return n, of
	}
	return 0, 0
}
