package session

import (
	"sync"
	"time"
)

const (
	// queueLimit is what may wait for the child before more is refused.
	queueLimit = 64 << 10
	// pasteLimit bounds one Write: what the queue takes while it is not full.
	pasteLimit = 4 << 20
)

// outbox is the queue in front of the pty. put never blocks.
type outbox struct {
	mu     sync.Mutex
	parts  [][]byte
	size   int // queued and in the hands of the writer
	closed bool
	wake   chan struct{}
}

func (o *outbox) init() { o.wake = make(chan struct{}, 1) }

// put queues a copy of p whole, or refuses it.
func (o *outbox) put(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	if len(p) > pasteLimit {
		return ErrTooLarge
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return ErrEnded
	case o.size >= queueLimit:
		return ErrBusy
	}
	o.parts = append(o.parts, append([]byte(nil), p...))
	o.size += len(p)
	poke(o.wake)
	return nil
}

// take returns what waits; wrote must be told when a part is through.
func (o *outbox) take() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	parts := o.parts
	o.parts = nil
	return parts
}

func (o *outbox) wrote(n int) {
	o.mu.Lock()
	o.size -= n
	o.mu.Unlock()
}

func (o *outbox) close() {
	o.mu.Lock()
	o.closed, o.parts, o.size = true, nil, 0
	o.mu.Unlock()
}

// pending returns how many bytes the child has not taken.
func (o *outbox) pending() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size
}

// Write queues keys for the child, all of p or nothing. It never waits: a
// child that does not read gives ErrBusy, one that has ended ErrEnded.
func (s *Session) Write(p []byte) error {
	s.typed.Store(time.Now().UnixNano())
	return s.out.put(p)
}

// Pending returns how many bytes wait for the child to read them.
func (s *Session) Pending() int { return s.out.pending() }

// write hands the queue to the pty until it is closed.
func (s *Session) write() {
	for {
		for _, p := range s.out.take() {
			if _, err := s.master.Write(p); err != nil {
				s.out.close()
				return
			}
			s.out.wrote(len(p))
		}
		select {
		case <-s.out.wake:
		case <-s.over:
			return
		}
	}
}

// escape interrupts claude's turn.
const escape = "\x1b"

// Interrupt types Esc, which stops the running turn. While a dialog is open
// Esc would answer it, so that is refused, and so it is when no turn runs.
func (s *Session) Interrupt() error {
	switch i := s.Info(); {
	case i.State.Ended():
		return ErrEnded
	case i.DialogOpen:
		return ErrDialog
	case !i.InTurn:
		return ErrNoTurn
	}
	return s.Write([]byte(escape))
}
