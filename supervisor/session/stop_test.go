package session

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/session/proc"
)

// quick is a grace that a test can wait for.
var quick = Grace{Hangup: 2 * time.Second, Terminate: 2 * time.Second}

func TestStopUsesNoMoreThanItTakes(t *testing.T) {
	for role, want := range map[string]struct {
		signal syscall.Signal
		exit   Exit
	}{
		"deaf":     {syscall.SIGHUP, Exit{Code: -1, Signal: syscall.SIGHUP}},
		"polite":   {syscall.SIGTERM, Exit{Code: 7}},
		"stubborn": {syscall.SIGKILL, Exit{Code: -1, Signal: syscall.SIGKILL}},
	} {
		t.Run(role, func(t *testing.T) {
			s := startHelper(t, role, Spec{})
			waitFor(t, "the helper", s.shows(role))
			e := s.Stop(t.Context(), quick)
			if e.Signal != want.signal || e.Exit != want.exit || e.Incomplete || len(e.Survivors) > 0 {
				t.Errorf("%+v", e)
			}
			if again := s.Stop(t.Context(), quick); again.Signal != 0 || again.Exit != want.exit {
				t.Errorf("the second time: %+v", again)
			}
		})
	}
}

func TestStopWithoutGrace(t *testing.T) {
	s := startHelper(t, "stubborn", Spec{})
	waitFor(t, "the helper", s.shows("stubborn"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e := s.Stop(ctx, Grace{Hangup: time.Hour, Terminate: time.Hour}); e.Signal != syscall.SIGKILL || e.Incomplete {
		t.Errorf("%+v", e)
	}
}

func TestStopWakesStopped(t *testing.T) {
	s := start(t, Spec{Argv: shell("echo up; kill -STOP $$")})
	waitFor(t, "the shell to stop", func() bool { return s.shows("up")() && stopped(s.PID()) })
	if e := s.Stop(t.Context(), quick); e.Signal != syscall.SIGHUP || e.Incomplete {
		t.Errorf("%+v", e)
	}
}

func stopped(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(raw), ") T ")
}

// pidIn waits for a pid that a child writes to a file.
func pidIn(t *testing.T, path string) int {
	t.Helper()
	pid := 0
	waitFor(t, "a pid in "+path, func() bool {
		raw, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(string(raw), "\n") {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(raw)))
		return err == nil
	})
	return pid
}

func gone(pid int) func() bool {
	return func() bool {
		p, err := proc.Stat(pid)
		return err != nil || p.Zombie
	}
}

// TestStopTakesBackgroundJobs: a job in a process group of its own, which a
// signal to the group of the shell would miss.
func TestStopTakesBackgroundJobs(t *testing.T) {
	s := start(t, Spec{Argv: shell("set -m; sh -c 'trap \"\" HUP; echo $$ > job; sleep 1000' & wait")})
	job := pidIn(t, filepath.Join(s.spec.Dir, "job"))
	e := s.Stop(t.Context(), quick)
	if e.Incomplete || e.Signal < syscall.SIGKILL || len(e.Survivors) > 0 {
		t.Errorf("%+v", e)
	}
	if !gone(job)() {
		t.Error("the background job lives")
	}
}

// TestStopAfterACrash: what a child that was killed left behind is ended too.
func TestStopAfterACrash(t *testing.T) {
	s := start(t, Spec{Argv: shell("set -m; sh -c 'trap \"\" HUP; echo $$ > job; sleep 1000' & wait")})
	job := pidIn(t, filepath.Join(s.spec.Dir, "job"))
	if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-s.Done()
	if gone(job)() {
		t.Fatal("the job ended with the shell: there is nothing to test")
	}
	if e := s.Stop(t.Context(), quick); e.Incomplete || e.Signal == 0 {
		t.Errorf("%+v", e)
	}
	if !gone(job)() {
		t.Error("the job lives")
	}
}

// TestStopReportsWhatEscaped: a daemon that left the process session lives on
// and is named.
func TestStopReportsWhatEscaped(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid program")
	}
	for name, mark := range map[string]string{"by its mark": "SESSION_MARK=" + t.Name(), "without a mark": ""} {
		t.Run(name, func(t *testing.T) {
			script := "setsid -f sh -c 'echo $$ > daemon; exec sleep 1000' </dev/null >/dev/null 2>&1; echo up; cat"
			if mark == "" { // still a descendant when it is looked for
				script = "setsid sh -c 'echo $$ > daemon; exec sleep 1000' </dev/null >/dev/null 2>&1 & echo up; cat"
			}
			s := start(t, Spec{Argv: shell(script), Mark: mark})
			daemon := pidIn(t, filepath.Join(s.spec.Dir, "daemon"))
			waitFor(t, "the daemon to be itself", func() bool { p, err := proc.Stat(daemon); return err == nil && p.Comm == "sleep" })
			e := s.Stop(t.Context(), quick)
			defer syscall.Kill(daemon, syscall.SIGKILL)
			if e.Incomplete || len(e.Survivors) != 1 || e.Survivors[0].PID != daemon || e.Survivors[0].Comm != "sleep" || e.Survivors[0].Exe == "" {
				t.Errorf("%+v", e)
			}
			if gone(daemon)() {
				t.Error("the daemon was ended")
			}
		})
	}
}

func TestStopManyAtOnce(t *testing.T) {
	s := startHelper(t, "polite", Spec{})
	waitFor(t, "the helper", s.shows("polite"))
	ends := make(chan Ending)
	for range 8 {
		go func() { ends <- s.Stop(context.Background(), quick) }()
	}
	for range 8 {
		if e := <-ends; e.Incomplete || e.Exit.Code != 7 {
			t.Errorf("%+v", e)
		}
	}
}

// TestAdopt: a second Session takes over the descriptor and the process of the
// first, as a later version of the program would.
func TestAdopt(t *testing.T) {
	first := startHelper(t, "sizes", Spec{Cols: 50, Rows: 10})
	waitFor(t, "the helper", first.shows("size 50x10"))
	fd := -1
	if err := first.onFD(func(n int) (err error) { fd, err = syscall.Dup(n); return err }); err != nil {
		t.Fatal(err)
	}
	second, err := Adopt(Spec{Name: "again", Cols: 50, Rows: 10}, fd, first.Identity())
	if err != nil {
		t.Fatal(err)
	}
	// Both read the one pty, so only the size as the child sees it can be asked.
	if err := second.Resize(70, 20); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the new size in either", func() bool {
		return first.shows("70x20")() || second.shows("70x20")()
	})
	if e := second.Stop(t.Context(), Grace{}); e.Incomplete {
		t.Errorf("%+v", e)
	}
	<-second.Done()
	<-first.Done()
}

func TestAdoptRefusesAnother(t *testing.T) {
	s := start(t, Spec{Argv: shell("cat")})
	for name, id := range map[string]proc.Identity{
		"reused": {PID: s.PID(), Start: s.id.Start + 1},
		"gone":   {PID: 1 << 30, Start: 1},
	} {
		fd := -1
		if err := s.onFD(func(n int) (err error) { fd, err = syscall.Dup(n); return err }); err != nil {
			t.Fatal(err)
		}
		if a, err := Adopt(Spec{Name: "x"}, fd, id); err == nil {
			t.Errorf("%s: adopted", name)
			a.Stop(t.Context(), Grace{})
		}
	}
	if err := s.Write([]byte("still here\n")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the first session", s.shows("still here"))
}
