package router

import (
	"fmt"
	"slices"

	"github.com/ccmux/ccmux/channel/wire"
)

// agree compares everything the two states can be asked.
func (tw *twins) agree() error {
	for _, s := range []*State{tw.full, tw.lean.s} {
		if err := s.consistent(); err != nil {
			return err
		}
	}
	a, b := tw.lean.s.View(), tw.full.View()
	a.PerMinute, b.PerMinute = 0, 0 // not kept over a restart
	for i := range b.Rooms {
		b.Rooms[i].Messages = nil
	}
	for i := range a.Rooms {
		a.Rooms[i].Messages = nil
	}
	if x, y := jsonOf([]any{a.Seq, a.Peers, a.Rooms, a.Permissions, a.Rules, a.Held, openThreads(a)}), jsonOf([]any{b.Seq, b.Peers, b.Rooms, b.Permissions, b.Rules, b.Held, openThreads(b)}); x != y {
		return fmt.Errorf("views differ:\n%s\n%s", x, y)
	}
	if x, y := tw.lean.s.NextTick(), tw.full.NextTick(); !x.Equal(y) {
		return fmt.Errorf("next tick %s and %s", x, y)
	}
	for id := range tw.full.peers {
		x, y := tw.lean.s.Due(id, tw.lean.at), tw.full.Due(id, tw.lean.at)
		if jsonOf(x) != jsonOf(y) {
			return fmt.Errorf("due for %s differs: %s and %s", id, jsonOf(x), jsonOf(y))
		}
		if err := tw.dueIsRight(id, y); err != nil {
			return err
		}
		if x, y := jsonOf(tw.lean.s.DueAtEdge(id, tw.lean.at)), jsonOf(tw.full.DueAtEdge(id, tw.lean.at)); x != y {
			return fmt.Errorf("due at the edge for %s differs: %s and %s", id, x, y)
		}
		if x, y := jsonOf(tw.lean.s.Mail(id)), jsonOf(tw.full.Mail(id)); x != y {
			return fmt.Errorf("mail of %s differs", id)
		}
	}
	return nil
}

func (tw *twins) dueIsRight(id PeerID, due []Message) error {
	p := tw.full.peers[id]
	together := len(due) > tw.full.limits.Batch
	for i, m := range due {
		del := tw.full.messages[m.ID].to(id)
		switch {
		case del.State == wire.Held || del.State.Ended() || del.State == wire.Offered:
			return fmt.Errorf("%s is due and %s", m.ID, del.State)
		case del.State == wire.Seen && !del.again():
			return fmt.Errorf("%s is due and was seen", m.ID)
		case m.Kind == wire.KindNote:
		case p.Session.State != Idle || p.outstanding > 0:
			return fmt.Errorf("%s is due while %s is %s with %d offers outstanding", m.ID, id, p.Session.State, p.outstanding)
		case i > 0 && !together:
			return fmt.Errorf("%s is due behind another message of the same turn", m.ID)
		}
	}
	return nil
}

// openThreads is what of a view does not depend on what is forgotten.
func openThreads(v *View) []string {
	var out []string
	for _, th := range v.Threads {
		if !th.Open {
			continue
		}
		th.Messages, th.Children = nil, nil
		out = append(out, jsonOf(th))
	}
	slices.Sort(out)
	return out
}

// consistent recounts everything that change counts.
func (s *State) consistent() error {
	type sums struct{ unread, pending, outstanding, notes, owed, queued int }
	got := map[PeerID]sums{}
	live, held := map[ThreadID]int{}, 0
	for _, m := range s.messages {
		n := 0
		for _, del := range m.dels {
			c := got[del.Peer]
			c.unread += one(del.isUnread())
			c.pending += one(del.unseen() && del.State != wire.Held)
			c.outstanding += one(del.State == wire.Offered)
			c.notes += one(del.due() && !m.beginsTurn())
			c.owed += one(del.owes())
			c.queued += one(del.unseen() || del.again())
			got[del.Peer] = c
			held += one(del.State == wire.Held)
			n += one(!del.settled())
			if del.queued != (del.unseen() || del.again()) {
				return fmt.Errorf("%s for %s: queued %v", m.ID, del.Peer, del.queued)
			}
		}
		if n != m.live {
			return fmt.Errorf("message %s has %d live deliveries, counted %d", m.ID, n, m.live)
		}
		live[m.Thread] += n
	}
	for _, th := range s.threads {
		n := 0
		for _, m := range s.messages {
			n += one(m.Thread == th.ID)
		}
		if n != len(th.messages) {
			return fmt.Errorf("thread %s has %d of %d messages", th.ID, len(th.messages), n)
		}
	}
	if held != s.held {
		return fmt.Errorf("%d held, counted %d", held, s.held)
	}
	for id, th := range s.threads {
		if th.live != live[id] {
			return fmt.Errorf("thread %s has %d live deliveries, counted %d", id, live[id], th.live)
		}
	}
	for id, p := range s.peers {
		c := sums{p.unread, p.pending, p.outstanding, p.notes, len(p.owed), p.queue.len()}
		if c != got[id] || len(p.queue.all()) != c.queued {
			return fmt.Errorf("peer %s: %+v, counted %+v", id, got[id], c)
		}
	}
	return nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// drain lets everything happen that is still to happen: every hold is released,
// every session runs and is idle again and again. Then nothing may be left over.
func (tw *twins) drain() error {
	var cmds []Command
	for _, r := range tw.full.rooms {
		if r.Hold != nil && !r.Archived {
			cmds = append(cmds, Release{Room: r.Name, By: human})
		}
	}
	for _, p := range tw.full.roster() {
		if p.ID == Human {
			continue
		}
		if p.Hold != nil {
			cmds = append(cmds, Release{Peer: p.ID, By: human})
		}
		if !p.Session.State.Running() {
			cmds = append(cmds, StartSession{SessionStarted{Peer: p.ID, PID: 9, Started: tw.lean.at}})
		}
		cmds = append(cmds, ProveRoute{RouteProven{Peer: p.ID, Route: wire.RouteChannel, How: "at the end"}}, Unoffer{Peer: p.ID})
	}
	for _, c := range cmds {
		if err := tw.command(c); err != nil {
			return fmt.Errorf("drain: %w", err)
		}
	}
	for _, m := range tw.full.messages {
		for _, del := range m.dels {
			if del.State == wire.Held {
				if err := tw.command(Release{Message: m.ID, Peer: del.Peer, By: human}); err != nil {
					return err
				}
			}
		}
	}
	for _, p := range tw.full.roster() {
		if err := tw.drainPeer(p); err != nil {
			return fmt.Errorf("drain %s: %w", p.Name, err)
		}
	}
	return nil
}

func (tw *twins) drainPeer(p *peer) error {
	for turn := 0; p.ID != Human && p.queue.len() > 0; turn++ {
		if err := tw.command(SetSession{SessionStateChanged{Peer: p.ID, State: Idle}}); err != nil {
			return err
		}
		if err := tw.command(Tick{}); err != nil {
			return err
		}
		due := tw.full.Due(p.ID, tw.lean.at)
		if len(due) == 0 && p.queue.len() == 0 {
			return nil
		}
		if len(due) == 0 || turn > 10000 {
			return fmt.Errorf("%d messages are never delivered, the first %+v", p.queue.len(), p.queue.all()[0].Delivery)
		}
		ids := make([]MessageID, len(due))
		for i, m := range due {
			ids[i] = m.ID
		}
		gate := []Command{Offer{Peer: p.ID, Messages: ids, Route: wire.RouteChannel}}
		if len(ids) > tw.full.limits.Batch {
			gate = append(gate, AdmitAll{Peer: p.ID, Messages: ids})
		} else {
			for i, id := range ids {
				gate = append(gate, Admit{Peer: p.ID, Message: id, MidTurn: i > 0})
			}
		}
		for _, c := range gate {
			if err := tw.command(c); err != nil {
				return err
			}
		}
	}
	return nil
}
