package router

import (
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

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

func (c AdmitAll) decide(d *decision) error {
	if len(c.Messages) == 0 {
		return wrong("an event holds a message")
	}
	along := map[MessageID]bool{}
	var dels []*delivery
	for _, mid := range c.Messages {
		_, del, err := d.find(c.Peer, mid)
		if err != nil || c.Peer == Human {
			d.res.Reason = "no such message"
			return nil
		}
		if !along[mid] {
			along[mid] = true
			dels = append(dels, del)
		}
	}
	p := d.s.peers[c.Peer]
	d.res.Reason = d.turnedAway(p, dels, along, c.MidTurn)
	d.res.Admitted = d.res.Reason == ""
	if d.res.Admitted || c.MidTurn {
		d.turnRuns(p)
	}
	for _, del := range dels {
		switch {
		case d.res.Admitted:
			d.emit(Seen{Message: del.m.ID, Peer: p.ID, Route: del.Route, Proof: "gate", Background: c.MidTurn})
		case del.unseen() && del.m.expiredAt(d.at):
			d.emit(Expired{Message: del.m.ID, Peer: p.ID})
		case del.State == wire.Offered && !del.pulled():
			d.emit(Waiting{Message: del.m.ID, Peer: p.ID, For: d.res.Reason})
		}
	}
	return nil
}

// turnedAway says why the messages of one event may not enter together.
func (d *decision) turnedAway(p *peer, dels []*delivery, along map[MessageID]bool, midTurn bool) string {
	for _, del := range dels {
		switch {
		case del.State == wire.Held:
			return "one of the messages is held"
		case del.State.Ended() || del.State == wire.Seen && !del.again():
			return "one of the messages is " + string(del.State) + " already"
		case del.unseen() && del.m.expiredAt(d.at):
			return "one of the messages has expired"
		case del.pulled():
			return "one of the messages comes through the inbox"
		case midTurn && del.m.beginsTurn():
			return p.Name + " is busy"
		case del.unseen() && p.overtakes(del, d.at, along):
			return "an earlier message to " + p.Name + " was not seen yet"
		}
	}
	return ""
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
	case del.pulled():
		return "it comes through the inbox"
	case midTurn && del.again():
		return p.Name + " is busy"
	case midTurn && del.m.beginsTurn():
		return later(p.Name + " is busy")
	case del.unseen() && p.overtakes(del, d.at, nil):
		return later("an earlier message to " + p.Name + " was not seen yet")
	}
	return ""
}

// overtakes says whether an earlier message of the same sender was not seen and
// does not come along.
func (p *peer) overtakes(del *delivery, at time.Time, along map[MessageID]bool) bool {
	found := false
	p.queue.each(func(e *delivery) bool {
		if e == del {
			return false
		}
		found = e.m.From == del.m.From && e.unseen() && e.State != wire.Held && !e.m.expiredAt(at) && !along[e.m.ID]
		return !found
	})
	return found
}
