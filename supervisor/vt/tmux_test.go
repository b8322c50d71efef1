package vt

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A tmuxServer runs without a client.
type tmuxServer struct {
	t    testing.TB
	sock string
	dir  string
}

var tmuxServers atomic.Int32

func newTmux(t testing.TB) *tmuxServer {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	s := &tmuxServer{t: t, sock: fmt.Sprintf("vt-test-%d-%d", os.Getpid(), tmuxServers.Add(1)), dir: t.TempDir()}
	t.Cleanup(func() { _ = s.cmd("kill-server").Run() })
	s.run("new-session", "-d", "-s", "base", "exec sleep 1000")
	s.run("set", "-g", "status", "off")
	s.run("set", "-g", "escape-time", "0")
	return s
}

func (s *tmuxServer) cmd(args ...string) *exec.Cmd {
	c := exec.Command("tmux", append([]string{"-L", s.sock, "-f", "/dev/null", "-u"}, args...)...)
	c.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=")
	return c
}

func (s *tmuxServer) run(args ...string) string {
	s.t.Helper()
	out, err := s.cmd(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// screen plays r up to its stop'th stop and returns what tmux shows there, before
// it is resized if it is. What was written is through when its last sequence, a
// title, is set: only then is the pane resized.
func (s *tmuxServer) screen(r *recording, stop int) *refScreen {
	s.t.Helper()
	pipe := filepath.Join(s.dir, "pipe")
	if err := errors.Join(os.RemoveAll(pipe), syscall.Mkfifo(pipe, 0o600)); err != nil {
		s.t.Fatal(err)
	}
	s.run("new-session", "-d", "-s", "p", "-x", fmt.Sprint(r.Cols), "-y", fmt.Sprint(r.Rows), "stty raw -echo; cat "+pipe+"; exec sleep 1000")
	defer s.run("kill-session", "-t", "p")
	f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	sc := &refScreen{}
	cols, rows := r.Cols, r.Rows
	for i, at := range r.stops()[:stop+1] {
		if i < stop && at.cols == 0 {
			continue // a title in the middle of a sequence would end it
		}
		if _, err := fmt.Fprintf(f, "%s\x1b]2;read-%d\x1b\\", r.bytes[sc.at:at.at], i); err != nil {
			s.t.Fatal(err)
		}
		sc.at = at.at
		s.until("#{pane_title}", fmt.Sprint("read-", i))
		if i < stop {
			cols, rows = at.cols, at.rows
			s.run("resize-window", "-t", "p", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows))
			s.until("#{pane_width}x#{pane_height}", fmt.Sprintf("%dx%d", cols, rows))
		}
	}
	sc.cells = s.parse(s.run("capture-pane", "-p", "-e", "-N", "-t", "p"), cols, rows)
	if _, err := fmt.Sscan(s.run("display-message", "-p", "-t", "p", "#{cursor_x} #{cursor_y}"), &sc.x, &sc.y); err != nil {
		s.t.Fatal(err)
	}
	return sc
}

// until asks tmux about its pane until the answer is want.
func (s *tmuxServer) until(format, want string) {
	s.t.Helper()
	got := ""
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if got = strings.TrimSuffix(s.run("display-message", "-p", "-t", "p", format), "\n"); got == want {
			return
		}
	}
	s.t.Fatalf("tmux's %s is %q, not %q", format, got, want)
}

// parse reads capture-pane's text and SGR.
func (s *tmuxServer) parse(text string, cols, rows int) [][]refCell {
	var out [][]refCell
	lines := strings.Split(text, "\n")
	tm := New(cols, 1, Config{})
	for y := range rows {
		line := ""
		if y < len(lines) {
			line = lines[y]
		}
		// The look at a line's end goes on in the next one; SO and SI are the
		// line drawing set.
		line = strings.ReplaceAll(strings.ReplaceAll(line, "\x0e", "\x1b(0"), "\x0f", "\x1b(B")
		_, _ = tm.Write([]byte("\x1b7\x1b[m\x1b[H\x1b[2K\x1b8\x1b[G\x1b[?7l" + line))
		out = append(out, ours(tm, 0).cells[0])
	}
	return out
}
