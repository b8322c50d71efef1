package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// fakeChild is a child without a process.
type fakeChild struct {
	done, broken chan struct{}
	once         sync.Once
	info         Info
	alive        *atomic.Int64
	stopTakes    time.Duration
}

func (c *fakeChild) Done() <-chan struct{}   { return c.done }
func (c *fakeChild) Broken() <-chan struct{} { return c.broken }
func (c *fakeChild) Info() Info              { return c.info }

func (c *fakeChild) Stop(context.Context, Grace) Ending {
	select {
	case <-c.done:
	case <-time.After(c.stopTakes):
		c.info = Info{State: Exited, Exit: Exit{Code: -1, Signal: hangup}}
		c.die()
	}
	return Ending{Exit: c.info.Exit}
}

func (c *fakeChild) die() {
	c.once.Do(func() {
		c.alive.Add(-1)
		close(c.done)
	})
}

// rig is a Slot over fake children.
type rig struct {
	*Slot
	mu      sync.Mutex
	kids    []*fakeChild
	reasons []Reason
	alive   atomic.Int64
	most    atomic.Int64
	refuse  error
	states  []SlotState
}

func newRig() *rig {
	r := &rig{}
	r.Slot = NewSlot(SlotConfig{
		Name: "x",
		Build: func(a Attempt) (Spec, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.reasons = append(r.reasons, a.Reason)
			return Spec{}, r.refuse
		},
		OnChange: func(i SlotInfo) {
			r.mu.Lock()
			r.states = append(r.states, i.State)
			r.mu.Unlock()
		},
		start: func(Spec) (child, error) {
			c := &fakeChild{done: make(chan struct{}), broken: make(chan struct{}), alive: &r.alive, stopTakes: time.Second}
			if n := r.alive.Add(1); n > r.most.Load() {
				r.most.Store(n)
			}
			r.mu.Lock()
			r.kids = append(r.kids, c)
			r.mu.Unlock()
			return c, nil
		},
	})
	return r
}

func (r *rig) last() *fakeChild {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kids[len(r.kids)-1]
}

// crash ends the child with i as its last state.
func (r *rig) crash(i Info) {
	c := r.last()
	c.info = i
	c.die()
	synctest.Wait()
}

var exit1 = Info{State: Exited, Exit: Exit{Code: 1}, Why: "exit 1"}

func TestFiftyRestartsGiveOneChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		ctx := t.Context()
		if err := r.Start(ctx); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if err := r.Restart(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if r.alive.Load() != 1 || r.most.Load() != 1 {
			t.Errorf("%d children run, %d at once", r.alive.Load(), r.most.Load())
		}
		// one that was under way when some asked, and one for those
		if n := len(r.kids); n < 2 || n > 3 {
			t.Errorf("%d children in all", n)
		}
		if i := r.Info(); i.State != SlotRunning || i.Starts != len(r.kids) {
			t.Errorf("info %+v", i)
		}
		r.Close(ctx)
		if r.alive.Load() != 0 {
			t.Error("a child outlived its slot")
		}
	})
}

func TestCrashesAreRestartedUntilTheBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		ctx := t.Context()
		began := time.Now()
		if err := r.Start(ctx); err != nil {
			t.Fatal(err)
		}
		for i, wait := range []time.Duration{1, 2, 4, 8} {
			r.crash(exit1)
			info := r.Info()
			if info.State != SlotWaiting || time.Until(info.Until) != wait*time.Second {
				t.Fatalf("after crash %d: %+v, %v to wait", i+1, info.State, time.Until(info.Until))
			}
			pass(wait * time.Second)
			if s := r.Info().State; s != SlotRunning {
				t.Fatalf("after the wait: %v", s)
			}
		}
		r.crash(exit1)
		if i := r.Info(); i.State != SlotFailed || !strings.Contains(i.Why, "again and again") {
			t.Errorf("after the fifth crash: %v %q", i.State, i.Why)
		}
		if d := time.Since(began); d != 15*time.Second {
			t.Errorf("it took %v", d)
		}
		if err := r.Start(ctx); err != nil || r.Info().State != SlotRunning {
			t.Errorf("the human starts it again: %v, %v", err, r.Info().State)
		}
		r.crash(exit1)
		if s := r.Info().State; s != SlotWaiting {
			t.Errorf("the crashes before were not forgotten: %v", s)
		}
		r.Close(ctx)
	})
}

func TestNotEveryEndIsACrash(t *testing.T) {
	for name, c := range map[string]struct {
		info Info
		want SlotState
	}{
		"exit 0":             {Info{State: Exited}, SlotStopped},
		"exit in a dialog":   {Info{State: Exited, Exit: Exit{Code: 1}, Dialog: Dialog{Name: DialogTrust}}, SlotStopped},
		"exit 1":             {exit1, SlotWaiting},
		"killed":             {Info{State: Exited, Exit: Exit{Code: -1, Signal: hangup}}, SlotWaiting},
		"killed in a dialog": {Info{State: Exited, Exit: Exit{Code: -1, Signal: hangup}, Dialog: Dialog{Name: DialogTrust}}, SlotWaiting},
		"not known":          {Info{State: Exited, Exit: Exit{Code: -1, Unknown: true}}, SlotWaiting},
		"fault of ours":      {Info{State: Failed}, SlotWaiting},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig()
				_ = r.Start(t.Context())
				r.crash(c.info)
				if got := r.Info().State; got != c.want {
					t.Errorf("got %v, want %v", got, c.want)
				}
				r.Close(t.Context())
			})
		})
	}
}

func TestBrokenChildIsStoppedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		_ = r.Start(t.Context())
		close(r.last().broken)
		pass(time.Second)
		if r.alive.Load() != 0 || r.Info().State != SlotWaiting {
			t.Errorf("%d alive, %v", r.alive.Load(), r.Info().State)
		}
		r.Close(t.Context())
	})
}

func TestStopCancelsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		_ = r.Start(t.Context())
		r.crash(exit1)
		if _, err := r.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
		if len(r.kids) != 1 || r.Info().State != SlotStopped {
			t.Errorf("%d starts, %v", len(r.kids), r.Info().State)
		}
		r.Close(t.Context())
	})
}

func TestStartWhatCannotBeStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		r.refuse = errors.New("claude is not installed")
		if err := r.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "not installed") {
			t.Errorf("got %v", err)
		}
		pass(time.Hour)
		if len(r.reasons) != 1 || r.Info().State != SlotFailed {
			t.Errorf("tried %d times, %v", len(r.reasons), r.Info().State)
		}
		r.Close(t.Context())
	})
}

func TestStartTwiceIsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		for range 2 {
			if err := r.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(r.kids) != 1 {
			t.Errorf("%d children", len(r.kids))
		}
		r.Close(t.Context())
		if err := r.Start(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("start after close: %v", err)
		}
		r.Close(t.Context()) // twice is no harm
	})
}

func TestACallerMayGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		_ = r.Start(t.Context())
		r.last().stopTakes = time.Minute
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Restart(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		r.Close(t.Context())
		if r.alive.Load() != 0 {
			t.Error("a child is left")
		}
	})
}

func TestBackoff(t *testing.T) {
	at := time.Unix(1000, 0)
	b := Backoff{First: time.Second, Max: 5 * time.Second, Burst: 6, Window: time.Minute}
	for i, want := range []time.Duration{1, 2, 4, 5, 5} {
		var wait time.Duration
		var ok bool
		b, wait, ok = b.Crash(at)
		if !ok || wait != want*time.Second {
			t.Errorf("crash %d: %v %v", i+1, wait, ok)
		}
	}
	if _, _, ok := b.Crash(at); ok {
		t.Error("the sixth crash was not too many")
	}
	if next, wait, ok := b.Crash(at.Add(time.Minute)); !ok || wait != time.Second || len(next.crashes) != 1 {
		t.Errorf("after the window: %v %v", wait, ok)
	}
	if len(b.crashes) != 5 {
		t.Error("Crash changed the value it was called on")
	}
}

func TestResumeArgs(t *testing.T) {
	for _, c := range []struct {
		name           string
		id             string
		exists, began  bool
		want           string
		resumed, speak bool
	}{
		{"no conversation", "", true, true, "", false, false},
		{"first start", "u", false, false, "--session-id u", false, false},
		{"restart", "u", true, true, "--resume u", true, false},
		{"transcript gone", "u", false, true, "--session-id u", false, true},
	} {
		l := ResumeArgs(c.id, c.exists, c.began)
		if got := strings.Join(l.Args, " "); got != c.want || l.Resumed != c.resumed || (l.Said != "") != c.speak {
			t.Errorf("%s: %+v", c.name, l)
		}
	}
}
