package supervisor

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
)

// keepEnded is how many ended requests are remembered, for those that ask for
// their end a moment late.
const keepEnded = 256

// relayLag lets a hook answer before the relay of the same request. The first
// counts, and only the hook's has the reason of a denial and the scope of a yes;
// claude drops the second.
const relayLag = time.Second

// questionTool is claude's tool for asking the human: no permission.
const questionTool = "AskUserQuestion"

// requests connects open permission requests with the hooks and relays that
// wait for their answers. The facts are the router's; this holds only who to
// tell.
type requests struct {
	mu      sync.Mutex
	waiting map[string]*waiter // by request id
	ended   []string           // oldest first
}

// waiter is where hooks and relays learn how their request ended.
type waiter struct {
	done   chan struct{} // closed at the first answer or the end
	answer *router.PermissionAnswered
	hooked atomic.Bool // a hook waits: it carries more than a relay can
}

func newRequests() *requests { return &requests{waiting: map[string]*waiter{}} }

// of returns the waiter of a request, making one when it is new.
func (r *requests) of(id string) *waiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.waiting[id]
	if w == nil {
		w = &waiter{done: make(chan struct{})}
		r.waiting[id] = w
	}
	return w
}

// answer is the answer that was given to a request, nil when there is none.
func (r *requests) answer(id string) *router.PermissionAnswered {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w := r.waiting[id]; w != nil {
		return w.answer
	}
	return nil
}

// saw passes what became durable on to whoever waits. It runs on the loop's
// goroutine.
func (r *requests) saw(e router.Event) {
	switch b := e.Body.(type) {
	case router.PermissionAnswered:
		r.finish(b.ID, &b)
	case router.PermissionMoved:
		r.finish(b.ID, nil)
	case router.PermissionClosed:
		r.finish(b.ID, nil)
	}
}

func (r *requests) finish(id string, a *router.PermissionAnswered) {
	w := r.of(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-w.done:
		return // the first counts
	default:
	}
	w.answer = a
	close(w.done)
	r.ended = append(r.ended, id)
	if len(r.ended) > keepEnded {
		delete(r.waiting, r.ended[0])
		r.ended = r.ended[1:]
	}
}

// permission opens a card for a PermissionRequest hook and waits for its answer:
// the human's, the end of the request by other means, or the hook's own end.
func (c *conn) permission(sign session.HookSign, in hookInput) (wire.HookVerdict, error) {
	if in.ToolName == questionTool { // the hook fires for a question too, and only the pane can answer it
		c.run.hook(sign)
		return wire.HookVerdict{}, nil
	}
	c.run.supersede(c.ctx, in.AgentID)
	ask := router.AskPermission{Notice: newID(), Permission: router.Permission{
		Peer: c.peer, Tool: in.ToolName, Input: in.ToolInput, Dir: in.CWD, Source: router.SourceHook,
		Lasting: sessionScope(in.Suggestions) != nil,
	}}
	if in.AgentID != "" {
		ask.Permission.Agent = wire.CleanLine(in.AgentType, wire.MaxMeta)
	}
	ask.Verdict = c.byRule(in)
	res, err := c.s.loop.submit(c.ctx, ask)
	if err != nil {
		return wire.HookVerdict{}, err
	}
	if res.Reason != "" {
		c.s.log.Info("a rule's answer was not taken", "request", res.Permission, "rule", ask.Verdict.By.Rule, "why", res.Reason)
	}
	sign.RequestID = res.Permission
	c.run.hook(sign)
	c.run.arm(res.Permission, c.run.askerOf(in))
	w := c.s.requests.of(res.Permission)
	w.hooked.Store(true)
	select {
	case <-w.done:
		if w.answer == nil {
			return wire.HookVerdict{}, nil // answered elsewhere: no opinion
		}
		c.gave = res.Permission
		return verdictOf(*w.answer, in.Suggestions), nil
	case <-c.ctx.Done():
		c.hookGone(res.Permission, sign)
		return wire.HookVerdict{}, c.ctx.Err()
	}
}

// How long the status file may take to follow claude's end of a hook.
const (
	// statusLag: the dialog ended with the hook, and it is to leave waiting.
	statusLag = 500 * time.Millisecond
	// openLag: the dialog opens now that the hook has ended.
	openLag = 3 * time.Second
)

// hookGone follows up on a hook that ended without a verdict: claude gave up on
// it, was interrupted, or was killed. Whether the session waits a moment later
// says whether the question is back in the pane.
func (c *conn) hookGone(id string, sign session.HookSign) {
	c.run.note(id, func(a *asker) { a.gone = true })
	sign.Event = session.RequestReturned
	wait := openLag
	if !c.run.behind(id) {
		wait = statusLag
		c.run.hook(sign)
	}
	lag := time.NewTimer(wait)
	defer lag.Stop()
	select {
	case <-lag.C:
	case <-c.s.requests.of(id).done: // what the session shows has ended it
		return
	case <-c.run.sess.Done():
	}
	ctx := context.WithoutCancel(c.ctx)
	waits := c.run.waits()
	if wait == openLag {
		c.run.hook(sign)
	}
	void := c.run.voided()
	if waits && void == "" {
		_, _ = c.s.loop.submit(ctx, router.MovePermission{ID: id, Why: "its time was over: answer in the pane"})
		return
	}
	_, _ = c.s.loop.submit(ctx, router.ClosePermission{ID: id, How: cmp.Or(void, interrupted)})
}

// verdictOf is the human's answer as the hook gives it to claude.
func verdictOf(a router.PermissionAnswered, suggestions json.RawMessage) wire.HookVerdict {
	if a.Behavior == wire.Deny {
		why := a.Why
		if why == "" {
			why = "denied by the human"
		}
		return wire.HookVerdict{Action: wire.HookDeny, Reason: why}
	}
	v := wire.HookVerdict{Action: wire.HookAllow}
	if a.Scope == "session" {
		v.Updated = sessionScope(suggestions)
	}
	return v
}

// sessionScope makes of claude's own suggestions updates that last for this
// session only: ccmux never has claude write its settings.
func sessionScope(suggestions json.RawMessage) json.RawMessage {
	var list []map[string]any
	if json.Unmarshal(suggestions, &list) != nil {
		return nil
	}
	var keep []map[string]any
	for _, s := range list {
		if s["type"] == "setMode" {
			continue // a mode is never changed by ccmux
		}
		s["destination"] = "session"
		keep = append(keep, s)
	}
	if len(keep) == 0 {
		return nil
	}
	raw, err := json.Marshal(keep)
	if err != nil {
		return nil
	}
	return raw
}

// permRequest takes claude's own relay of a request; it joins the card that the
// hook opened, or opens one.
func (c *conn) permRequest(f wire.Frame) {
	p, err := decode[wire.PermRequest](f)
	if err != nil {
		return
	}
	c.wg.Go(func() {
		defer c.s.survive("permission relay")
		preview, err := json.Marshal(p.InputPreview)
		if err != nil {
			return
		}
		ask := router.AskPermission{Permission: router.Permission{Peer: c.peer, Tool: p.ToolName, Input: preview, Source: router.SourceRelay}}
		res, err := c.s.loop.submit(c.ctx, ask)
		if err != nil {
			c.s.log.Warn("relayed permission request", "err", err)
			return
		}
		w := c.s.requests.of(res.Permission)
		select {
		case <-w.done:
			if w.answer != nil && (!w.hooked.Load() || c.after(relayLag)) {
				v := wire.PermVerdict{RequestID: p.RequestID, Behavior: w.answer.Behavior}
				_ = c.wire.Write(wire.TypePermVerdict, 0, v) // a channel that is gone asks no more
			}
		case <-c.ctx.Done():
		}
	})
}

// after waits, unless the connection ends first.
func (c *conn) after(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-c.ctx.Done():
		return false
	}
}

// Answer gives the human's answer to a permission request; only the first counts.
func (s *Supervisor) Answer(ctx context.Context, id string, b wire.Behavior, scope, why string) error {
	return s.AnswerBy(ctx, id, b, scope, why, router.Actor{PID: s.guard.self.PID})
}

// AnswerBy is Answer for the human at a terminal that by tells of.
func (s *Supervisor) AnswerBy(ctx context.Context, id string, b wire.Behavior, scope, why string, by router.Actor) error {
	by.Kind, by.Peer, by.Rule = router.ByHuman, "", ""
	return s.answer(ctx, id, b, scope, why, by)
}

func (s *Supervisor) answer(ctx context.Context, id string, b wire.Behavior, scope, why string, by router.Actor) error {
	why, err := wire.CleanBody(why)
	if err != nil {
		return err
	}
	_, err = s.loop.submit(ctx, router.AnswerPermission{ID: id, Behavior: b, Scope: scope, By: by, Why: why})
	return err
}
