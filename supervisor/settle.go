package supervisor

import (
	"context"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
)

// settleRequests keeps the cards in step with what the session shows: one that
// only the pane can answer is opened when claude waits and no hook has asked,
// and every one is closed when claude waits no longer.
func (r *run) settleRequests(i session.Info) {
	ctx := context.Background()
	if i.State == session.Asks && i.WaitingInPane {
		r.askInPane(ctx, i)
		return
	}
	if i.DialogOpen {
		return
	}
	for _, p := range r.openRequests() {
		how := "answered in the pane"
		if p.Answered != nil {
			how = string(p.Answered.Behavior) + ", seen to take effect"
		}
		r.closeRequest(ctx, p.ID, how)
	}
	r.mu.Lock()
	r.inPane = ""
	r.mu.Unlock()
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
		return
	}
	r.mu.Lock()
	r.inPane = res.Permission
	r.mu.Unlock()
}
