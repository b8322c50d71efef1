package session

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// ignore makes the helper deaf to signals.
func ignore(s ...os.Signal) {
	signal.Ignore(s...) //nolint:forbidigo // the helper starts no child that could inherit it
}

// forever blocks in a way that the runtime does not take for a deadlock.
func forever() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	<-c
}

// pass lets virtual time pass in a synctest bubble.
func pass(d time.Duration) {
	<-time.After(d) // of the bubble, whose clock jumps
	synctest.Wait()
}

// raw switches the helper's terminal to raw mode, as claude does.
func raw() {
	t, err := unix.IoctlGetTermios(0, ioctlGetTermios)
	if err != nil {
		panic(err)
	}
	t.Iflag &^= unix.ICRNL | unix.IXON
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO | unix.ICANON | unix.ISIG | unix.IEXTEN
	if err := unix.IoctlSetTermios(0, ioctlSetTermios, t); err != nil {
		panic(err)
	}
}

func sizes() int {
	c := make(chan os.Signal, 8)
	signal.Notify(c, syscall.SIGWINCH)
	for {
		ws, err := unix.IoctlGetWinsize(0, unix.TIOCGWINSZ)
		if err != nil {
			return 1
		}
		fmt.Printf("size %dx%d\n", ws.Col, ws.Row)
		<-c
	}
}

// waitFor waits for a condition; it fails the test, not by a fixed pause but
// when far more time has gone than anything here takes.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline.C:
			t.Fatalf("never came: %s", what)
		case <-tick.C:
		}
	}
}

// log collects events.
type log struct {
	mu     sync.Mutex
	events []Event
}

func (l *log) add(e Event) {
	l.mu.Lock()
	l.events = append(l.events, e)
	l.mu.Unlock()
}

func (l *log) find(ok func(Event) bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if ok(e) {
			return true
		}
	}
	return false
}

func environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "TERM=xterm-256color"}
}

// start starts a session and sees to it that nothing of it is left.
func start(t *testing.T, spec Spec) *Session {
	t.Helper()
	if spec.Name == "" {
		spec.Name = "test"
	}
	if spec.Dir == "" {
		spec.Dir = t.TempDir()
	}
	spec.Env = append(environ(), spec.Env...)
	s, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, s) })
	return s
}

func end(t *testing.T, s *Session) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if e := s.Stop(ctx, Grace{}); e.Incomplete {
		t.Errorf("stop was incomplete: %+v", e)
	}
	<-s.Done()
}

func shell(script string) []string { return []string{"sh", "-c", script} }

// startHelper starts this test binary in a role.
func startHelper(t *testing.T, role string, spec Spec) *Session {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spec.Argv = []string{exe}
	spec.Env = append(spec.Env, helperEnv+"="+role)
	return start(t, spec)
}

func (s *Session) shows(text string) func() bool {
	return func() bool { return strings.Contains(s.screen.Text(), text) }
}
