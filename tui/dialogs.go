package tui

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/approvals"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
)

// readDialogs reads what the panes ask of all that need the human, and says
// whether any of it is new.
func (m *model) readDialogs() bool {
	var now map[router.PeerID]approvals.Dialog
	put := func(id router.PeerID) {
		if d, ok := m.door.Dialog(id); ok {
			if now == nil {
				now = map[router.PeerID]approvals.Dialog{}
			}
			now[id] = d
		}
	}
	for _, p := range m.sessions {
		if p.Session.State == router.NeedsYou {
			put(p.ID)
		}
	}
	for _, p := range m.view.Permissions {
		if p.InPane {
			put(p.Peer)
		}
	}
	same := maps.EqualFunc(now, m.dialogs, approvals.Dialog.Same)
	m.dialogs = now
	return !same
}

// needsReading says whether some pane may show a dialog that is to be answered.
func (m *model) needsReading() bool {
	for _, c := range m.cards.All() {
		if !c.Request() {
			return true
		}
	}
	return false
}

// refreshDialogs reads the dialogs anew after their panes changed.
func (m *model) refreshDialogs() {
	if m.needsReading() && m.readDialogs() {
		m.cards.Update(m.view, m.dialogs, m.now)
		m.dirty = true
	}
}

// choose answers the dialog on show with the row that a key names, in the panes
// of all who show it.
func (m *model) choose(key string, card approvals.Card) tea.Cmd {
	n, err := strconv.Atoi(key)
	if shown := m.choicesShown(card); err != nil || n < 1 || n > shown {
		m.warn(fmt.Sprintf("the dialog has no row %s here; enter goes to its pane", key))
		return nil
	}
	if m.choosing > 0 {
		m.warn("an answer is on its way")
		return nil
	}
	m.choosing++
	m.say("choosing " + key + m.look.Ellipsis)
	m.order(func(ctx context.Context) func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, doorTime)
		defer cancel()
		errs := m.chooseIn(ctx, card, n-1)
		return func(m *model) tea.Cmd {
			m.choosing--
			m.chosen(card, n, errs)
			return nil
		}
	})
	return nil
}

// chooseIn presses the keys in all panes at once; each is read for itself.
func (m *model) chooseIn(ctx context.Context, card approvals.Card, row int) []error {
	errs := make([]error, len(card.Peers))
	var all sync.WaitGroup
	for i, peer := range card.Peers {
		all.Go(func() { errs[i] = m.door.AnswerDialog(ctx, peer, card.Dialogs[i], row) })
	}
	all.Wait()
	return errs
}

// chosen says how it went.
func (m *model) chosen(card approvals.Card, n int, errs []error) {
	c := m.context()
	var failed []string
	for i, err := range errs {
		if err != nil {
			failed = append(failed, c.Name(card.Peers[i])+": "+cells.Line(err.Error()))
		}
	}
	text := "chose " + strconv.Itoa(n) + " in " + c.Names(card.Peers, 40)
	switch done := len(errs) - len(failed); {
	case len(failed) == 0:
		m.say(text)
	case done == 0:
		m.warn(strings.Join(failed, "; "))
	default:
		m.warn(fmt.Sprintf("chose %d in %d of %d; %s", n, done, len(errs), strings.Join(failed, "; ")))
	}
	m.readDialogs()
	m.cards.Update(m.view, m.dialogs, m.now)
}

// choicesShown is how many rows of the card's dialog are on screen and have a key.
func (m *model) choicesShown(card approvals.Card) int {
	return card.Shown(m.plan.Dock.H, m.dialogRows(card))
}

// dialogRows is how many rows the keys of a dialog's card take, for as many rows
// of the dialog as there can be: fewer need no more.
func (m *model) dialogRows(card approvals.Card) int {
	if len(card.Choices()) == 0 {
		return 1
	}
	c := m.context()
	rows, _ := barRows(c, m.cardLead(c), m.dialogKeys(c, card, len(card.Choices())), keys.Facts{}, m.w-4)
	return len(rows)
}

// dialogKeys are the keys of a card that is no request, in the words of what it
// shows; n rows of the dialog have one.
func (m *model) dialogKeys(c draw.Context, card approvals.Card, n int) (out []keys.Binding) {
	if n > 0 {
		b, _ := keys.Find("1", keys.Card)
		b.Label = "1"
		if n > 1 {
			b.Label = fmt.Sprintf("1-%d", min(n, 9))
		}
		switch {
		case card.Group():
			b.Short = fmt.Sprintf("answers all %d", len(card.Peers))
		case m.cards.Len() > 1:
			b.Short = "answers " + c.Name(card.Peers[0])
		}
		out = append(out, b)
	}
	if m.cards.Alike() {
		b, _ := keys.Find("tab", keys.Card)
		if !card.Group() {
			b.Short = "all together"
		}
		out = append(out, b)
	}
	enter, _ := keys.Find("enter", keys.Card)
	if slices.Contains(card.Peers, m.focus) {
		enter, _ = keys.Find("enter", keys.Watching)
	}
	return append(out, enter)
}
