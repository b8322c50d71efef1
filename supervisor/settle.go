package supervisor

import (
	"context"
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
	i := r.sess.Info()
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
	open := r.openRequests()
	if i.DialogOpen {
		for _, p := range open {
			r.arm(p.ID, "")
		}
		return
	}
	for _, p := range open {
		if !r.armed(p.ID) {
			continue // its dialog was not seen yet
		}
		r.closeRequest(ctx, p.ID, ending(p))
	}
	r.mu.Lock()
	r.inPane = ""
	r.mu.Unlock()
}

// arm notes that the dialog of a request was seen, so that its absence means
// that the request is over. Agent is the subagent that asks, if any.
func (r *run) arm(id, agent string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.asked[id]; !known {
		r.asked[id] = agent
	}
}

func (r *run) armed(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.asked[id]
	return known
}

// supersede closes what the same agent asked before and nobody answered here:
// claude asks one thing at a time, so that was answered in the pane.
func (r *run) supersede(ctx context.Context, agent string) {
	for _, p := range r.openRequests() {
		r.mu.Lock()
		before, known := r.asked[p.ID]
		r.mu.Unlock()
		if known && before == agent && p.Source == router.SourceHook {
			r.closeRequest(ctx, p.ID, ending(p))
		}
	}
}

// ending says how a request whose dialog is gone was answered.
func ending(p router.PermissionView) string {
	if p.Answered != nil {
		return string(p.Answered.Behavior) + ", seen to take effect"
	}
	return "answered in the pane"
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
	if open || len(r.openRequests()) > 0 {
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
	r.arm(res.Permission, "") // its dialog is what opened it
	r.mu.Lock()
	r.inPane = res.Permission
	r.mu.Unlock()
}
