package router

import (
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

func (c Offer) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	if err != nil {
		return err
	}
	switch {
	case len(c.Messages) == 0:
		return wrong("an offer needs a message")
	case (c.Route == wire.RouteScreen) != (p.ID == Human):
		return wrong("%s cannot be reached by route %s", p.Name, shown(string(c.Route)))
	case p.ID == Human:
	case !routeKnown(c.Route):
		return wrong("%s is not a route to a session", shown(string(c.Route)))
	case !p.Session.State.Running():
		return wrong("no session of %s runs", p.Name)
	case (c.Route == wire.RouteChannel || c.Route == wire.RouteSocket) && !p.Session.Routes[c.Route].Proven:
		return wrong("the %s route to %s is not proven", c.Route, p.Name)
	}
	var first error
	for _, mid := range c.Messages {
		_, del, err := d.find(c.Peer, mid)
		if err == nil && !del.State.Ended() && del.m.expiredAt(d.at) && del.unseen() {
			err = wrong("message %s has expired", shown(string(mid)))
		}
		if err == nil && del.State != wire.Offered && !del.due() {
			err = wrong("message %s cannot be offered: it is %s", shown(string(mid)), del.State)
		}
		switch {
		case err == nil:
			d.emit(Offered{Message: mid, Peer: c.Peer, Route: c.Route})
		case first == nil:
			first = err
		}
	}
	if len(d.out) == 0 {
		return first
	}
	return nil
}

func (e Offered) apply(s *State, ev Event) {
	s.change(e.Message, e.Peer, func(del *delivery) {
		del.Offers++
		if del.again() || del.unseen() && del.State != wire.Held {
			del.to(wire.Offered, ev.At)
			del.Since, del.Route = ev.At, e.Route
		}
	})
}

func (c Unoffer) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	if err != nil {
		return err
	}
	only := map[MessageID]bool{}
	for _, mid := range c.Messages {
		if _, _, err := d.find(c.Peer, mid); err != nil {
			return err
		}
		only[mid] = true
	}
	why := c.Why
	if why == "" {
		why = "the offer was taken back"
	}
	d.lose(p, why, func(del *delivery) bool { return len(only) == 0 || only[del.m.ID] })
	return nil
}

// Admit is the gate before the model: a message enters the conversation when
// it may and never twice.
func (c Admit) decide(d *decision) error {
	p, del, err := d.find(c.Peer, c.Message)
	if err != nil || p.ID == Human { // the human has no gate
		d.res.Reason = "no such message"
		return nil
	}
	d.res.Reason = d.blocked(p, del, c.MidTurn)
	d.res.Admitted = d.res.Reason == ""
	if d.res.Admitted || c.MidTurn {
		d.turnRuns(p)
	}
	if !d.res.Admitted {
		return nil
	}
	d.emit(Seen{Message: c.Message, Peer: c.Peer, Route: del.Route, Proof: "gate", Background: c.MidTurn})
	return nil
}

// turnRuns records that a session which was thought idle works: its gate let
// something in, or said that a turn runs. Without it a second task could follow into the same turn.
func (d *decision) turnRuns(p *peer) {
	if p.Session.State == Idle {
		d.emit(SessionStateChanged{Peer: p.ID, State: Busy, Source: "gate"})
	}
}

// blocked says why a message may not enter now. What is to come later is made
// due again.
func (d *decision) blocked(p *peer, del *delivery, midTurn bool) string {
	later := func(why string) string {
		d.emit(Waiting{Message: del.m.ID, Peer: p.ID, For: why})
		return why
	}
	switch {
	case del.State == wire.Held:
		return "held: " + del.Reason
	case del.State.Ended():
		return string(del.State)
	case del.State == wire.Seen && !del.again():
		return "already seen"
	case del.unseen() && del.m.expiredAt(d.at):
		d.emit(Expired{Message: del.m.ID, Peer: p.ID})
		return "expired"
	case midTurn && del.again():
		return p.Name + " is busy"
	case midTurn && del.m.beginsTurn():
		return later(p.Name + " is busy")
	case del.unseen() && p.overtakes(del, d.at):
		return later("an earlier message to " + p.Name + " was not seen yet")
	}
	return ""
}

// overtakes says whether an earlier message of the same sender was not seen.
func (p *peer) overtakes(del *delivery, at time.Time) bool {
	found := false
	p.queue.each(func(e *delivery) bool {
		if e == del {
			return false
		}
		found = e.m.From == del.m.From && e.unseen() && e.State != wire.Held && !e.m.expiredAt(at)
		return !found
	})
	return found
}

func (c Observe) decide(d *decision) error {
	p, del, err := d.find(c.Peer, c.Message)
	if err != nil {
		return err
	}
	if c.Proof != "transcript" && c.Proof != "tool" && c.Proof != "screen" {
		return wrong("%s is not a proof that %s saw a message", shown(c.Proof), p.Name)
	}
	d.see(del, c.Proof, c.Background)
	return nil
}

// see records a proof, unless it says no more than is known. A proof wins over
// expiry and withdrawal: what was seen was seen.
func (d *decision) see(del *delivery, proof string, background bool) {
	known := del.State == wire.Answered || del.State == wire.Seen && (!del.Background || background)
	if !known {
		d.emit(Seen{Message: del.m.ID, Peer: del.Peer, Route: del.Route, Proof: proof, Background: background})
	}
}

func (e Seen) apply(s *State, ev Event) {
	s.change(e.Message, e.Peer, func(del *delivery) {
		if del.State == wire.Answered {
			return
		}
		del.to(wire.Seen, ev.At)
		del.Proof, del.Background, del.Lost = e.Proof, e.Background, 0
		if e.Route != "" {
			del.Route = e.Route
		}
	})
}

func (e Expired) apply(s *State, ev Event) {
	s.change(e.Message, e.Peer, func(del *delivery) {
		if del.unseen() {
			del.to(wire.Expired, ev.At)
		}
	})
}

func (e Refused) apply(s *State, ev Event) {
	s.change(e.Message, e.Peer, func(del *delivery) {
		if !del.State.Ended() {
			del.to(wire.Refused, ev.At)
			del.Reason = e.Why
		}
	})
}
