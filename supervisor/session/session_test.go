package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestStartRunsInItsOwnTerminal(t *testing.T) {
	var l log
	s := start(t, Spec{Argv: shell("stty size; echo dir $PWD; exit 3"), Cols: 61, Rows: 17, OnEvent: l.add})
	<-s.Done()
	if text := s.screen.Text(); !strings.Contains(text, "17 61") || !strings.Contains(text, "dir "+s.spec.Dir) {
		t.Errorf("screen:\n%s", text)
	}
	if e, ok := s.Exit(); !ok || e.Code != 3 || e.Signal != 0 {
		t.Errorf("exit %+v, %v", e, ok)
	}
	if i := s.Info(); i.State != Exited || i.Exit.Code != 3 {
		t.Errorf("info %+v", i)
	}
	if !l.find(func(e Event) bool { return e.Kind == StateChanged && e.Info.State == Exited }) {
		t.Error("no event told of the end before Done")
	}
}

func TestStartRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "plain")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, spec := range map[string]Spec{
		"no name":           {Argv: shell("true"), Dir: dir},
		"no command":        {Name: "x", Dir: dir},
		"no folder":         {Name: "x", Argv: shell("true"), Dir: filepath.Join(dir, "none")},
		"file as folder":    {Name: "x", Argv: shell("true"), Dir: file},
		"unknown command":   {Name: "x", Argv: []string{"no-such-program"}, Dir: dir},
		"not executable":    {Name: "x", Argv: []string{file}, Dir: dir},
		"from the folder":   {Name: "x", Argv: []string{"plain"}, Dir: dir},
		"bad mark":          {Name: "x", Argv: shell("true"), Dir: dir, Mark: "mark"},
		"size out of range": {Name: "x", Argv: shell("true"), Dir: dir, Cols: 80, Rows: 5000},
	} {
		t.Run(name, func(t *testing.T) {
			spec.Env = environ()
			if s, err := Start(spec); err == nil {
				<-s.Done()
				t.Error("started")
			}
		})
	}
}

func TestWriteReachesTheChild(t *testing.T) {
	s := start(t, Spec{Argv: shell("read line; echo got $line; cat")})
	if err := s.Write([]byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the answer", s.shows("got hello"))
}

func TestDeafChildGivesBusyNotABlock(t *testing.T) {
	s := startHelper(t, "deaf", Spec{})
	waitFor(t, "the helper", s.shows("deaf"))
	var err error
	most := 0          // the pty may take a little more after the last write
	for range 10_000 { // far more than any pty holds
		if err = s.Write(make([]byte, 1024)); err != nil {
			break
		}
		most = max(most, s.Pending())
	}
	if !errors.Is(err, ErrBusy) {
		t.Fatalf("got %v, want ErrBusy", err)
	}
	if most < queueLimit || most > queueLimit+1024 {
		t.Errorf("%d bytes were pending", most)
	}
	if err := s.Write(make([]byte, pasteLimit+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a huge paste: %v", err)
	}
}

func TestRepliesNeverStopTheReader(t *testing.T) {
	s := startHelper(t, "asker", Spec{})
	waitFor(t, "a full queue", func() bool { return s.Pending() >= queueLimit })
	before := s.screen.Generation()
	waitFor(t, "the reader to go on", func() bool { return s.screen.Generation() > before+100 })
}

func TestWriteAfterTheEnd(t *testing.T) {
	s := start(t, Spec{Argv: shell("true")})
	<-s.Done()
	if err := s.Write([]byte("x")); !errors.Is(err, ErrEnded) {
		t.Errorf("got %v, want ErrEnded", err)
	}
}

func TestKilledBySignal(t *testing.T) {
	s := start(t, Spec{Argv: shell("kill -9 $$")})
	<-s.Done()
	if e, _ := s.Exit(); e.Signal != syscall.SIGKILL || e.Code != -1 {
		t.Errorf("exit %+v", e)
	}
}

func TestPanicFailsOnlyThisSession(t *testing.T) {
	var l log
	bad := start(t, Spec{Argv: shell("echo x; cat"), OnEvent: l.add, OnOutput: func() { panic("ouch") }})
	<-bad.Done()
	if i := bad.Info(); i.State != Failed || !strings.Contains(i.Why, "ouch") {
		t.Errorf("info %+v", i)
	}
	if !l.find(func(e Event) bool { return e.Kind == Faulted && strings.Contains(e.Body, "goroutine") }) {
		t.Error("no fault with a stack")
	}
}

func TestPanicInTheHandler(t *testing.T) {
	n := 0
	s := start(t, Spec{Argv: shell("true"), OnEvent: func(Event) { n++; panic("handler") }})
	<-s.Done()
	if i := s.Info(); i.State != Failed || n < 2 {
		t.Errorf("info %+v after %d events", i, n)
	}
}

func TestInterruptOnlyInATurn(t *testing.T) {
	s := start(t, Spec{Argv: shell("cat")})
	if err := s.Interrupt(); !errors.Is(err, ErrNoTurn) {
		t.Errorf("idle: %v", err)
	}
	s.Hook(HookSign{Event: UserPromptSubmit, PromptID: "p"})
	if err := s.Interrupt(); err != nil {
		t.Errorf("busy: %v", err)
	}
	s.Hook(HookSign{Event: PermissionRequest, Tool: "Bash"})
	if err := s.Interrupt(); !errors.Is(err, ErrDialog) {
		t.Errorf("dialog: %v", err)
	}
	s.Stop(context.Background(), Grace{})
	if err := s.Interrupt(); !errors.Is(err, ErrEnded) {
		t.Errorf("ended: %v", err)
	}
}
