package session

import (
	"context"
	"errors"
	"fmt"
)

// errTaken reports a child for a Slot that has one.
var errTaken = errors.New("a child runs already")

func (s *Slot) loop() {
	defer close(s.done)
	defer s.timer.Stop()
	for {
		var ended, broken <-chan struct{}
		if s.kid != nil {
			ended, broken = s.kid.Done(), s.kid.Broken()
		}
		select {
		case o := <-s.ask:
			if s.obey(o) {
				return
			}
		case <-ended:
			s.crashed()
		case <-broken:
			s.crashed()
		case <-s.timer.C:
			_ = s.begin(ReasonCrash)
		}
	}
}

// obey does what o asks and answers it; it reports whether the Slot is over.
func (s *Slot) obey(o order) bool {
	var r result
	switch o.verb {
	case verbStart:
		if s.kid == nil {
			s.timer.Stop()
			s.backoff = s.backoff.Reset()
			r.err = s.begin(ReasonStart)
		}
	case verbStop:
		r.ending = s.end(o.ctx)
		s.change(SlotStopped, "stopped on request")
	case verbRestart:
		if s.kid != nil && s.starts.Load() > o.seen { // one that began after the call
			break
		}
		s.end(o.ctx)
		s.backoff = s.backoff.Reset()
		r.err = s.begin(ReasonRestart)
	case verbTake:
		if s.kid != nil {
			r.err = errTaken
			break
		}
		s.timer.Stop()
		s.starts.Add(1)
		s.adopt(o.kid)
	case verbClose:
		r.ending = s.end(o.ctx)
		s.change(SlotClosed, "taken down")
	}
	o.reply <- r
	return o.verb == verbClose
}

// begin starts a child. Without one the Slot has failed: what cannot be
// started now is not tried again and again.
func (s *Slot) begin(why Reason) error {
	n := s.starts.Add(1)
	a := Attempt{Reason: why, Number: int(n)}
	if old := s.now.Session; old != nil {
		i := old.Info()
		a.Last = &i
	}
	spec, err := s.cfg.Build(a)
	if err != nil {
		err = fmt.Errorf("start %s: %w", s.cfg.Name, err)
	} else {
		var kid child
		if kid, err = s.cfg.start(spec); err == nil {
			s.adopt(kid)
			return nil
		}
	}
	s.change(SlotFailed, err.Error())
	return err
}

func (s *Slot) adopt(kid child) {
	s.kid = kid
	if session, ok := kid.(*Session); ok {
		s.now.Session = session
	}
	s.change(SlotRunning, "")
}

// end ends the child and cancels a restart that waits.
func (s *Slot) end(ctx context.Context) Ending {
	s.timer.Stop()
	kid := s.kid
	if kid == nil {
		if s.now.Session == nil {
			return Ending{}
		}
		kid = s.now.Session // what it left behind
	} else {
		s.change(SlotStopping, "")
	}
	e := kid.Stop(ctx, s.cfg.Grace)
	s.kid = nil
	s.now.Ending = &e
	return e
}

// crashed clears away a child that ended by itself and decides what comes next.
func (s *Slot) crashed() {
	e := s.kid.Stop(context.Background(), s.cfg.Grace)
	i := s.kid.Info()
	s.kid = nil
	s.now.Ending = &e
	if byChoice(i) {
		s.change(SlotStopped, "ended by itself: "+i.Why)
		return
	}
	next, wait, ok := s.backoff.Crash(s.cfg.Clock())
	s.backoff = next
	if !ok {
		s.change(SlotFailed, "it crashes again and again: "+i.Why)
		return
	}
	s.timer.Reset(wait)
	s.now.Until = s.cfg.Clock().Add(wait)
	s.change(SlotWaiting, i.Why)
}

// byChoice reports whether the child ended because somebody wanted it: it said
// good-bye with 0, or a dialog was answered with "exit".
func byChoice(i Info) bool {
	return i.State == Exited && !i.Exit.Unknown && i.Exit.Signal == 0 && (i.Exit.Code == 0 || i.Dialog.Name != "")
}

func (s *Slot) change(state SlotState, why string) {
	s.now.State, s.now.Why, s.now.Starts = state, why, int(s.starts.Load())
	i := s.now
	s.info.Store(&i)
	if s.cfg.OnChange != nil {
		s.cfg.OnChange(i)
	}
}
