package demoagent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

func TestInterrupt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start("")
	r.ready()
	r.typed("run: sleep 100")
	r.status("waiting", "permission prompt")
	r.keys("1")
	r.status("busy", "")
	r.keys("\x1b")
	r.sees("Interrupted")
	r.status("idle", "")
	if strings.Contains(r.order(), "hook Stop") || strings.Contains(r.order(), "hook PostToolUse") {
		t.Error("an interrupted turn ran " + r.order())
	}
}

func TestEnd(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]string{"ctrl+c twice": "\x03\x03", "/exit": "/exit\r", "hang-up": ""} {
		r := newRig(t)
		r.start("")
		r.ready()
		if keys == "" {
			r.ptmx.Close()
		}
		r.keys(keys)
		r.ended()
		order := r.order()
		want := "signal interrupt, signal terminated, hook SessionEnd"
		if !strings.HasSuffix(order, want) {
			t.Errorf("%s: %s", name, order)
		}
		if files, _ := filepath.Glob(filepath.Join(r.home, ".claude", "sessions", "*")); len(files) > 0 {
			t.Errorf("%s: %v is left", name, files)
		}
	}
}

func TestSignalsAndCrash(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		r := newRig(t)
		cmd := r.spawn("")
		r.ready()
		_ = cmd.Process.Signal(sig)
		r.ended()
		if r.count("hook SessionEnd", 1).in["reason"] != "other" {
			t.Errorf("%v: %s", sig, r.order())
		}
	}
	r := newRig(t)
	r.spawn("crash")
	r.ready()
	r.push(task("t-1", "boom"))
	r.ended()
	r.count("signal EOF", 1)
	if strings.Contains(r.order(), "SessionEnd") || strings.Contains(r.order(), "signal interrupt") {
		t.Error("a crash said goodbye: " + r.order())
	}
}

func TestDeafAndFlagsOff(t *testing.T) {
	t.Parallel()
	for script, screen := range map[string]string{"channels=off": "Channels are not currently available", "deaf": "not claude"} {
		r := newRig(t)
		r.start(script)
		r.sees(screen)
		r.count("rpc tools/list", 1)
		r.push(task("t-1", "anybody?"))
		r.settle()
		r.push(task("t-1", "anybody?"))
		r.typed("still here")
		r.count("hook Stop", 1)
		if n := r.enqueued(); n != 0 {
			t.Errorf("%s: heard %d events", script, n)
		}
	}
}

func TestModernServerHasNoChannels(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.discover = object{}
	r.start("")
	r.count("rpc tools/list", 1)
	r.push(task("t-1", "anybody?"))
	r.settle()
	r.push(task("t-1", "anybody?"))
	r.typed("still here")
	r.count("hook Stop", 1)
	if r.enqueued() != 0 {
		t.Error("a server that answers server/discover was heard")
	}
}

func TestScreen(t *testing.T) {
	r := newRig(t)
	r.start("")
	r.ready()
	r.wait("the title", func() bool { return strings.Contains(r.out, "\x1b]0;✳ backend\x07") })
	r.typed("hello there")
	r.sees("done: hello there")
	r.wait("the busy title", func() bool { return strings.Contains(r.out, "\x1b]0;◐ backend\x07") })
	r.mu.Lock()
	before := len(r.out)
	r.mu.Unlock()
	_ = pty.Setsize(r.ptmx, &pty.Winsize{Rows: 20, Cols: 60})
	_ = syscall.Kill(os.Getpid(), syscall.SIGWINCH) // the pty is not this process's own
	r.wait("a repaint", func() bool {
		return strings.Contains(r.out[before:], "\x1b[H\x1b[J") && strings.Contains(plain(r.out[before:]), "done: hello there")
	})
}

func TestOtherGlyphs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start("other-glyphs no-banner no-hook=Stop")
	r.ready()
	r.typed("hello there")
	r.sees("o done: hello there")
	r.status("idle", "")
	r.mu.Lock()
	defer r.mu.Unlock()
	if strings.Contains(r.out, "✳") || strings.Contains(r.out, "not claude") {
		t.Error("claude's glyphs or the banner are there")
	}
	if slices.ContainsFunc(r.log, func(c call) bool { return c.what == "hook Stop" }) {
		t.Error("the lost hook ran")
	}
}

func TestFloodKeepsKeys(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start("flood=1")
	r.ready()
	r.sees("flood line 2000 ")
	r.typed("hello there")
	r.sees("done: hello there")
}

func TestRefusedStarts(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"no transcript": {"--resume", "22222222-2222-4333-8444-555555555555"},
		"unknown flag":  {"--no-such-flag"},
		"bad mode":      {"--permission-mode", "yolo"},
	} {
		r := newRig(t)
		r.start("", args...)
		if code := r.ended(); code != 1 {
			t.Errorf("%s: exit %d", name, code)
		}
	}
	r := newRig(t)
	r.start("exit=7")
	if code := r.ended(); code != 7 {
		t.Errorf("exit %d", code)
	}
}
