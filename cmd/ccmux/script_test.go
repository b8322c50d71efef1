package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience bounds every wait of a script; it only decides how long a failing
// one takes.
const patience = 30 * time.Second

// TestMain lets the test binary play the program, both as the command of a
// script and as what ccmux starts of itself.
func TestMain(m *testing.M) {
	if os.Getenv("CCMUX_AS_PROGRAM") != "" {
		os.Exit(run(os.Args[1:]))
	}
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "serve", "channel", "hook", "demo-agent":
			os.Exit(run(os.Args[1:]))
		case "bench-insider":
			os.Exit(beInsider(os.Args[2], os.Args[3:]))
		}
	}
	testscript.Main(m, map[string]func(){
		"ccmux": func() { os.Exit(run(os.Args[1:])) },
	})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			run, err := os.MkdirTemp("", "ccmux-run-") // short enough for a socket
			if err != nil {
				return err
			}
			e.Defer(func() { os.RemoveAll(run) })
			e.Defer(func() { stopLeft(e, self) })
			home := filepath.Join(e.WorkDir, "home")
			if err := os.Mkdir(home, 0o700); err != nil {
				return err
			}
			e.Setenv("HOME", home)
			e.Setenv("XDG_RUNTIME_DIR", run)
			e.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
			e.Setenv("AGENT", self)
			e.Setenv("CCMUX_SESSION", "")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"await": await},
	})
}

// stopLeft ends every ccmux a script left running.
func stopLeft(e *testscript.Env, self string) {
	_ = filepath.WalkDir(e.WorkDir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && filepath.Dir(path) == e.WorkDir {
			for _, dir := range []string{e.WorkDir, path} {
				c := exec.Command(self, "ccmux-stop")
				c.Path, c.Args = self, []string{"ccmux", "down", "--all"}
				c.Dir, c.Env = dir, e.Vars
				_ = c.Run() // most folders have none
			}
		}
		return nil
	})
}

// await runs a command until its output matches: await 'REGEXP' ccmux ls
func await(ts *testscript.TestScript, neg bool, a []string) {
	if neg || len(a) < 2 {
		ts.Fatalf("usage: await REGEXP COMMAND...")
	}
	re, err := regexp.Compile(a[0])
	ts.Check(err)
	limit := time.Now().Add(patience)
	for {
		err := ts.Exec(a[1], a[2:]...)
		out := ts.ReadFile("stdout")
		if err == nil && re.MatchString(out) {
			return
		}
		if time.Now().After(limit) {
			ts.Check(errors.Join(err, fmt.Errorf("waited %v for %q; the last output was:\n%s%s", patience, a[0], out, ts.ReadFile("stderr"))))
			return
		}
	}
}
