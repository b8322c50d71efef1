package supervisor

import (
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
)

// maxInRow is how many turns a Stop hook may lengthen one after the other;
// claude itself gives up on the tenth.
const maxInRow = 8

// handOver gives mail through the answer of a hook at the edge of a turn, to a
// session that nothing better reaches: the end of a turn goes on with it, and
// the human's own prompt brings along what is no task.
func (c *conn) handOver(event session.HookEvent, in hookInput) wire.HookVerdict {
	if in.AgentID != "" {
		return wire.HookVerdict{}
	}
	c.run.catchUp(c.ctx)
	var due []router.Message
	var text string
	c.s.loop.read(func(s *router.State) {
		due = c.run.notPushed(s, s.DueAtEdge(c.peer, time.Now()))
		if event != session.Stop {
			due = beforeTasks(due)
		}
		if len(due) > 0 {
			text = bundleText(s, due)
		}
	})
	if len(due) == 0 || event == session.Stop && !c.run.lengthen() {
		return wire.HookVerdict{}
	}
	offer := router.Offer{Peer: c.peer, Messages: idsOf(due), Route: wire.RouteHook}
	if _, err := c.s.loop.submit(c.ctx, offer); err != nil {
		c.s.log.Debug("hand over mail", "session", c.run.entry.label(), "err", err)
		return wire.HookVerdict{}
	}
	c.run.mu.Lock()
	c.run.handed = idsOf(due)
	c.run.mu.Unlock()
	if event == session.Stop {
		return wire.HookVerdict{Action: wire.HookBlock, Reason: text}
	}
	return wire.HookVerdict{Action: wire.HookInject, Reason: text}
}

// beforeTasks is what may come along with the human's own prompt: a task among
// it would be taken for background, and gets the end of the turn instead.
func beforeTasks(list []router.Message) []router.Message {
	for i, m := range list {
		if m.Kind == wire.KindTask {
			return list[:i]
		}
	}
	return list
}

// lengthen counts the turns that were lengthened in a row, and says whether one
// more may be.
func (r *run) lengthen() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inRow++
	return r.inRow <= maxInRow
}

// confirm takes a hook as the proof that mail which was handed over by the one
// before is in the conversation: the turn went on with it. A new prompt instead
// means that it did not arrive.
func (c *conn) confirm(event session.HookEvent, in hookInput) {
	c.pulled(event, in)
	r := c.run
	r.mu.Lock()
	how := r.how
	if r.hooked {
		how = ""
	}
	r.hooked = true
	if how != "" { // hooks are to carry the mail, and this is the first
		defer r.byHook(how)
	}
	if in.AgentID != "" {
		r.mu.Unlock()
		return
	}
	ids := r.handed
	switch event {
	case session.PreToolUse, session.PostToolUse, session.PostToolUseFailure, session.PermissionRequest, session.Stop,
		session.UserPromptSubmit, session.SessionStart, session.SessionEnd:
		r.handed = nil
	default:
		ids = nil
	}
	if event == session.UserPromptSubmit {
		r.inRow = 0
	}
	r.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	if event == session.UserPromptSubmit || event == session.SessionStart || event == session.SessionEnd {
		_, _ = c.s.loop.submit(c.ctx, router.Unoffer{Peer: c.peer, Messages: ids, Why: "the hook's answer was not taken"})
		return
	}
	var seen []router.Command
	for _, id := range ids {
		seen = append(seen, router.Observe{Peer: c.peer, Message: id, Proof: "hook"})
	}
	_ = c.s.loop.submitAll(c.ctx, seen)
}

func idsOf(list []router.Message) []router.MessageID {
	ids := make([]router.MessageID, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	return ids
}
