package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/layout"
)

func (m *model) selectNumber(name string) tea.Cmd {
	n, _ := strconv.Atoi(name)
	if n < 1 || n > len(m.sessions) {
		m.warn("there is no session " + name)
		return nil
	}
	m.pick(m.sessions[n-1].ID)
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
			m.pick(p.ID)
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
		if at := slices.Index(m.places, m.focus); at >= 0 && !slices.Contains(m.places, id) {
			m.places = slices.Clone(m.places)
			m.places[at] = id // it takes the pane that had the focus
		}
		m.focus, m.typing, m.scrolling = id, false, false
		m.dirty = true
	}
}
