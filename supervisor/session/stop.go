package session

import (
	"context"
	"syscall"
	"time"

	"github.com/ccmux/ccmux/supervisor/session/proc"
)

// Grace is how long each step of Stop is given. Zero means the usual: 2 s
// after HUP, 3 s after TERM.
type Grace struct {
	Hangup, Terminate time.Duration
}

// afterKill is how long the kernel gets to take killed processes away.
const afterKill = 2 * time.Second

// Survivor is a process that outlived the end of its session because it had
// left the process session.
type Survivor struct {
	proc.Identity
	Comm string
	Exe  string // "" if it cannot be read
}

// Ending is how Stop went.
type Ending struct {
	Exit Exit
	// Signal is the strongest signal that was needed, 0 if the session had
	// ended before and had left nothing.
	Signal syscall.Signal
	// Survivors run on; they are for the human to see. Nothing of ours ends
	// what set out to be on its own.
	Survivors []Survivor
	// Incomplete: some process of the session could not be ended or the list
	// of processes could not be read.
	Incomplete bool
}

// Stop ends the session: HUP, TERM, KILL to every process of its process
// session, each only if the one before was not enough. When ctx ends, KILL
// comes at once. It may be called on a session whose child has ended by itself
// and then ends what that left behind.
func (s *Session) Stop(ctx context.Context, grace Grace) Ending {
	s.stopping.Lock()
	defer s.stopping.Unlock()
	if grace.Hangup <= 0 {
		grace.Hangup = 2 * time.Second
	}
	if grace.Terminate <= 0 {
		grace.Terminate = 3 * time.Second
	}
	family := s.family()
	var e Ending
	for _, step := range []struct {
		sig  syscall.Signal
		wait time.Duration
	}{{syscall.SIGHUP, grace.Hangup}, {syscall.SIGTERM, grace.Terminate}, {syscall.SIGKILL, afterKill}} {
		if s.empty() {
			break
		}
		if ctx.Err() != nil && step.sig != syscall.SIGKILL {
			continue
		}
		for id := range s.family() { // it may have grown
			family[id] = true
		}
		s.signalAll(step.sig)
		e.Signal = step.sig
		s.awaitEmpty(ctx, step.wait, step.sig == syscall.SIGKILL)
	}
	e.Incomplete = !s.empty()
	e.Survivors = survivors(family)
	e.Exit = Exit{Code: -1, Unknown: true}
	if t := time.NewTimer(afterKill); !e.Incomplete {
		select {
		case <-s.done:
			e.Exit = s.exit
		case <-t.C:
			e.Incomplete = true
		}
		t.Stop()
	}
	return e
}

// Clear ends a session whose ccmux is gone, as Stop does: id is its child, which
// leads its process session. It does nothing when that process is gone. How the
// child exited stays unknown.
func Clear(ctx context.Context, id proc.Identity, grace Grace) Ending {
	p, err := proc.Stat(id.PID)
	if err != nil || p.Identity() != id || p.SID != id.PID {
		return Ending{Exit: Exit{Code: -1, Unknown: true}}
	}
	s := &Session{id: id, sid: id.PID, done: make(chan struct{})}
	s.exit = Exit{Code: -1, Unknown: true}
	close(s.done) // it is nobody's child any more: there is nothing to wait for
	return s.Stop(ctx, grace)
}

// members returns the processes of the session's process session. When its
// leader is gone and another process has got its pid, the number may be that
// one's session: then there is nothing left of ours.
func (s *Session) members() ([]proc.Process, error) {
	all, err := proc.Session(s.sid)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.PID == s.sid && s.sid == s.id.PID && p.Start != s.id.Start {
			return nil, nil
		}
	}
	return all, nil
}

func (s *Session) empty() bool {
	m, err := s.members()
	return err == nil && len(m) == 0
}

// family returns all that belongs to the session now: its process session,
// the descendants of the child, what carries its mark.
func (s *Session) family() map[proc.Identity]bool {
	out := map[proc.Identity]bool{}
	all, err := proc.All()
	if err != nil {
		return out
	}
	for _, p := range all {
		if p.SID == s.sid && !p.Zombie {
			out[p.Identity()] = true
		}
		if s.spec.Mark != "" && !p.Zombie {
			if has, err := proc.HasEnv(p.PID, s.spec.Mark); err == nil && has {
				out[p.Identity()] = true
			}
		}
	}
	if below, err := proc.Descendants(s.id.PID); err == nil && s.id.Alive() {
		for _, p := range below {
			out[p.Identity()] = true
		}
	}
	return out
}

func survivors(family map[proc.Identity]bool) []Survivor {
	var out []Survivor
	for id := range family {
		p, err := proc.Stat(id.PID)
		if err != nil || p.Start != id.Start || p.Zombie {
			continue
		}
		exe, _ := proc.Exe(id.PID)
		out = append(out, Survivor{Identity: id, Comm: p.Comm, Exe: exe})
	}
	return out
}

// signalAll sends sig to every process of the process session. Stopped ones are
// woken to take it.
func (s *Session) signalAll(sig syscall.Signal) {
	all, err := s.members()
	if err != nil {
		return
	}
	for _, p := range all {
		if !p.Identity().Alive() {
			continue
		}
		_ = syscall.Kill(p.PID, sig)
		if sig != syscall.SIGKILL {
			_ = syscall.Kill(p.PID, syscall.SIGCONT)
		}
	}
}

// awaitEmpty waits until nothing of the process session is left, at most d. A
// fork can be missed by one sweep, so KILL is repeated.
func (s *Session) awaitEmpty(ctx context.Context, d time.Duration, kill bool) {
	end := time.NewTimer(d)
	defer end.Stop()
	cancelled := ctx.Done()
	if kill {
		cancelled = nil
	}
	pause := 5 * time.Millisecond
	for !s.empty() {
		next := time.NewTimer(pause)
		select {
		case <-end.C:
			next.Stop()
			return
		case <-cancelled:
			next.Stop()
			return
		case <-next.C:
		}
		if kill {
			s.signalAll(syscall.SIGKILL)
		}
		pause = min(2*pause, 100*time.Millisecond)
	}
}
