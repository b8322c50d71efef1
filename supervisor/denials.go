package supervisor

import (
	"context"
	"sync"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

const (
	// denialsEvery is how often the count of a session's denials begins anew.
	denialsEvery = time.Minute
	// maxDenials is how many denials of one session are named one by one in that
	// time. What comes beyond is counted, so that a session which asks without end
	// fills neither the journal nor the loop.
	maxDenials = 60
	// maxDenied is how much of a tool's input stands in the record of its denial.
	maxDenied = 1000
)

// denials are what rules stopped before it ran, on its way to the timeline. The
// hook is answered without waiting for that: a slow disk must not make it give up
// on the denial.
//
//	hook ──► record ──(the first of the minute)──► loop
//	           └─────(one too many)──► count ──(every minute, at the end)──► loop
type denials struct {
	mu    sync.Mutex
	count map[router.PeerID]int
}

// take counts one denial and says whether it is to be named.
func (d *denials) take(peer router.PeerID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.count == nil {
		d.count = map[router.PeerID]int{}
	}
	d.count[peer]++
	return d.count[peer] <= maxDenials
}

// rest begins anew and returns how many were not named.
func (d *denials) rest() map[router.PeerID]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	more := map[router.PeerID]int{}
	for peer, n := range d.count {
		if n > maxDenials {
			more[peer] = n - maxDenials
		}
	}
	clear(d.count)
	return more
}

// record puts a denial on the timeline. The connection's end waits for it, and
// the loop's end for the connections.
func (d *denials) record(c *conn, in hookInput, rule, why string) {
	if !d.take(c.peer) {
		return
	}
	denied := router.ToolDenied{
		Peer: c.peer, Tool: wire.CleanLine(in.ToolName, wire.MaxMeta), What: wire.CleanLine(wire.MainInput(in.ToolInput), maxDenied),
		By: router.Actor{Kind: router.ByRule, Rule: rule}, Why: why,
	}
	ctx := context.WithoutCancel(c.ctx)
	c.wg.Go(func() { c.s.denied(ctx, denied) })
}

func (s *Supervisor) denied(ctx context.Context, denied router.ToolDenied) {
	if _, err := s.loop.submit(ctx, router.RecordDenial{ToolDenied: denied}); err != nil {
		s.log.Error("record what a rule denied", "session", s.nameOf(denied.Peer), "tool", denied.Tool, "rule", denied.By.Rule, "err", err)
	}
}

// tellDenials puts on the timeline how many denials were not named.
func (s *Supervisor) tellDenials(ctx context.Context) {
	for peer, n := range s.denials.rest() {
		s.denied(ctx, router.ToolDenied{Peer: peer, By: router.Actor{Kind: router.ByRule}, Times: n})
	}
}

// mindDenials does so every minute, until ctx ends.
func (s *Supervisor) mindDenials(ctx context.Context) {
	tick := time.NewTicker(denialsEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.tellDenials(ctx)
		case <-ctx.Done():
			return
		}
	}
}
