package supervisor

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session/proc"
	"github.com/ccmux/ccmux/supervisor/tty"
)

// stopCheck is how often ccmux looks whether the process that lent a terminal
// was stopped: the kernel tells only its parent.
const stopCheck = 250 * time.Millisecond

// releaseWait bounds how long a screen may take to let go of its terminal.
const releaseWait = time.Second

// Screen is what draws on a terminal. Its methods may wait until it draws.
type Screen interface {
	Resize(size wire.Size)
	Release() error
	Restore() error
	Quit(reason string)
}

// Terminal is one the human lent. Show runs a screen on it.
type Terminal struct {
	In, Out, Err *os.File
	Env          []string
	View         bool
	TTY          string
	By           router.Actor // who lent it: what is done on it is done by them

	mu       sync.Mutex
	size     wire.Size
	screen   Screen
	released bool
	quit     *string       // the reason, once it is to end
	news     chan struct{} // size or quit changed
	over     chan struct{} // closed when its screen has ended and that was said
}

// Size is the terminal's size now.
func (t *Terminal) Size() wire.Size {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size
}

// Use names the screen that draws on the terminal from now on, made for the
// size of this moment.
func (t *Terminal) Use(s Screen) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen = s
}

// tell passes the newest size and the end on to the screen, until ctx ends. It
// is a goroutine of its own, because a screen may wait for a slow terminal.
func (t *Terminal) tell(ctx context.Context) {
	told := t.Size()
	for {
		select {
		case <-t.news:
		case <-ctx.Done():
			return
		}
		t.mu.Lock()
		s, size, quit := t.screen, t.size, t.quit
		t.mu.Unlock()
		switch {
		case s == nil:
		case quit != nil:
			s.Quit(*quit)
		case size != told:
			told = size
			s.Resize(size)
		}
	}
}

func (t *Terminal) poke() {
	select {
	case t.news <- struct{}{}:
	default:
	}
}

func (t *Terminal) resize(size wire.Size) {
	t.mu.Lock()
	t.size = size
	t.mu.Unlock()
	t.poke()
}

func (t *Terminal) end(reason string) {
	t.mu.Lock()
	t.quit = &reason
	t.mu.Unlock()
	t.poke()
}

// release has the screen let go; it may be called when that was done already.
func (t *Terminal) release() error {
	t.mu.Lock()
	s, was := t.screen, t.released
	t.released = true
	t.mu.Unlock()
	if was || s == nil {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- s.Release() }()
	select {
	case err := <-done:
		return err
	case <-time.After(releaseWait):
		return errors.New("the screen does not let go of the terminal")
	}
}

func (t *Terminal) restore() error {
	t.mu.Lock()
	s, was := t.screen, t.released
	t.released = false
	t.mu.Unlock()
	if !was || s == nil {
		return nil
	}
	return s.Restore()
}

func (t *Terminal) close() {
	for _, f := range []*os.File{t.In, t.Out, t.Err} {
		_ = f.Close()
	}
}

// screens are the terminals attached now.
type screens struct {
	mu   sync.Mutex
	next int
	all  map[int]*Terminal

	surface atomic.Pointer[surface] // of the screen that told last, nil before
}

func newScreens() *screens { return &screens{all: map[int]*Terminal{}} }

func (s *screens) add(t *Terminal) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	id := s.next
	s.all[id] = t
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.all, id)
	}
}

func (s *screens) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

// attach shows a screen on the terminal whose descriptors came with the frame.
// What goes wrong comes back as a bye: nobody waits for an answer.
func (c *conn) attach(f wire.Frame) {
	a, err := decode[wire.Attach](f)
	if err == nil && c.terminal() != nil {
		err = errors.New("this connection has a terminal already")
	}
	if err != nil {
		_ = c.wire.Write(wire.TypeBye, 0, wire.Bye{Reason: err.Error()})
		return
	}
	in, out, errs, err := c.rights.take()
	if err != nil {
		_ = c.wire.Write(wire.TypeBye, 0, wire.Bye{Reason: err.Error()})
		return
	}
	t := &Terminal{In: in, Out: out, Err: errs, Env: a.Env, View: a.View, TTY: wire.CleanLine(a.TTY, 64), By: c.caller.actor(), size: a.Size, news: make(chan struct{}, 1), over: make(chan struct{})}
	c.term.Store(t)
	c.wg.Go(func() { c.show(t) })
	c.wg.Go(func() { c.minder(t) })
}

// show runs the screen until it ends, then says goodbye.
func (c *conn) show(t *Terminal) {
	defer t.close()
	remove := c.s.screens.add(t)
	defer remove()
	defer c.s.survive("screen")
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.ctx)) // ended in words, not cut off
	defer cancel()
	c.wg.Go(func() { t.tell(ctx) })
	stop := context.AfterFunc(c.ctx, func() { t.end("the connection ended, or ccmux") })
	defer stop()
	reason, err := c.s.cfg.Show(ctx, c.s, t)
	if err != nil {
		c.s.log.Warn("screen ended", "err", err)
		reason = err.Error()
	}
	_ = c.wire.Write(wire.TypeBye, 0, wire.Bye{Reason: reason, Stopped: c.ctx.Err() != nil}) // nobody may be there
	c.term.Store(nil)
	close(t.over)
}

// byeTime bounds how long the end of ccmux waits until a screen has given its
// terminal back and said so.
const byeTime = 3 * time.Second

// bye keeps the connection of a terminal until its screen has ended: whoever
// lent it is to hear that ccmux was stopped, and did not die.
func (c *conn) bye() {
	t := c.terminal()
	if t == nil {
		return
	}
	select {
	case <-t.over:
	case <-time.After(byeTime):
	}
}

// minder has the screen let go when the process that lent the terminal was
// stopped without a word (SIGSTOP): the human's shell reads the terminal then.
func (c *conn) minder(t *Terminal) {
	tick := time.NewTicker(stopCheck)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-c.ctx.Done():
			return
		}
		if c.terminal() != t {
			return
		}
		if p, err := proc.Stat(c.caller.id.PID); err == nil && p.Stopped {
			t.yield()
			// It may have gone on, and asked for the screen back, before the
			// screen had let go: then nobody asks again.
			if p, err := proc.Stat(c.caller.id.PID); err == nil && !p.Stopped {
				_ = t.restore()
			}
		}
	}
}

// yield lets go of a terminal that somebody else uses already: the modes that
// a shell has set in the meantime stay.
func (t *Terminal) yield() {
	now, err := tty.Get(t.In)
	_ = t.release() // what it cannot do now it does when the terminal takes bytes again
	if err == nil && now.Signals() {
		_ = tty.Set(t.In, now)
	}
}

func (c *conn) terminal() *Terminal { return c.term.Load() }

func (c *conn) resize(f wire.Frame) {
	size, err := decode[wire.Size](f)
	if t := c.terminal(); err == nil && t != nil {
		t.resize(size)
	}
}

func (c *conn) suspend(wire.Frame) (any, error) {
	t := c.terminal()
	if t == nil {
		return nil, errors.New("no terminal is attached")
	}
	return nil, t.release()
}

func (c *conn) resume(wire.Frame) (any, error) {
	t := c.terminal()
	if t == nil {
		return nil, errors.New("no terminal is attached")
	}
	return nil, t.restore()
}
