package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// approvalEvent is one line of approvals --watch --json.
type approvalEvent struct {
	Event string    `json:"event"` // open, moved, ended
	At    time.Time `json:"at"`
	wire.Approval
	How string `json:"how,omitempty"` // it moved to its pane, or ended
	By  string `json:"by,omitempty"`  // who answered it here
}

// approvalWatch follows requests from their opening to their end.
type approvalWatch struct {
	asJSON bool
	said   *narrator
	open   map[string]approvalEvent
	failed error // of printing: nobody reads it any more
}

// watchApprovals prints what is open, then what opens and ends, until ctx ends.
func watchApprovals(ctx context.Context, asJSON bool) error {
	w := &approvalWatch{asJSON: asJSON, said: newNarrator(asJSON), open: map[string]approvalEvent{}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	take := func(f wire.Frame) {
		var e wire.Event
		if f.Type == wire.TypeEvent && f.Decode(&e) == nil {
			w.event(e)
		}
		if w.failed != nil {
			cancel()
		}
	}
	done := ctx.Done()
	err := withClient(ctx, take, func(cl *wire.Client) error {
		var a wire.Approvals
		if err := cl.Call(ctx, wire.TypeApprovals, nil, &a); err != nil {
			return err
		}
		for _, p := range a.Open { // no event is asked for yet, so that nothing else prints
			w.opened(p.Asked, p)
		}
		return cl.Call(ctx, wire.TypeTail, wire.Tail{From: a.Seq + 1}, nil)
	})
	select {
	case <-done:
		return w.failed // ctrl+c is how one stops
	default:
		return err
	}
}

// event takes what one event says of a request.
func (w *approvalWatch) event(e wire.Event) {
	body, err := router.DecodeBody(e.Type, 1, e.Body)
	if err != nil {
		return
	}
	w.said.names = e.Names
	switch b := body.(type) {
	case router.PermissionAsked:
		var asked struct {
			Permission wire.Approval `json:"permission"`
		}
		if json.Unmarshal(e.Body, &asked) == nil {
			asked.Permission.Session = w.said.name(b.Permission.Peer)
			w.opened(e.At, asked.Permission)
		}
	case router.PermissionAnswered:
		known := w.open[b.ID]
		known.By = w.said.verdict(b)
		w.open[b.ID] = known
	case router.PermissionMoved:
		known := w.open[b.ID]
		known.Event, known.At, known.How, known.InPane = "moved", e.At, b.Why, true
		w.open[b.ID] = known
		w.print(known)
	case router.PermissionClosed:
		known := w.open[b.ID]
		known.Event, known.At, known.How, known.ID = "ended", e.At, b.How, b.ID
		delete(w.open, b.ID)
		w.print(known)
	}
}

// opened prints a request the first time it is seen: another source of the same
// opens nothing.
func (w *approvalWatch) opened(at time.Time, p wire.Approval) {
	if _, known := w.open[p.ID]; known {
		return
	}
	e := approvalEvent{Event: "open", At: at, Approval: p}
	w.open[p.ID] = e
	w.print(e)
}

func (w *approvalWatch) print(e approvalEvent) {
	if w.failed != nil {
		return
	}
	if w.asJSON {
		w.failed = printJSON(e, true)
		return
	}
	words := ""
	switch e.Event {
	case "open":
		words = fmt.Sprintf("%s asks to use %s: %s", e.Session, e.Tool, summary(e.Input))
		if e.InPane {
			words += " (only its pane can answer)"
		}
	case "moved":
		words = e.How
	default:
		words = "ended: " + e.How
		if e.By != "" {
			words += "; " + e.By
		}
	}
	_, w.failed = fmt.Printf("%s  %-6s %s\n", e.At.Local().Format(time.TimeOnly), e.ID, wire.CleanLine(words, 400))
}
