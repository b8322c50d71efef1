package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
)

// pull is one call of a tool that gives mail. An answer on its way is no proof:
// claude may drop it, or die. So what a session pulls is offered first, and seen
// when its hook says that the tool ended well:
//
//	call ──► Offer ──► answer ──► claude ──► PostToolUse ──► Read
//	                        └── cancelled, failed, turn over ──► Unoffer
type pull struct {
	conn  *conn
	frame uint64 // the request
	tool  string
	use   string // claude's id of the call; "" where it says none
	ctx   context.Context
	stop  context.CancelFunc

	// guarded by the run's mutex
	ids  []router.MessageID // given
	over bool               // nobody takes the answer
}

// pullFuncs are the tools that are there to give mail; a send that waits gives
// the replies.
var pullFuncs = map[string]func(*conn, *pull, json.RawMessage) (wire.ToolResult, error){
	wire.ToolInbox: (*conn).inbox,
	wire.ToolWatch: (*conn).watch,
}

// errDropped ends a call whose answer nobody takes.
var errDropped = errors.New("the call was cancelled")

// pullOf notes a call of a tool that gives mail; nil for another one. It runs on
// the reading goroutine, so that a cancellation finds every call before it.
func (c *conn) pullOf(id uint64, call wire.ToolCall) *pull {
	if pullFuncs[call.Name] == nil && !awaitsReply(call) {
		return nil
	}
	p := &pull{conn: c, frame: id, tool: call.Name, use: call.ToolUse}
	p.ctx, p.stop = context.WithCancel(c.ctx)
	if r := c.run; r != nil {
		r.mu.Lock()
		r.pulls = append(r.pulls, p)
		r.mu.Unlock()
	}
	return p
}

// awaitsReply says whether the call is a send that waits for replies.
func awaitsReply(call wire.ToolCall) bool {
	var a struct { // of wire.MessageArgs; what the message says is read later
		AwaitReply int `json:"await_reply"`
	}
	switch call.Name {
	case wire.ToolSendToPeer, wire.ToolSendToPeers, wire.ToolSendToRoom:
		return json.Unmarshal(call.Arguments, &a) == nil && a.AwaitReply > 0
	}
	return false
}

// end ends a pull whose tool has ended; what it gave waits for the proof.
func (p *pull) end() {
	p.stop()
	if r := p.conn.run; r != nil {
		r.forgetEmpty(p)
	}
}

// forgetEmpty drops a pull that gave nothing.
func (r *run) forgetEmpty(p *pull) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(p.ids) == 0 {
		r.pulls = slices.DeleteFunc(r.pulls, func(o *pull) bool { return o == p })
	}
}

// give returns what of list goes into the answer of p. The human, and a session
// whose hooks never spoke, saw what was given: nothing better is known of them.
func (c *conn) give(p *pull, list []router.Message) ([]router.Message, error) {
	if len(list) == 0 {
		return nil, nil
	}
	if c.run == nil || !c.run.hooks() {
		return list, c.markSeen(list)
	}
	res, err := c.s.loop.submit(c.ctx, router.Offer{Peer: c.peer, Messages: idsOf(list), Route: wire.RouteInbox})
	var none *wire.Failure
	switch {
	case errors.As(err, &none) && none.Code == "": // all of it went another way meanwhile
		return nil, nil
	case err != nil:
		return nil, err
	}
	c.run.mu.Lock()
	over := p.over
	if !over {
		p.ids = res.Offered
	}
	c.run.mu.Unlock()
	if over {
		c.run.unoffer(res.Offered, "nobody waited for the mail any more")
		return nil, errDropped
	}
	return slices.DeleteFunc(list, func(m router.Message) bool { return !slices.Contains(res.Offered, m.ID) }), nil
}

// hooks says whether a hook of the run has spoken.
func (r *run) hooks() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hooked
}

// unoffer makes mail due again that did not arrive.
func (r *run) unoffer(ids []router.MessageID, why string) {
	if len(ids) == 0 {
		return
	}
	_, err := r.entry.s.loop.submit(context.Background(), router.Unoffer{Peer: r.peer, Messages: ids, Why: why})
	if err != nil {
		r.entry.s.log.Debug("take mail back", "session", r.entry.label(), "err", err)
	}
}

// cancelled ends a call whose answer is not passed on. It has no answer itself.
func (c *conn) cancelled(f wire.Frame) {
	v, err := decode[wire.Cancel](f)
	if err != nil {
		c.s.log.Warn("cancel a call", "session", c.run.entry.label(), "err", err)
		return
	}
	ids := c.run.drop(func(p *pull) bool { return p.conn == c && p.frame == v.ID })
	if len(ids) > 0 {
		c.wg.Go(func() { c.run.unoffer(ids, "the call for mail was cancelled") })
	}
}

// drop ends the pulls that ended without their answer, and returns the mail that
// they gave.
func (r *run) drop(which func(*pull) bool) (ids []router.MessageID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pulls = slices.DeleteFunc(r.pulls, func(p *pull) bool {
		if !which(p) {
			return false
		}
		p.over = true
		p.stop()
		ids = append(ids, p.ids...)
		return true
	})
	return ids
}

// take ends the pull that a hook tells the end of: by claude's id of the call, or
// else the oldest of that tool.
func (r *run) take(in hookInput) *pull {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.pulls, func(p *pull) bool { return p.use != "" && p.use == in.ToolUseID })
	if i < 0 {
		i = slices.IndexFunc(r.pulls, func(p *pull) bool { return len(p.ids) > 0 && in.ToolName == wire.ToolPrefix+p.tool })
	}
	if i < 0 {
		return nil
	}
	p := r.pulls[i]
	r.pulls = slices.Delete(r.pulls, i, i+1)
	return p
}

// pulled takes a hook as the end of the calls for mail that it tells of.
func (c *conn) pulled(event session.HookEvent, in hookInput) {
	switch event {
	case session.PostToolUse:
		if p := c.run.take(in); p != nil && len(p.ids) > 0 {
			c.submitted(router.Read{Peer: c.peer, Messages: p.ids, Proof: "tool", Pulled: true})
		}
	case session.PostToolUseFailure, session.PermissionDenied:
		if p := c.run.take(in); p != nil {
			p.stop()
			c.run.mu.Lock()
			p.over = true
			c.run.mu.Unlock()
			c.run.unoffer(p.ids, "the tool failed before the mail arrived")
		}
	case session.Stop, session.UserPromptSubmit, session.SessionStart, session.SessionEnd:
		if in.AgentID != "" || event == session.UserPromptSubmit && c.run.midTurn(in.PromptID) {
			return
		}
		// Only those that gave mail: a subagent may still wait for some.
		ids := c.run.drop(func(p *pull) bool { return len(p.ids) > 0 })
		c.run.unoffer(ids, "the turn was over before the mail arrived")
	default: // says nothing of the end of a call
	}
}

func (c *conn) submitted(cmd router.Command) {
	if _, err := c.s.loop.submit(c.ctx, cmd); err != nil {
		c.s.log.Warn("record what a hook proved", "session", c.run.entry.label(), "err", err)
	}
}
