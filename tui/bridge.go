package tui

import (
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/channel/wire"
)

// The screen's rhythm.
const (
	frameEvery = 16 * time.Millisecond // at most one frame in this time
	quitGrace  = time.Second           // for the last bytes when a screen ends
)

// bridge is the one goroutine that talks to a screen's program from outside. It
// turns any number of changes into at most one frame message a frame time, and
// none while nothing changes:
//
//	view, panes ──mark──► flags ──┐
//	model ──tickAt──► timer ──────┼──► run ──Send──► Update ──► render
//	Resize, Quit … ──ask──────────┘
type bridge struct {
	view  atomic.Bool // the view may have changed
	panes atomic.Bool // a pane may have
	wake  chan struct{}
	asks  chan func(*bridge) bool // run on the goroutine; true ends it
	begun chan struct{}           // closed by the model's Init: the program can be talked to
	over  chan struct{}           // closed when the program has ended
	done  chan struct{}

	mu   sync.Mutex
	tick time.Time  // when the model wants to look at the clock
	size *wire.Size // told and not passed on yet; only the last one counts

	program *tea.Program
	out     *writer
	last    time.Time // of the last frame message
	held    bool      // the terminal is released
}

// frameMsg says what may have changed since the last one. At is the time.
type frameMsg struct {
	at    time.Time
	view  bool
	panes bool
}

// tickMsg comes when the model asked for it.
type tickMsg struct{ at time.Time }

func newBridge() *bridge {
	return &bridge{
		wake:  make(chan struct{}, 1),
		asks:  make(chan func(*bridge) bool),
		begun: make(chan struct{}), over: make(chan struct{}), done: make(chan struct{}),
	}
}

// markView and markPanes may be called from any goroutine; they never block.
func (b *bridge) markView() {
	if !b.view.Swap(true) {
		b.poke()
	}
}

func (b *bridge) markPanes() {
	if !b.panes.Swap(true) {
		b.poke()
	}
}

func (b *bridge) poke() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// tickAt asks for a tickMsg at t; the zero time for none. The last call counts.
func (b *bridge) tickAt(t time.Time) {
	b.mu.Lock()
	same := b.tick.Equal(t)
	b.tick = t
	b.mu.Unlock()
	if !same {
		b.poke()
	}
}

func (b *bridge) nextTick() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tick
}

// resize passes a size on soon.
func (b *bridge) resize(s wire.Size) {
	b.mu.Lock()
	b.size = &s
	b.mu.Unlock()
	b.poke()
}

func (b *bridge) takeSize() *wire.Size {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.size
	b.size = nil
	return s
}

// ask runs f on the goroutine, unless it has ended.
func (b *bridge) ask(f func(*bridge) bool) bool {
	select {
	case b.asks <- f:
		return true
	case <-b.done:
		return false
	}
}

// post sends a message to the model, unless the screen has ended.
func (b *bridge) post(msg tea.Msg) {
	b.ask(func(b *bridge) bool {
		b.program.Send(msg)
		return false
	})
}

// run ends when the program has, or when an ask says so.
func (b *bridge) run() {
	defer close(b.done)
	select {
	case <-b.begun:
	case <-b.over:
		return
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(b.wait())
		select {
		case f := <-b.asks:
			if f(b) {
				return
			}
		case <-b.over:
			return
		case <-b.wake:
		case <-timer.C:
		}
		b.step(time.Now())
	}
}

// wait returns how long there is nothing to do.
func (b *bridge) wait() time.Duration {
	const never = time.Hour
	if b.held {
		return never
	}
	d := never
	if t := b.nextTick(); !t.IsZero() {
		d = max(time.Until(t), 0)
	}
	if b.view.Load() || b.panes.Load() {
		d = min(d, max(time.Until(b.last.Add(frameEvery)), 0))
		if b.out.busy() {
			d = max(d, frameEvery)
		}
	}
	return d
}

// step sends what is due.
func (b *bridge) step(now time.Time) {
	if b.held {
		return
	}
	if s := b.takeSize(); s != nil {
		b.program.Send(tea.WindowSizeMsg{Width: s.Cols, Height: s.Rows})
	}
	b.mu.Lock()
	due := !b.tick.IsZero() && !now.Before(b.tick)
	if due {
		b.tick = time.Time{}
	}
	b.mu.Unlock()
	if due {
		b.program.Send(tickMsg{at: now})
	}
	if !b.view.Load() && !b.panes.Load() || now.Before(b.last.Add(frameEvery)) || b.out.busy() {
		return
	}
	b.last = now
	b.program.Send(frameMsg{at: now, view: b.view.Swap(false), panes: b.panes.Swap(false)})
}
