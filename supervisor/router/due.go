package router

import (
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// Due returns what may be offered to a peer's session now through Route, in the
// order in which it must go:
//
//   - more than Limits.Batch messages: they go together as one event;
//   - else each as an event of its own, one after the other, at once. At most
//     the first of them is a task or a reply, and only while the session is idle
//     and shows no offer outstanding, so that the rest of its turn holds notes.
//
// A later message never overtakes an earlier one of the same sender: it is not
// due before that was seen, or was offered on the same route just now. Held
// messages stand aside. Nothing that was seen is due again, but a task seen as
// background.
func (s *State) Due(id PeerID, at time.Time) []Message {
	p := s.peers[id]
	if p == nil || p.Left || id == Human {
		return nil
	}
	ses := &p.Session
	route := ses.push()
	if route == "" || ses.State != Idle && ses.State != Busy {
		return nil
	}
	if ses.State == Busy && p.notes == 0 {
		return nil
	}
	w := walk{at: at, route: route, limits: &s.limits}
	w.fresh = ses.State == Idle && p.outstanding == 0
	if w.fresh {
		if all := w.together(p); len(all) > s.limits.Batch {
			return all
		}
	}
	p.queue.each(w.single)
	return w.out
}

// DueAtEdge returns what a hook may hand over at the edge of a turn (Stop, or
// UserPromptSubmit of the human's own prompt): tasks seen as background; and
// everything, when no better route is proven or the session was not idle for
// Limits.Edge. In order, to go together.
func (s *State) DueAtEdge(id PeerID, at time.Time) []Message {
	p := s.peers[id]
	if p == nil || p.Left || id == Human || !p.Session.State.Running() {
		return nil
	}
	ses := &p.Session
	everything := ses.push() == "" || ses.State != Idle && at.Sub(ses.LeftIdle) >= s.limits.Edge
	w := walk{at: at, limits: &s.limits}
	if everything {
		return w.together(p)
	}
	p.queue.each(func(del *delivery) bool { return !del.again() || w.take(del) })
	return w.out
}

// walk goes through a queue and collects what is due.
type walk struct {
	at     time.Time
	route  wire.Route
	limits *Limits
	fresh  bool // a turn may begin
	out    []Message
	bytes  int
	stand  map[PeerID]bool // senders whose later messages must wait
	pipe   map[PeerID]bool // senders with an offer outstanding on route
}

func (w *walk) block(id PeerID) bool {
	if w.stand == nil {
		w.stand = map[PeerID]bool{}
	}
	w.stand[id] = true
	return true
}

func (w *walk) piped(id PeerID) {
	if w.pipe == nil {
		w.pipe = map[PeerID]bool{}
	}
	w.pipe[id] = true
}

// take adds a message; false when one event holds no more.
func (w *walk) take(del *delivery) bool {
	size := len(del.m.Content) + len(del.m.Data)
	if len(w.out) >= w.limits.BatchMost || len(w.out) > 0 && w.bytes+size > w.limits.BatchBytes {
		return false
	}
	w.out = append(w.out, del.m.Message)
	w.bytes += size
	return true
}

// aside says whether a delivery has no part in the order now.
func (w *walk) aside(del *delivery) bool {
	return del.State == wire.Held || del.unseen() && del.m.expiredAt(w.at)
}

// together collects what may go as one event.
func (w *walk) together(p *peer) []Message {
	t := walk{at: w.at, limits: w.limits}
	p.queue.each(func(del *delivery) bool {
		switch {
		case t.aside(del):
			return true
		case del.State == wire.Offered:
			return t.block(del.m.From)
		case t.stand[del.m.From]:
			return true
		}
		return t.take(del)
	})
	return t.out
}

// single collects what may go as events of their own.
func (w *walk) single(del *delivery) bool {
	from := del.m.From
	switch {
	case w.aside(del):
		return true
	case del.State == wire.Offered:
		if del.Route != w.route {
			return w.block(from)
		}
		w.piped(from)
		return true
	case w.stand[from]:
		return true
	case w.pipe[from] && del.Offers > 0: // it was lost or refused behind one before
		return w.block(from)
	case del.m.beginsTurn() && (!w.fresh || len(w.out) > 0):
		return w.block(from)
	}
	w.piped(from)
	return w.take(del)
}
