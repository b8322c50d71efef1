package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// project makes a folder with two demo sessions and starts them in the
// background. The scripts are theirs.
func startProject(t *testing.T, env []string, scripts map[string]string) (dir string) {
	t.Helper()
	for _, kv := range env {
		if home, ok := strings.CutPrefix(kv, "HOME="); ok {
			dir = filepath.Join(home, "shop")
		}
	}
	var toml strings.Builder
	for name, script := range scripts {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		toml.WriteString("[[session]]\nname = " + strconv.Quote(name) + "\ncommand = [" + strconv.Quote(program(t)) + ", \"demo-agent\"]\n" +
			"env = { CCMUX_DEMO_SCRIPT = " + strconv.Quote(script) + " }\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "ccmux.toml"), []byte(toml.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = ccmuxIn(t, env, dir, "down", "--all") })
	if out, err := ccmuxIn(t, env, dir, "up", "-d", "--trust"); err != nil {
		t.Fatalf("up: %v\n%s", err, out)
	}
	return dir
}

// shell is a console with an interactive shell in dir, in which `ccmux` is the
// program under test.
func shell(t *testing.T, env []string, dir string) *console {
	t.Helper()
	return shellOf(t, 110, 32, env, dir)
}

// shellOf is a shell in a terminal of this size.
func shellOf(t *testing.T, cols, rows int, env []string, dir string) *console {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash for job control")
	}
	c := openConsole(t, cols, rows, append(slices.Clone(env), "PS1=ready> ", "HISTFILE="), bash, "--norc", "--noprofile", "-i")
	c.await("ready>")
	c.press("cd " + dir + "; ccmux() { " + program(t) + " \"$@\"; }; clear; echo in-$((1+1))\r")
	c.await("in-2")
	return c
}

// pidOf finds the process that runs this subcommand in dir's project.
func pidOf(t *testing.T, env []string, word string) int {
	t.Helper()
	out, err := exec.Command("pgrep", "-f", "--", program(t)+" "+word).Output()
	if err != nil {
		t.Fatalf("no process runs %s: %v", word, err)
	}
	run := ""
	for _, kv := range env {
		if strings.HasPrefix(kv, "XDG_RUNTIME_DIR=") {
			run = kv
		}
	}
	for _, field := range strings.Fields(string(out)) {
		environ, err := os.ReadFile("/proc/" + field + "/environ")
		if err == nil && strings.Contains(string(environ), run) {
			pid, _ := strconv.Atoi(field)
			return pid
		}
	}
	t.Fatalf("no process of this test runs %s", word)
	return 0
}

// usable checks that the shell has its terminal back: it echoes what is typed,
// edits lines, and shows what commands print.
func (c *console) usable(word string) {
	c.t.Helper()
	c.press("clear; echo " + word + "-$((40+2)); stty -a | tr ';' '\\n' | grep -w -o -e '-\\?icanon' -e '-\\?echo'\r")
	c.await(word+"-42", "icanon", "echo")
	for _, bad := range []string{"-icanon", "-echo"} {
		for _, line := range strings.Split(c.screen.Text(), "\n") {
			if strings.TrimSpace(line) == bad {
				c.t.Errorf("the terminal was left with %s:\n%s", bad, c.screen.Text())
			}
		}
	}
}

func needProc(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("needs /proc")
	}
}

func TestTheTerminalIsUsableWhateverDies(t *testing.T) {
	t.Parallel()
	needProc(t)
	env := world(t)
	dir := startProject(t, env, map[string]string{"api": "worker", "web": "worker"})
	c := shell(t, env, dir)
	attach := func() {
		t.Helper()
		c.press("ccmux attach\r")
		c.await("watching", "sessions")
	}

	attach()
	c.press("q")
	c.await("detached; the sessions go on")
	c.usable("detached")

	attach()
	kill(t, pidOf(t, env, "attach"), syscall.SIGKILL)
	c.awaitGone("watching") // ccmux finds out and lets go; the shell may have spoken before
	c.usable("killed")

	attach()
	kill(t, pidOf(t, env, "attach"), syscall.SIGTERM)
	c.await("detached (terminated)")
	c.usable("terminated")

	attach()
	kill(t, pidOf(t, env, "attach"), syscall.SIGTSTP)
	c.await("Stopped")
	c.usable("stopped")
	c.press("fg\r")
	c.await("watching", "sessions")
	c.press("q")
	c.await("detached; the sessions go on")
	c.usable("continued")

	attach()
	kill(t, pidOf(t, env, "attach"), syscall.SIGSTOP)
	c.awaitGone("watching") // nobody says goodbye for a frozen process: ccmux finds out
	c.usable("frozen")
	c.press("fg\r")
	c.await("watching", "sessions")

	kill(t, pidOf(t, env, "serve"), syscall.SIGKILL)
	c.await("ccmux ended unexpectedly: run ccmux up to resume its sessions")
	c.usable("ccmux-killed")
	c.press("clear; ccmux up\r")
	c.await("watching", "api", "web")
	c.press("q")
	c.await("detached; the sessions go on")
}

// TestAStopIsNoCrash: who looks on while ccmux is stopped elsewhere is told so.
func TestAStopIsNoCrash(t *testing.T) {
	t.Parallel()
	needProc(t)
	env := world(t)
	dir := startProject(t, env, map[string]string{"api": "worker"})
	c := shell(t, env, dir)
	c.press("clear; ccmux attach; echo code-$?\r")
	c.await("watching", "sessions")
	if out, err := ccmuxIn(t, env, dir, "down", "--all"); err != nil {
		t.Fatal(err, out)
	}
	c.await("ccmux was stopped (ccmux down --all); ccmux up resumes its sessions", "code-0")
	c.usable("stopped")
}

func kill(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

func TestATerminalNobodyReadsDoesNotSlowAnother(t *testing.T) {
	t.Parallel()
	needProc(t)
	env := world(t)
	dir := startProject(t, env, map[string]string{"api": "worker flood=2", "web": "worker"})
	deaf := exec.Command(program(t), "attach")
	deaf.Env, deaf.Dir = env, dir
	master, err := pty.StartWithSize(deaf, &pty.Winsize{Cols: 100, Rows: 30}) // and never read
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = deaf.Process.Kill()
		_ = deaf.Wait()
		master.Close()
	})
	ok := shell(t, env, dir)
	ok.press("ccmux attach\r")
	ok.await("watching", "sessions")
	for range 5 {
		ok.press("?")
		ok.await("every key")
		ok.press("\x1b")
		ok.await("watching")
	}
	// The one that takes nothing is let go.
	awaitOutput(t, env, dir, regexp.MustCompile(`"screens": 1\b`), "ls", "--json")
}

func TestSeveralTerminalsAtOnce(t *testing.T) {
	t.Parallel()
	needProc(t)
	env := world(t)
	dir := startProject(t, env, map[string]string{"api": "worker"})
	big, small := shell(t, env, dir), shell(t, env, dir)
	big.press("ccmux attach\r")
	big.await("watching", "api")
	small.press("ccmux attach --view\r")
	small.await("api")
	if out, err := ccmuxIn(t, env, dir, "send", "api", "--kind", "task", "run: echo seen-by-both"); err != nil {
		t.Fatal(err, out)
	}
	big.await("api asks to run a command", "echo seen-by-both")
	small.await("api asks to run a command", "echo seen-by-both")
	if out, err := ccmuxIn(t, env, dir, "approve", "r-1"); err != nil {
		t.Fatal(err, out)
	}
	big.press("q")
	big.await("detached; the sessions go on")
	small.press("q")
	small.await("detached; the sessions go on")
}

// awaitRule waits until a row of the screen is a rule of n columns: the demo agent
// draws one as wide as its terminal.
func (c *console) awaitRule(n int) {
	c.t.Helper()
	limit := time.After(patience)
	for {
		for _, line := range strings.Split(c.screen.Text(), "\n") {
			if strings.TrimRight(line, " ") == strings.Repeat("─", n) {
				return
			}
		}
		select {
		case <-c.changed:
		case <-limit:
			c.t.Fatalf("waited %v for a terminal of %d columns on the screen:\n%s", patience, n, c.screen.Text())
		}
	}
}

// TestTheSmallestTerminalDecidesAndOneThatOnlyLooksDoesNot.
func TestTheSmallestTerminalDecidesAndOneThatOnlyLooksDoesNot(t *testing.T) {
	t.Parallel()
	needProc(t)
	env := world(t)
	dir := startProject(t, env, map[string]string{"api": "worker"})
	big, small, view := shellOf(t, 76, 24, env, dir), shellOf(t, 60, 24, env, dir), shellOf(t, 50, 24, env, dir)
	big.press("ccmux attach\r")
	big.await("watching", "api")
	big.awaitRule(76)
	view.press("ccmux attach --view\r")
	view.await("looking only", "api")
	small.press("ccmux attach\r")
	small.awaitRule(60)
	big.awaitRule(60) // and not 50
	small.press("q")
	small.await("detached; the sessions go on")
	big.awaitRule(76)
	view.press("q")
	view.await("detached; the sessions go on")
}
