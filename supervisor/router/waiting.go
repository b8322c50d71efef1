package router

import (
	"slices"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// reason says why nothing can be offered to a session in this state, in the
// words the sender and the screen read; "" when something can. turn says that
// the message is to begin a turn: a task or a reply.
func reason(name string, ses *session, turn bool) string {
	switch ses.State {
	case Idle, Busy:
	case "":
		return name + " was not started"
	case Starting:
		return name + " is starting"
	case NeedsYou:
		if ses.Detail == "" {
			return name + " needs you"
		}
		return name + " needs you: " + ses.Detail
	case Asks:
		return name + " asks for permission"
	case Exited:
		return name + " has exited"
	case Failed:
		return name + " has failed"
	case Stopped:
		return name + " is stopped"
	}
	if ses.State == Busy && turn {
		return name + " is busy"
	}
	if ses.push() == "" {
		if why := ses.lost(); why != "" {
			return name + " has no proven route: " + why
		}
		return name + " has no proven route"
	}
	return ""
}

// beginsTurn says whether a message has to begin a turn of its receiver.
func (m *message) beginsTurn() bool { return m.Kind != wire.KindNote }

// rewait records new reasons for waiting of what p was not offered, were its
// session in the state ses. back says which offers are taken back and why; nil
// takes back none. A reason is recorded only when it changed.
func (d *decision) rewait(p *peer, ses session, back func(*delivery) string) {
	d.recall(p, ses, back, false)
}

// recall is rewait; lost says that the offers taken back did not arrive.
func (d *decision) recall(p *peer, ses session, back func(*delivery) string, lost bool) {
	if p.ID == Human || p.queue.len() == 0 {
		return
	}
	turn, note := reason(p.Name, &ses, true), reason(p.Name, &ses, false)
	if turn == "" && note == "" && back == nil {
		return
	}
	behind := map[PeerID]bool{} // senders of which a note may not overtake
	p.queue.each(func(del *delivery) bool {
		if del.m.expiredAt(d.at) {
			return true
		}
		why, taken := note, ""
		if del.m.beginsTurn() || behind[del.m.From] {
			why = turn
		}
		if del.State == wire.Offered && back != nil {
			taken = back(del)
		}
		waits := del.State == wire.Written || del.State == wire.Waiting
		if !waits && taken == "" {
			return true
		}
		if why == "" {
			why = taken
		}
		if turn != note && del.m.beginsTurn() {
			behind[del.m.From] = true
		}
		if why != "" && (taken != "" || del.State != wire.Waiting || del.Reason != why) {
			d.emit(Waiting{Message: del.m.ID, Peer: p.ID, For: why, Lost: lost && taken != ""})
		}
		return true
	})
}

func (e Waiting) apply(s *State, ev Event) {
	s.change(e.Message, e.Peer, func(del *delivery) {
		if e.Unseen && del.State == wire.Seen {
			del.to(wire.Waiting, ev.At)
			del.Reason, del.Route, del.Proof, del.Background = e.For, "", "", false
			return
		}
		if del.State == wire.Written || del.State == wire.Waiting || del.State == wire.Offered {
			if e.Lost {
				del.Lost++
			} else if del.State == wire.Offered {
				del.Lost = 0
			}
			del.to(wire.Waiting, ev.At)
			del.Reason, del.Route = e.For, ""
		}
	})
}

// WaitingFor says why a message is not offered to a peer now; "" when it is
// due, was seen, or has ended.
func (s *State) WaitingFor(id PeerID, mid MessageID) string {
	p, m := s.peers[id], s.messages[mid]
	if p == nil || m == nil {
		return ""
	}
	del := m.to(id)
	if del == nil || !del.queued {
		return ""
	}
	if del.State == wire.Held {
		return del.Reason
	}
	if del.State == wire.Offered {
		return "no proof yet that " + p.Name + " saw it"
	}
	if why := reason(p.Name, &p.Session, m.beginsTurn()); why != "" {
		return why
	}
	return p.behind(del)
}

// behind says what stands before a delivery in its turn.
func (p *peer) behind(del *delivery) string {
	why := ""
	p.queue.each(func(e *delivery) bool {
		if e == del {
			return false
		}
		switch {
		case e.m.From != del.m.From || e.State == wire.Held || e.State == wire.Seen:
		case e.State == wire.Offered && del.Offers == 0 && e.Route == p.Session.push():
		default:
			why = "an earlier message to " + p.Name + " was not seen yet"
		}
		return why == ""
	})
	if why == "" && del.m.beginsTurn() && p.outstanding > 0 {
		why = p.Name + " was offered a message it has not seen yet"
	}
	return why
}

// NextTick is the earliest time at which time alone changes something: a Tick
// is due then. Zero means never.
func (s *State) NextTick() time.Time {
	var next time.Time
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for _, m := range s.expiring {
		sooner(m.ExpiresAt)
	}
	for _, p := range s.order {
		sooner(s.proofDue(p))
	}
	return next
}

// TickDue says whether a Tick changes something now.
func (s *State) TickDue(now time.Time) bool {
	if next := s.NextTick(); !next.IsZero() && !next.After(now) {
		return true
	}
	return slices.ContainsFunc(s.order, func(p *peer) bool { return s.overdue(p, now) })
}

// overdue says whether an offer to an idle session counts as lost.
func (s *State) overdue(p *peer, now time.Time) bool {
	if p.outstanding == 0 || p.Session.State != Idle {
		return false
	}
	found := false
	p.queue.each(func(del *delivery) bool {
		found = del.State == wire.Offered && s.late(p, del, now)
		return !found
	})
	return found
}

// late says whether an offer was not seen in time. What lies in the future was
// before the clock was set back, and how long ago nobody knows: such an offer is
// late, such a state is old.
func (s *State) late(p *peer, del *delivery, now time.Time) bool {
	since := del.Since
	if !p.Session.Since.After(now) {
		since = later(since, p.Session.Since)
	}
	return since.After(now) || !since.Add(s.limits.Proof).After(now)
}

// proofDue is when the oldest offer to an idle session counts as lost.
func (s *State) proofDue(p *peer) time.Time {
	if p.outstanding == 0 || p.Session.State != Idle {
		return time.Time{}
	}
	var next time.Time
	p.queue.each(func(del *delivery) bool {
		if del.State == wire.Offered {
			if t := later(del.Since, p.Session.Since).Add(s.limits.Proof); next.IsZero() || t.Before(next) {
				next = t
			}
		}
		return true
	})
	return next
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (c Tick) decide(d *decision) error {
	for _, m := range d.s.expired(d.at) {
		for _, del := range m.dels {
			if del.unseen() {
				d.emit(Expired{Message: m.ID, Peer: del.Peer})
			}
		}
	}
	for _, p := range d.s.order {
		if d.s.overdue(p, d.at) {
			d.unproven(p)
			continue
		}
		d.rewait(p, p.Session, nil)
	}
	return nil
}

// unproven takes back the offers an idle session did not show in time.
func (d *decision) unproven(p *peer) {
	d.lose(p, "the offer was not seen within "+d.s.limits.Proof.String(), func(del *delivery) bool {
		return d.s.late(p, del, d.at)
	})
}

// lose takes back offers that did not arrive. A message lost twice in a row
// costs its route the trust, and everything that the route was offered with it.
func (d *decision) lose(p *peer, why string, lost func(*delivery) bool) {
	var failed wire.Route
	p.queue.each(func(del *delivery) bool {
		if del.State == wire.Offered && del.Lost > 0 && p.Session.Routes[del.Route].Proven && lost(del) {
			failed = del.Route
		}
		return failed == ""
	})
	ses := p.Session
	if failed != "" {
		e := RouteLost{Peer: p.ID, Route: failed, Why: "lost twice: " + why}
		d.emit(e)
		ses = p.Session.with(failed, routeStatus{Why: e.Why})
	}
	d.recall(p, ses, func(del *delivery) string {
		if lost(del) || failed != "" && del.Route == failed {
			return why
		}
		return ""
	}, true)
}
