package supervisor

import (
	"fmt"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// bundle makes one event of many messages, each with its own heading, and
// remembers which they are: the gate decides about all of them at once.
func (r *run) bundle(state *router.State, messages []router.Message) (string, map[string]string) {
	kind := wire.KindNote
	for _, m := range messages {
		if m.Kind == wire.KindTask {
			kind = wire.KindTask
		}
	}
	bundle := string(newID())
	r.mu.Lock()
	r.bundles[bundle] = idsOf(messages)
	r.mu.Unlock()
	return bundleText(state, messages), map[string]string{
		wire.MetaSender: "ccmux", wire.MetaKind: string(kind), wire.MetaMessageID: bundle,
	}
}

// bundleText is many messages as one text.
func bundleText(state *router.State, messages []router.Message) string {
	var b strings.Builder
	if len(messages) == 1 {
		b.WriteString("A message waited for you in ccmux. Deal with it as your ccmux instructions say for its kind.\n")
	} else {
		fmt.Fprintf(&b, "%d messages waited for you in ccmux, oldest first. Deal with each as if it had come alone.\n", len(messages))
	}
	for i, m := range messages {
		fmt.Fprintf(&b, "\n[%d] %s %s from %s", i+1, m.Kind, m.Thread, state.Name(m.From))
		for _, extra := range [][2]string{{"in room", m.Room}, {"status", string(m.Status)}, {"parent_task_id", string(m.Parent)}, {"subject", m.Subject}} {
			if extra[1] != "" {
				fmt.Fprintf(&b, ", %s %s", extra[0], extra[1])
			}
		}
		fmt.Fprintf(&b, ", message_id %s\n%s\n", m.ID, m.Content)
	}
	return b.String()
}

// bundled returns what an event stands for: its messages, or itself.
func (r *run) bundled(id router.MessageID) []router.MessageID {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ids, ok := r.bundles[string(id)]; ok {
		return ids
	}
	return []router.MessageID{id}
}

// admitAll lets a bundle in when each of its messages may still be seen; when
// one may not, the event is dropped and the others are offered anew.
func (c *conn) admitAll(ids []router.MessageID, midTurn bool) (router.Result, error) {
	bad := ""
	ok := c.s.loop.read(func(s *router.State) {
		for _, id := range ids {
			if d, found := s.Delivery(id, c.peer); !found || d.State != wire.Offered {
				bad = string(d.State)
			}
		}
	})
	if !ok {
		return router.Result{}, errStopping
	}
	if bad != "" || midTurn {
		why := "one of the messages was taken back"
		if midTurn {
			why = "it would arrive in a running turn"
		}
		_, err := c.s.loop.submit(c.ctx, router.Unoffer{Peer: c.peer, Messages: ids, Why: why})
		return router.Result{Reason: why}, err
	}
	for _, id := range ids {
		if _, err := c.s.loop.submit(c.ctx, router.Admit{Peer: c.peer, Message: id}); err != nil {
			return router.Result{}, err
		}
	}
	return router.Result{Admitted: true}, nil
}
