package router

import (
	"slices"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// message is a posted message with its deliveries.
type message struct {
	Message
	seq  uint64      // of its Posted event
	dels []*delivery // in the order of To
	live int         // deliveries that are not settled

	ended bool // stands in the line of ended ones
}

func newMessage(seq uint64, posted Message) *message {
	m := &message{Message: posted, seq: seq}
	m.At = stamp(m.At)
	return m
}

// delivery is one message for one recipient. Its state changes in change only,
// so that the counts derived from it stay right.
type delivery struct {
	Delivery
	m      *message
	queued bool // in its peer's queue
}

// to returns the delivery for a peer, or nil.
func (m *message) to(id PeerID) *delivery {
	for _, del := range m.dels {
		if del.Peer == id {
			return del
		}
	}
	return nil
}

func (m *message) expiredAt(t time.Time) bool {
	return !m.ExpiresAt.IsZero() && !m.ExpiresAt.After(t)
}

// to moves the delivery into a state.
func (del *delivery) to(state wire.Delivery, at time.Time) {
	if del.State != state {
		del.Since = at
	}
	del.State, del.Reason = state, ""
}

// unseen says whether the delivery can still happen.
func (del *delivery) unseen() bool {
	return del.State != wire.Seen && !del.State.Ended()
}

// again says whether a seen task has to be handed over once more, because it
// was seen inside a running turn.
func (del *delivery) again() bool {
	return del.State == wire.Seen && del.Background && del.m.Kind == wire.KindTask
}

// due says whether it waits for being offered.
func (del *delivery) due() bool {
	return del.State == wire.Written || del.State == wire.Waiting || del.again()
}

// pulled says whether a tool was asked for it and the tool's end is not known yet.
func (del *delivery) pulled() bool {
	return del.State == wire.Offered && del.Route == wire.RouteInbox
}

// owes says whether the receiver has to answer.
func (del *delivery) owes() bool {
	return del.m.WantsReply && !del.State.Ended() && del.State != wire.Held
}

// settled says whether nothing is expected of the delivery any more.
func (del *delivery) settled() bool {
	return del.State.Ended() || del.State == wire.Seen && !del.again() && !del.owes()
}

func (del *delivery) isUnread() bool {
	return !del.Read && !del.Archived && !del.Background && del.unseen() && del.State != wire.Held
}

// change alters one delivery and everything that is derived from it. Unknown
// ones are left alone.
func (s *State) change(mid MessageID, id PeerID, f func(*delivery)) {
	m := s.messages[mid]
	if m == nil {
		return
	}
	if del := m.to(id); del != nil {
		s.alter(del, func() { f(del) })
	}
}

func (s *State) alter(del *delivery, f func()) {
	m, th := del.m, s.threads[del.m.Thread]
	thWasOpen := th != nil && th.live > 0
	s.count(del, -1)
	f()
	s.count(del, +1)
	s.mark(docDelivery, string(m.ID))
	if th != nil && thWasOpen != (th.live > 0) {
		s.mark(docThread, string(th.ID))
	}
	s.settle(m, th)
	s.redraw(th, m.Room)
}

// count adds (+1) or takes away (-1) what one delivery contributes to the
// indexes, as its state is now.
func (s *State) count(del *delivery, n int) {
	p, th := s.peers[del.Peer], s.threads[del.m.Thread]
	if !del.settled() {
		del.m.live += n
		if th != nil {
			th.live += n
		}
	}
	if del.State == wire.Held {
		s.held += n
	}
	if p == nil {
		return
	}
	if del.isUnread() {
		p.unread += n
	}
	if del.unseen() && del.State != wire.Held {
		p.pending += n
	}
	if del.State == wire.Offered {
		p.outstanding += n
	}
	if del.due() && !del.m.beginsTurn() {
		p.notes += n
	}
	if n < 0 {
		p.queue.remove(del)
		delete(p.owed, del)
		if th != nil {
			delete(th.owed, del)
		}
		return
	}
	if del.unseen() || del.again() {
		p.queue.add(del)
	}
	if del.owes() {
		p.owed[del] = struct{}{}
		if th != nil {
			th.owe(del)
		}
	}
}

// settle keeps track of what can still expire, and of what closed.
func (s *State) settle(m *message, th *thread) {
	if !m.ExpiresAt.IsZero() {
		if slices.ContainsFunc(m.dels, (*delivery).unseen) {
			s.expiring[m.ID] = m
		} else {
			delete(s.expiring, m.ID)
		}
	}
	if m.live > 0 {
		return
	}
	s.endedMessages.add(&m.ended, m)
	if th != nil && th.live == 0 {
		s.endedThreads.add(&th.ended, th)
	}
}

// expired returns the messages whose time is over, oldest first.
func (s *State) expired(at time.Time) []*message {
	var out []*message
	for _, m := range s.expiring {
		if m.expiredAt(at) {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b *message) int { return compareSeq(a.seq, b.seq) })
	return out
}

// Message returns a message that is in memory: every open one is.
func (s *State) Message(id MessageID) (Message, bool) {
	if m := s.messages[id]; m != nil {
		return m.Message, true
	}
	return Message{}, false
}

// Delivery returns what became of a message for one recipient, when it is in
// memory.
func (s *State) Delivery(mid MessageID, id PeerID) (Delivery, bool) {
	if m := s.messages[mid]; m != nil {
		if del := m.to(id); del != nil {
			return del.Delivery, true
		}
	}
	return Delivery{}, false
}

// find returns one delivery, or an error that says that there is none.
func (d *decision) find(id PeerID, mid MessageID) (*peer, *delivery, error) {
	p, err := d.s.peer(id)
	if err != nil {
		return nil, nil, err
	}
	if m := d.s.messages[mid]; m != nil {
		if del := m.to(id); del != nil {
			return p, del, nil
		}
	}
	return nil, nil, unknown("no message %s was sent to %s: inbox and history show the ids", shown(string(mid)), p.Name)
}
