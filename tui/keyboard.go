package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/keys"
	"github.com/ccmux/ccmux/tui/pane"
)

// key sends a key to where it belongs: the line being typed, the view on top,
// the pane while typing, else the docked card and the table. The leader comes
// back from a pane, and everywhere makes the next key one for the card.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	m.note = notice{}
	name := msg.String()
	if name == "alt+esc" && !m.typing {
		name = "esc" // two that came in one piece
	}
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
		if !m.from { // it came from nowhere that it would go back to
			return m.unknown(name)
		}
		if why := m.mayType(); why != "" {
			m.warn(why)
			return nil
		}
		m.startTyping()
		m.typeKey(msg)
		return nil
	}
	at := m.focus
	if cmd, ok := m.cardKey(name); ok {
		m.typing = m.from && m.focus == at && m.entry == nil && m.mayType() == ""
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
		return m.unknown(name)
	}
	return m.act(b, name)
}

// unknown says what to press in place of a key that means nothing while watching;
// somebody who presses ctrl+c wants out, and somebody who writes wants to type.
func (m *model) unknown(name string) tea.Cmd {
	text := cells.Line(name) + " does nothing here: "
	switch bar := m.where(); {
	case bar != keys.Watching:
		text += "esc goes back"
	case m.mayType() == "":
		text += "i types into the pane, q detaches, ? shows every key"
	default:
		text += "q detaches, ? shows every key"
	}
	m.say(text)
	return nil
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
		keys.Sidebar:  func(m *model, _ string) tea.Cmd { m.hideSidebar = !m.hideSidebar; m.remember(); return nil },
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

func (m *model) nextLayout(string) tea.Cmd {
	m.kind = m.kind.Next()
	m.places = nil
	m.say("layout: " + m.kind.String())
	m.remember()
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
