package doctor

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
)

// program writes an executable script and returns the folder it is in.
func program(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func patient(t *testing.T) Patient {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	return Patient{
		Project: project.Project{Root: t.TempDir()},
		Binary:  filepath.Join(program(t, "ccmux", `[ "$1" = hook ] && exit 0; echo '{"claude/channel":{}}'`), "ccmux"),
		Env:     []string{"PATH=/usr/bin:/bin", "TERM=xterm-256color", "LANG=C.UTF-8"},
		Render:  func(dir, _ string) error { return os.MkdirAll(dir, 0o700) },
		List:    func(context.Context) (wire.List, error) { return wire.List{}, errors.New("none runs") },
	}
}

func find(t *testing.T, all []Finding, what string) Finding {
	t.Helper()
	for _, f := range all {
		if f.What == what {
			return f
		}
	}
	t.Fatalf("no finding about %s in %v", what, all)
	return Finding{}
}

func TestClaudeIsRunAndItsVersionJudged(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		verdict Verdict
		words   string
	}{
		"good":     {"echo '2.1.332 (Claude Code)'", OK, "2.1.332"},
		"old":      {"echo '2.1.90 (Claude Code)'", Problem, "2.1.90"},
		"newer":    {"echo '3.0.0 (Claude Code)'", OK, "3.0.0"},
		"failing":  {"echo broken >&2; exit 3", Problem, "--version failed"},
		"wordless": {"echo hello", Warning, "no version"},
	} {
		t.Run(name, func(t *testing.T) {
			p := patient(t)
			t.Setenv("PATH", program(t, "claude", c.script)+":/usr/bin:/bin")
			_, f := p.claude(t.Context())
			if f.Verdict != c.verdict || !strings.Contains(f.Words, c.words) {
				t.Errorf("finding = %+v; want %s with %q", f, c.verdict, c.words)
			}
		})
	}
}

func TestMissingClaudeIsAProblemThatSaysWhatToDo(t *testing.T) {
	p := patient(t)
	t.Setenv("PATH", t.TempDir())
	all := Examine(t.Context(), p)
	f := find(t, all, "claude")
	if f.Verdict != Problem || !strings.Contains(f.Do, "npm install") || Healthy(all) {
		t.Errorf("finding = %+v, healthy = %v; want a problem that names the installation", f, Healthy(all))
	}
}

func TestAPluginThatClaudeRejectsIsAProblem(t *testing.T) {
	p := patient(t)
	t.Setenv("PATH", program(t, "claude", `[ "$1" = --version ] && { echo 2.1.332; exit 0; }; echo bad manifest; exit 1`)+":/usr/bin:/bin")
	f := find(t, Examine(t.Context(), p), "plugin")
	if f.Verdict != Problem || !strings.Contains(f.Words, "bad manifest") {
		t.Errorf("finding = %+v; want claude's own words", f)
	}
}

func TestWhatTurnsChannelsOffIsNamed(t *testing.T) {
	p := patient(t)
	p.Env = append(p.Env, "DISABLE_TELEMETRY=1")
	if f := p.settings(); f.Verdict != Warning || !strings.Contains(f.Words, "DISABLE_TELEMETRY") {
		t.Errorf("finding = %+v; want a warning that names the variable", f)
	}
	p.Env = append(p.Env[:len(p.Env)-1], "DISABLE_TELEMETRY=0")
	if f := p.settings(); f.Verdict != OK {
		t.Errorf("finding = %+v; want ok: the variable says no", f)
	}
}

func TestProcessesAreReallyStarted(t *testing.T) {
	p := patient(t)
	if f := p.channelProcess(t.Context()); f.Verdict != OK {
		t.Errorf("channel process: %+v", f)
	}
	if f := p.hookProcess(t.Context()); f.Verdict != OK {
		t.Errorf("hook process: %+v", f)
	}
	p.Binary = filepath.Join(program(t, "ccmux", "echo nonsense; exit 1"), "ccmux")
	if f := p.channelProcess(t.Context()); f.Verdict != Problem {
		t.Errorf("a channel process that says nonsense is %+v", f)
	}
	if f := p.hookProcess(t.Context()); f.Verdict != Problem {
		t.Errorf("a hook that speaks and fails is %+v", f)
	}
}

func TestSessionsAreReportedFromTheRunningOne(t *testing.T) {
	p := patient(t)
	if f := find(t, p.sessions(t.Context()), "channels"); f.Verdict != Untried {
		t.Errorf("without a ccmux: %+v; want not tried", f)
	}
	p.List = func(context.Context) (wire.List, error) {
		return wire.List{PID: 7, Sessions: []wire.SessionInfo{
			{Name: "good", PID: 1, Route: wire.RouteChannel, RouteWhy: "probed"},
			{Name: "deaf", PID: 2, RouteWhy: "channels are off"},
			{Name: "stopped", State: "stopped"},
			{Name: "crashed", State: "exited", Detail: "exit 3; starts again 12:00:00"},
			{Name: "young", PID: 3, State: "needs you", Detail: "folder trust"},
		}}, nil
	}
	all := p.sessions(t.Context())
	for what, want := range map[string]Verdict{"good": OK, "deaf": Warning, "stopped": Untried, "crashed": Warning, "young": Untried} {
		if f := find(t, all, what); f.Verdict != want {
			t.Errorf("%s: %+v; want %s", what, f, want)
		}
	}
}

func TestFoldersAndTerminal(t *testing.T) {
	p := patient(t)
	if f := p.stateFolder(); f.Verdict != OK || !strings.Contains(f.Words, "not made yet") {
		t.Errorf("state folder: %+v", f)
	}
	if f := p.socketFolder(); f.Verdict != OK {
		t.Errorf("socket folder: %+v", f)
	}
	if f := p.terminal(); f.Verdict != Untried {
		t.Errorf("no terminal: %+v", f)
	}
	p.Terminal = &Terminal{Cols: 30, Rows: 10}
	if f := p.terminal(); f.Verdict != Problem {
		t.Errorf("narrow terminal: %+v", f)
	}
	p.Terminal.Cols = 80
	p.Env = []string{"TERM=xterm", "LANG=C"}
	if f := p.terminal(); f.Verdict != Warning {
		t.Errorf("terminal without UTF-8: %+v", f)
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	err := Write(&b, []Finding{{What: "claude", Verdict: Problem, Words: "missing", Do: "install it"}, {What: "plugin", Verdict: OK, Words: "fine"}})
	if err != nil || !strings.Contains(b.String(), "✗ problem  claude") || !strings.Contains(b.String(), "→ install it") {
		t.Errorf("report = %q, %v", b.String(), err)
	}
}
