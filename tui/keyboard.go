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

// key sends a key to where it belongs: the line being typed, the view on top,
// the pane while typing, else the docked card and the table. The leader comes
// back from a pane, and everywhere makes the next key one for the card.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	m.note = notice{}
	name := msg.String()
	chord := m.chord
	m.chord = false
	away := m.typing || m.entry != nil || len(m.pages) > 0 || m.scrolling
	if name == m.opts.Leader && (away || !chord) {
		m.stopTyping()
		m.chord = true
		return nil
	}
	switch {
	case m.typing:
		m.typeKey(msg)
		return nil
	case chord:
		return m.chordKey(msg, name)
	case m.entry != nil:
		return m.entryKey(msg)
	case len(m.pages) > 0:
		return m.pageKey(name)
	case m.scrolling:
		return m.scrollKey(name)
	}
	return m.watch(name)
}

// chordKey is the key after the leader: twice the leader types it into the pane,
// a key of the card answers and goes back to typing, d detaches when there is no
// card it could mean.
func (m *model) chordKey(msg tea.KeyPressMsg, name string) tea.Cmd {
	if name == m.opts.Leader {
		if why := m.mayType(); why != "" {
			m.warn(why)
			return nil
		}
		m.startTyping()
		m.typeKey(msg)
		return nil
	}
	if cmd, ok := m.cardKey(name); ok {
		m.typing = m.from && m.entry == nil && m.mayType() == ""
		return cmd
	}
	if name == "d" && m.cards.Len() == 0 {
		m.leave(ErrDetached)
		return nil
	}
	switch {
	case m.entry != nil:
		return m.entryKey(msg)
	case len(m.pages) > 0:
		return m.pageKey(name)
	}
	return m.watch(name)
}

// watch does what a key means while watching.
func (m *model) watch(name string) tea.Cmd {
	if cmd, ok := m.cardKey(name); ok {
		return cmd
	}
	if name == "esc" {
		if p := m.panes[m.focus]; p != nil {
			p.Follow()
			p.Clear()
		}
		return nil
	}
	b, ok := keys.Find(name, keys.Watching)
	if !ok {
		return nil
	}
	return m.act(b, name)
}

// mayType says why the pane with the focus cannot be typed into, or "".
func (m *model) mayType() string {
	b, _ := keys.Find("enter", keys.Watching)
	return b.Why(m.facts())
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
		keys.Message:  (*model).writeTo,
		keys.OpenTree: func(m *model, _ string) tea.Cmd { m.openPage(keys.Threads); return nil },
		keys.OpenRoom: func(m *model, _ string) tea.Cmd { m.openPage(keys.Rooms); return nil },
		keys.Seek:     (*model).openSearch,
		keys.OpenHelp: (*model).openHelp,
		keys.Command:  (*model).openColon,
		keys.Restart:  (*model).restartFocused,
		keys.LookBack: (*model).lookBack,
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
		if at := slices.Index(m.places, m.focus); at >= 0 && !slices.Contains(m.places, id) {
			m.places = slices.Clone(m.places)
			m.places[at] = id // it takes the pane that had the focus
		}
		m.focus, m.typing, m.scrolling = id, false, false
		m.dirty = true
	}
}

func (m *model) nextLayout(string) tea.Cmd {
	m.arrangement = m.arrangement.Next()
	m.places = nil
	m.say("layout: " + m.arrangement.String())
	return nil
}

func (m *model) startTyping() {
	m.typing, m.scrolling = true, false
	if p := m.panes[m.focus]; p != nil {
		p.Follow()
		p.Clear()
	}
}

// stopTyping goes back to watching; from remembers that a pane was typed into.
func (m *model) stopTyping() { m.from, m.typing = m.typing, false }

// lookBack scrolls the pane with the focus, and lets keys scroll it.
func (m *model) lookBack(string) tea.Cmd {
	m.scrolling = true
	return m.scrollKey("pgup")
}

// scrollKey is a key while looking back.
func (m *model) scrollKey(name string) tea.Cmd {
	p := m.panes[m.focus]
	b, ok := keys.Find(name, keys.Scroll)
	if !ok || p == nil {
		return nil
	}
	h := 10
	if at := slices.Index(m.slots, m.focus); at >= 0 {
		h = max(m.plan.Panes[at].Inner.H-2, 1)
	}
	switch b.ID {
	case keys.Up:
		p.Scroll(-1)
	case keys.Down:
		p.Scroll(1)
	case keys.PageUp:
		p.Scroll(-h)
	case keys.PageDown:
		p.Scroll(h)
	case keys.First:
		p.Oldest()
	case keys.Last:
		p.Follow()
	case keys.Copy:
		text := p.Copied()
		if text == "" {
			text = p.Visible()
		}
		m.copied(text)
	case keys.Back:
		m.scrolling = false
		p.Follow()
		p.Clear()
	}
	return nil
}

// typeKey sends a key to the child.
func (m *model) typeKey(msg tea.KeyPressMsg) {
	p := m.panes[m.focus]
	if term := p.terminal(); term != nil {
		p.Follow()
		p.Clear()
		m.send(p, term.EncodeKey(pane.Key(msg)))
	}
}

// send hands bytes to the child.
func (m *model) send(p *paneState, b []byte) {
	if len(b) == 0 {
		return
	}
	m.pulse.echo(m.now)
	if err := p.source.Type(b); err != nil {
		m.warn(err.Error())
	}
}

// paste sends pasted text to the child.
func (m *model) paste(text string) tea.Cmd {
	m.note = notice{}
	if m.entry != nil {
		m.entry.line.Insert(text)
		return nil
	}
	p := m.panes[m.focus]
	if term := p.terminal(); m.typing && term != nil {
		p.Follow()
		m.send(p, term.EncodePaste(text))
		return nil
	}
	m.warn("nothing is typed into: enter types into the pane, then paste")
	return nil
}
