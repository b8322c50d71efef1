package tui

import (
	"fmt"
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/layout"
	"github.com/ccmux/ccmux/tui/sidebar"
)

// render draws the screen. It changes nothing: drawing twice gives the same. The
// time it returns is when an age that was drawn changes.
func (m *model) render() (*picture, time.Time) {
	c := m.context()
	f := &picture{
		w: max(m.w, 0), h: max(m.h, 0), title: m.title(),
		charset: m.charset, grouped: m.graphemes, profile: m.profile,
		tmux: m.tmux,
	}
	f.rows = make([][]piece, f.h)
	defer f.close()
	if m.plan.TooSmall {
		f.put(m.plan.Body, m.tooSmall())
		return f, time.Time{}
	}
	f.put(m.plan.Head, []string{m.head(c)})
	if !m.plan.Sidebar.Empty() {
		f.put(m.plan.Sidebar, m.sidebar().Lines(c, m.plan.Sidebar.W, m.plan.Sidebar.H))
	}
	if m.page() != 0 {
		m.drawPage(c, f)
	} else {
		m.drawPanes(c, f)
	}
	m.drawDock(c, f)
	f.put(m.plan.Status, []string{m.status(c)})
	f.cursor = m.cursor(c)
	return f, c.Tick()
}

// drawDock draws the card and the line above the bottom line.
func (m *model) drawDock(c draw.Context, f *picture) {
	if r := m.plan.Dock; !r.Empty() {
		card, _ := m.cards.Current()
		k, _ := m.cardKeys(c, card, r.W-4)
		f.put(r, m.cards.Lines(c, k, r.W, r.H))
	}
	if r := m.plan.Line; !r.Empty() && m.entry != nil {
		lines, _, _ := m.entryLines(c, r.W, r.H)
		f.put(r, lines)
	}
}

func (m *model) tooSmall() []string {
	text := fmt.Sprintf("ccmux needs %d×%d; this terminal has %d×%d. The sessions go on; make it larger.",
		layout.MinWidth, layout.MinHeight, m.w, m.h)
	if m.charset == asciiOnly {
		text = cells.ASCII(text) // × takes part in the breaking of lines
	}
	return draw.Fit(cells.Wrap(m.look.Words(text), max(m.w, 1)), m.w, m.h)
}

func (m *model) title() string {
	t := "ccmux " + m.project()
	if n := m.needsYou(); n > 0 {
		t = fmt.Sprintf("(%d) %s", n, t)
	}
	return cells.Line(t)
}

// needsYou counts the sessions that wait for the human.
func (m *model) needsYou() int {
	n := 0
	for _, p := range m.sessions {
		if p.Session.State == router.Asks || p.Session.State == router.NeedsYou {
			n++
		}
	}
	return n
}

// sidebar is the sidebar's model.
func (m *model) sidebar() sidebar.Model {
	return sidebar.Model{
		Sessions: m.sessions, Focus: m.focus, Asking: m.cards.Serves,
		Fresh: m.fresh,
	}
}

// head is the top line: the project and what is open, or the sessions as tabs
// where there is no sidebar.
func (m *model) head(c draw.Context) string {
	if wrong := m.view.Storage; wrong != "" {
		return cells.Pad(c.Bad.On(cells.Cut(" "+c.Words(cells.Line(wrong)), m.w)), m.w)
	}
	facts := m.headFacts(c)
	if m.plan.Sidebar.Empty() && len(m.sessions) > 0 {
		line, _, right := m.tabs(c, facts)
		return cells.Sides(line, right, m.w)
	}
	right := joinFacts(facts)
	left := " " + c.Head.On("ccmux") + c.Dim.On(" "+c.Dot+" ") + c.Bold.On(cells.Line(m.project()))
	return cells.Sides(left, right, m.w)
}

// headFacts are what is open, the most urgent first.
func (m *model) headFacts(c draw.Context) []string {
	var open int
	for _, t := range m.view.Threads {
		if t.Open {
			open++
		}
	}
	var facts []string
	if n := m.needsYou(); n > 0 {
		facts = append(facts, c.Styles.Asks.On(fmt.Sprintf("%d %s you", n, verb(n, "need"))))
	}
	if you, ok := m.view.Peer(router.Human); ok && you.Unread > 0 {
		facts = append(facts, c.Styles.Fresh.On(fmt.Sprintf("%d new for you", you.Unread)))
	}
	if m.view.Held > 0 {
		facts = append(facts, c.Styles.Asks.On(fmt.Sprintf("%d held", m.view.Held)))
	}
	if open > 0 {
		facts = append(facts, fmt.Sprintf("%d open %s", open, plural(open, "task")))
	}
	if m.view.PerMinute > 0 && !m.plan.Sidebar.Empty() {
		facts = append(facts, c.Dim.On(fmt.Sprintf("%d msg/min", m.view.PerMinute)))
	}
	return facts
}

func joinFacts(facts []string) string {
	if len(facts) == 0 {
		return ""
	}
	return strings.Join(facts, "   ") + " "
}

// tabs is the line of tabs, where each ends, and what stands at its right: as
// much as fits beside all tabs, and the most urgent in any case.
func (m *model) tabs(c draw.Context, facts []string) (line string, tabs []sidebar.Tab, right string) {
	s := m.sidebar()
	const gap = 2 // between the two sides
	whole, _ := s.Tabs(c, math.MaxInt)
	for len(facts) > 1 && cells.Width(whole)+gap+cells.Width(joinFacts(facts)) > m.w {
		facts = facts[:len(facts)-1]
	}
	room := m.w
	if right = joinFacts(facts); right != "" {
		room -= gap + cells.Width(right)
	}
	line, tabs = s.Tabs(c, room)
	return line, tabs, right
}

// verb adds the s of the third person.
func verb(n int, v string) string {
	if n == 1 {
		return v + "s"
	}
	return v
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// cursor is where the terminal's cursor shows: in the line or the pane that is
// typed into.
func (m *model) cursor(c draw.Context) *tea.Cursor {
	if r := m.plan.Line; m.entry != nil && !r.Empty() {
		_, x, y := m.entryLines(c, r.W, r.H)
		return usualCursor(r.X+x, r.Y+y)
	}
	if !m.typing && !m.scrolling {
		return nil
	}
	for i, id := range m.slots {
		p := m.panes[id]
		if id != m.focus || p == nil || i >= len(m.plan.Panes) {
			continue
		}
		r := m.plan.Panes[i].Inner
		if x, y, ok := p.MarkAt(r.W, r.H); ok {
			return usualCursor(r.X+x, r.Y+y)
		}
		if !m.typing {
			return nil
		}
		at, ok := p.Cursor(r.W, r.H)
		if _, scrolled := p.Scrolled(r.H); !ok || scrolled {
			return nil
		}
		return paneCursor(r.X+at.X, r.Y+at.Y, at)
	}
	return nil
}

// shapeUsual is the shape the human's terminal has of its own.
const shapeUsual tea.CursorShape = -1

func usualCursor(x, y int) *tea.Cursor {
	c := tea.NewCursor(x, y)
	c.Shape = shapeUsual
	return c
}

// paneCursor is the cursor of a pane at x, y of the screen.
func paneCursor(x, y int, at vt.Cursor) *tea.Cursor {
	c := usualCursor(x, y)
	c.Blink = at.Blink
	switch {
	case at.Usual:
	case at.Shape == vt.CursorUnderline:
		c.Shape = tea.CursorUnderline
	case at.Shape == vt.CursorBar:
		c.Shape = tea.CursorBar
	default:
		c.Shape = tea.CursorBlock
	}
	return c
}
