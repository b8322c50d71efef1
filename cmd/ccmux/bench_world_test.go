package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/vt"
)

// repeated is the same script for n sessions.
func repeated(n int, script string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = script
	}
	return list
}

// benchProject is a project of demo sessions s0, s1 … in an environment of its own.
type benchProject struct {
	b     *testing.B
	dir   string
	env   []string
	ccmux string
	names int
}

func newProject(b *testing.B, scripts []string) *benchProject {
	b.Helper()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		b.Skip("needs /proc")
	}
	ccmux, _ := binaries(b)
	root, err := os.MkdirTemp("", "ccmux-b-") // short enough for a socket
	if err != nil {
		b.Fatal(err)
	}
	p := &benchProject{b: b, dir: filepath.Join(root, "shop"), ccmux: ccmux, names: len(scripts)}
	p.env = []string{
		"HOME=" + root, "XDG_RUNTIME_DIR=" + filepath.Join(root, "run"), "XDG_STATE_HOME=" + filepath.Join(root, "state"),
		"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8",
	}
	var toml strings.Builder
	for i, script := range scripts {
		name := fmt.Sprintf("s%d", i)
		if err := os.MkdirAll(filepath.Join(p.dir, name), 0o700); err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(&toml, "[[session]]\nname = %q\ncommand = [%q, \"demo-agent\"]\nenv = { CCMUX_DEMO_SCRIPT = %q }\n", name, ccmux, script)
	}
	if err := os.Mkdir(filepath.Join(root, "run"), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "ccmux.toml"), []byte(toml.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(root) })
	b.Cleanup(p.down)
	return p
}

func (p *benchProject) run(args ...string) (string, error) {
	c := exec.Command(p.ccmux, args...)
	c.Env, c.Dir = p.env, p.dir
	out, err := c.CombinedOutput()
	return string(out), err
}

func (p *benchProject) up() {
	p.b.Helper()
	if out, err := p.run("up", "-d", "--trust"); err != nil {
		p.b.Fatalf("up: %v\n%s", err, out)
	}
}

// down ends ccmux with all its sessions; it may have been ended already.
func (p *benchProject) down() { _, _ = p.run("down", "--all") }

func (p *benchProject) list() (l wire.List) {
	p.b.Helper()
	out, err := p.run("ls", "--json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &l)
	}
	if err != nil {
		p.b.Fatalf("ls: %v\n%s", err, out)
	}
	return l
}

// proven waits until every session can be pushed to.
func (p *benchProject) proven() {
	p.b.Helper()
	for limit := time.Now().Add(patience); ; <-time.After(20 * time.Millisecond) {
		l, n := p.list(), 0
		for _, s := range l.Sessions {
			if s.Route == wire.RouteChannel && s.State == "idle" {
				n++
			}
		}
		if n == p.names {
			return
		}
		if time.Now().After(limit) {
			p.b.Fatalf("waited %v for %d sessions to be proven: %+v", patience, p.names, l.Sessions)
		}
	}
}

// resident is the memory ccmux has resident, in MB.
func (p *benchProject) resident() float64 {
	p.b.Helper()
	return memory(p.b, p.list().PID, "VmRSS")
}

// cpu is the processor time a process has used, exact to the nanosecond.
func (p *benchProject) cpu(pid int) (sum time.Duration) {
	p.b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		p.b.Fatal(err)
	}
	for _, path := range tasks {
		raw, err := os.ReadFile(path)
		fields := strings.Fields(string(raw))
		if err != nil || len(fields) == 0 {
			continue // a thread that ended
		}
		n, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			p.b.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum
}

// flooded waits until every session has printed so much.
func (p *benchProject) flooded(bytes int) {
	p.b.Helper()
	for _, s := range p.list().Sessions {
		for limit := time.Now().Add(patience); written(s.PID) < bytes; <-time.After(20 * time.Millisecond) {
			if time.Now().After(limit) {
				p.b.Fatalf("%s printed %d bytes in %v", s.Name, written(s.PID), patience)
			}
		}
	}
}

// written is what a process has written.
func written(pid int) (n int) {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid)) // gone: nothing
	for line := range strings.Lines(string(raw)) {
		if _, err := fmt.Sscanf(line, "wchar: %d", &n); err == nil {
			return n
		}
	}
	return 0
}

// attach shows the project on a terminal of this size.
func (p *benchProject) attach(cols, rows int) *benchTerm {
	p.b.Helper()
	return openBench(p.b, cols, rows, p.env, p.dir, p.ccmux, "attach")
}

// benchTerm is a terminal with a program in it.
type benchTerm struct {
	b       *testing.B
	cmd     *exec.Cmd
	master  *os.File
	screen  *vt.Terminal
	bytes   atomic.Int64 // drawn
	changed chan struct{}
	read    chan struct{}
}

func openBench(b *testing.B, cols, rows int, env []string, dir, name string, args ...string) *benchTerm {
	b.Helper()
	t := &benchTerm{b: b, cmd: exec.Command(name, args...), changed: make(chan struct{}, 1), read: make(chan struct{})}
	t.cmd.Env, t.cmd.Dir = env, dir
	master, err := pty.StartWithSize(t.cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		b.Fatal(err)
	}
	t.master = master
	t.screen = vt.New(cols, rows, vt.Config{Reply: func(p []byte) { _, _ = master.Write(p) }})
	go func() {
		defer close(t.read)
		buf := make([]byte, 64<<10)
		for {
			n, err := master.Read(buf)
			_, _ = t.screen.Write(buf[:n])
			t.bytes.Add(int64(n))
			select {
			case t.changed <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	b.Cleanup(t.close)
	return t
}

func (t *benchTerm) close() {
	if t.master == nil {
		return
	}
	_ = t.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	_ = t.cmd.Wait()
	t.master.Close()
	<-t.read
	t.screen.Close()
	t.master = nil
}

func (t *benchTerm) press(keys string) {
	t.b.Helper()
	if _, err := t.master.WriteString(keys); err != nil {
		t.b.Fatal(err)
	}
}

// await waits until the screen holds every text.
func (t *benchTerm) await(texts ...string) {
	t.b.Helper()
	t.until(strings.Join(texts, ", "), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

func (t *benchTerm) until(what string, ok func(screen string) bool) {
	t.b.Helper()
	limit := time.After(patience)
	for !ok(t.screen.Text()) {
		select {
		case <-t.changed:
		case <-limit:
			t.b.Fatalf("waited %v for %s on the screen:\n%s", patience, what, t.screen.Text())
		}
	}
}

// echo types one letter where a line is edited, waits until it shows, and takes
// it away again. Each i has a letter of its own.
func (t *benchTerm) echo(i int) time.Duration {
	t.b.Helper()
	word := fmt.Sprintf("x%dx", i)
	t.press(word[:len(word)-1])
	t.await(word[:len(word)-1])
	start := time.Now()
	t.press("x")
	t.await(word)
	took := time.Since(start)
	t.press("\x15") // ctrl+u
	t.until(word+" gone", func(screen string) bool { return !strings.Contains(screen, word) })
	return took
}
