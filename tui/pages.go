package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
	"github.com/ccmux/ccmux/tui/threads"
)

// page is the context of the view on top, 0 for the panes.
func (m *model) page() keys.Context {
	if len(m.pages) == 0 {
		return 0
	}
	return m.pages[len(m.pages)-1]
}

func (m *model) openPage(p keys.Context) {
	m.typing, m.scrolling = false, false
	if m.page() != p {
		m.pages = append(m.pages, p)
	}
	m.dirty = true
}

func (m *model) back() {
	if m.page() == keys.Threads {
		m.markSeen(m.view.Threads...)
	}
	m.pages = m.pages[:max(len(m.pages)-1, 0)]
}

// pageSize is the inside of the view on top.
func (m *model) pageSize() (w, h int) {
	return max(m.plan.Body.W-4, 1), max(m.plan.Body.H-2, 1)
}

// pageKey is a key while a view is open.
func (m *model) pageKey(name string) tea.Cmd {
	b, ok := keys.Find(name, m.page())
	if !ok {
		return m.unknown(name)
	}
	if why := b.Why(m.facts()); why != "" {
		m.warn(why)
		return nil
	}
	switch b.ID {
	case keys.Back:
		m.back()
		return nil
	case keys.OpenHelp, keys.Seek:
		return actions[b.ID](m, name)
	default:
	}
	w, h := m.pageSize()
	switch m.page() {
	case keys.Threads:
		m.treeKey(b.ID, h)
	case keys.Talk:
		m.talkKey(b.ID, w, h)
	case keys.Rooms:
		m.roomsKey(b.ID, h)
	case keys.Room:
		m.roomKey(b.ID, w, h)
	case keys.Search:
		m.foundKey(b.ID, h)
	case keys.Help:
		m.helpKey(b.ID, w, h)
	default:
	}
	return nil
}

func (m *model) treeKey(id keys.ID, h int) {
	t, ok := m.tree.Chosen(m.view)
	switch id {
	case keys.Open:
		m.openTalk(t.ID)
	case keys.GoPane:
		if ok {
			m.goTo(t.From, t.To)
		}
	case keys.Release:
		m.releaseHeld(t)
	default:
		m.tree.Key(id, m.view, h)
	}
}

func (m *model) openTalk(id router.ThreadID) {
	m.talk = threads.OpenAt(id)
	m.openPage(keys.Talk)
	m.readTalk()
}

// readTalk marks what the open conversation shows as read.
func (m *model) readTalk() {
	if t, ok := m.talk.Find(m.view); ok {
		m.markSeen(t)
		m.read(t.Messages)
	}
}

// markSeen takes the marks of news off threads.
func (m *model) markSeen(ts ...router.ThreadView) {
	for _, t := range ts {
		m.known[t.ID] = t.Updated
	}
}

// fresh says whether a thread changed since the human last looked at it.
func (m *model) fresh(t router.ThreadView) bool {
	at, ok := m.known[t.ID]
	if !ok {
		at = m.since
	}
	return t.Updated.After(at)
}

func (m *model) talkKey(id keys.ID, w, h int) {
	t, ok := m.talk.Find(m.view)
	if !ok {
		return
	}
	msg, some := m.talk.Message(m.view)
	switch id {
	case keys.Answer:
		if some {
			m.openEntry(m.talkEntry(t, msg))
		}
	case keys.GoPane:
		if some {
			m.goTo(msg.From, msg.To)
		}
	case keys.Release:
		m.releaseHeld(t)
	default:
		m.talk.Key(id, m.context(), w, h)
	}
}

// goTo closes the views and goes to the pane of from, or of the first of to that
// has one.
func (m *model) goTo(from router.PeerID, to []router.PeerID) {
	for _, id := range append([]router.PeerID{from}, to...) {
		if slices.ContainsFunc(m.sessions, func(p router.PeerView) bool { return p.ID == id }) {
			m.pages = nil
			m.setFocus(id)
			return
		}
	}
	m.warn("no session on this screen has to do with it")
}

// held are the deliveries of a thread that wait for the human.
func held(t router.ThreadView) (out []router.Release) {
	for _, msg := range t.Messages {
		for _, d := range msg.Deliveries {
			if d.State == wire.Held {
				out = append(out, router.Release{Message: msg.ID, Peer: d.Peer})
			}
		}
	}
	return out
}

func (m *model) releaseHeld(t router.ThreadView) {
	for _, r := range held(t) {
		m.submit(r, "it was not released", func(*model, router.Result) string { return "released" })
	}
}

func (m *model) roomsKey(id keys.ID, h int) {
	r, ok := m.rooms.Chosen(m.view)
	switch id {
	case keys.Open:
		m.openRoom(r.Name)
	case keys.Join:
		m.openEntry(m.joinEntry())
	case keys.Leave:
		if ok {
			m.leaveRoom(r.Name)
		}
	default:
		m.rooms.Key(id, m.view, h)
	}
}

func (m *model) openRoom(name string) {
	m.rooms.Open(name)
	m.openPage(keys.Room)
	m.readRoom()
}

func (m *model) readRoom() {
	if r, ok := m.rooms.Chosen(m.view); ok {
		m.read(r.Messages)
	}
}

func (m *model) roomKey(id keys.ID, w, h int) {
	r, ok := m.rooms.Chosen(m.view)
	if !ok {
		return
	}
	switch id {
	case keys.Answer:
		if !slices.Contains(r.Members, router.Human) {
			m.warn("only members write here: c in the list of rooms joins it")
			return
		}
		m.openEntry(m.roomEntry(r))
	case keys.Leave:
		m.leaveRoom(r.Name)
	case keys.GoPane:
		if n := len(r.Messages); n > 0 {
			m.goTo(r.Messages[n-1].From, r.Members)
		}
	default:
		m.rooms.RoomKey(id, m.context(), w, h)
	}
}

func (m *model) leaveRoom(name string) {
	m.submit(router.LeaveRoom{Room: name}, "you are still in #"+name, func(*model, router.Result) string { return "you left #" + name })
}

// joinEntry asks for a room's name, and who else should be in it.
func (m *model) joinEntry() *entry {
	return &entry{
		label: "room to create or join, then who else is to be in it", verb: "join", complete: (*model).completeRoom,
		send: func(m *model, text string) bool { return m.join(text) },
	}
}

// drawPage draws the view on top.
func (m *model) drawPage(c draw.Context, f *picture) {
	w, h := m.pageSize()
	box := draw.Box{Box: c.Thin, Look: c.Focus}
	var lines []string
	switch m.page() {
	case keys.Threads:
		box.Left = c.Bold.On("threads")
		m.tree.Asking, m.tree.Fresh = m.cards.Serves, m.fresh
		lines = m.tree.Lines(c, w, h)
	case keys.Talk:
		box.Left, box.Right = m.talkTitle(c)
		lines = m.talk.Lines(c, w, h)
	case keys.Rooms:
		box.Left = c.Bold.On("rooms")
		lines = m.rooms.Lines(c, w, h)
	case keys.Room:
		r, _ := m.rooms.Chosen(m.view)
		box.Left = c.Room.On("#" + cells.Line(r.Name))
		lines = m.rooms.RoomLines(c, w, h)
	case keys.Search:
		box.Left = c.Bold.On("search") + "  " + cells.Line(m.found.text)
		lines = m.found.lines(c, w, h)
	case keys.Help:
		box.Left = c.Bold.On(m.sheet.title)
		lines = m.sheet.visible(c, w, h)
	default:
	}
	f.put(m.plan.Body, box.Draw(lines, m.plan.Body.W, m.plan.Body.H, true))
}

func (m *model) talkTitle(c draw.Context) (left, right string) {
	t, ok := m.talk.Find(m.view)
	if !ok {
		return c.Thread.On(string(m.talk.ID)), ""
	}
	left = c.Thread.On(string(t.ID)) + "  " + cells.Line(t.Title)
	if t.Parent != "" {
		left += c.Dim.On(fmt.Sprintf("  part of %s", t.Parent))
	}
	word, look := c.Delivery(t, m.cards.Serves(t.ID))
	return left, look.On(word)
}
