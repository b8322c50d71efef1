package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/approvals"
	"github.com/ccmux/ccmux/tui/cells"
)

// callDelay is how long a request waits before the human is called for it: what
// a rule answers, or the human in the pane, needs nobody.
const callDelay = 300 * time.Millisecond

// ring is what was done to call the human for one card.
type ring struct {
	since  time.Time // it was seen first
	called bool
}

// takeCards brings the queue of requests up to the view, and calls the human
// when something new waits and the terminal is not looked at.
func (m *model) takeCards() tea.Cmd {
	m.readDialogs()
	m.cards.Update(m.view, m.dialogs, m.now)
	m.readTarget()
	rings := map[string]ring{}
	fresh := ""
	m.recheck = m.cards.Due()
	for _, c := range m.cards.All() {
		r, known := m.rang[c.ID]
		if !known {
			r.since = m.now
		}
		at := r.since.Add(callDelay)
		switch {
		case r.called || c.Perm != nil && c.Perm.Answered != nil:
		case m.now.Before(at):
			m.recheck = earliest(m.recheck, at)
		default:
			r.called, fresh = true, m.announce(c)
		}
		rings[c.ID] = r
	}
	m.rang = rings
	if fresh == "" || m.awake {
		return nil
	}
	m.pulse.emit("\a" + environ(m.opts.Env).notify(fresh))
	return nil
}

// ticked looks at what changes with time alone.
func (m *model) ticked() tea.Cmd {
	m.refreshDialogs()
	m.readTarget()
	if m.recheck.IsZero() || m.now.Before(m.recheck) {
		return nil
	}
	return m.takeCards()
}

// tellNews shows what the human should know of ccmux itself, once.
func (m *model) tellNews() {
	news := strings.Join(m.view.News, "; ")
	if news != m.news && news != "" {
		m.warn(cells.Line(news))
	}
	m.news = news
}

// announce is a card in one plain line.
func (m *model) announce(c approvals.Card) string {
	name := m.context().Names(c.Peers, 40)
	if c.Perm == nil {
		return cells.Line("ccmux: " + name + " asks: " + c.Wish())
	}
	return cells.Line("ccmux: " + name + " " + approvals.Asks(c.Perm.Tool))
}

// pick goes to a session, and shows what it asks.
func (m *model) pick(id router.PeerID) {
	m.setFocus(id)
	m.cards.Show(id, m.now)
	m.readTarget()
}
