package router

import (
	"slices"

	"github.com/ccmux/ccmux/channel/wire"
)

func (c Read) decide(d *decision) error {
	return d.mail(c.Peer, c.Messages, c.Proof, c.Pulled, func(del *delivery) {
		if !del.Read {
			d.emit(MailRead{Message: del.m.ID, Peer: del.Peer})
		}
	})
}

func (c Archive) decide(d *decision) error {
	proof := "tool"
	if c.Peer == Human {
		proof = "screen"
	}
	return d.mail(c.Peer, c.Messages, proof, false, func(del *delivery) {
		if !del.Archived {
			d.emit(MailArchived{Message: del.m.ID, Peer: del.Peer})
		}
	})
}

// mail marks entries of a mailbox. Whoever names a message by its id has it
// before them, so that it counts as seen too. pulled says that a tool gave them:
// then a hold, an expiry or a withdrawal came too late.
func (d *decision) mail(id PeerID, mids []MessageID, proof string, pulled bool, mark func(*delivery)) error {
	p, err := d.s.peer(id)
	switch {
	case err != nil:
		return err
	case len(mids) == 0:
		return wrong("name the messages by their ids: inbox shows them")
	case proof != "tool" && (proof != "screen" || id != Human):
		return wrong("%s is not a proof that %s saw a message", shown(proof), p.Name)
	}
	done := map[MessageID]bool{}
	for _, mid := range mids {
		_, del, err := d.find(id, mid)
		switch {
		case err != nil:
			return err
		case del.State == wire.Held && !pulled:
			return unknown("no message %s was sent to %s: inbox and history show the ids", shown(string(mid)), p.Name)
		case done[mid]:
			continue
		}
		done[mid] = true
		if !del.State.Ended() || pulled {
			d.see(del, proof, false)
		}
		mark(del)
	}
	return nil
}

func (e MailRead) apply(s *State, _ Event) {
	s.change(e.Message, e.Peer, func(del *delivery) { del.Read = true })
}

func (e MailArchived) apply(s *State, _ Event) {
	s.change(e.Message, e.Peer, func(del *delivery) { del.Archived = true })
}

// Mail returns the messages of a peer's inbox that are in memory, oldest first:
// all that were not seen, but held ones and those that a tool gives just now. Those
// are what a peer that pulls has not had yet; older mail is in the journal.
func (s *State) Mail(id PeerID) []Message {
	var out []Message
	if p := s.peers[id]; p != nil {
		p.queue.each(func(del *delivery) bool {
			if del.State != wire.Held && !del.pulled() && !del.m.expiredAt(s.at) {
				out = append(out, del.m.Message)
			}
			return true
		})
	}
	return out
}

// Owed returns the tasks a peer saw or will see and has not answered, oldest first.
func (s *State) Owed(id PeerID) []Message {
	p := s.peers[id]
	if p == nil {
		return nil
	}
	owed := make([]*delivery, 0, len(p.owed))
	for del := range p.owed {
		owed = append(owed, del)
	}
	slices.SortFunc(owed, func(a, b *delivery) int { return compareSeq(a.m.seq, b.m.seq) })
	out := make([]Message, len(owed))
	for i, del := range owed {
		out[i] = del.m.Message
	}
	return out
}

func (c Withdraw) decide(d *decision) error {
	m := d.s.messages[c.Message]
	switch {
	case m == nil:
		return unknown("there is no message %s", shown(string(c.Message)))
	case c.By.Kind == ByPeer && c.By.Peer != m.From:
		return denied("only %s or the human can withdraw that message", d.s.Name(m.From))
	}
	var back []*delivery
	for _, del := range m.dels {
		if del.unseen() {
			d.emit(Withdrawn{Message: m.ID, Peer: del.Peer, By: c.By})
			back = append(back, del)
		}
	}
	if len(back) == 0 {
		return wrong("nothing to withdraw: everybody saw the message, or it ended otherwise")
	}
	if c.By.Kind == ByHuman {
		d.intervened(back, c.NewID, "was taken back by the human before it was seen, and will not arrive")
	}
	return nil
}

func (e Withdrawn) apply(s *State, ev Event) {
	s.change(e.Message, e.Peer, func(del *delivery) {
		if del.unseen() {
			del.to(wire.Withdrawn, ev.At)
		}
	})
}
