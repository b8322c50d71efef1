package tui_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
	"go.uber.org/goleak"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// terminal is a real pty with an emulator at its outer end.
type terminal struct {
	t      testing.TB
	master *os.File
	tty    *os.File
	screen *vt.Terminal
	done   chan struct{}
	// patience is what the screen has with it; 0 is the usual.
	patience time.Duration

	mu      sync.Mutex
	changed *sync.Cond
	reads   int
	fast    bool
}

func newTerminal(t testing.TB, cols, rows int) *terminal {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, master: master, tty: tty, done: make(chan struct{})}
	x.changed = sync.NewCond(&x.mu)
	x.screen = vt.New(cols, rows, vt.Config{Reply: func(p []byte) { _, _ = master.Write(p) }})
	return x
}

// watch reads what the screen draws until the pty ends.
func (x *terminal) watch() {
	go func() {
		defer close(x.done)
		buf := make([]byte, 32<<10)
		for {
			n, err := x.master.Read(buf)
			_, _ = x.screen.Write(buf[:n])
			x.mu.Lock()
			x.reads++
			x.mu.Unlock()
			x.changed.Broadcast()
			if err != nil {
				return
			}
		}
	}()
}

func (x *terminal) close() {
	_ = x.tty.Close()
	<-x.done
	x.screen.Flush()
	x.screen.Close()
	_ = x.master.Close()
}

// wait waits until the screen satisfies ok.
func (x *terminal) wait(what string, ok func(text string) bool) {
	x.t.Helper()
	timer := time.AfterFunc(10*time.Second, x.changed.Broadcast)
	defer timer.Stop()
	end := time.Now().Add(10 * time.Second)
	x.mu.Lock()
	defer x.mu.Unlock()
	for !ok(x.text()) {
		if time.Now().After(end) {
			x.t.Fatalf("waited in vain for %s; the screen is:\n%s", what, x.screen.Text())
		}
		x.changed.Wait()
	}
}

// text is the screen; a benchmark that looks for itself needs none.
func (x *terminal) text() string {
	if x.fast {
		return ""
	}
	return x.screen.Text()
}

func (x *terminal) waitFor(text string) {
	x.t.Helper()
	x.wait(text, func(s string) bool { return strings.Contains(s, text) })
}

func (x *terminal) press(s string) {
	x.t.Helper()
	if _, err := x.master.Write([]byte(s)); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) options() tui.Options {
	return tui.Options{In: x.tty, Out: x.tty, Env: []string{"TERM=xterm-256color", "LANG=C.UTF-8", "HOME=/home/u"}}
}

// running is a screen on a terminal.
type running struct {
	*terminal
	*tui.Screen
	ended chan error
}

func run(t *testing.T, d tui.Door, x *terminal, opts tui.Options) *running {
	t.Helper()
	r := &running{terminal: x, Screen: tui.New(d, opts), ended: make(chan error, 1)}
	if x.patience > 0 {
		r.SetPatience(x.patience)
	}
	go func() { r.ended <- r.Run(context.Background()) }()
	return r
}

func (r *running) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(15 * time.Second):
		t.Fatal("the screen did not end")
		return nil
	}
}

func scene(t *testing.T) *fake.Door {
	t.Helper()
	d := fake.New("/home/u/webshop")
	d.Set(fake.Scene(time.Now()))
	d.Fill()
	return d
}

func TestAScreenRunsOnARealTerminal(t *testing.T) {
	d := scene(t)
	x := newTerminal(t, 120, 40)
	x.watch()
	defer x.close()
	r := run(t, d, x, x.options())
	x.waitFor("1 frontend")
	x.waitFor("日本語テスト ABC")
	x.press("\r") // type into the first pane
	x.waitFor("typing")
	x.press("hello\x1b[A")
	p := d.Pane(fake.Frontend).(*fake.Pane)
	x.wait("keys to arrive", func(string) bool { p.Feed(""); return strings.Contains(p.Typed(), "hello\x1b[A") })
	x.press("\x1d") // the leader
	x.waitFor("watching")
	x.press("q")
	if err := r.end(t); !errors.Is(err, tui.ErrDetached) {
		t.Fatalf("ended with %v", err)
	}
	if p.Shown() != 0 || d.Watchers() != 0 {
		t.Fatalf("the screen still shows %d panes and watches %d times", p.Shown(), d.Watchers())
	}
}

func TestTwoScreensAtOnceHaveTheirOwnFocus(t *testing.T) {
	d := scene(t)
	a, b := newTerminal(t, 160, 45), newTerminal(t, 80, 24)
	a.watch()
	b.watch()
	defer a.close()
	defer b.close()
	ra, rb := run(t, d, a, a.options()), run(t, d, b, b.options())
	a.waitFor("3 docs")
	b.waitFor("1 frontend")
	b.press("2\r")
	b.waitFor("2 backend typing")
	a.waitFor("watching")
	b.press("ünï")
	p := d.Pane(fake.Backend).(*fake.Pane)
	b.wait("keys to arrive", func(string) bool { p.Feed(""); return p.Typed() == "ünï" })
	rb.Quit("ccmux stops")
	if err := rb.end(t); !errors.Is(err, tui.ErrQuit) || !strings.Contains(err.Error(), "ccmux stops") {
		t.Fatalf("ended with %v", err)
	}
	a.press("z")
	a.wait("zoom", func(s string) bool { return !strings.Contains(s, "3 docs ─") })
	a.press("q")
	if err := ra.end(t); !errors.Is(err, tui.ErrDetached) {
		t.Fatalf("ended with %v", err)
	}
}

func TestATerminalThatTakesNothingIsLetGo(t *testing.T) {
	d := scene(t)
	x := newTerminal(t, 200, 60)
	defer func() { _ = x.master.Close(); _ = x.tty.Close() }()
	x.patience = time.Second
	r := run(t, d, x, x.options()) // nobody reads
	stop := make(chan struct{})
	var feeding sync.WaitGroup
	feeding.Go(func() {
		p := d.Pane(fake.Frontend).(*fake.Pane)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				p.Feed("\x1b[3" + string(rune('1'+i%6)) + "m" + strings.Repeat("flood ", 200) + "\r\n")
			}
		}
	})
	start := time.Now()
	r.Resize(wire.Size{Cols: 180, Rows: 50}) // must not block
	if d := time.Since(start); d > time.Second {
		t.Errorf("Resize took %v", d)
	}
	err := r.end(t)
	close(stop)
	feeding.Wait()
	if !errors.Is(err, tui.ErrStalled) {
		t.Fatalf("ended with %v", err)
	}
}

func TestQuitDoesNotHangOnATerminalThatTakesNothing(t *testing.T) {
	d := scene(t)
	x := newTerminal(t, 200, 60)
	defer func() { _ = x.master.Close(); _ = x.tty.Close() }()
	x.patience = time.Minute // the quit must not wait for it
	r := run(t, d, x, x.options())
	p := d.Pane(fake.Frontend).(*fake.Pane)
	for range 200 {
		p.Feed(strings.Repeat("\x1b[31mflood\x1b[32m", 300))
	}
	start := time.Now()
	r.Quit("enough")
	if d := time.Since(start); d > time.Second {
		t.Errorf("Quit took %v", d)
	}
	if err := r.end(t); !errors.Is(err, tui.ErrQuit) {
		t.Fatalf("ended with %v", err)
	}
}

// TestEscAloneIsEsc: esc reaches the child as one key and the arrow after it as
// another, however the reader of the terminal puts bytes together.
func TestEscAloneIsEsc(t *testing.T) {
	d := scene(t)
	x := newTerminal(t, 120, 40)
	x.watch()
	typed, all := make(chan string, 16), ""
	d.Pane(fake.Frontend).(*fake.Pane).OnType = func(b []byte) { all += string(b); typed <- all }
	r := run(t, d, x, x.options())
	x.waitFor("1 frontend")
	x.press("1i")
	x.waitFor("typing")
	for _, step := range [][2]string{{"\x1b", "\x1b"}, {"\x1b[A", "\x1b\x1b[A"}, {"\x1bb", "\x1b\x1b[A\x1bb"}} {
		x.press(step[0])
		select {
		case got := <-typed:
			if got != step[1] {
				t.Errorf("after %q the child has %q; want %q", step[0], got, step[1])
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%q never came", step[0])
		}
	}
	r.Quit("enough")
	if err := r.end(t); !errors.Is(err, tui.ErrQuit) {
		t.Fatalf("ended with %v", err)
	}
	x.close()
}

func TestAHungUpTerminalEndsItsScreen(t *testing.T) {
	d := scene(t)
	x := newTerminal(t, 120, 40)
	x.watch()
	r := run(t, d, x, x.options())
	x.waitFor("1 frontend")
	_ = x.master.Close()
	<-x.done
	x.screen.Close()
	if err := r.end(t); !errors.Is(err, tui.ErrGone) {
		t.Fatalf("ended with %v", err)
	}
	_ = x.tty.Close()
}

func TestReleaseGivesTheTerminalBack(t *testing.T) {
	d := scene(t)
	x := newTerminal(t, 120, 40)
	x.watch()
	defer x.close()
	r := run(t, d, x, x.options())
	x.waitFor("1 frontend")
	if err := r.Release(); err != nil {
		t.Fatal(err)
	}
	x.wait("the main screen", func(s string) bool { return !strings.Contains(s, "frontend") })
	d.Pane(fake.Frontend).(*fake.Pane).Feed("while it was away\r\n")
	if err := r.Restore(); err != nil {
		t.Fatal(err)
	}
	x.waitFor("while it was away")
	x.waitFor("1 frontend")
	x.press("q")
	if err := r.end(t); !errors.Is(err, tui.ErrDetached) {
		t.Fatalf("ended with %v", err)
	}
}

func TestACancelledContextEndsTheScreen(t *testing.T) {
	d := scene(t)
	x := newTerminal(t, 120, 40)
	x.watch()
	defer x.close()
	ctx, cancel := context.WithCancel(context.Background())
	s := tui.New(d, x.options())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	x.waitFor("1 frontend")
	cancel()
	if err := <-ended; !errors.Is(err, tui.ErrQuit) {
		t.Fatalf("ended with %v", err)
	}
	if err := s.Run(context.Background()); err == nil {
		t.Fatal("a screen ran twice")
	}
}

// broken is a door that fails a screen from within.
type broken struct {
	*fake.Door
	now atomic.Bool
}

func (d *broken) Pane(id router.PeerID) tui.Pane {
	if d.now.Load() {
		panic("a bug")
	}
	return d.Door.Pane(id)
}

func TestABugEndsOneScreenOnly(t *testing.T) {
	good := scene(t)
	bad := &broken{Door: good}
	a, b := newTerminal(t, 120, 40), newTerminal(t, 120, 40)
	a.watch()
	b.watch()
	defer a.close()
	defer b.close()
	ra, rb := run(t, bad, a, a.options()), run(t, good, b, b.options())
	a.waitFor("1 frontend")
	b.waitFor("1 frontend")
	bad.now.Store(true)
	a.press("z")
	if err := ra.end(t); !errors.Is(err, tui.ErrPanic) {
		t.Fatalf("ended with %v", err)
	}
	b.press("t")
	b.waitFor("t-214")
	b.press("qq")
	if err := rb.end(t); !errors.Is(err, tui.ErrDetached) {
		t.Fatalf("ended with %v", err)
	}
}

func TestAHeldKeyBurstAtTheEndLeaksNothing(t *testing.T) {
	d := scene(t)
	x := newTerminal(t, 120, 40)
	x.watch()
	defer x.close()
	r := run(t, d, x, x.options())
	x.waitFor("1 frontend")
	x.press("q" + strings.Repeat("tesc123", 50))
	if err := r.end(t); !errors.Is(err, tui.ErrDetached) {
		t.Fatalf("ended with %v", err)
	}
}
