package sidebar

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
)

// Tab is one session in the line of tabs, or the place of those that are left out.
type Tab struct {
	End     int           // the column where it ends
	Session router.PeerID // what a click on it goes to
}

// Tabs draws the sessions in one line of at most w columns, for screens too narrow
// for a sidebar. The one with the focus is always there; how many are left out on
// either side is said.
func (m Model) Tabs(c draw.Context, w int) (line string, tabs []Tab) {
	texts := make([]string, len(m.Sessions))
	widths := make([]int, len(m.Sessions))
	for i, p := range m.Sessions {
		texts[i] = m.tab(c, i, p)
		widths[i] = cells.Width(texts[i])
	}
	at := max(slices.IndexFunc(m.Sessions, func(p router.PeerView) bool { return p.ID == m.Focus }), 0)
	from, to := window(widths, at, w)
	var b strings.Builder
	used := 0
	put := func(text string, id router.PeerID) {
		b.WriteString(text)
		used += cells.Width(text)
		tabs = append(tabs, Tab{used, id})
	}
	if from > 0 {
		put(c.Dim.On(fmt.Sprintf(" +%d", from)), m.Sessions[from-1].ID)
	}
	for i := from; i < to; i++ {
		put(texts[i], m.Sessions[i].ID)
	}
	if left := len(texts) - to; left > 0 {
		put(c.Dim.On(fmt.Sprintf(" +%d more", left)), m.Sessions[to].ID)
	}
	if used > w {
		return cells.Cut(b.String(), w), tabs
	}
	return b.String(), tabs
}

func (m Model) tab(c draw.Context, i int, p router.PeerView) string {
	symbol, word, look := c.State(p.Session.State)
	name := c.Dim
	if p.ID == m.Focus {
		name = c.Bold
	}
	number := ""
	if i < 9 {
		number = fmt.Sprintf("%d ", i+1)
	}
	return name.On(" "+number+c.Name(p.ID)+" ") + look.On(symbol+" "+word) + " "
}

// window chooses the tabs from..to that fit in w columns, with tab at among them
// and room to say how many are left out.
func window(widths []int, at, w int) (from, to int) {
	const before, after = 4, 8 // " +99", " +9 more"
	sum := func(from, to int) (n int) {
		for _, v := range widths[from:to] {
			n += v
		}
		if from > 0 {
			n += before
		}
		if to < len(widths) {
			n += after
		}
		return n
	}
	if len(widths) == 0 {
		return 0, 0
	}
	to = at + 1
	for from < at && sum(from, to) > w {
		from++
	}
	for to < len(widths) && sum(from, to+1) <= w {
		to++
	}
	return from, to
}
