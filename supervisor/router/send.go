package router

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

func (c Send) decide(d *decision) error {
	from, err := d.s.peer(c.From)
	if err != nil {
		return err
	}
	if c.Kind == "" {
		c.Kind = wire.KindNote
	}
	if err := c.check(d); err != nil {
		return err
	}
	m := Message{
		ID: c.ID, From: from.ID, Thread: c.TaskID, Kind: c.Kind, Content: c.Content, Subject: c.Subject,
		Data: stored(c.Data), ExpiresAt: stamp(c.ExpiresAt), At: d.at,
		WantsReply: c.Kind == wire.KindTask,
	}
	if c.WantsReply != nil {
		m.WantsReply = *c.WantsReply
	}
	if c.ExpiresAt.IsZero() {
		m.ExpiresAt = c.ExpiresAt
	}
	if m.To, m.Room, err = c.recipients(d, from); err != nil {
		return err
	}
	th, err := c.place(d, from, &m)
	if err != nil {
		return err
	}
	d.post(&m, th)
	d.supersede(&m, th)
	return nil
}

// check refuses what no message may be.
func (c Send) check(d *decision) error {
	switch {
	case !c.Kind.Sendable():
		return wrong("kind %s cannot be sent: use task or note", shown(string(c.Kind)))
	case !c.ExpiresAt.IsZero() && !c.ExpiresAt.After(d.at):
		return wrong("the message would be expired already")
	case c.Room != "" && len(c.To) > 0:
		return wrong("a message goes to peers or to a room, not both")
	}
	return d.checkMessage(c.ID, c.Content, c.Subject, c.Data)
}

// stored is JSON in the form it has after a journal, which was checked before.
func stored(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	out, err := json.Marshal(raw)
	if err != nil {
		return raw
	}
	return out
}

// checkMessage checks what every message has.
func (d *decision) checkMessage(id MessageID, content, subject string, data json.RawMessage) error {
	switch {
	case id == "" || len(id) > wire.MaxMeta:
		return wrong("the message has no usable id")
	case d.s.messages[id] != nil:
		return wrong("there is a message with the id %s already", shown(string(id)))
	case strings.TrimSpace(content) == "":
		return wrong("the message is empty: give it a text")
	case len(content) > wire.MaxBody:
		return wrong("content has %d bytes; the limit is %d: send a file's path instead", len(content), wire.MaxBody)
	case len(subject) > wire.MaxMeta:
		return wrong("subject has %d bytes; the limit is %d", len(subject), wire.MaxMeta)
	case len(data) > wire.MaxData:
		return wrong("data has %d bytes; the limit is %d: send a file's path instead", len(data), wire.MaxData)
	case len(data) > 0 && !json.Valid(data):
		return wrong("data is not valid JSON")
	}
	return nil
}

// recipients resolves names or a room, without the sender.
func (c Send) recipients(d *decision, from *peer) ([]PeerID, string, error) {
	if c.Room != "" {
		r, err := d.s.room(c.Room, from.ID)
		if err != nil {
			return nil, "", err
		}
		if !slices.Contains(r.Members, from.ID) {
			return nil, "", denied("you are not in the room #%s: join it first (%s)", r.Name, byHand(from.ID, "rooms join "+r.Name, "join_room"))
		}
		to := slices.DeleteFunc(slices.Clone(r.Members), func(id PeerID) bool { return id == from.ID })
		if len(to) == 0 {
			return nil, "", wrong("nobody else is in the room #%s", r.Name)
		}
		return to, r.Name, nil
	}
	if slices.Contains(c.To, wire.Everyone) {
		return c.everyone(d, from)
	}
	var to []PeerID
	for _, name := range c.To {
		p, err := d.s.named(name)
		switch {
		case err != nil:
			return nil, "", err
		case p == from:
			return nil, "", wrong("you cannot send to yourself")
		case !slices.Contains(to, p.ID):
			to = append(to, p.ID)
		}
	}
	switch {
	case len(to) == 0:
		return nil, "", wrong("the message names no recipient: name one (%s shows who is there)", byHand(from.ID, "ls", "list_peers"))
	case len(to) > wire.MaxTargets:
		return nil, "", wrong("the message has %d recipients; the limit is %d", len(to), wire.MaxTargets)
	}
	return to, "", nil
}

// everyone is every session but the sender. The human reads along anyway and
// is written to by name.
func (c Send) everyone(d *decision, from *peer) ([]PeerID, string, error) {
	var to []PeerID
	for _, p := range d.s.roster() {
		if p != from && p.ID != Human {
			to = append(to, p.ID)
		}
	}
	switch {
	case len(c.To) > 1:
		return nil, "", wrong(`"*" is everyone: it stands alone`)
	case len(to) == 0:
		return nil, "", wrong("there is nobody else: no other session is known")
	case len(to) > wire.MaxTargets:
		return nil, "", wrong("there are %d other peers; the limit is %d: name them", len(to), wire.MaxTargets)
	}
	return to, "", nil
}

// place finds the message's thread, or makes a new one for it.
func (c Send) place(d *decision, from *peer, m *Message) (*thread, error) {
	if c.TaskID != "" {
		th, err := d.thread(c.TaskID, from)
		if err != nil {
			return nil, err
		}
		if c.ParentTaskID != "" && c.ParentTaskID != th.Parent {
			return nil, wrong("task %s is there already and has another parent: leave task_id out to open a sub-task of %s", th.ID, shown(string(c.ParentTaskID)))
		}
		m.Parent = th.Parent
		return th, nil
	}
	var parent *thread
	if c.ParentTaskID != "" {
		var err error
		if parent, err = d.thread(c.ParentTaskID, from); err != nil {
			return nil, err
		}
	}
	m.Thread = ThreadID(fmt.Sprintf("t-%d", d.s.next.Thread+1))
	m.Parent, m.Opens = c.ParentTaskID, true
	return newThread(m, parent), nil
}

// post emits a message and what becomes of it at once for each recipient.
func (d *decision) post(m *Message, th *thread) {
	d.emit(Posted{Message: *m})
	d.res.Message = m
	held := ""
	if !m.Reminder {
		held = d.guard(m, th)
	}
	for _, id := range m.To {
		d.res.Recipients = append(d.res.Recipients, d.dispatch(m, d.s.peers[id], held))
	}
}

// dispatch decides the first state of one delivery; held is why a guard stops it.
func (d *decision) dispatch(m *Message, p *peer, held string) Delivery {
	by := Actor{Kind: ByCcmux}
	if held == "" && p.ID != Human {
		held, by = d.standing(m, p)
	}
	return d.begin(m, p, held, by)
}

// begin is the first state of a delivery that is held by somebody, or by nobody
// when held is empty.
func (d *decision) begin(m *Message, p *peer, held string, by Actor) Delivery {
	del := Delivery{Peer: p.ID, State: wire.Written, Since: d.at}
	switch {
	case p.Left:
		del.State, del.Reason = wire.Refused, p.Name+" left"
		d.emit(Refused{Message: m.ID, Peer: p.ID, Why: del.Reason})
	case held != "":
		del.State, del.Reason = wire.Held, held
		d.emit(Held{Message: m.ID, Peer: p.ID, By: by, Why: held})
	case p.ID == Human:
		del.State, del.Route = wire.Offered, wire.RouteScreen
		d.emit(Offered{Message: m.ID, Peer: p.ID, Route: wire.RouteScreen})
	default:
		if why := d.waitsFor(m, p); why != "" {
			del.State, del.Reason = wire.Waiting, why
			d.emit(Waiting{Message: m.ID, Peer: p.ID, For: why})
		}
	}
	return del
}

// standing is the hold that the human put on a peer or a room.
func (d *decision) standing(m *Message, p *peer) (why string, by Actor) {
	h, what := p.Hold, "everything to "+p.Name
	if r := d.s.rooms[m.Room]; h == nil && m.Room != "" && r != nil {
		h, what = r.Hold, "everything in #"+m.Room
	}
	if h == nil {
		return "", Actor{Kind: ByCcmux}
	}
	why = what + " is held"
	if h.Why != "" {
		why += ": " + h.Why
	}
	return why, h.By
}

// waitsFor is the reason a new message waits, which may be that of an earlier
// one it must not overtake.
func (d *decision) waitsFor(m *Message, p *peer) string {
	turn, note := reason(p.Name, &p.Session, true), reason(p.Name, &p.Session, false)
	if m.Kind != wire.KindNote || turn == note {
		return turn
	}
	behind := false
	p.queue.each(func(e *delivery) bool {
		behind = e.m.From == m.From && e.m.beginsTurn() && (e.State == wire.Written || e.State == wire.Waiting)
		return !behind
	})
	if behind {
		return turn
	}
	return note
}

// supersede ends the asker's earlier tasks that wait for context, when the
// context comes as a new task: there is one task to answer, the new one.
func (d *decision) supersede(m *Message, th *thread) {
	if m.Opens || m.Kind != wire.KindTask {
		return
	}
	for _, to := range m.To {
		for _, del := range th.owedBy(to) {
			if del.m.From == m.From && del.Context != "" {
				d.answered(del, del.Context)
			}
		}
	}
}

// answered ends an obligation and a reminder of it that is still on its way.
func (d *decision) answered(del *delivery, reply MessageID) {
	d.emit(Answered{Message: del.m.ID, Peer: del.Peer, Reply: reply})
	if r := d.s.messages[del.Reminder]; r != nil {
		if rd := r.to(del.Peer); rd != nil && rd.unseen() {
			d.emit(Withdrawn{Message: r.ID, Peer: del.Peer, By: Actor{Kind: ByCcmux}})
		}
	}
}

func (e Answered) apply(s *State, ev Event) {
	s.change(e.Message, e.Peer, func(del *delivery) {
		if !del.State.Ended() {
			del.to(wire.Answered, ev.At)
			del.Context = ""
		}
	})
}
