package router

import (
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
		if err == nil {
			err = del.offerable()
		}
		switch {
		case err == nil:
			d.emit(Offered{Message: mid, Peer: c.Peer, Route: c.Route})
			d.res.Offered = append(d.res.Offered, mid)
		case first == nil:
			first = err
		}
	}
	if len(d.out) == 0 {
		return first
	}
	return nil
}

// offerable says why a message cannot be offered. What a tool is about to give
// goes no second way until the tool's end is known.
func (del *delivery) offerable() error {
	switch {
	case del.pulled():
		return wrong("message %s cannot be offered: the inbox gives it just now", shown(string(del.m.ID)))
	case del.State != wire.Offered && !del.due():
		return wrong("message %s cannot be offered: it is %s", shown(string(del.m.ID)), del.State)
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
	chosen := func(del *delivery) bool { return len(only) == 0 || only[del.m.ID] }
	if c.Lost {
		d.lose(p, why, chosen)
		return nil
	}
	d.rewait(p, p.Session, func(del *delivery) string {
		if chosen(del) {
			return why
		}
		return ""
	})
	return nil
}

func (c Observe) decide(d *decision) error {
	p, del, err := d.find(c.Peer, c.Message)
	if err != nil {
		return err
	}
	if c.Proof != "transcript" && c.Proof != "tool" && c.Proof != "screen" && c.Proof != "hook" {
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
