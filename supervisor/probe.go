package supervisor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/doctor"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
)

// ready takes the channel process as up and sends the start probe.
func (c *conn) ready(f wire.Frame) (any, error) {
	rd, err := decode[wire.Ready](f)
	if err != nil {
		return nil, err
	}
	l := &link{conn: c, pushes: make(chan wire.Deliver, maxPushes), lost: make(chan struct{}, 1)}
	r := c.run
	r.mu.Lock()
	r.channel, r.probes, r.heard, r.proven = l, nil, false, false
	r.came, r.how = true, ""
	r.unasked = !doctor.AsksDuringTools(rd.ClientVersion)
	r.mu.Unlock()
	r.socket.at(rd.MessagingSocket, rd.MessagingToken)
	c.s.log.Info("channel process is up", "session", r.entry.label(), "claude", wire.CleanLine(rd.ClientVersion, 32))
	c.wg.Go(func() { c.pusher(l) })
	if err := r.probe(); err != nil {
		return nil, err
	}
	c.wg.Go(func() { c.awaitProof(l) })
	return nil, nil
}

// probe pushes what the prompt hook has to report for the channel to count,
// unless a probe came back already.
func (r *run) probe() error {
	nonce, err := newSecret()
	if err != nil {
		return err
	}
	nonce = nonce[:16]
	r.mu.Lock()
	heard := r.heard
	if !heard {
		r.probes = append(r.probes, nonce)
	}
	r.mu.Unlock()
	if heard {
		return nil
	}
	r.push("start probe of ccmux: it is blocked before the model is called", map[string]string{wire.MetaProbe: nonce})
	return nil
}

// pusher writes pushes in order; it ends with the connection.
func (c *conn) pusher(l *link) {
	for {
		select {
		case d := <-l.pushes:
			if err := c.wire.Write(wire.TypeDeliver, 0, d); err != nil {
				return
			}
		case <-c.ctx.Done():
			return
		}
	}
}

const (
	// probeAgain and probeLost are after how many seconds the next probe goes out:
	// within the first minute, and then.
	probeAgain = 3
	probeLost  = 60
)

// proofClock is the time in which a probe could have come back.
type proofClock struct {
	left   time.Duration
	second int
	lost   bool // it was said that the channel does not work
}

// awaitProof gives the channel up when its probe does not come back in time, and
// goes on asking now and then, in case it does work. It stays when it did, for a
// channel that is lost later has to be proven anew. Only time in which a probe
// can come back counts: not while a dialog is open or a turn runs, for old
// versions tell of no event in the middle of a tool.
func (c *conn) awaitProof(l *link) {
	clock := proofClock{left: c.s.proofTime()}
	for {
		var tick <-chan time.Time
		if _, proven := c.run.standing(l); !proven {
			tick = time.After(time.Second)
		}
		select {
		case <-tick:
		case <-l.lost:
			clock = proofClock{lost: true}
			c.run.byHook("the channel was lost: mail is handed over at the edge of a turn, or read with inbox")
		case <-c.ctx.Done():
			return
		}
		mine, proven := c.run.standing(l)
		if !mine {
			return
		}
		if !proven && c.run.quiet() {
			c.probeDue(&clock)
		}
	}
}

// standing says whether l is the run's channel still, and whether it is proven.
func (r *run) standing(l *link) (mine, proven bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.channel == l, r.proven
}

// probeDue lets one quiet second pass.
func (c *conn) probeDue(clock *proofClock) {
	clock.left -= time.Second
	if clock.left <= 0 && !clock.lost {
		clock.lost = true
		c.run.lost(fmt.Sprintf("no probe came back within %v: channels are off in this claude (the README says when they are)", c.s.proofTime()))
		c.run.byHook("channels are off: mail is handed over at the edge of a turn, or read with inbox")
	}
	// claude drops what comes before it listens, which on a busy machine is
	// later than any fixed wait: ask again, until one was heard.
	clock.second++
	every := probeAgain
	if clock.second > probeLost {
		every = probeLost
	}
	if clock.second%every == 0 {
		if err := c.run.probe(); err != nil {
			c.s.log.Warn("probe", "session", c.run.entry.label(), "err", err)
		}
	}
}

// routeLost has a channel proven anew whose mail did not arrive. It runs on the
// loop's goroutine.
func (s *Supervisor) routeLost(e router.RouteLost) {
	r := s.sessions.current(e.Peer)
	if r == nil || e.Route != wire.RouteChannel {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.channel == nil || !r.proven {
		return
	}
	r.probes, r.heard, r.proven = nil, false, false
	select {
	case r.channel.lost <- struct{}{}:
	default: // it knows
	}
}

// awaitChannel says so when no channel process comes: the plugin or its server
// is off, or cannot start. Only time counts in which claude is ready and idle.
func (r *run) awaitChannel(ctx context.Context) {
	for left := r.entry.s.proofTime() * 3 / 2; left > 0; {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
		r.mu.Lock()
		came := r.came
		r.mu.Unlock()
		if came {
			return
		}
		if r.sess.Info().State == session.Idle {
			left -= time.Second
		}
	}
	r.lost("the channel plugin did not start: look at /mcp and /plugin in the pane, type /mcp reconnect " + wire.ChannelSource + ", or run ccmux doctor")
	r.byHook("the channel plugin did not start: mail is handed over at the edge of a turn")
}

func (s *Supervisor) proofTime() time.Duration {
	if s.cfg.ProofTime > 0 {
		return s.cfg.ProofTime
	}
	return proofTime
}

// quiet says that neither a turn runs nor a dialog is open.
func (r *run) quiet() bool {
	<-r.started
	i := r.sess.Info()
	return !i.DialogOpen && !i.InTurn
}

// byHook takes the hooks as the route, as soon as one was seen, and tries claude's
// own socket, which is better.
func (r *run) byHook(how string) {
	r.bySocket()
	r.mu.Lock()
	hooked := r.hooked
	r.how = how
	r.mu.Unlock()
	if !hooked {
		return
	}
	cmd := router.ProveRoute{RouteProven: router.RouteProven{Peer: r.peer, Route: wire.RouteHook, How: how}}
	if _, err := r.entry.s.loop.submit(context.Background(), cmd); err != nil {
		r.entry.s.log.Debug("record a route", "session", r.entry.label(), "err", err)
	}
}

// probeArrived says whether nonce is that of a probe of this channel, and
// whether it was the last one. Order is kept, so that behind the last none is under
// way. A message pushed behind a probe could come in one batch with it, and claude
// begins no turn for a batch whose first event is blocked.
func (r *run) probeArrived(nonce string) (mine, last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.probes, nonce)
	if i < 0 {
		return false, false
	}
	r.heard = true
	last = i == len(r.probes)-1
	r.proven = r.proven || last
	return true, last
}

// channelGone ends the route when its connection ends.
func (r *run) channelGone(c *conn) {
	r.mu.Lock()
	mine := r.channel != nil && r.channel.conn == c
	if mine {
		r.channel, r.probes, r.heard, r.proven = nil, nil, false, false
	}
	r.mu.Unlock()
	if mine {
		r.lost("the channel process ended: type /mcp reconnect " + wire.ChannelSource + " in the pane")
		r.byHook("the channel process ended: mail is handed over at the edge of a turn")
	}
}

func (r *run) lost(why string) {
	cmd := router.LoseRoute{RouteLost: router.RouteLost{Peer: r.peer, Route: wire.RouteChannel, Why: why}}
	if _, err := r.entry.s.loop.submit(context.Background(), cmd); err != nil {
		r.entry.s.log.Debug("record a lost route", "session", r.entry.label(), "err", err)
	}
}

// linked says whether the run has a channel process.
func (r *run) linked() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.channel != nil
}

// push queues one event for the channel process; it never blocks. False: there
// is none, or it does not read.
func (r *run) push(content string, meta map[string]string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.channel == nil {
		return false
	}
	select {
	case r.channel.pushes <- wire.Deliver{Seq: r.seq + 1, Content: content, Meta: meta}:
		r.seq++
		return true
	default:
		return false
	}
}
