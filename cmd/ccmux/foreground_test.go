package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestForegroundKeepsItsLogOffTheScreen: the terminal of a foreground ccmux
// belongs to the screen, what it logs goes to a file, and its end is said as it
// is.
func TestForegroundKeepsItsLogOffTheScreen(t *testing.T) {
	t.Parallel()
	needProc(t)
	env := world(t)
	dir := startProject(t, env, map[string]string{"api": "worker"})
	awaitOutput(t, env, dir, regexp.MustCompile(`(?m)^api +idle .*channel`), "ls")
	if out, err := ccmuxIn(t, env, dir, "down", "--all"); err != nil {
		t.Fatal(err, out)
	}
	transcripts, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".claude", "projects", "*", "*.jsonl"))
	if err != nil || len(transcripts) == 0 {
		t.Fatalf("no transcript in %s: %v", filepath.Dir(dir), err)
	}
	for _, f := range transcripts { // so that the start has something to log
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	c := shell(t, env, dir)
	c.press("clear; ccmux up --foreground\r")
	c.await("watching", "sessions", "api")
	c.press("?")
	c.await("every key", "this help")
	if s := c.screen.Text(); strings.Contains(s, "level=INFO") || strings.Contains(s, "msg=") {
		t.Errorf("the log is on the screen:\n%s", s)
	}
	c.press("\x1b")
	c.awaitGone("this help")
	c.press("q")
	c.await("ending the sessions with this terminal; ccmux up resumes them")
	c.usable("ended")
	if out, err := ccmuxIn(t, env, dir, "ls"); err == nil {
		t.Errorf("ccmux ls after the end of a foreground ccmux says %q", out)
	}
	logs, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "state", "ccmux", "*.log"))
	if len(logs) != 1 {
		t.Fatalf("logs: %v", logs)
	}
	if log, err := os.ReadFile(logs[0]); err != nil || !strings.Contains(string(log), "a fresh one begins") {
		t.Errorf("the log lacks what was not resumed: %v\n%s", err, log)
	}
}
