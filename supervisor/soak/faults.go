package soak

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// The victims. How often each dies is how often it stands here: ccmux takes
// everybody with it, and brings back less often.
var victims = []string{"hook", "agent", "channel", "hook", "agent", "channel", "hook", "ccmux"}

// faults kills at random while the load runs, spread evenly over it.
type faults struct {
	h    *house
	load *load
	rng  *rand.Rand
	done map[string]int // kills by victim
}

func (f *faults) run(ctx context.Context) error {
	cfg := f.h.cfg
	for i := range cfg.Kills {
		due := int64(cfg.Messages) * int64(i+1) / int64(cfg.Kills+1)
		every(ctx, 5*time.Millisecond, func() bool { return f.load.sent.Load() >= due })
		if err := f.one(ctx, victims[i%len(victims)]); err != nil {
			return fmt.Errorf("soak: kill %d of %d: %w", i+1, cfg.Kills, err)
		}
	}
	return nil
}

// one kills a victim; when there is none just now, it looks again.
func (f *faults) one(ctx context.Context, victim string) error {
	if victim == "ccmux" {
		f.done[victim]++
		f.h.cfg.Log("kill ccmux")
		return f.h.reborn(ctx)
	}
	var fault error
	every(ctx, 50*time.Millisecond, func() bool {
		l, err := f.h.list(ctx)
		if err != nil || ctx.Err() != nil {
			fault = err
			return err != nil
		}
		return f.kill(ctx, victim, l.Sessions)
	})
	if fault != nil && ctx.Err() == nil {
		return fault
	}
	return ctx.Err()
}

func (f *faults) kill(ctx context.Context, victim string, sessions []wire.SessionInfo) bool {
	f.rng.Shuffle(len(sessions), func(i, j int) { sessions[i], sessions[j] = sessions[j], sessions[i] })
	for _, s := range sessions {
		if s.PID == 0 || s.Route != wire.RouteChannel {
			continue // it is on its way already
		}
		pid := s.PID
		if victim != "agent" {
			pid = child(ctx, s.PID, victim)
		}
		if pid != 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
			f.done[victim]++
			f.h.cfg.Log("kill %s of %s", victim, s.Name)
			return true
		}
	}
	return false
}

// child finds a running child of parent that is `ccmux WORD`. It looks for a
// while, because a hook lives for some milliseconds.
func child(ctx context.Context, parent int, word string) (pid int) {
	const look = 300 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, look)
	defer cancel()
	every(ctx, time.Millisecond, func() bool {
		lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
		if err != nil || len(lists) == 0 {
			return true
		}
		for _, list := range lists {
			if pid = runs(list, word); pid != 0 {
				return true
			}
		}
		return false
	})
	return pid
}

// runs returns the process in a list of children whose first argument is word.
func runs(list, word string) int {
	b, err := os.ReadFile(list)
	if err != nil {
		return 0
	}
	for _, field := range strings.Fields(string(b)) {
		line, err := os.ReadFile("/proc/" + field + "/cmdline")
		args := bytes.Split(line, []byte{0})
		if err != nil || len(args) < 2 || string(args[1]) != word {
			continue
		}
		if pid, err := strconv.Atoi(field); err == nil {
			return pid
		}
	}
	return 0
}

// warden is the human before the screen, who brings back what ccmux says it
// cannot bring back by itself.
type warden struct {
	h        *house
	restarts atomic.Int64
}

func (w *warden) run(ctx context.Context) {
	seen := map[string]time.Time{} // since when a session needs the human
	every(ctx, 300*time.Millisecond, func() bool {
		l, err := w.h.list(ctx)
		if err != nil {
			return false
		}
		for _, s := range l.Sessions {
			if !needsHuman(s) {
				delete(seen, s.Name)
				continue
			}
			since, known := seen[s.Name]
			if !known {
				seen[s.Name] = time.Now()
			} else if time.Since(since) > time.Second {
				delete(seen, s.Name)
				w.restart(ctx, s)
			}
		}
		return false
	})
}

// needsHuman says whether a session has no way back of its own. A channel that
// ccmux can prove anew by itself is no such case, nor is one that the up after a
// death of ccmux is about to start.
func needsHuman(s wire.SessionInfo) bool {
	down := []string{"failed", "stopped"}
	return slices.Contains(down, s.State) ||
		s.State == "exited" && s.Detail != "ccmux ended" && !strings.Contains(s.Detail, "starts again") ||
		s.PID != 0 && s.Route != wire.RouteChannel && strings.Contains(s.RouteWhy, "/mcp reconnect")
}

func (w *warden) restart(ctx context.Context, s wire.SessionInfo) {
	w.restarts.Add(1)
	w.h.cfg.Log("restart %s: %s %s %s", s.Name, s.State, s.Detail, s.RouteWhy)
	var err error
	if s.PID == 0 {
		err = w.h.up(ctx)
	} else {
		err = w.h.ask(ctx, wire.TypeRestart, wire.Names{Names: []string{s.Name}}, nil)
	}
	if err != nil && ctx.Err() == nil {
		w.h.cfg.Log("restart %s: %v", s.Name, err)
	}
}
