package tui_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

// The benchmarks of this file run sessions with real ptys under a real screen
// on a real terminal. The programs in the ptys and the reader of the terminal
// are processes of their own: this test binary again, or cat.

// floodEnv makes this binary a program that prints that many bytes a second
// until a key is pressed, and then how many lines it has printed.
const floodEnv = "TUI_BENCH_FLOOD"

func init() {
	if rate, err := strconv.Atoi(os.Getenv(floodEnv)); err == nil {
		flooder(rate)
		os.Exit(0)
	}
}

// floodEvery is how often the flood comes: a program that builds something writes in
// pieces, not line by line.
const floodEvery = 5 * time.Millisecond

func flooder(rate int) {
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		_, _ = os.Stdin.Read(make([]byte, 1))
	}()
	tick := time.NewTicker(floodEvery)
	defer tick.Stop()
	lines, due := 0, 0.0
	last := time.Now()
	for {
		var now time.Time
		select {
		case <-stop:
			fmt.Printf("%d lines\r\n", lines)
			_, _ = os.Stdin.Read(make([]byte, 1)) // the screen is read first
			return
		case now = <-tick.C:
		}
		// What the terminal did not take in time is not caught up with for ever.
		due = min(due+float64(rate)*now.Sub(last).Seconds(), float64(rate))
		last = now
		var b bytes.Buffer
		for b.Len() < int(due) && b.Len() < 1<<20 {
			lines++
			fmt.Fprintf(&b, "\x1b[3%dm%8d\x1b[m building \x1b[1mthe thing\x1b[m and what it needs\r\n", lines%8, lines)
		}
		n, _ := os.Stdout.Write(b.Bytes())
		due -= float64(n)
	}
}

// house is a door with sessions in ptys behind it.
type house struct {
	*fake.Door
	panes map[router.PeerID]*realPane
	order []router.PeerID
}

func (h *house) Pane(id router.PeerID) tui.Pane {
	if p := h.panes[id]; p != nil {
		return p
	}
	return nil
}

// realPane is a session as a pane, as the supervisor's is.
type realPane struct {
	sess *session.Session

	mu      sync.Mutex
	changed map[int]func()
	next    int
	sizes   sync.WaitGroup
}

func (p *realPane) Surface(fg, bg vt.Color) { p.Terminal().SetColors(fg, bg, vt.Default) }

func (p *realPane) Terminal() *vt.Terminal { return p.sess.Screen() }
func (p *realPane) Type(b []byte) error    { return p.sess.Write(b) }
func (p *realPane) Hide(tui.ScreenID)      {}

func (p *realPane) Show(_ tui.ScreenID, cols, rows int) {
	p.sizes.Go(func() { _ = p.sess.Resize(cols, rows) }) // an ended session needs no size
}

func (p *realPane) Changed(f func()) (cancel func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	id := p.next
	p.changed[id] = f
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.changed, id)
	}
}

func (p *realPane) output() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.changed {
		f()
	}
}

// newHouse starts one session for each rate; rate 0 is one that echoes.
func newHouse(b *testing.B, rates ...int) *house {
	b.Helper()
	h := &house{Door: fake.New("/home/u/webshop"), panes: map[router.PeerID]*realPane{}}
	v := &router.View{}
	for i, rate := range rates {
		id, name := router.PeerID(fmt.Sprintf("p-%d", i+1)), fmt.Sprintf("agent%d", i+1)
		p := &realPane{changed: map[int]func(){}}
		argv, env := []string{"/bin/sh", "-c", "stty raw -echo; exec " + os.Args[0]}, append(os.Environ(), floodEnv+"="+strconv.Itoa(rate))
		if rate == 0 {
			argv, env = []string{"/bin/sh", "-c", "stty raw -echo; exec cat"}, os.Environ()
		}
		var err error
		ready := make(chan struct{})
		p.sess, err = session.Start(session.Spec{
			Name: name, Argv: argv, Env: env, Dir: b.TempDir(), Cols: 80, Rows: 24, Scrollback: 10000,
			OnOutput: func() { <-ready; p.output() },
		})
		close(ready)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			p.sizes.Wait()
			p.sess.Stop(context.Background(), session.Grace{})
			<-p.sess.Done()
		})
		h.panes[id], h.order = p, append(h.order, id)
		v.Peers = append(v.Peers, router.PeerView{
			ID: id, Name: name, Class: wire.ClassSession, Online: true,
			Session: router.SessionView{State: router.Busy, Since: time.Now().Add(-time.Hour)},
		})
	}
	h.Set(v)
	return h
}

// settled ends the floods and fails if a line of one is not on its screen or in
// its scrollback, or not where it belongs.
func (h *house) settled(b *testing.B) {
	b.Helper()
	for _, id := range h.order {
		s := h.panes[id].sess
		if !slices.ContainsFunc(s.Spec().Env, func(e string) bool { return strings.HasPrefix(e, floodEnv+"=") }) {
			continue
		}
		if err := s.Write([]byte("q")); err != nil {
			b.Fatal(err)
		}
		total := -1
		for total < 0 {
			for _, line := range s.Lines() {
				if n, ok := strings.CutSuffix(line, " lines"); ok {
					total, _ = strconv.Atoi(n)
				}
			}
			if _, over := s.Exit(); over {
				b.Fatalf("%s ended:\n%s", s.Name(), s.Screen().Text())
			}
		}
		var f vt.Frame
		s.Screen().Frame(&f, vt.View{})
		if got := f.Live + int64(f.Cursor.Y) - 1; got != int64(total) {
			b.Errorf("%s printed %d lines, %d arrived", s.Name(), total, got)
		}
		if gap := firstGap(s.Screen()); gap != "" {
			b.Errorf("%s: %s", s.Name(), gap)
		}
	}
}

// firstGap says where the numbers of the lines that are kept do not count on.
func firstGap(t *vt.Terminal) string {
	first, live := t.Bounds()
	cols, rows := t.Size()
	text := t.CopyText(t.Select(vt.Chars, vt.Pos{Line: first}, vt.Pos{Line: live + int64(rows) - 1, Col: cols - 1}, false))
	last := -1
	for line := range strings.Lines(text) {
		n, ok := 0, strings.Contains(line, " building")
		if ok {
			_, err := fmt.Sscanf(line, "%d building", &n)
			ok = err == nil
		}
		if !ok {
			continue
		}
		if last >= 0 && n != last+1 {
			return fmt.Sprintf("line %d follows line %d", n, last)
		}
		last = n
	}
	if last < 5000 {
		return fmt.Sprintf("the last line is %d", last)
	}
	return ""
}

// used is the processor time of this process.
func used() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkFourPanes is what ccmux uses of one core while four panes on a screen
// of 200 by 60 print a megabyte a second each: reading, parsing, drawing and
// painting. The terminal is read by a cat. The floor is to read those four ptys
// and do nothing with it, which is mostly the kernel waking a reader. The aim:
// ≤ 15 %.
func BenchmarkFourPanes(b *testing.B) {
	const rate = 1 << 20
	h := newHouse(b, rate, rate, rate, rate)
	master, tty, err := pty.Open()
	if err != nil {
		b.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: 200, Rows: 60}); err != nil {
		b.Fatal(err)
	}
	reader := exec.Command("cat")
	reader.Stdin = master
	if err := reader.Start(); err != nil {
		b.Fatal(err)
	}
	s := tui.New(h, tui.Options{In: tty, Out: tty, Env: []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}})
	ended := make(chan error, 1)
	go func() { ended <- s.Run(context.Background()) }()
	began, lines := time.Now(), h.lines()
	all := share(b)
	b.ReportMetric(float64(h.lines()-lines)*lineBytes/time.Since(began).Seconds()/4e6, "MB/s/pane")
	h.settled(b)
	s.Quit("")
	<-ended
	_ = tty.Close()
	_ = master.Close()
	_ = reader.Process.Kill()
	_ = reader.Wait()

	floor := bareReaders(b, rate)
	b.ReportMetric(all, "%core")
	b.ReportMetric(15, "aim-%core")
	b.ReportMetric(floor, "%core-floor")
	b.ReportMetric(all/floor, "×floor")
	b.ReportMetric(0, "ns/op")
}

// share is how much of one core this process uses, over as many seconds as b asks.
func share(b *testing.B) float64 {
	<-time.After(time.Second) // what starts has settled
	began, before := time.Now(), used()
	for range b.N {
		<-time.After(time.Second)
	}
	return (used() - before).Seconds() / time.Since(began).Seconds() * 100
}

// bareReaders is the share for reading four such floods and dropping them.
func bareReaders(b *testing.B, rate int) float64 {
	var work sync.WaitGroup
	var ends []func()
	for range 4 {
		cmd := exec.Command("/bin/sh", "-c", "stty raw -echo; exec "+os.Args[0])
		cmd.Env = append(os.Environ(), floodEnv+"="+strconv.Itoa(rate))
		f, err := pty.Start(cmd)
		if err != nil {
			b.Fatal(err)
		}
		work.Go(func() { _, _ = io.Copy(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}) })
		ends = append(ends, func() { _, _, _ = cmd.Process.Kill(), cmd.Wait(), f.Close() })
	}
	floor := share(b)
	for _, end := range ends {
		end()
	}
	work.Wait()
	return floor
}

// lineBytes is about what one line of the flood has.
const lineBytes = 62

// lines counts what all panes have printed.
func (h *house) lines() (n int64) {
	for _, p := range h.panes {
		var f vt.Frame
		p.sess.Screen().Frame(&f, vt.View{})
		n += f.Live
	}
	return n
}

// BenchmarkKeyAmongFloods types into one pane while eight others print ten
// megabytes a second each, three of them on the screen, and waits for the echo
// on the terminal. Beside it the echo of a bare cat. The aim: p99 ≤ 20 ms, and no
// line of the floods is lost.
func BenchmarkKeyAmongFloods(b *testing.B) {
	rates := make([]int, 9)
	for i := range rates[1:] {
		rates[i+1] = 10 << 20
	}
	keyToScreen(b, 20, rates)
}

// BenchmarkKeyAmongPanes types into one of eight panes of which three print ten
// megabytes a second. The aim: p99 ≤ 5 ms.
func BenchmarkKeyAmongPanes(b *testing.B) {
	keyToScreen(b, 5, []int{0, 10 << 20, 10 << 20, 10 << 20, 0, 0, 0, 0})
}

func keyToScreen(b *testing.B, aim float64, rates []int) {
	h := newHouse(b, rates...)
	x := newTerminal(b, 200, 60)
	x.watch()
	s := tui.New(h, x.options())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(context.Background()) }()
	x.waitFor("1 agent1")
	x.press("1i")
	x.waitFor("typing")
	x.fast = true
	bare := newEcho(b)
	before, began, lines := used(), time.Now(), h.lines()
	var took, floor []time.Duration
	for i := 0; b.Loop(); i++ {
		key := string(rune('a' + i%26))
		start := time.Now()
		x.press("\r" + key)
		x.wait("the echo", func(string) bool { return strings.Contains(x.screen.Line(2), "┃"+key) })
		took = append(took, time.Since(start))
		floor = append(floor, bare.ask())
	}
	b.ReportMetric(aim, "aim-ms-p99")
	b.ReportMetric((used()-before).Seconds()/time.Since(began).Seconds()*100, "%core")
	b.ReportMetric(float64(h.lines()-lines)*lineBytes/time.Since(began).Seconds()/1e6, "flood-MB/s")
	for name, all := range map[string][]time.Duration{"": took, "cat-": floor} {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2].Microseconds())/1e3, name+"ms-p50")
		b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1e3, name+"ms-p99")
	}
	b.ReportMetric(0, "ns/op")
	h.settled(b)
	s.Quit("")
	<-ended
	x.close()
}

// echo is a cat in a bare terminal: what the machine alone takes.
type echo struct {
	b testing.TB
	f *os.File
}

func newEcho(b testing.TB) *echo {
	cmd := exec.Command("/bin/sh", "-c", "stty raw -echo; printf r; exec cat")
	f, err := pty.Start(cmd)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _, _ = cmd.Process.Kill(), cmd.Wait(), f.Close() })
	e := &echo{b, f}
	e.read()
	return e
}

func (e *echo) read() {
	if _, err := e.f.Read(make([]byte, 1)); err != nil {
		e.b.Fatal(err)
	}
}

func (e *echo) ask() time.Duration {
	start := time.Now()
	if _, err := e.f.Write([]byte("k")); err != nil {
		e.b.Fatal(err)
	}
	e.read()
	return time.Since(start)
}
