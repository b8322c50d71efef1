package supervisor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// target is what a human holds or lets go: everything to a session, everything in
// a room, or one message.
type target struct {
	peer    router.PeerID
	room    string
	message router.MessageID
}

// target reads one as people write it: SESSION, #ROOM or a message_id.
func (c *conn) target(text string) (target, error) {
	if room, ok := strings.CutPrefix(text, "#"); ok {
		return target{room: wire.RoomName(room)}, nil
	}
	v := c.s.loop.look()
	if p, ok := v.Named(text); ok {
		return target{peer: p.ID}, nil
	}
	if kindOf(strings.ToLower(text)) == "" {
		return target{}, unknownPeer(v, text)
	}
	id, err := c.messageID(text)
	return target{message: id}, err
}

// hold stops what is to go to a session, in a room, or one message; without a
// target it lists what is held.
func (c *conn) hold(f wire.Frame) (any, error) {
	i, err := decode[wire.Intervene](f)
	if err != nil {
		return nil, err
	}
	if i.Target == "" {
		return c.held(), nil
	}
	t, err := c.target(i.Target)
	if err != nil {
		return nil, err
	}
	why, err := wire.CleanMeta("reason", i.Why)
	if err != nil {
		return nil, err
	}
	_, err = c.s.loop.submit(c.ctx, router.Hold{Message: t.message, Peer: t.peer, Room: t.room, By: c.caller.actor(), Why: why})
	return wire.HeldList{Messages: []wire.HeldMessage{}}, err
}

// held lists what waits for the human, what waits longest first.
func (c *conn) held() wire.HeldList {
	v := c.s.loop.look()
	out := wire.HeldList{Messages: []wire.HeldMessage{}}
	for _, p := range v.Peers {
		if p.Held {
			out.Standing = append(out.Standing, p.Name)
		}
	}
	for _, r := range v.Rooms {
		if r.Held {
			out.Standing = append(out.Standing, "#"+r.Name)
		}
	}
	for _, th := range v.Threads {
		for _, m := range th.Messages {
			for _, d := range m.Deliveries {
				if d.State == wire.Held {
					from := names(v, []router.PeerID{m.From, d.Peer})
					out.Messages = append(out.Messages, wire.HeldMessage{
						MessageID: string(m.ID), TaskID: string(m.Thread), From: from[0], To: from[1], Kind: m.Kind,
						Why: d.Reason, Since: d.Since, Content: m.Content,
					})
				}
			}
		}
	}
	slices.SortStableFunc(out.Messages, func(a, b wire.HeldMessage) int { return a.Since.Compare(b.Since) })
	return out
}

// release lets go what is held, as it is, with another text or to another peer.
func (c *conn) release(f wire.Frame) (any, error) {
	i, err := decode[wire.Intervene](f)
	if err != nil {
		return nil, err
	}
	t, err := c.target(i.Target)
	if err != nil {
		return nil, err
	}
	if i.Edit == "" && i.To == "" {
		_, err := c.s.loop.submit(c.ctx, router.Release{Message: t.message, Peer: t.peer, Room: t.room, By: c.caller.actor(), NewID: newID})
		return wire.Intervened{}, err
	}
	if t.message == "" {
		return nil, fmt.Errorf("only one message can be changed: name it by its message_id")
	}
	cmd, err := prepareReplace(router.Replace{Message: t.message, Content: i.Edit, To: i.To}, c.caller.actor())
	if err != nil {
		return nil, err
	}
	res, err := c.s.loop.submit(c.ctx, cmd)
	if err != nil {
		return nil, err
	}
	return wire.Intervened{MessageID: string(res.Message.ID)}, nil
}

// withdraw takes one message back from everyone who has not seen it.
func (c *conn) withdraw(f wire.Frame) (any, error) {
	i, err := decode[wire.Intervene](f)
	if err != nil {
		return nil, err
	}
	id, err := c.messageID(i.Target)
	if err != nil {
		return nil, err
	}
	_, err = c.s.loop.submit(c.ctx, router.Withdraw{Message: id, By: c.caller.actor(), NewID: newID})
	return wire.Intervened{}, err
}
