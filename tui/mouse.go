package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/layout"
)

// wheelRows is how far one notch of the wheel scrolls.
const wheelRows = 3

// click is where the mouse was pressed last, to tell double clicks.
type click struct {
	at    time.Time
	x, y  int
	count int
	drag  router.PeerID // the pane a selection is drawn in
}

const doubleClick = 400 * time.Millisecond

// mouse does what the mouse means where it is.
func (m *model) mouse(msg tea.MouseMsg) tea.Cmd {
	e := msg.Mouse()
	if id, r, ok := m.paneAt(e.X, e.Y); ok {
		return m.paneMouse(msg, id, e.X-r.X, e.Y-r.Y, r)
	}
	if _, ok := msg.(tea.MouseReleaseMsg); ok {
		m.last.drag = ""
		return nil
	}
	if e.Button != tea.MouseLeft {
		return nil
	}
	if _, ok := msg.(tea.MouseClickMsg); ok {
		m.dirty = true
		m.note = notice{}
		return m.chromeClick(e.X, e.Y)
	}
	return nil
}

// paneAt returns the pane whose terminal is at x, y.
func (m *model) paneAt(x, y int) (router.PeerID, layout.Rect, bool) {
	for i, id := range m.slots {
		if i < len(m.plan.Panes) && m.plan.Panes[i].Inner.Contains(x, y) {
			return id, m.plan.Panes[i].Inner, true
		}
	}
	return "", layout.Rect{}, false
}

// paneMouse passes the mouse to a child that wants it, else types there on a
// click, selects on a drag and scrolls on the wheel. Shift keeps it from the
// child.
func (m *model) paneMouse(msg tea.MouseMsg, id router.PeerID, x, y int, r layout.Rect) tea.Cmd {
	p := m.panes[id]
	if p == nil {
		return nil
	}
	e := msg.Mouse()
	mine := p.source == nil || m.opts.View || e.Mod&tea.ModShift != 0 || m.last.drag != ""
	typedInto := m.typing && m.focus == id
	wheel := e.Button == tea.MouseWheelUp || e.Button == tea.MouseWheelDown
	if !mine && (typedInto || wheel) {
		if b := p.source.Terminal().EncodeMouse(p.Mouse(msg, x, y, r.H)); b != nil {
			m.send(p, b)
			return nil
		}
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		m.wheel(p, e.Button)
	case tea.MouseClickMsg:
		m.press(p, id, e, x, y, r.H)
	case tea.MouseMotionMsg:
		if m.last.drag == id && e.Button == tea.MouseLeft {
			p.Drag(x, y, r.H, e.Mod&tea.ModAlt != 0)
			m.dirty = true
		}
	case tea.MouseReleaseMsg:
		return m.release(p, id)
	}
	return nil
}

func (m *model) wheel(p *paneState, b tea.MouseButton) {
	delta := wheelRows
	if b == tea.MouseWheelUp {
		delta = -wheelRows
	}
	if p.Scroll(delta) {
		p.Clear()
		m.dirty = true
	}
}

// press focuses a pane and types there; a drag from here on selects.
func (m *model) press(p *paneState, id router.PeerID, e tea.Mouse, x, y, h int) {
	if e.Button != tea.MouseLeft {
		return
	}
	m.dirty = true
	m.note = notice{}
	if m.now.Sub(m.last.at) < doubleClick && m.last.x == e.X && m.last.y == e.Y {
		m.last.count = m.last.count%3 + 1
	} else {
		m.last.count = 1
	}
	m.last.at, m.last.x, m.last.y, m.last.drag = m.now, e.X, e.Y, id
	m.setFocus(id)
	p.Press(x, y, h, m.last.count)
	f := m.facts()
	if !m.typing && f.Running && !f.LookOnly {
		m.typing = true
	}
}

// release ends a selection: what was chosen goes to the clipboard.
func (m *model) release(p *paneState, id router.PeerID) tea.Cmd {
	if m.last.drag != id {
		m.last.drag = ""
		return nil
	}
	m.last.drag = ""
	text := p.Copied()
	if text == "" {
		return nil
	}
	m.dirty = true
	m.say("copied")
	return tea.SetClipboard(text)
}

// chromeClick does what a click outside the terminals means.
func (m *model) chromeClick(x, y int) tea.Cmd {
	for i, id := range m.slots {
		if m.plan.Panes[i].Frame.Contains(x, y) {
			m.setFocus(id)
			return nil
		}
	}
	if r := m.plan.Sidebar; r.Contains(x, y) {
		t := m.sidebar().Hit(m.context(), r.W, r.H, y-r.Y)
		if t.Session != "" {
			m.setFocus(t.Session)
		}
		return nil
	}
	if m.plan.Head.Contains(x, y) && m.plan.Sidebar.Empty() {
		_, ends := m.sidebar().Tabs(m.context(), m.w)
		for i, end := range ends {
			if x < end {
				m.setFocus(m.sessions[i].ID)
				return nil
			}
		}
	}
	return nil
}
