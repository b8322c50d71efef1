package supervisor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// ready takes the channel process as up and sends the start probe.
func (c *conn) ready(f wire.Frame) (any, error) {
	rd, err := decode[wire.Ready](f)
	if err != nil {
		return nil, err
	}
	l := &link{conn: c, pushes: make(chan wire.Deliver, maxPushes)}
	r := c.run
	r.mu.Lock()
	r.channel, r.probes, r.heard, r.proven = l, nil, false, false
	r.mu.Unlock()
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
	// probeAgain and probeLost are after how many seconds the next probe goes out,
	// before the channel was given up and after.
	probeAgain = 3
	probeLost  = 60
)

// awaitProof gives the channel up when its probe does not come back in time, and
// goes on asking now and then, in case it does work. Only time in which a probe
// can come back counts: not while a dialog is open or a turn runs, for old
// versions tell of no event in the middle of a tool.
func (c *conn) awaitProof(l *link) {
	left, lost := proofTime, false
	for second := 1; ; second++ {
		select {
		case <-time.After(time.Second):
		case <-c.ctx.Done():
			return
		}
		c.run.mu.Lock()
		over := c.run.channel != l || c.run.proven
		c.run.mu.Unlock()
		if over {
			return
		}
		if !c.run.quiet() {
			continue
		}
		left -= time.Second
		if left <= 0 && !lost {
			lost = true
			c.run.lost(fmt.Sprintf("no probe came back within %v: channels are off in this claude (the README says when they are)", proofTime))
			c.run.byHook("channels are off: mail is handed over at the edge of a turn, or read with inbox")
		}
		// claude drops what comes before it listens, which on a busy machine is
		// later than any fixed wait: ask again, until one was heard.
		every := probeAgain
		if lost {
			every = probeLost
		}
		if second%every == 0 {
			if err := c.run.probe(); err != nil {
				c.s.log.Warn("probe", "session", c.run.entry.label(), "err", err)
			}
		}
	}
}

// quiet says that neither a turn runs nor a dialog is open.
func (r *run) quiet() bool {
	<-r.started
	i := r.sess.Info()
	return !i.DialogOpen && !i.InTurn
}

// byHook takes the hooks as the route, if one was seen.
func (r *run) byHook(how string) {
	r.mu.Lock()
	hooked := r.hooked
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
	}
}

func (r *run) lost(why string) {
	cmd := router.LoseRoute{RouteLost: router.RouteLost{Peer: r.peer, Route: wire.RouteChannel, Why: why}}
	if _, err := r.entry.s.loop.submit(context.Background(), cmd); err != nil {
		r.entry.s.log.Debug("record a lost route", "session", r.entry.label(), "err", err)
	}
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
