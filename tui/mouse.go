package tui

import (
	"slices"
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
	if _, ok := msg.(tea.MouseWheelMsg); ok && m.page() != 0 {
		m.dirty = true
		return m.pageWheel(e.Button)
	}
	if m.grip.Kind != layout.NoBorder {
		m.dragBorder(msg)
		return nil
	}
	if m.gripped != "" && m.follow(msg) {
		return nil
	}
	if id, r, ok := m.paneAt(e.X, e.Y); ok && m.last.drag == "" {
		return m.paneMouse(msg, id, e.X-r.X, e.Y-r.Y, r)
	}
	if m.last.drag != "" {
		return m.dragOut(msg, e)
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
		if m.page() == 0 && i < len(m.plan.Panes) && m.plan.Panes[i].Inner.Contains(x, y) {
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
	term := p.terminal()
	mine := term == nil || m.opts.View || e.Mod&tea.ModShift != 0 || m.last.drag != ""
	if click, ok := msg.(tea.MouseClickMsg); ok && click.Button == tea.MouseLeft && click.Mod&tea.ModCtrl != 0 {
		return m.openLinkAt(p, x, y, r.H)
	}
	typedInto := m.typing && m.focus == id
	wheel := e.Button == tea.MouseWheelUp || e.Button == tea.MouseWheelDown
	if !mine && (typedInto || wheel) {
		if b := term.EncodeMouse(p.Mouse(msg, x, y, r.H)); b != nil {
			m.send(p, b)
			if _, pressed := msg.(tea.MouseClickMsg); pressed {
				m.gripped = id
			}
			return nil
		}
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		m.wheel(p, e.Button, r.H)
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

// follow passes what the mouse does to the child that took its press, wherever
// it is by now: a child that never hears of the release goes on dragging. It
// says whether that was all the event meant.
func (m *model) follow(msg tea.MouseMsg) bool {
	switch msg.(type) {
	case tea.MouseMotionMsg, tea.MouseReleaseMsg:
	case tea.MouseClickMsg: // the release went by unseen
		m.gripped = ""
		return false
	default:
		return false
	}
	p, at := m.panes[m.gripped], slices.Index(m.slots, m.gripped)
	if _, released := msg.(tea.MouseReleaseMsg); released {
		m.gripped = ""
	}
	term := p.terminal()
	if term == nil || at < 0 || at >= len(m.plan.Panes) {
		return false
	}
	r, e := m.plan.Panes[at].Inner, msg.Mouse()
	if r.Empty() {
		return false
	}
	x, y := min(max(e.X-r.X, 0), r.W-1), min(max(e.Y-r.Y, 0), r.H-1)
	if b := term.EncodeMouse(p.Mouse(msg, x, y, r.H)); b != nil {
		m.send(p, b)
	}
	return true
}

// dragOut goes on with a selection beyond the edges of its pane: above and below
// it scrolls.
func (m *model) dragOut(msg tea.MouseMsg, e tea.Mouse) tea.Cmd {
	id := m.last.drag
	p := m.panes[id]
	at := slices.Index(m.slots, id)
	if p == nil || at < 0 || at >= len(m.plan.Panes) {
		m.last.drag = ""
		return nil
	}
	r := m.plan.Panes[at].Inner
	switch msg.(type) {
	case tea.MouseReleaseMsg:
		return m.release(p, id)
	case tea.MouseMotionMsg:
		switch {
		case e.Y < r.Y:
			p.Scroll(-1, r.H)
		case e.Y >= r.Y+r.H:
			p.Scroll(1, r.H)
		}
		p.Refresh(p.terminal())
		p.Drag(min(max(e.X-r.X, 0), r.W-1), min(max(e.Y-r.Y, 0), r.H-1), r.H, e.Mod&tea.ModAlt != 0)
		m.dirty = true
	}
	return nil
}

func (m *model) wheel(p *paneState, b tea.MouseButton, h int) {
	delta := wheelRows
	if b == tea.MouseWheelUp {
		delta = -wheelRows
	}
	if p.Scroll(delta, h) {
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
	if m.entry != nil && m.entry.line.Text() != "" {
		m.warn("a line is being typed: enter sends it, esc drops it")
		return
	}
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
		m.entry = nil
		m.typing, m.scrolling = true, false
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
	m.copied(text)
	return nil
}
