package session

import (
	"fmt"
	"runtime/debug"
	"time"
)

// All goroutines of a session start in this file.

// drainFor is how long the last output of an ended child is waited for. The
// kernel hangs up the pty with its leader, so this is only for platforms and
// programs that hold on to it.
const drainFor = time.Second

// run starts the session's goroutines. wait returns when the child has ended.
func (s *Session) run(wait func() Exit) {
	s.spawn("reader", func() {
		defer close(s.readerDone)
		s.read()
	})
	s.spawn("writer", s.write)
	s.spawn("events", s.emit)
	s.spawn("watch", s.watch)
	if s.spec.StatusDir != "" {
		s.spawn("status file", s.watchStatus)
	}
	go s.finish(wait)
}

func (s *Session) spawn(name string, f func()) {
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		defer s.recovered(name)
		f()
	}()
}

// finish waits for the child, then for its last output, then for every other
// goroutine, in this order.
func (s *Session) finish(wait func() Exit) {
	defer close(s.done)
	s.exit = wait()
	t := time.NewTimer(drainFor)
	select {
	case <-s.readerDone:
	case <-t.C:
	}
	t.Stop()
	_ = s.master.Close() // wakes the reader and the writer
	<-s.readerDone
	s.out.close()
	s.step(exitSign(s.exit))
	close(s.over)
	s.wg.Wait()
	s.screen.Close()
}

// recovered, deferred, turns a panic into the failure of this session. The
// pty is closed, which hangs up the child: without its reader it would block. A
// child that ignores that is for the Slot to stop.
func (s *Session) recovered(name string) {
	r := recover()
	if r == nil {
		return
	}
	stack := string(debug.Stack())
	if s.faulted.Swap(true) { // the first tells; a handler that always panics must end too
		return
	}
	s.step(failSign(fmt.Sprintf("internal error in the %s of session %s: %v", name, s.spec.Name, r)))
	s.note(Event{Kind: Faulted, Title: fmt.Sprint(r), Body: stack})
	_ = s.master.Close()
	s.signalAll(hangup)
	close(s.broken)
}
