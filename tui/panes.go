package tui

import (
	"fmt"
	"strings"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/layout"
	"github.com/ccmux/ccmux/tui/sidebar"
)

// drawPanes draws every pane in its place.
func (m *model) drawPanes(c draw.Context, f *picture) {
	if len(m.slots) == 0 {
		f.put(m.plan.Body, m.empty(c, m.plan.Body.W, m.plan.Body.H))
		return
	}
	for i, place := range m.plan.Panes {
		if i < len(m.slots) {
			m.drawPane(c, f, m.slots[i], place)
		}
	}
}

func (m *model) drawPane(c draw.Context, f *picture, id router.PeerID, place layout.Pane) {
	p, _ := m.view.Peer(id)
	box := m.paneBox(c, p, place.Inner.H)
	lines := m.paneLines(c, p, place.Inner)
	fr := place.Frame
	if !place.Framed {
		if box.Foot != "" { // without a lower edge it stands in the title
			box.Right = box.Foot + c.Dim.On(" "+c.Dot+" ") + box.Right
		}
		f.put(layout.Rect{X: fr.X, Y: fr.Y, W: fr.W, H: 1}, []string{box.Bare(fr.W)})
		f.put(place.Inner, lines)
		return
	}
	f.put(layout.Rect{X: fr.X, Y: fr.Y, W: fr.W, H: 1}, []string{box.TopLine(fr.W)})
	f.put(layout.Rect{X: fr.X, Y: fr.Y + fr.H - 1, W: fr.W, H: 1}, []string{box.BottomLine(fr.W)})
	// The sides are pieces of their own: they stand where they should even when a
	// terminal measures what is between them otherwise.
	left, right := box.Look.On(box.Box.Left), box.Look.On(box.Box.Right)
	f.put(place.Inner, lines)
	for i := range place.Inner.H {
		f.put(layout.Rect{X: fr.X, Y: place.Inner.Y + i, W: 1, H: 1}, []string{left})
		f.put(layout.Rect{X: fr.X + fr.W - 1, Y: place.Inner.Y + i, W: 1, H: 1}, []string{right})
	}
}

// paneBox is the frame of a pane: heavy while it gets the keys.
func (m *model) paneBox(c draw.Context, p router.PeerView, h int) draw.Box {
	b := draw.Box{Box: c.Thin, Look: c.Frame}
	name := c.Name(p.ID)
	if n := m.number(p.ID); n > 0 {
		name = fmt.Sprintf("%d %s", n, name)
	}
	switch {
	case p.ID == m.focus && m.typing:
		b.Box, b.Look = c.Heavy, c.Typing
		b.Left = c.Typing.On(name) + c.Typing.On(" typing")
	case p.ID == m.focus:
		b.Look = c.Focus
		b.Left = c.Bold.On(name)
	default:
		b.Left = name
	}
	b.Right = m.paneState(c, p)
	if ps := m.panes[p.ID]; ps != nil {
		if above, ok := ps.Scrolled(h); ok {
			b.Foot = c.Key.On(fmt.Sprintf("%s %d lines above the end", c.Up, above))
		} else if n := ps.Hidden(h); n > 0 {
			b.Foot = c.Dim.On(fmt.Sprintf("%s %d more %s", c.Up, n, plural(n, "line")))
		}
	}
	return b
}

// paneState is what the title of a pane says of its session: what it does, for
// how long, and for which task.
func (m *model) paneState(c draw.Context, p router.PeerView) string {
	s := p.Session
	symbol, word, look := c.State(s.State)
	text := symbol + " " + word
	if s.Detail != "" && s.State != router.Busy {
		text += ": " + cells.Cut(cells.Line(s.Detail), 30)
	}
	out := look.On(text)
	if s.State == router.Asks || s.State == router.NeedsYou {
		out += " " + c.Clock(s.Since)
	} else if age := c.Age(s.Since); age != "" && s.State != "" {
		out += " " + c.Dim.On(age)
	}
	if by := sidebar.Detour(p); by != "" {
		out += c.Styles.Asks.On(" " + c.Dot + " " + by)
	}
	if t := m.worksOn(p.ID); t != "" {
		out += c.Dim.On(" "+c.Dot+" ") + c.Thread.On(string(t))
	}
	if s.Mode != "" && s.Mode != "default" && s.Mode != "manual" {
		out += c.Dim.On(" " + c.Dot + " " + cells.Line(s.Mode) + " mode")
	}
	return out
}

// worksOn is the newest thread in which p owes an answer it has seen.
func (m *model) worksOn(p router.PeerID) router.ThreadID {
	for _, t := range m.view.Threads {
		for _, o := range t.Owes {
			if o.By == p && !o.Waiting {
				return t.ID
			}
		}
	}
	return ""
}

func (m *model) number(id router.PeerID) int {
	for i, p := range m.sessions {
		if p.ID == id && i < 9 {
			return i + 1
		}
	}
	return 0
}

// paneLines is the inside of a pane: the terminal, or why there is none.
func (m *model) paneLines(c draw.Context, p router.PeerView, r layout.Rect) []string {
	ps := m.panes[p.ID]
	if ps == nil || ps.Blank() {
		return m.blankPane(c, p, r.W, r.H)
	}
	lines := ps.Lines(r.W, r.H)
	if !p.Session.State.Running() && r.H > 2 {
		note := m.ended(c, p)
		lines[r.H-1] = cells.Pad(" "+note, r.W)
	}
	return lines
}

// ended says how a session ended and what to press.
func (m *model) ended(c draw.Context, p router.PeerView) string {
	_, word, look := c.State(p.Session.State)
	text := word
	if d := cells.Line(p.Session.Detail); d != "" {
		text += ": " + d
	}
	return look.On(text) + "   " + c.Key.On("R") + " starts it again"
}

func (m *model) blankPane(c draw.Context, p router.PeerView, w, h int) []string {
	var text []string
	switch {
	case p.Session.State == router.Starting:
		text = []string{"starting…"}
	case p.Session.State == "":
		text = []string{"not started", "", c.Key.On("R") + " starts it"}
	case !p.Session.State.Running():
		text = []string{m.ended(c, p)}
	default:
		text = []string{"waiting for its first output…"}
	}
	return middle(c, text, w, h)
}

// empty is the body when there is no session.
func (m *model) empty(c draw.Context, w, h int) []string {
	return middle(c, []string{
		c.Bold.On("No session runs in " + cells.Line(m.project())),
		"",
		"Leave with " + c.Key.On("q") + " and start some:",
		c.Code.On("ccmux up frontend backend"),
		"",
		c.Dim.On("Each name is a folder here, or name=folder, or a session of ccmux.toml."),
	}, w, h)
}

// middle centres text in h rows of w columns.
func middle(c draw.Context, text []string, w, h int) []string {
	out := make([]string, max((h-len(text))/2, 0), max(h, 0))
	for _, t := range text {
		t = c.Words(cells.Cut(t, w))
		out = append(out, strings.Repeat(" ", max((w-cells.Width(t))/2, 0))+t)
	}
	return draw.Fit(out, w, h)
}
