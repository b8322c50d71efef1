package threads

import (
	"fmt"
	"slices"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
)

// Tree is the list of threads.
type Tree struct {
	At     router.ThreadID // the chosen one
	folded map[router.ThreadID]bool
	top    int
	Asking func(router.ThreadID) bool
	Fresh  func(router.ThreadView) bool
}

// nodes is the tree as it shows.
func (m *Tree) nodes(v *router.View) []draw.Node { return draw.Tree(v, m.folded) }

// Chosen is the thread under the cursor.
func (m *Tree) Chosen(v *router.View) (router.ThreadView, bool) {
	ns := m.nodes(v)
	if len(ns) == 0 {
		return router.ThreadView{}, false
	}
	return ns[m.index(ns)].Thread, true
}

func (m *Tree) index(ns []draw.Node) int {
	return max(slices.IndexFunc(ns, func(n draw.Node) bool { return n.Thread.ID == m.At }), 0)
}

// Key moves in a tree of h rows by an action of the table.
func (m *Tree) Key(id keys.ID, v *router.View, h int) {
	ns := m.nodes(v)
	if len(ns) == 0 {
		return
	}
	i := m.index(ns)
	switch id {
	case keys.Up:
		i--
	case keys.Down:
		i++
	case keys.PageUp:
		i -= h - 1
	case keys.PageDown:
		i += h - 1
	case keys.First:
		i = 0
	case keys.Last:
		i = len(ns) - 1
	case keys.Fold:
		i = m.fold(ns, i)
	case keys.Unfold:
		delete(m.folded, ns[i].Thread.ID)
	default:
	}
	i = min(max(i, 0), len(ns)-1)
	m.At = ns[i].Thread.ID
	m.top = follow(m.top, i, len(ns), h)
}

// fold hides what hangs below i; where nothing does, it goes to the parent.
func (m *Tree) fold(ns []draw.Node, i int) int {
	n := ns[i]
	if n.Children > 0 && !n.Folded {
		if m.folded == nil {
			m.folded = map[router.ThreadID]bool{}
		}
		m.folded[n.Thread.ID] = true
		return i
	}
	for j := i - 1; j >= 0; j-- {
		if ns[j].Thread.ID == n.Thread.Parent {
			return j
		}
	}
	return i
}

// Pick chooses the thread in row y.
func (m *Tree) Pick(v *router.View, y int) bool {
	ns := m.nodes(v)
	if y < 0 || m.top+y >= len(ns) {
		return false
	}
	m.At = ns[m.top+y].Thread.ID
	return true
}

// follow keeps row i of n in a window of h rows.
func follow(top, i, n, h int) int {
	if i < top {
		top = i
	}
	if i >= top+h {
		top = i - h + 1
	}
	return min(max(top, 0), max(n-h, 0))
}

// Lines draws the tree in h rows of w columns.
func (m *Tree) Lines(c draw.Context, w, h int) []string {
	ns := m.nodes(c.View)
	if len(ns) == 0 {
		return draw.Fit([]string{
			"", "  " + c.Bold.On("Nobody has asked anybody for anything yet."), "",
			c.Dim.On("  Tasks, replies and notes between the sessions and you show here as a tree."),
			"  " + c.Key.On("esc") + " goes back, then " + c.Key.On("m") + " writes to a session.",
		}, w, h)
	}
	at := m.index(ns)
	top := follow(m.top, at, len(ns), h)
	var out []string
	for i := top; i < len(ns) && len(out) < h; i++ {
		out = append(out, m.row(c, ns[i], i == at, w))
	}
	return draw.Fit(out, w, h)
}

func (m *Tree) row(c draw.Context, n draw.Node, chosen bool, w int) string {
	t := n.Thread
	fold := "  "
	switch {
	case n.Folded:
		fold = c.Folded + " "
	case n.Children > 0:
		fold = c.Open + " "
	}
	mark := " "
	if m.Fresh != nil && m.Fresh(t) {
		mark = c.Styles.Fresh.On(c.Glyphs.Fresh)
	}
	to := c.Names(t.To, 24)
	if t.Room != "" {
		to = "#" + cells.Line(t.Room)
	}
	look := c.Thread
	if !t.Open {
		look = c.Dim
	}
	left := mark + c.Frame.On(n.Lines(c.Glyphs)) + c.Dim.On(fold) + look.On(string(t.ID)) + "  " +
		c.Bold.On(c.Name(t.From)) + c.Arrow + c.Bold.On(to) + "  " + cells.Line(t.Title)
	word, wordLook := c.Delivery(t, m.Asking != nil && m.Asking(t.ID))
	right := wordLook.On(word)
	if len(t.Messages) > 1 {
		right = c.Dim.On(fmt.Sprintf("%d messages  ", len(t.Messages))) + right
	}
	line := cells.Sides(left, right+" ", w)
	if chosen {
		line = c.Select.On(line)
	}
	return line
}
