package draw

import (
	"strings"

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
