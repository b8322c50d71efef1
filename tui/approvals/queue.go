package approvals

import (
	"maps"
	"slices"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

// Still is how long a card has to stand still before its keys count.
const Still = 500 * time.Millisecond

// Card is one thing that waits for the human.
type Card struct {
	ID    string // of the request; of a dialog, made from its name
	Perm  *router.PermissionView
	Peers []router.PeerID // who waits; several may show the same dialog
	Text  string          // the dialog's name, when there is no request
	Since time.Time
	// Dialogs is what the panes of Peers show, in that order, where it can be read.
	Dialogs []Dialog

	kind string // the same for the same dialog of another session
}

// Request says whether the card is one that ccmux can answer.
func (c Card) Request() bool { return c.Perm != nil && !c.Perm.InPane }

// File is what stands in a file that a request would change.
type File struct {
	Text   string
	Exists bool
	Err    error
}

// Model is the queue and what one screen looks at of it.
type Model struct {
	cards  []Card
	at     string // the ID of the card on show
	look   string // names how it looked when it was last still
	armed  time.Time
	top    int    // first body row shown
	each   bool   // sessions with the same dialog are asked one by one
	chain  string // the card whose work is shown in full
	files  map[string]reading[File]
	says   map[string]reading[string] // what a rule would say of a request
	given  map[string]time.Time       // when an answer was seen first
	due    time.Time                  // when a card comes up by itself
	seen   seen
	placed placed
	away   bool // the card was not on screen when it was drawn last
}

// Update takes the newest view, and the dialogs that the panes of those who need
// the human show.
func (m *Model) Update(v *router.View, read map[router.PeerID]Dialog, now time.Time) {
	m.cards = m.collect(v, read)
	m.answers(now)
	if m.each && !slices.ContainsFunc(m.cards, func(c Card) bool { return c.Perm == nil }) {
		m.each = false
	}
	gone := func(id string) bool { return !slices.ContainsFunc(m.cards, func(c Card) bool { return c.ID == id }) }
	maps.DeleteFunc(m.files, func(id string, _ reading[File]) bool { return gone(id) })
	maps.DeleteFunc(m.says, func(id string, _ reading[string]) bool { return gone(id) })
	m.settle(now)
}

// answers notes when answers were seen first, and leaves out what a rule has
// answered: nobody is to look up for that, unless its effect is not seen.
func (m *Model) answers(now time.Time) {
	given := map[string]time.Time{}
	m.due = time.Time{}
	m.cards = slices.DeleteFunc(m.cards, func(c Card) bool {
		if c.Perm == nil || c.Perm.Answered == nil {
			return false
		}
		since, known := m.given[c.ID]
		if !known {
			since = now
		}
		given[c.ID] = since
		late := since.Add(Confirmed)
		if c.Perm.Answered.By.Kind != router.ByRule || !now.Before(late) {
			return false
		}
		if m.due.IsZero() || late.Before(m.due) {
			m.due = late
		}
		return true
	})
	m.given = given
}

// Due is when Update has to be called again, because a card comes up by itself;
// zero when none does.
func (m *Model) Due() time.Time { return m.due }

// Split has the sessions that show the same dialog asked one by one, or together
// again.
func (m *Model) Split(v *router.View, read map[router.PeerID]Dialog, now time.Time) {
	card, ok := m.Current()
	if !ok {
		return
	}
	m.each = !m.each
	m.cards = m.collect(v, read)
	m.answers(now)
	m.at = ""
	m.Show(card.Peers[0], now)
	m.settle(now)
}

// settle keeps the card on show, or goes to the oldest, and starts the grace
// anew when what is on show changed.
func (m *Model) settle(now time.Time) {
	if m.index() < 0 {
		m.at, m.top = "", 0
		if len(m.cards) > 0 {
			m.at = m.cards[0].ID
		}
	}
	look := ""
	if c, ok := m.Current(); ok {
		look = c.looks()
	}
	if look != m.look {
		m.look, m.top, m.seen = look, 0, seen{}
		m.armed = now.Add(Still)
	}
}

// looks names what matters of a card: when it changes the hand must wait again.
func (c Card) looks() string {
	s := c.ID
	if c.Perm != nil {
		s += "\x00" + c.Perm.Tool + "\x00" + string(c.Perm.Input)
		if c.Perm.InPane {
			s += "\x00pane"
		}
	}
	for _, p := range c.Peers {
		s += "\x00" + string(p)
	}
	for _, d := range c.Dialogs {
		s += "\x00" + d.key()
	}
	return s
}

// collect makes cards of requests and dialogs, oldest first.
func (m *Model) collect(v *router.View, read map[router.PeerID]Dialog) []Card {
	var out []Card
	asked := map[router.PeerID]bool{}
	for i := range v.Permissions {
		p := &v.Permissions[i]
		asked[p.Peer] = true
		c := Card{ID: p.ID, Perm: p, Peers: []router.PeerID{p.Peer}, Since: p.Asked}
		if d, ok := read[p.Peer]; ok && p.InPane {
			c.Dialogs = []Dialog{d}
		}
		out = append(out, c)
	}
	out = append(out, m.dialogs(v, read, asked)...)
	slices.SortStableFunc(out, func(a, b Card) int { return a.Since.Compare(b.Since) })
	return out
}

func (m *Model) index() int {
	return slices.IndexFunc(m.cards, func(c Card) bool { return c.ID == m.at })
}

// Len is how many cards wait.
func (m *Model) Len() int { return len(m.cards) }

// Current is the card on show.
func (m *Model) Current() (Card, bool) {
	if i := m.index(); i >= 0 {
		return m.cards[i], true
	}
	return Card{}, false
}

// Serves says whether a request on the queue is for a thread.
func (m *Model) Serves(t router.ThreadID) bool {
	return slices.ContainsFunc(m.cards, func(c Card) bool {
		return c.Perm != nil && len(c.Perm.Threads) > 0 && c.Perm.Threads[0] == t
	})
}

// Next shows the next card.
func (m *Model) Next(now time.Time) {
	if n := len(m.cards); n > 1 {
		m.at = m.cards[(m.index()+1)%n].ID
		m.top = 0
		m.settle(now)
	}
}

// Show shows the card of a peer, if one waits; the one on show stays if it is the
// peer's.
func (m *Model) Show(p router.PeerID, now time.Time) {
	if c, ok := m.Current(); ok && slices.Contains(c.Peers, p) {
		return
	}
	for _, c := range m.cards {
		if slices.Contains(c.Peers, p) {
			m.at = c.ID
			m.settle(now)
			return
		}
	}
}

// Armed says whether keys count now.
func (m *Model) Armed(now time.Time) bool { return m.at != "" && !now.Before(m.armed) }

// ArmedAt is when keys begin to count; zero when they do or nothing waits.
func (m *Model) ArmedAt(now time.Time) time.Time {
	if m.at == "" || m.Armed(now) {
		return time.Time{}
	}
	return m.armed
}

// Touch says that the hands are not still: a key came before the card was armed.
func (m *Model) Touch(now time.Time) {
	if m.at != "" && now.Before(m.armed) {
		m.armed = now.Add(Still)
	}
}

// Unfold shows the work that the card on show serves in full, or no longer.
func (m *Model) Unfold() {
	if m.chain == m.at {
		m.chain = ""
	} else {
		m.chain = m.at
	}
}

// All is the queue in its order.
func (m *Model) All() []Card { return slices.Clone(m.cards) }
