package soak

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ccmux/ccmux/channel/wire"
)

// Raced is what came of a race.
type Raced struct {
	Counts
	Tasks   int
	Slipped int      // into a running turn, as text that is no instruction
	Turned  int      // away at the gate, because a turn ran
	Wrong   []string // what must not be
}

// restless is the script of an agent that begins turns by itself all the time.
const restless = "worker restless=150ms"

// raceWord begins what an agent says when it acts on a task of a race.
const raceWord = "acted on "

// Race sends so many tasks to agents that go busy by themselves at any moment,
// also between the look at their state and the push: one after the other to each
// agent, half of the tasks to agents that play the old version of claude. Each
// must be acted on once, though many slip into a turn that runs.
func Race(ctx context.Context, cfg Config, tasks int) (Raced, error) {
	if cfg.Log == nil {
		cfg.Log = func(string, ...any) {}
	}
	cfg.script, cfg.Old = restless, cfg.Agents/2
	h, err := newHouse(cfg)
	if err != nil {
		return Raced{}, err
	}
	defer h.close()
	if err := h.open(ctx); err != nil {
		return Raced{}, err
	}
	err = race(ctx, h, tasks)
	if err = errors.Join(err, h.end(ctx)); err != nil {
		return Raced{}, fmt.Errorf("%w\n%s", err, h.lastWords())
	}
	rec, err := readJournal(ctx, h.state)
	if err != nil {
		return Raced{}, err
	}
	all, err := readTranscripts(h.config)
	if err != nil {
		return Raced{}, err
	}
	r := Raced{Tasks: tasks}
	r.Counts, r.Wrong = judge(rec, all, h.acked())
	r.acted(all, tasks)
	return r, nil
}

// race shares the tasks out among the agents.
func race(ctx context.Context, h *house, tasks int) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make(chan error, len(h.specs))
	for _, s := range h.specs {
		wg.Go(func() { errs <- raceOne(ctx, h, s.Name, &next, int64(tasks)) })
	}
	wg.Wait()
	close(errs)
	var all error
	for err := range errs {
		all = errors.Join(all, err)
	}
	return all
}

func raceOne(ctx context.Context, h *house, agent string, next *atomic.Int64, tasks int64) error {
	c, err := h.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		n := next.Add(1)
		if n > tasks {
			return nil
		}
		m := wire.MessageArgs{Kind: wire.KindTask, Content: fmt.Sprintf("say: %s%d", raceWord, n), AwaitReply: wire.MaxAwait}
		id, err := tool(ctx, c, wire.ToolSendToPeer, wire.SendToPeerArgs{To: agent, MessageArgs: m})
		if err != nil {
			return err
		}
		h.ack(id)
	}
}

// acted counts how often each task was acted on.
func (r *Raced) acted(all []conversation, tasks int) {
	times := map[string]int{}
	for _, c := range all {
		for _, text := range c.said {
			if n, ok := strings.CutPrefix(text, raceWord); ok {
				times[n]++
			}
		}
		for _, s := range c.sights {
			if s.background {
				r.Slipped++
			}
		}
		r.Turned += c.turned
	}
	for n := 1; n <= tasks; n++ {
		if got := times[fmt.Sprint(n)]; got != 1 {
			r.Wrong = append(r.Wrong, fmt.Sprintf("task %d was acted on %d times", n, got))
		}
	}
}
