package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui/keys"
	"github.com/ccmux/ccmux/tui/layout"
)

// takeView reads the newest view.
func (m *model) takeView() tea.Cmd {
	v := m.door.View()
	if v == nil {
		return nil
	}
	before := m.view
	m.view = v
	m.sessions = m.sessions[:0:0]
	for _, p := range v.Peers {
		if p.Class == wire.ClassSession {
			m.sessions = append(m.sessions, p)
		}
	}
	m.tellStarts(before)
	m.tellNews()
	if _, ok := m.peer(); !ok {
		m.focus, m.typing = "", false
		if len(m.sessions) > 0 {
			m.focus = m.sessions[0].ID
		}
	}
	if p, ok := m.peer(); m.typing && (!ok || !p.Session.State.Running()) {
		m.stopTyping()
	}
	switch m.page() {
	case keys.Talk:
		m.readTalk()
	case keys.Room:
		m.readRoom()
	default:
	}
	return m.takeCards()
}

// request is what the layout is asked for.
func (m *model) request() layout.Request {
	c := m.context()
	card, _ := m.cards.Current()
	k, _ := m.cardKeys(c, card, m.w-4)
	want, least := m.cards.Want(c, k, m.w, max(m.h/3, 7))
	return layout.Request{
		W: m.w, H: m.h, Sessions: len(m.sessions),
		HideSidebar: m.hideSidebar, Zoom: m.zoom, Arrangement: m.kind, Splits: m.splits,
		Full: len(m.pages) > 0, Line: m.entryHeight(),
		Dock: want, DockLeast: least,
	}
}

// arrange divides the screen, decides who is in which pane, and tells the panes
// their sizes. What is docked below does not count for those: a card that comes
// and goes would make every program draw itself anew twice. Instead a pane shows
// the lower end of its terminal meanwhile.
func (m *model) arrange() {
	req := m.request()
	m.plan = layout.Make(req)
	m.placeCard()
	req.Dock, req.DockLeast, req.Line = 0, 0, 0
	rest := layout.Make(req).Panes
	switch n := len(m.plan.Panes); {
	case len(m.pages) > 0: // what was shown stays as it is, unseen
	case n == 1 && m.focus != "":
		m.slots = []router.PeerID{m.focus} // the places stay for later
	default:
		m.fillPlaces(n)
		m.slots = m.places
	}
	for id := range m.panes {
		if !slices.Contains(m.slots, id) {
			m.dropPane(id)
		}
	}
	for i, id := range m.slots {
		if i < len(rest) {
			m.showPane(id, rest[i].Inner)
		}
	}
}

// placeCard tells the card where it is drawn: what of it was on screen decides
// whether it can be allowed.
func (m *model) placeCard() {
	card, _ := m.cards.Current()
	c, r := m.context(), m.plan.Dock
	k, _ := m.cardKeys(c, card, r.W-4)
	m.cards.Placed(c, k, r.W, r.H, m.now)
}

// fillPlaces puts n sessions into panes: who was there stays, the one with the
// focus is always there. When all fit they stand in their own order.
func (m *model) fillPlaces(n int) {
	places := slices.DeleteFunc(slices.Clone(m.places), func(id router.PeerID) bool {
		return !slices.ContainsFunc(m.sessions, func(p router.PeerView) bool { return p.ID == id })
	})
	if n >= len(m.sessions) {
		places = places[:0]
	}
	for _, p := range m.sessions {
		if len(places) < n && !slices.Contains(places, p.ID) {
			places = append(places, p.ID)
		}
	}
	if n > 0 && m.focus != "" && !slices.Contains(places[:min(n, len(places))], m.focus) {
		places = append(places[:min(n, len(places))-1], m.focus)
	}
	m.places = places[:min(n, len(places))]
}

// showPane connects a pane to its session and gives it its size.
func (m *model) showPane(id router.PeerID, r layout.Rect) {
	source := m.door.Pane(id)
	p := m.panes[id]
	if p == nil {
		p = &paneState{}
		m.panes[id] = p
	}
	p.keys.Store(m.typing && id == m.focus)
	if p.source != source {
		m.disconnect(p)
		p.source = source
		if source != nil {
			p.cancel = source.Changed(func() {
				if p.keys.Load() {
					m.pulse.markEcho()
				} else {
					m.pulse.markPanes()
				}
			})
			m.tellColors()
		}
	}
	if source == nil || m.opts.View || r.Empty() || p.cols == r.W && p.rows == r.H {
		return
	}
	p.cols, p.rows = r.W, r.H
	source.Show(m.id, r.W, r.H)
}

func (m *model) dropPane(id router.PeerID) {
	if p := m.panes[id]; p != nil {
		m.disconnect(p)
		delete(m.panes, id)
	}
}

func (m *model) disconnect(p *paneState) {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
	if p.source != nil && p.cols > 0 {
		p.source.Hide(m.id)
	}
	p.source, p.cols, p.rows = nil, 0, 0
}

// refresh takes what changed in the panes on the screen.
func (m *model) refresh() bool {
	changed := false
	for _, id := range m.slots {
		p := m.panes[id]
		if p == nil {
			continue
		}
		changed = p.Refresh(p.terminal()) || changed
	}
	return changed
}

// tellFocus tells the child that is typed into that it has the focus, and the
// one before that it lost it.
func (m *model) tellFocus() {
	want := router.PeerID("")
	if m.typing && m.awake {
		want = m.focus
	}
	now := focusTold{want, m.panes[want].terminal()}
	if now == m.told {
		return
	}
	if p := m.panes[m.told.id]; m.told.term != nil && p.terminal() == m.told.term {
		_ = p.source.Type(m.told.term.EncodeFocus(false)) // a child that reads nothing needs no focus either
	}
	m.told = focusTold{}
	if now.term == nil {
		return
	}
	if b := now.term.EncodeFocus(true); len(b) > 0 { // else it is told as soon as it wants to know
		_ = m.panes[want].source.Type(b)
		m.told = now
	}
}

// followMouse has the terminal tell of every motion of the mouse while the child
// that is typed into wants to hear of it, and only then: each costs a wake-up.
func (m *model) followMouse() {
	term := m.panes[m.focus].terminal()
	want := m.typing && m.page() == 0 && term != nil && term.WantsMotion()
	if want == m.hovers {
		return
	}
	if m.hovers = want; want {
		m.pulse.emit(hover)
	} else {
		m.pulse.emit(drags)
	}
}

// focusTold is the child that was told that it has the focus; a restart brings
// another terminal, which was not.
type focusTold struct {
	id   router.PeerID
	term *vt.Terminal
}
