package supervisor

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
)

// calm is how long after the end of a request the word of the status file alone
// opens no card: on a busy machine it still speaks of the one before.
const calm = 2 * time.Second

// settleRequests keeps the cards in step with what the session shows: one that
// only the pane can answer is opened when claude waits and no hook has asked,
// and every one is closed when claude waits no longer. It looks at what is known
// now, because what it is called for may be older than a request.
func (r *run) settleRequests() {
	r.settling.Lock()
	defer r.settling.Unlock()
	ctx := context.Background()
	// Before the look at the session: what is armed by then, that look knows of.
	armed := r.armedRequests()
	i := r.sess.Info()
	r.settleBehind(ctx, i)
	if i.State == session.Asks && i.WaitingInPane {
		r.mu.Lock()
		early := calm - time.Since(r.closed)
		r.mu.Unlock()
		if early > 0 {
			time.AfterFunc(early, r.settleRequests)
			return
		}
		r.askInPane(ctx, i)
		return
	}
	if i.DialogOpen {
		open := r.openRequests()
		r.settleTaken(ctx, open)
		for _, p := range open {
			if p.Source != router.SourceHook { // that of a hook is armed once the session knows of it
				r.arm(p.ID, asker{})
			}
		}
		return
	}
	for _, p := range armed {
		if !slices.Contains(i.Behind, p.ID) {
			r.closeRequest(ctx, p.ID, r.ending(p))
		}
	}
	r.mu.Lock()
	r.inPane = ""
	r.mu.Unlock()
}

// asker is who asked, and how far its request has come.
type asker struct {
	agent string // the subagent that asks, if any
	tool  string // the id of the tool's use, where it is known
	taken bool   // its hook took the verdict and ended
	gone  bool   // its hook ended without one
}

// settleTaken closes what was answered here while a dialog of another request
// is open: the status file does not tell the two apart. If the verdict had no
// effect after all, the dialog that is left is found by itself.
func (r *run) settleTaken(ctx context.Context, open []router.PermissionView) {
	taken := r.taken(open)
	if len(taken) == len(open) { // the dialog is that of the only one
		return
	}
	for _, p := range taken {
		r.closeTaken(ctx, p)
	}
}

// settleBehind closes what was answered here before any dialog opened: the
// verdict is the end of it.
func (r *run) settleBehind(ctx context.Context, i session.Info) {
	for _, p := range r.taken(r.openRequests()) {
		if slices.Contains(i.Behind, p.ID) {
			r.closeTaken(ctx, p)
		}
	}
}

// taken are those of the requests whose hooks took the verdict and ended.
func (r *run) taken(open []router.PermissionView) []router.PermissionView {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(open), func(p router.PermissionView) bool { return !r.asked[p.ID].taken })
}

func (r *run) closeTaken(ctx context.Context, p router.PermissionView) {
	r.sess.Hook(session.HookSign{Event: session.RequestReturned, At: time.Now(), RequestID: p.ID})
	r.closeRequest(ctx, p.ID, r.ending(p))
}

// verdictTaken notes that the hook of a request read its verdict and ended.
func (r *run) verdictTaken(id string) {
	if r.note(id, func(a *asker) { a.taken = true }) {
		r.settleRequests()
	}
}

// requestEnded closes the request that this end of a tool answers, whatever else
// is open: the status file speaks of the session as a whole.
func (r *run) requestEnded(ctx context.Context, in hookInput) {
	if in.ToolUseID == "" {
		return
	}
	for _, p := range r.openRequests() {
		r.mu.Lock()
		mine := r.asked[p.ID].tool == in.ToolUseID
		r.mu.Unlock()
		if mine {
			r.closeRequest(ctx, p.ID, r.ending(p))
		}
	}
}

// arm notes that the session knows of a request, so that the absence of a dialog
// means that the request is over.
func (r *run) arm(id string, by asker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, known := r.asked[id]
	if known && by == (asker{}) {
		return
	}
	if known { // by another source
		by.taken, by.gone = before.taken, before.gone
	}
	r.asked[id] = by
}

// note changes what is known of a request that was seen; false when none was.
func (r *run) note(id string, change func(*asker)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, known := r.asked[id]
	if known {
		change(&a)
		r.asked[id] = a
	}
	return known
}

// askerOf names who asks by a hook. The hook carries no id of the tool's use: it
// is the newest unfinished one of that name and input.
func (r *run) askerOf(in hookInput) asker {
	by := asker{agent: in.AgentID, tool: in.ToolUseID}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.tools) - 1; i >= 0 && by.tool == ""; i-- {
		t := r.tools[i]
		if t.name == in.ToolName && t.agent == in.AgentID && sameInput(t.input, in.ToolInput) {
			by.tool = t.id
		}
	}
	return by
}

func sameInput(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// armedRequests are the open ones that the session knows of.
func (r *run) armedRequests() []router.PermissionView {
	open := r.openRequests()
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(open, func(p router.PermissionView) bool {
		_, known := r.asked[p.ID]
		return !known
	})
}

// behind says that claude runs the hook of a request before it opens a dialog.
func (r *run) behind(id string) bool {
	<-r.started
	return slices.Contains(r.sess.Info().Behind, id)
}

// supersede closes what the same agent asked before and nobody answered here:
// claude asks one thing at a time, so that was answered in the pane. Where it
// waits for hooks without a dialog it may ask several.
func (r *run) supersede(ctx context.Context, agent string) {
	<-r.started
	behind := r.sess.Info().Behind
	for _, p := range r.openRequests() {
		if slices.Contains(behind, p.ID) {
			continue
		}
		r.mu.Lock()
		before, known := r.asked[p.ID]
		r.mu.Unlock()
		if known && before.agent == agent && p.Source == router.SourceHook {
			r.closeRequest(ctx, p.ID, r.ending(p))
		}
	}
}

// interrupted is how a request ended whose hook and dialog went away together.
const interrupted = "interrupted"

// ending says how a request whose dialog is gone was answered.
func (r *run) ending(p router.PermissionView) string {
	answer := p.Answered
	if answer == nil { // the view may be older than the answer
		answer = r.entry.s.requests.answer(p.ID)
	}
	if answer != nil {
		return string(answer.Behavior) + ", seen to take effect"
	}
	if void := r.voided(); void != "" {
		return void
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked[p.ID].gone && !p.InPane {
		return interrupted
	}
	return "answered in the pane"
}

// voided says how the end of the child ended its requests; "" while it runs. Its
// dialogs go away with it, and nobody has answered them.
func (r *run) voided() string {
	<-r.started
	i := r.entry.slot.Info()
	switch {
	case i.Session != r.sess, i.State == session.SlotStopping:
		return "void: the session was stopped"
	case r.sess.Info().State.Ended():
		return "void: the session ended"
	}
	return ""
}

func (r *run) openRequests() []router.PermissionView {
	var mine []router.PermissionView
	for _, p := range r.entry.s.loop.look().Permissions {
		if p.Peer == r.peer {
			mine = append(mine, p)
		}
	}
	return mine
}

func (r *run) closeRequest(ctx context.Context, id, how string) {
	r.mu.Lock()
	delete(r.asked, id)
	r.closed = time.Now()
	r.mu.Unlock()
	if _, err := r.entry.s.loop.submit(ctx, router.ClosePermission{ID: id, How: how}); err != nil {
		r.entry.s.log.Debug("close a request", "id", id, "err", err)
	}
}

// askInPane opens the card of a dialog that no hook told of: auto mode's own,
// for one. What it is about is the last tool claude began.
func (r *run) askInPane(ctx context.Context, i session.Info) {
	r.mu.Lock()
	open := r.inPane != ""
	r.mu.Unlock()
	for _, p := range r.openRequests() {
		open = open || !slices.Contains(i.Behind, p.ID)
	}
	if open {
		return
	}
	p := router.Permission{Peer: r.peer, Tool: wire.CleanLine(i.Tool, wire.MaxMeta), Source: router.SourceStatus, InPane: true}
	if t, ok := r.lastTool(); ok {
		p.Tool, p.Input = t.name, t.input
	}
	res, err := r.entry.s.loop.submit(ctx, router.AskPermission{Permission: p})
	if err != nil {
		r.entry.s.log.Warn("open a card", "session", r.entry.label(), "err", err)
		r.later(err)
		return
	}
	r.arm(res.Permission, asker{}) // its dialog is what opened it
	r.mu.Lock()
	r.inPane = res.Permission
	r.mu.Unlock()
}
