package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Config is one soak.
type Config struct {
	Binary   string // ccmux, absolute
	Dir      string // an empty folder with a short path, for everything
	Agents   int
	Old      int // how many of the agents play the old version of claude
	Messages int // deliveries to agents, one a recipient, before the load ends
	Kills    int
	Seed     uint64
	// Settle bounds how long the rest may take once the load and the kills are
	// over; what is open then counts as lost or unanswered.
	Settle time.Duration
	Log    func(format string, args ...any)

	script string // of the agents
}

// Report is what came of a soak.
type Report struct {
	Counts
	Kills    map[string]int
	Restarts int           // by the human: a channel process that died is not started again
	Load     time.Duration // from the first send to the last
	Settled  time.Duration // from then until nothing was open
	Wrong    []string      // what must not be; empty when all is well
}

// Counts say how much was judged.
type Counts struct {
	Messages   int // posted
	Deliveries int // to agents
	Tasks      int // to agents, without reminders
	Reminders  int
	Acked      int // sends that were acknowledged and judged by it
	Sights     int // messages found in transcripts
}

// Run soaks, and judges. The error says that it could not be carried out; what
// ccmux did wrong is in the report.
func Run(ctx context.Context, cfg Config) (Report, error) {
	if cfg.Log == nil {
		cfg.Log = func(string, ...any) {}
	}
	h, err := newHouse(cfg)
	if err != nil {
		return Report{}, err
	}
	defer h.close()
	if err := h.open(ctx); err != nil {
		return Report{}, err
	}
	r := Report{Kills: map[string]int{}}
	if err := r.rage(ctx, h); err != nil {
		return r, fmt.Errorf("%w\n%s", err, h.lastWords())
	}
	if err := h.end(ctx); err != nil {
		return r, fmt.Errorf("%w\n%s", err, h.lastWords())
	}
	rec, err := readJournal(ctx, h.state)
	if err != nil {
		return r, err
	}
	sights, err := readTranscripts(h.config)
	if err != nil {
		return r, err
	}
	r.Counts, r.Wrong = judge(rec, sights, h.acked())
	return r, nil
}

// rage is the load with its faults, and the time until all is quiet again.
func (r *Report) rage(ctx context.Context, h *house) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := newLoad(h)
	follow := newTracker()
	follower := background(func() { follow.run(ctx, h) })
	defer follower()
	defer cancel()
	warden := &warden{h: h}
	watching := background(func() { warden.run(ctx) })
	defer watching()
	defer cancel()
	f := &faults{h: h, load: l, rng: rand.New(rand.NewPCG(h.cfg.Seed, 2)), done: r.Kills}
	killing := make(chan error, 1)
	began := time.Now()
	faulty := background(func() { killing <- f.run(ctx) })
	defer faulty()
	defer cancel()
	err := l.run(ctx)
	r.Load = time.Since(began)
	if err = errors.Join(err, <-killing); err != nil {
		return err
	}
	h.cfg.Log("load: %d deliveries sent in %v; kills %v", l.sent.Load(), r.Load.Round(time.Millisecond), r.Kills)
	began = time.Now()
	left := follow.quiet(ctx, h.cfg.Settle)
	r.Settled, r.Restarts = time.Since(began), int(warden.restarts.Load())
	if left != "" {
		h.cfg.Log("not settled within %v: %s", h.cfg.Settle, left)
	}
	return nil
}

// background runs f and returns how to wait for its end.
func background(f func()) (wait func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		f()
	}()
	return func() { <-over }
}

// every calls f at once and then at each beat, until it says so or ctx ends.
func every(ctx context.Context, beat time.Duration, f func() (done bool)) bool {
	t := time.NewTicker(beat)
	defer t.Stop()
	for ctx.Err() == nil {
		if f() {
			return true
		}
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	return false
}
