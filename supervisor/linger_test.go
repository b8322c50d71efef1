package supervisor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestCcmuxEndsWhenNothingIsLeftToDo: ten minutes after the last session and the
// last screen, and not while there is one.
func TestCcmuxEndsWhenNothingIsLeftToDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		s := &Supervisor{screens: newScreens(), stop: stop}
		s.sessions = newSessions(s)
		leave := s.screens.add(&Terminal{})
		began := time.Now()
		go s.linger(ctx)
		<-time.After(time.Hour) // of the bubble
		if ctx.Err() != nil {
			t.Fatalf("it ended after %v with a screen attached", time.Since(began))
		}
		leave()
		left := time.Now()
		<-ctx.Done()
		if after := time.Since(left); (after - lingering).Abs() > time.Minute { // it looks every so often
			t.Errorf("it ended %v after the last screen; want %v", after, lingering)
		}
	})
}
