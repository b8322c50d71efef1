package session

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// bare is a Session without a process, its watch running.
func bare(t *testing.T) (s *Session, looks *atomic.Int64) {
	s = &Session{
		spec: Spec{Name: "x", Clock: time.Now}, wake: make(chan struct{}, 1), rearm: make(chan struct{}, 1),
		dirty: make(chan struct{}, 1), over: make(chan struct{}), broken: make(chan struct{}),
	}
	s.m = newMachine(time.Now(), "")
	s.publish()
	looks = new(atomic.Int64)
	s.spawn("watch", func() {
		s.watchWith(s.deadline, func() { s.step(tickSign{}) }, func() { looks.Add(1) })
	})
	t.Cleanup(func() {
		close(s.over)
		s.wg.Wait()
	})
	return s, looks
}

func TestTimeAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := bare(t)
		s.Hook(HookSign{Event: UserPromptSubmit, PromptID: "p"})
		s.Hook(HookSign{Event: PreToolUse, Tool: "Bash", ToolUseID: "1"})
		s.step(StatusSign{Status: "busy", UpdatedAt: time.Now()})
		pass(time.Second)
		s.Hook(HookSign{Event: PermissionRequest, Tool: "Bash"})
		s.step(StatusSign{Status: "waiting", UpdatedAt: time.Now()})
		if i := s.Info(); i.State != Busy || !i.DialogOpen {
			t.Errorf("at once: %+v", i)
		}
		pass(askDelay + 2*time.Millisecond)
		if i := s.Info(); i.State != Asks {
			t.Errorf("after the delay: %+v", i)
		}
		s.step(StatusSign{Status: "busy", UpdatedAt: time.Now()})
		s.Hook(HookSign{Event: Stop}) // the file does not follow
		if i := s.Info(); i.State != Idle || i.Agreed {
			t.Errorf("after stop: %+v", i)
		}
		pass(settle + 2*time.Millisecond)
		if i := s.Info(); i.State != Busy || i.Source != FromStatusFile {
			t.Errorf("the file stands by it: %+v", i)
		}
	})
}

func TestLooksAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, looks := bare(t)
		for range 100 { // output every 20 ms for 2 s: it never stands still
			poke(s.dirty)
			pass(20 * time.Millisecond)
		}
		synctest.Wait()
		if n := looks.Load(); n < 2 || n > 5 {
			t.Errorf("%d looks in 2 s of output", n)
		}
		before := looks.Load()
		pass(time.Hour)
		if looks.Load() > before+1 {
			t.Errorf("%d looks at a screen that stands still", looks.Load()-before)
		}
		s.step(exitSign{})
	})
}

func TestALookWhenItBeginsToMatter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, looks := bare(t)
		s.step(StatusSign{Status: "busy", UpdatedAt: time.Now()})
		synctest.Wait()
		pass(time.Second)
		before := looks.Load()
		s.step(StatusSign{Status: "waiting", UpdatedAt: time.Now()}) // no output comes with it
		pass(time.Second)
		if looks.Load() != before+1 {
			t.Errorf("%d looks", looks.Load()-before)
		}
	})
}
