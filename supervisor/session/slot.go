package session

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// SlotState is where a Slot stands.
type SlotState int

// The states of a Slot.
const (
	SlotStopped  SlotState = iota // no child, and none wanted
	SlotRunning                   // a child runs
	SlotStopping                  // it is being ended
	SlotWaiting                   // it crashed and is started again at SlotInfo.Until
	SlotFailed                    // it is not started again by itself: SlotInfo.Why
	SlotClosed                    // the Slot is over
)

// String returns the word for s.
func (s SlotState) String() string {
	switch s {
	case SlotStopped:
		return "stopped"
	case SlotRunning:
		return "running"
	case SlotStopping:
		return "stopping"
	case SlotWaiting:
		return "waiting to restart"
	case SlotFailed:
		return "failed"
	case SlotClosed:
		return "closed"
	}
	return fmt.Sprintf("slot(%d)", int(s))
}

// Reason is why a child is started.
type Reason int

// The reasons.
const (
	ReasonStart   Reason = iota // Start
	ReasonRestart               // Restart
	ReasonCrash                 // the one before crashed
)

// Attempt tells Build about the start it builds for.
type Attempt struct {
	Reason Reason
	Number int   // of starts of this Slot, from 1
	Last   *Info // the last state of the child before, nil if there was none
}

// SlotInfo is a Slot at one moment.
type SlotInfo struct {
	State   SlotState
	Session *Session  // the child, or the last one
	Until   time.Time // SlotWaiting: when it is started again
	Why     string    // what led here, in words
	Starts  int
	Ending  *Ending // how the last child was cleared away, nil before
}

// SlotConfig makes a Slot.
type SlotConfig struct {
	Name string
	// Build makes the Spec of the next child: it decides between resuming and a
	// fresh conversation (ResumeArgs), and may refuse. It runs on the Slot's
	// goroutine.
	Build   func(Attempt) (Spec, error)
	Backoff Backoff
	Grace   Grace
	// OnChange is told of every change, on the Slot's goroutine. It must not
	// wait for the Slot.
	OnChange func(SlotInfo)
	Clock    func() time.Time // nil means time.Now

	start func(Spec) (child, error) // nil: Start
}

// child is what a Slot needs of a Session.
type child interface {
	Done() <-chan struct{}
	Broken() <-chan struct{}
	Info() Info
	Stop(context.Context, Grace) Ending
}

var _ child = (*Session)(nil)

// ErrClosed reports that the Slot is over.
var ErrClosed = errors.New("the session was taken down")

// Slot owns the start, stop and restart of the one child of one name. One
// goroutine does all of it, one thing at a time, so there is never a second
// child.
type Slot struct {
	cfg    SlotConfig
	ask    chan order
	info   atomic.Pointer[SlotInfo]
	starts atomic.Int64 // starts begun
	done   chan struct{}

	// the loop's own
	now     SlotInfo
	kid     child
	backoff Backoff
	timer   *time.Timer
}

// order is something a caller wants of the loop.
type order struct {
	verb  verb
	ctx   context.Context //nolint:containedctx // the caller's, for the time of one request
	seen  int64           // starts begun when it was asked
	kid   child
	reply chan result
}

type verb int

const (
	verbStart verb = iota
	verbStop
	verbRestart
	verbTake
	verbClose
)

type result struct {
	ending Ending
	err    error
}

// NewSlot returns a Slot without a child. Close it.
func NewSlot(cfg SlotConfig) *Slot {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.start == nil {
		cfg.start = func(spec Spec) (child, error) {
			s, err := Start(spec)
			if err != nil {
				return nil, err
			}
			return s, nil
		}
	}
	s := &Slot{cfg: cfg, ask: make(chan order), done: make(chan struct{}), backoff: cfg.Backoff, timer: newTimer()}
	i := s.now
	s.info.Store(&i)
	go s.loop()
	return s
}

// Info returns where the Slot stands.
func (s *Slot) Info() SlotInfo { return *s.info.Load() }

// Session returns the child, or the last one, nil before the first.
func (s *Slot) Session() *Session { return s.Info().Session }

// Start starts the child if none runs. It ends the wait after a crash.
func (s *Slot) Start(ctx context.Context) error {
	_, err := s.want(ctx, verbStart, nil)
	return err
}

// Stop ends the child, or clears away what the last one left behind. When ctx
// ends while it waits, the child is killed without grace.
func (s *Slot) Stop(ctx context.Context) (Ending, error) { return s.want(ctx, verbStop, nil) }

// Restart ends the child and starts another. A restart that begins after the
// call serves it: however many ask at once, there is one.
func (s *Slot) Restart(ctx context.Context) error {
	_, err := s.want(ctx, verbRestart, nil)
	return err
}

// Take makes a running session, adopted from a process image before this one,
// the child of a Slot that has none.
func (s *Slot) Take(ctx context.Context, kid *Session) error {
	_, err := s.want(ctx, verbTake, kid)
	return err
}

// Close ends the child and the Slot.
func (s *Slot) Close(ctx context.Context) Ending {
	e, err := s.want(ctx, verbClose, nil)
	if err == nil || errors.Is(err, ErrClosed) {
		<-s.done
	}
	return e
}

// Done is closed when the Slot is over.
func (s *Slot) Done() <-chan struct{} { return s.done }

func (s *Slot) want(ctx context.Context, v verb, kid child) (Ending, error) {
	r := order{verb: v, ctx: ctx, seen: s.starts.Load(), kid: kid, reply: make(chan result, 1)}
	// Close is not given up on: its ctx only hurries it.
	var gone <-chan struct{}
	if v != verbClose && v != verbStop {
		gone = ctx.Done()
	}
	select {
	case s.ask <- r:
	case <-s.done:
		return Ending{}, ErrClosed
	case <-gone:
		return Ending{}, ctx.Err()
	}
	select {
	case res := <-r.reply:
		return res.ending, res.err
	case <-gone:
		return Ending{}, ctx.Err()
	}
}
