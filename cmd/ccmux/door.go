package main

import (
	"context"
	"errors"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/approvals"
)

// door is the supervisor in the words of the screen. The two packages do not
// know each other's types, so that neither can reach behind the other.
type door struct {
	*supervisor.Supervisor
	by router.Actor // the human at this screen
}

var _ tui.Door = door{}

// Submit implements tui.Door.
func (d door) Submit(ctx context.Context, c router.Command) (router.Result, error) {
	return d.SubmitBy(ctx, c, d.by)
}

// Answer implements tui.Door.
func (d door) Answer(ctx context.Context, id string, b wire.Behavior, scope, why string) error {
	return d.AnswerBy(ctx, id, b, scope, why, d.by)
}

// Stop implements tui.Door.
func (d door) Stop(ctx context.Context, name string) error { return d.StopSession(ctx, name) }

// Pane implements tui.Door.
func (d door) Pane(peer router.PeerID) tui.Pane {
	p := d.Supervisor.Pane(peer)
	if p == nil {
		return nil
	}
	return pane{p}
}

// Calls implements tui.Door.
func (d door) Calls(f func(tui.Call)) (cancel func()) {
	kinds := map[session.EventKind]tui.CallKind{
		session.BellRang: tui.CallBell, session.Notified: tui.CallNotify, session.Copied: tui.CallCopy,
	}
	return d.Supervisor.Calls(func(c supervisor.Call) {
		f(tui.Call{Peer: c.Peer, Kind: kinds[c.Kind], Title: c.Title, Text: c.Text})
	})
}

// History implements tui.Door.
func (d door) History(ctx context.Context, q tui.HistoryQuery) ([]router.MessageView, bool, error) {
	return d.Supervisor.History(ctx, supervisor.HistoryQuery{
		Text: q.Text, Peer: q.Peer, Thread: q.Thread, Room: q.Room, Limit: q.Limit, Before: q.Before, After: q.After,
	})
}

// Dialog implements tui.Door.
func (d door) Dialog(peer router.PeerID) (approvals.Dialog, bool) {
	read, ok := d.Supervisor.Dialog(peer)
	if !ok {
		return approvals.Dialog{}, false
	}
	out := approvals.Dialog{Name: string(read.Name), Title: read.Title, Text: read.Text, Seen: read}
	for _, r := range read.Rows {
		out.Rows = append(out.Rows, r.Text)
	}
	return out, true
}

// AnswerDialog implements tui.Door.
func (d door) AnswerDialog(ctx context.Context, peer router.PeerID, seen approvals.Dialog, row int) error {
	read, ok := seen.Seen.(session.Dialog)
	if !ok {
		return errors.New("this dialog was not read from a pane")
	}
	return d.Supervisor.AnswerDialog(ctx, peer, read, row)
}

// pane is a session's terminal in the words of the screen.
type pane struct{ *supervisor.Pane }

// Show implements tui.Pane.
func (p pane) Show(s tui.ScreenID, cols, rows int) { p.Pane.Show(uint64(s), cols, rows) }

// Hide implements tui.Pane.
func (p pane) Hide(s tui.ScreenID) { p.Pane.Hide(uint64(s)) }
