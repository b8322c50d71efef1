package router

import (
	"slices"

	"github.com/ccmux/ccmux/channel/wire"
)

// Hold stops one message, one delivery (message and peer), everything to a peer
// or everything in a room, also what is posted later.
func (c Hold) decide(d *decision) error {
	if c.By.Kind == ByPeer || c.By.Kind == "" {
		return denied("only the human can hold messages")
	}
	e := Held{Peer: c.Peer, Room: wire.RoomName(c.Room), By: c.By, Why: c.Why}
	dels, err := d.scope(c.Message, c.Peer, c.Room)
	if err != nil {
		return err
	}
	if c.Message == "" && !d.holds(c.Peer, e.Room) {
		d.emit(e)
	}
	why := c.Why
	if why == "" {
		why = "held by " + string(c.By.Kind)
		if c.By.Kind == ByHuman {
			why = "held by " + wire.You
		}
	}
	for _, del := range dels {
		if del.unseen() && del.State != wire.Held && del.Peer != Human {
			d.emit(Held{Message: del.m.ID, Peer: del.Peer, By: c.By, Why: why})
		}
	}
	if c.Message != "" && len(d.out) == 0 {
		return wrong("nothing to hold: everybody saw the message, or it ended otherwise")
	}
	return nil
}

// holds says whether everything to a peer, or in a room, is held.
func (d *decision) holds(id PeerID, roomName string) bool {
	if roomName != "" {
		r := d.s.rooms[roomName]
		return r != nil && r.Hold != nil
	}
	p := d.s.peers[id]
	return p != nil && p.Hold != nil
}

// scope returns the deliveries a hold or release is about.
func (d *decision) scope(mid MessageID, id PeerID, roomName string) ([]*delivery, error) {
	switch {
	case mid != "" && id != "":
		_, del, err := d.find(id, mid)
		return []*delivery{del}, err
	case mid != "":
		m := d.s.messages[mid]
		if m == nil {
			return nil, unknown("there is no message %s", shown(string(mid)))
		}
		return m.dels, nil
	case roomName != "":
		r, err := d.s.room(roomName, Human)
		if err != nil {
			return nil, err
		}
		return d.inRoom(r.Name), nil
	}
	p, err := d.s.peer(id)
	switch {
	case err != nil:
		return nil, err
	case p.ID == Human:
		return nil, wrong("messages to you cannot be held: they are on your screen")
	}
	return p.queue.all(), nil
}

// inRoom returns the unseen deliveries of a room's messages, oldest first.
func (d *decision) inRoom(name string) []*delivery {
	var out []*delivery
	for _, p := range d.s.order {
		p.queue.each(func(del *delivery) bool {
			if del.m.Room == name {
				out = append(out, del)
			}
			return true
		})
	}
	slices.SortStableFunc(out, func(a, b *delivery) int { return compareSeq(a.m.seq, b.m.seq) })
	return out
}

func (e Held) apply(s *State, ev Event) {
	switch {
	case e.Message != "":
		s.change(e.Message, e.Peer, func(del *delivery) {
			if del.unseen() {
				del.to(wire.Held, ev.At)
				del.Reason, del.Route = e.Why, ""
			}
		})
	case e.Room != "":
		if r := s.rooms[e.Room]; r != nil {
			r.Hold = &hold{By: e.By, Why: e.Why}
			s.touchRoom(r, ev.At)
		}
	default:
		if p := s.peers[e.Peer]; p != nil {
			p.Hold = &hold{By: e.By, Why: e.Why}
			s.touchPeer(p)
		}
	}
}

func (c Release) decide(d *decision) error {
	if c.By.Kind != ByHuman {
		return denied("only the human can release messages")
	}
	dels, err := d.scope(c.Message, c.Peer, c.Room)
	if err != nil {
		return err
	}
	room := wire.RoomName(c.Room)
	if c.Message == "" && d.holds(c.Peer, room) {
		d.emit(Released{Peer: c.Peer, Room: room, By: c.By})
	}
	dels = slices.DeleteFunc(slices.Clone(dels), func(del *delivery) bool { return del.State != wire.Held })
	for _, del := range dels {
		d.emit(Released{Message: del.m.ID, Peer: del.Peer, By: c.By})
		p := d.s.peers[del.Peer]
		if p.ID == Human {
			d.emit(Offered{Message: del.m.ID, Peer: p.ID, Route: wire.RouteScreen})
		} else if why := d.waitsFor(&del.m.Message, p); why != "" {
			d.emit(Waiting{Message: del.m.ID, Peer: p.ID, For: why})
		}
	}
	if len(d.out) == 0 {
		return wrong("nothing to release: nothing of that is held")
	}
	if c.By.Kind == ByHuman {
		d.intervened(dels, c.NewID, "was held, and the human let it go on")
	}
	return nil
}

func (e Released) apply(s *State, ev Event) {
	switch {
	case e.Message != "":
		s.change(e.Message, e.Peer, func(del *delivery) {
			if del.State != wire.Held {
				return
			}
			del.to(wire.Written, ev.At)
			if th := s.threads[del.m.Thread]; th != nil {
				th.trail = trail{} // the human looked at it: the guards count anew
				s.mark(docThread, string(th.ID))
			}
		})
	case e.Room != "":
		if r := s.rooms[e.Room]; r != nil {
			r.Hold = nil
			s.touchRoom(r, ev.At)
		}
	default:
		if p := s.peers[e.Peer]; p != nil {
			p.Hold = nil
			s.touchPeer(p)
		}
	}
}
