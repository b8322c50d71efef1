package tui

import (
	"slices"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
)

// say shows a sentence at the bottom.
func (m *model) say(text string) { m.note = notice{text: text, until: m.now.Add(noticeTime)} }

func (m *model) warn(text string) {
	m.note = notice{text: text, bad: true, until: m.now.Add(noticeTime)}
}

// context is what one frame is drawn with.
func (m *model) context() draw.Context {
	return draw.NewContext(m.look, m.view, m.now, m.home)
}

// facts is what decides which keys do something.
func (m *model) facts() keys.Facts {
	f := keys.Facts{Sessions: len(m.sessions), LookOnly: m.opts.View}
	if p, ok := m.peer(); ok {
		f.Focused = true
		f.Running = p.Session.State.Running()
		f.Pane = m.panes[p.ID] != nil && !m.panes[p.ID].Blank()
	}
	f.Cards = m.cards.Len()
	if card, ok := m.cards.Current(); ok {
		f.InPane = !card.Request()
		f.Once = card.Perm != nil && !card.Perm.Lasting
		f.AtCard = slices.Contains(card.Peers, m.focus)
		f.Choices = m.choicesShown(card)
		f.Unseen = m.cards.Unseen()
		f.Answered = card.Perm != nil && card.Perm.Answered != nil
	}
	m.pageFacts(&f)
	return f
}

// pageFacts are those of the view on top.
func (m *model) pageFacts(f *keys.Facts) {
	switch m.page() {
	case keys.Threads:
		f.Rows = len(m.view.Threads)
		t, _ := m.tree.Chosen(m.view)
		f.Held, f.Owed = len(held(t)) > 0, m.owed(t)
	case keys.Talk:
		t, _ := m.talk.Find(m.view)
		f.Held, f.Owed = len(held(t)) > 0, m.owed(t)
	case keys.Rooms, keys.Room:
		f.Rows = len(m.view.Rooms)
		r, _ := m.rooms.Chosen(m.view)
		f.Member, f.Archived = slices.Contains(r.Members, router.Human), r.Archived
	case keys.Search:
		f.Rows, f.More = len(m.found.list), m.found.more
	default:
	}
}
