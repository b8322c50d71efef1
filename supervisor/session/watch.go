package session

import (
	"strings"
	"time"
)

const (
	// lookDelay is how long the screen must stand still before a look: half a
	// dialog is easily taken for another.
	lookDelay = 100 * time.Millisecond
	// lookAtLast is how long a screen that never stands still puts it off.
	lookAtLast = 500 * time.Millisecond
)

// watch lets time pass for the machine and looks at the screen when that can
// tell something.
func (s *Session) watch() {
	s.watchWith(s.deadline, func() { s.step(tickSign{}) }, s.look)
}

func (s *Session) deadline() (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m.deadline()
}

// watchWith is watch with its parts, so that a test can put a virtual clock
// under it.
func (s *Session) watchWith(deadline func() (time.Time, bool), tick, look func()) {
	due, glance := newTimer(), newTimer()
	defer due.Stop()
	defer glance.Stop()
	wanted, first := false, time.Time{}
	for {
		select {
		case <-s.over:
			return
		case <-s.rearm:
			due.Stop()
			if at, ok := deadline(); ok {
				due.Reset(max(at.Sub(s.spec.Clock()), time.Millisecond))
			}
			if now := s.looks.Load(); now != wanted { // it begins to matter: look without waiting for output
				wanted = now
				if now {
					poke(s.dirty)
				}
			}
		case <-due.C:
			tick()
		case <-s.dirty:
			if first.IsZero() {
				first = time.Now()
			}
			if time.Since(first) < lookAtLast {
				glance.Reset(lookDelay)
			}
		case <-glance.C:
			first = time.Time{}
			look()
		}
	}
}

func newTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// look reads the screen.
func (s *Session) look() {
	if !s.looks.Load() {
		return
	}
	lines := s.Lines()
	sign := ScreenSign{Busy: saysBusy(lines)}
	sign.Dialog, _ = Recognise(lines)
	s.step(sign)
}

// Lines returns the text on the screen, top to bottom, without the spaces at
// the ends of lines.
func (s *Session) Lines() []string { return strings.Split(s.screen.Text(), "\n") }

// Dialog reads the dialog that is on the screen at this moment.
func (s *Session) Dialog() (Dialog, bool) { return Recognise(s.Lines()) }

// saysBusy looks for claude's words for a running turn near the bottom.
func saysBusy(lines []string) bool {
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-12; i-- {
		if strings.Contains(lines[i], "esc to interrupt") {
			return true
		}
	}
	return false
}
