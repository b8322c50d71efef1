package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/keys"
	"github.com/ccmux/ccmux/tui/layout"
	"github.com/ccmux/ccmux/tui/pane"
)

// key sends a key to where it belongs: the pane while typing, else the table.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	m.note = notice{}
	name := msg.String()
	if m.typing {
		if name == m.opts.Leader {
			m.stopTyping()
			m.chord = true
			return nil
		}
		m.typeKey(msg)
		return nil
	}
	chord := m.chord
	m.chord = false
	if chord && name == m.opts.Leader {
		m.startTyping()
		m.typeKey(msg)
		return nil
	}
	return m.watch(name, chord)
}

// watch does what a key means while watching.
func (m *model) watch(name string, chord bool) tea.Cmd {
	b, ok := keys.Find(name, keys.Watching)
	if !ok {
		if chord && name == "d" {
			m.leave(ErrDetached)
		}
		return nil
	}
	return m.act(b, name)
}

// act does what a binding says, or says why it cannot be done.
func (m *model) act(b keys.Binding, name string) tea.Cmd {
	if why := b.Why(m.facts()); why != "" {
		m.warn(why)
		return nil
	}
	if do := actions[b.ID]; do != nil {
		return do(m, name)
	}
	return nil
}

var actions map[keys.ID]func(*model, string) tea.Cmd

func init() {
	actions = map[keys.ID]func(*model, string) tea.Cmd{
		keys.Select:   (*model).selectNumber,
		keys.Next:     func(m *model, _ string) tea.Cmd { return m.step(1) },
		keys.Previous: func(m *model, _ string) tea.Cmd { return m.step(-1) },
		keys.Move:     (*model).moveFocus,
		keys.Needs:    (*model).nextNeed,
		keys.Type:     func(m *model, _ string) tea.Cmd { m.startTyping(); return nil },
		keys.Zoom:     func(m *model, _ string) tea.Cmd { m.zoom = !m.zoom; return nil },
		keys.Sidebar:  func(m *model, _ string) tea.Cmd { m.hideSidebar = !m.hideSidebar; return nil },
		keys.Layout:   (*model).nextLayout,
		keys.Detach:   func(m *model, _ string) tea.Cmd { m.leave(ErrDetached); return nil },
	}
}

func (m *model) selectNumber(name string) tea.Cmd {
	n, _ := strconv.Atoi(name)
	if n < 1 || n > len(m.sessions) {
		m.warn("there is no session " + name)
		return nil
	}
	m.setFocus(m.sessions[n-1].ID)
	return nil
}

// step moves the focus by n sessions.
func (m *model) step(n int) tea.Cmd {
	at := slices.IndexFunc(m.sessions, func(p router.PeerView) bool { return p.ID == m.focus })
	count := len(m.sessions)
	m.setFocus(m.sessions[((at+n)%count+count)%count].ID)
	return nil
}

// nextNeed goes to the next session that waits for the human.
func (m *model) nextNeed(string) tea.Cmd {
	at := slices.IndexFunc(m.sessions, func(p router.PeerView) bool { return p.ID == m.focus })
	for i := range m.sessions {
		p := m.sessions[(at+1+i)%len(m.sessions)]
		if p.Session.State == router.Asks || p.Session.State == router.NeedsYou {
			m.setFocus(p.ID)
			return nil
		}
	}
	m.say("nobody needs you")
	return nil
}

// moveFocus goes to the pane in the direction of an arrow.
func (m *model) moveFocus(name string) tea.Cmd {
	at := slices.Index(m.slots, m.focus)
	if at < 0 {
		return nil
	}
	from := m.plan.Panes[at].Frame
	best, bestCost := -1, 0
	for i := range m.slots {
		to := m.plan.Panes[i].Frame
		if along, across, ok := direction(name, from, to); ok {
			if cost := along*4 + across; best < 0 || cost < bestCost {
				best, bestCost = i, cost
			}
		}
	}
	if best >= 0 {
		m.setFocus(m.slots[best])
		return nil
	}
	if len(m.slots) < len(m.sessions) {
		if name == "left" || name == "up" {
			return m.step(-1)
		}
		return m.step(1)
	}
	return nil
}

// direction says whether to lies in the direction of an arrow from from, and how
// far along and beside it.
func direction(arrow string, from, to layout.Rect) (along, across int, ok bool) {
	dx, dy := (to.X+to.W/2)-(from.X+from.W/2), (to.Y+to.H/2)-(from.Y+from.H/2)
	switch arrow {
	case "left":
		return -dx, abs(dy), to.X+to.W <= from.X
	case "right":
		return dx, abs(dy), to.X >= from.X+from.W
	case "up":
		return -dy, abs(dx), to.Y+to.H <= from.Y
	}
	return dy, abs(dx), to.Y >= from.Y+from.H
}

func abs(n int) int { return max(n, -n) }

func (m *model) setFocus(id router.PeerID) {
	if id != m.focus {
		m.focus, m.typing = id, false
		m.dirty = true
	}
}

func (m *model) nextLayout(string) tea.Cmd {
	m.arrangement = m.arrangement.Next()
	m.slots = nil
	m.say("layout: " + m.arrangement.String())
	return nil
}

func (m *model) startTyping() {
	m.typing = true
	if p := m.panes[m.focus]; p != nil {
		p.Follow()
		p.Clear()
	}
}

func (m *model) stopTyping() { m.typing = false }

// typeKey sends a key to the child.
func (m *model) typeKey(msg tea.KeyPressMsg) {
	if p := m.panes[m.focus]; p != nil && p.source != nil {
		p.Follow()
		p.Clear()
		m.send(p, p.source.Terminal().EncodeKey(pane.Key(msg)))
	}
}

// send hands bytes to the child.
func (m *model) send(p *paneState, b []byte) {
	if len(b) == 0 {
		return
	}
	if err := p.source.Type(b); err != nil {
		m.warn(err.Error())
	}
}

// paste sends pasted text to the child.
func (m *model) paste(text string) tea.Cmd {
	m.note = notice{}
	p := m.panes[m.focus]
	switch {
	case m.typing && p != nil && p.source != nil:
		p.Follow()
		m.send(p, p.source.Terminal().EncodePaste(text))
	default:
		m.warn("nothing is typed into: enter types into the pane, then paste")
	}
	return nil
}
