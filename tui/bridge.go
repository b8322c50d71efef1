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
	echoEvery  = 2 * time.Millisecond  // the same when the pane that is typed into answers
	echoTime   = 100 * time.Millisecond
	quitGrace  = time.Second // for the last bytes when a screen ends
)

// bridge is the one goroutine that talks to a screen's program from outside and
// the only one that paints. It turns any number of changes into at most one
// frame message a frame time, and none while nothing changes; a picture is
// painted when the terminal has taken the one before, so that a slow terminal
// gets fewer pictures, never old ones:
//
//	view, panes ──mark──► flags ──┐
//	model ──tickAt──► timer ──────┼──► run ──Send──► Update ──► picture
//	Resize, Quit … ──ask──────────┤                                │
//	writer, when it is empty ─────┘◄────────────show───────────────┘
//	                              └──paint──► writer ──► terminal
type bridge struct {
	view   atomic.Bool // the view may have changed
	panes  atomic.Bool // a pane may have
	echoes atomic.Bool // the one that is typed into may have
	wake   chan struct{}
	asks   chan func(*bridge) bool // run on the goroutine; true ends it
	begun  chan struct{}           // closed by the model's Init: the program can be talked to
	over   chan struct{}           // closed when the program has ended
	done   chan struct{}

	mu     sync.Mutex
	tick   time.Time  // when the model wants to look at the clock
	size   *wire.Size // told and not passed on yet; only the last one counts
	next   *picture   // drawn and not painted yet; only the last one counts
	extra  []byte     // sequences that go out once
	typed  time.Time  // a key went to a pane
	synced bool

	program program
	out     output
	painter painter
	last    time.Time // of the last frame message
	held    bool      // the terminal is released
}

// program is what the bridge needs of Bubble Tea's.
type program interface {
	Send(msg tea.Msg)
	ReleaseTerminal() error
	RestoreTerminal() error
	Kill()
}

// output is what it needs of the writer.
type output interface {
	busy() bool
	send(p []byte)
}

// frameMsg says what may have changed since the last one.
type frameMsg struct {
	view  bool
	panes bool
}

// tickMsg comes when the model asked for it.
type tickMsg struct{}

func newBridge() *bridge {
	return &bridge{
		wake:  make(chan struct{}, 1),
		asks:  make(chan func(*bridge) bool),
		begun: make(chan struct{}), over: make(chan struct{}), done: make(chan struct{}),
	}
}

// markView, markPanes and markEcho may be called from any goroutine; they never block.
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

// note changes what the goroutine will look at, and wakes it.
func (b *bridge) note(change func()) {
	b.mu.Lock()
	change()
	b.mu.Unlock()
	b.poke()
}

// show gives the newest picture.
func (b *bridge) show(p *picture) { b.note(func() { b.next = p }) }

// emit gives a sequence that is to go out once: a bell, a clipboard.
func (b *bridge) emit(seq string) { b.note(func() { b.extra = append(b.extra, seq...) }) }

// sync says that the terminal knows synchronized updates.
func (b *bridge) sync() { b.note(func() { b.synced = true }) }

// markEcho is markPanes of the pane that is typed into.
func (b *bridge) markEcho() {
	fresh := !b.panes.Swap(true)
	if !b.echoes.Swap(true) || fresh {
		b.poke()
	}
}

// echo says that a key went to a pane: its answer is to be shown soon.
func (b *bridge) echo(now time.Time) {
	b.mu.Lock()
	b.typed = now
	b.mu.Unlock()
}

// resize passes a size on soon.
func (b *bridge) resize(s wire.Size) { b.note(func() { b.size = &s }) }

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

// pending is what was noted for the goroutine.
type pending struct {
	tick  bool
	size  *wire.Size
	next  *picture
	extra []byte
}

// take returns what is to be done now. What is painted waits until the terminal
// took what came before; its writer pokes when it has.
func (b *bridge) take(now time.Time) (p pending) {
	free := !b.out.busy()
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.tick = !b.tick.IsZero() && !now.Before(b.tick); p.tick {
		b.tick = time.Time{}
	}
	p.size, b.size = b.size, nil
	if free {
		p.next, b.next = b.next, nil
		p.extra, b.extra = b.extra, nil
	}
	b.painter.synced = b.synced
	return p
}

// every is how far apart frames are now.
func (b *bridge) every(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.echoes.Load() && now.Sub(b.typed) < echoTime {
		return echoEvery
	}
	return frameEvery
}

// wait returns how long there is nothing to do but what a poke brings.
func (b *bridge) wait() time.Duration {
	const never = time.Hour
	if b.held {
		return never
	}
	d := never
	b.mu.Lock()
	if !b.tick.IsZero() {
		d = max(time.Until(b.tick), 0)
	}
	b.mu.Unlock()
	if b.changed() && !b.out.busy() {
		d = min(d, max(time.Until(b.last.Add(b.every(time.Now()))), 0))
	}
	return d
}

func (b *bridge) changed() bool { return b.view.Load() || b.panes.Load() }

// step does what is due.
func (b *bridge) step(now time.Time) {
	if b.held {
		return
	}
	p := b.take(now)
	if p.size != nil {
		b.program.Send(tea.WindowSizeMsg{Width: p.size.Cols, Height: p.size.Rows})
	}
	if p.tick {
		b.program.Send(tickMsg{})
	}
	if len(p.extra) > 0 {
		b.out.send(p.extra)
	}
	if p.next != nil {
		b.out.send(b.painter.paint(p.next))
	}
	if b.changed() && !b.out.busy() && !now.Before(b.last.Add(b.every(now))) {
		b.last = now
		b.echoes.Store(false)
		b.program.Send(frameMsg{view: b.view.Swap(false), panes: b.panes.Swap(false)})
	}
}
