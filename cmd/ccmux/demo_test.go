package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/ccmux/ccmux/supervisor/vt"
)

var pictureFile = flag.String("picture", "", "write the demo's screen to this SVG file")

// console is a terminal as a person has one: a program in a pty and the screen
// it draws.
type console struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	screen *vt.Terminal

	changed chan struct{}
	exited  chan struct{}
}

// openConsole starts a program in a terminal of this size.
func openConsole(t *testing.T, cols, rows int, env []string, name string, args ...string) *console {
	t.Helper()
	c := &console{t: t, changed: make(chan struct{}, 1), exited: make(chan struct{})}
	c.cmd = exec.Command(name, args...)
	c.cmd.Env = env
	c.cmd.Dir = t.TempDir()
	master, err := pty.StartWithSize(c.cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		t.Fatal(err)
	}
	c.master = master
	c.screen = vt.New(cols, rows, vt.Config{Reply: func(p []byte) { _, _ = master.Write(p) }})
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 32<<10)
		for {
			n, err := master.Read(buf)
			_, _ = c.screen.Write(buf[:n])
			select {
			case c.changed <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	go func() {
		defer close(c.exited)
		_ = c.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = c.cmd.Process.Signal(syscall.SIGKILL)
		<-c.exited
		master.Close()
		<-read
		c.screen.Close()
	})
	return c
}

// await waits until the screen holds every text.
func (c *console) await(texts ...string) {
	c.t.Helper()
	limit := time.After(patience)
	for {
		screen := c.screen.Text()
		missing := ""
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				missing = text
			}
		}
		if missing == "" {
			return
		}
		select {
		case <-c.changed:
		case <-limit:
			c.t.Fatalf("waited %v for %q on the screen:\n%s", patience, missing, screen)
		}
	}
}

// awaitGone waits until the screen no longer holds text.
func (c *console) awaitGone(text string) {
	c.t.Helper()
	limit := time.After(patience)
	for strings.Contains(c.screen.Text(), text) {
		select {
		case <-c.changed:
		case <-limit:
			c.t.Fatalf("waited %v for %q to leave the screen:\n%s", patience, text, c.screen.Text())
		}
	}
}

// pressUntilGone presses a key until text leaves the screen. A request that opened
// by itself takes keys only once the hands were still, so each press is followed
// by a second of stillness.
func (c *console) pressUntilGone(key, text string) {
	c.t.Helper()
	limit := time.After(patience)
	still := time.NewTimer(0)
	defer still.Stop()
	for strings.Contains(c.screen.Text(), text) {
		select {
		case <-c.changed:
		case <-still.C:
			c.press(key)
			still.Reset(time.Second)
		case <-limit:
			c.t.Fatalf("pressed %q for %v and %q is still there:\n%s", key, patience, text, c.screen.Text())
		}
	}
}

func (c *console) press(keys string) {
	c.t.Helper()
	if _, err := c.master.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// world is an environment of its own for one test: folders, and a way to end
// what runs in it.
func world(t *testing.T) (env []string) {
	t.Helper()
	root, err := os.MkdirTemp("", "ccmux-w-") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"home", "run", "tmp"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	return []string{
		"HOME=" + filepath.Join(root, "home"), "XDG_RUNTIME_DIR=" + filepath.Join(root, "run"),
		"XDG_STATE_HOME=" + filepath.Join(root, "home", "state"), "TMPDIR=" + filepath.Join(root, "tmp"),
		"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8",
		"SHELL=/bin/bash", "ENV=", "CCMUX_AS_PROGRAM=1",
	}
}

// program is this test binary, which plays ccmux when CCMUX_AS_PROGRAM is set.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// ccmuxIn runs a command of ccmux in dir and returns what it printed.
func ccmuxIn(t *testing.T, env []string, dir string, args ...string) (string, error) {
	t.Helper()
	c := exec.Command(program(t), args...)
	c.Env, c.Dir = env, dir
	out, err := c.CombinedOutput()
	return string(out), err
}

// awaitOutput repeats a command until it prints what is wanted.
func awaitOutput(t *testing.T, env []string, dir string, want *regexp.Regexp, args ...string) {
	t.Helper()
	limit := time.Now().Add(patience)
	for {
		out, err := ccmuxIn(t, env, dir, args...)
		if err == nil && want.MatchString(out) {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("ccmux %s does not say %v: %v\n%s", strings.Join(args, " "), want, err, out)
		}
	}
}

func demoOf(env []string) string {
	for _, kv := range env {
		if state, ok := strings.CutPrefix(kv, "XDG_STATE_HOME="); ok {
			return filepath.Join(state, "ccmux", "demo")
		}
	}
	return ""
}

// doWhatTheBarSays uses the keys of the bar on the demo, with the real router
// behind them.
func (c *console) doWhatTheBarSays() {
	c.t.Helper()
	c.press("1i")
	c.await("1 frontend typing")
	c.press("words-from-the-keyboard\r")
	c.await("done: words-from-the-keyboard")
	c.press("\x1d") // ctrl+]
	c.awaitGone("frontend typing")

	c.press("m")
	c.await("message: @name", "@frontend")
	c.press("a-note-from-you\r")
	c.await("a-note-from-you", "you→frontend")
	c.press("t")
	c.await("╭ threads", "a-note-from-you")
	c.press("\r")
	c.await("seen (it entered the conversation)")
	c.press("\x1b")
	c.await("╭ threads")
	c.press("\x1b")
	c.awaitGone("╭ threads")

	c.press("r")
	c.await("╭ rooms")
	c.press("\r")
	c.await("╭ #ui", "I start on the cart page")
	c.press("\x1b")
	c.awaitGone("╭ #ui")
	c.press("\x1b")
	c.awaitGone("╭ rooms")
	c.press("m")
	c.await("message: @name", "@frontend")
	c.press("\x15#ui hello-room\r")
	c.await("you→#ui", "hello-room")

	c.press("z")
	c.awaitGone("╭ sessions")
	c.press("z")
	c.await("╭ sessions")
}

// TestTheDemoDoesTheMainJob is the README's first command, with the keys it names.
func TestTheDemoDoesTheMainJob(t *testing.T) {
	t.Parallel()
	env := world(t)
	c := openConsole(t, 150, 42, env, program(t), "demo")
	t.Cleanup(func() { _, _ = ccmuxIn(t, env, demoOf(env), "down", "--all") })
	c.await("frontend", "backend", "backend asks to run a command", "go version", "a allow", "for t-2, asked by frontend", "in ~/state/ccmux/demo/backend")
	if *pictureFile != "" {
		c.await("◆ asks", "○ idle        2s") // the card has stood still, and its keys count
		if err := os.WriteFile(*pictureFile, picture(c.screen), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c.pressUntilGone("a", "a allow")
	c.await("backend says: go version go")
	c.doWhatTheBarSays()
	c.press("q")
	c.await("detached; the demo goes on: ccmux demo shows it again")
	<-c.exited
	awaitOutput(t, env, demoOf(env), regexp.MustCompile(`(?m)^frontend +idle`), "ls")
	again := openConsole(t, 150, 42, env, program(t), "demo")
	again.await("backend says: go version go", "watching")
}

// TestADemoIsLeftAlone: another demo of this user touches nothing of it, and who
// looks for it from somewhere else is told where it is.
func TestADemoIsLeftAlone(t *testing.T) {
	t.Parallel()
	one, two := world(t), world(t)
	if out, err := ccmuxIn(t, one, "/", "demo", "--down"); err == nil || !strings.Contains(out, "no demo runs: ccmux demo begins one") {
		t.Errorf("demo --down without one says %v, %q", err, out)
	}
	for _, env := range [][]string{one, two} {
		if out, err := ccmuxIn(t, env, "/", "demo", "-d"); err != nil {
			t.Fatal(err, out)
		}
		t.Cleanup(func() { _, _ = ccmuxIn(t, env, demoOf(env), "down", "--all") })
	}
	deaf := append(slices.Clone(one), "XDG_RUNTIME_DIR="+t.TempDir()) // it does not find the running one
	if out, err := ccmuxIn(t, deaf, "/", "demo", "-d"); err == nil || !strings.Contains(out, "is open in the ccmux with pid") {
		t.Errorf("a second demo over the first says %v, %q", err, out)
	}
	awaitOutput(t, one, demoOf(one), regexp.MustCompile(`(?m)^frontend +`), "ls")
	if _, err := os.Stat(filepath.Join(demoOf(one), "backend")); err != nil {
		t.Error(err)
	}
	out, err := ccmuxIn(t, one, t.TempDir(), "ls")
	if want := "the demo runs in a folder of its own: cd " + demoOf(one); err == nil || !strings.Contains(out, want) {
		t.Errorf("ls somewhere else says %v, %q", err, out)
	}
	if out, err := ccmuxIn(t, one, "/", "demo", "--down"); err != nil {
		t.Error(err, out)
	}
}

// TestADemoKnowsItsOwnFolder: a ccmux.toml above it, one that cannot be used too,
// makes it neither end nor remove the project there.
func TestADemoKnowsItsOwnFolder(t *testing.T) {
	t.Parallel()
	env := world(t)
	above := filepath.Dir(filepath.Dir(filepath.Dir(demoOf(env))))
	file := filepath.Join(above, "ccmux.toml")
	team := fmt.Sprintf("[[session]]\nname = \"api\"\ndir = \".\"\ncommand = [%q, \"demo-agent\"]\n", program(t))
	if err := os.WriteFile(file, []byte(team), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := ccmuxIn(t, env, above, "trust", "--yes"); err != nil {
		t.Fatal(err, out)
	}
	if out, err := ccmuxIn(t, env, above, "up", "-d"); err != nil {
		t.Fatal(err, out)
	}
	t.Cleanup(func() { _, _ = ccmuxIn(t, env, above, "down", "--all") })
	if out, err := ccmuxIn(t, env, "/", "demo", "--down"); err == nil || !strings.Contains(out, "no demo runs") {
		t.Errorf("demo --down without one says %v, %q", err, out)
	}
	if out, err := ccmuxIn(t, env, above, "ls"); err != nil || !strings.Contains(out, "api") {
		t.Errorf("after demo --down the project above says %v, %q", err, out)
	}
	if out, err := ccmuxIn(t, env, above, "down", "--all"); err != nil {
		t.Fatal(err, out)
	}
	for _, content := range []string{team, "[[session"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := ccmuxIn(t, env, "/", "demo", "-d"); err == nil || !strings.Contains(out, "without a ccmux.toml above it, and there is "+file) {
			t.Errorf("a demo below %q says %v, %q", content, err, out)
		}
		if _, err := os.Stat(file); err != nil {
			t.Fatalf("a demo below %q removed what is there: %v", content, err)
		}
	}
}

// TestNothingStartsWithoutATerminal: what cannot be shown is not started.
func TestNothingStartsWithoutATerminal(t *testing.T) {
	t.Parallel()
	env := world(t)
	for _, args := range [][]string{{"demo"}, {"up", "a=/"}} {
		out, err := ccmuxIn(t, env, "/", args...)
		if err == nil || !strings.Contains(out, "standard input is not a terminal") || !strings.Contains(out, "use -d") || strings.Contains(out, "ioctl") {
			t.Errorf("%v says %v, %q", args, err, out)
		}
		if out, _ := ccmuxIn(t, env, demoOf(env), "ls"); !strings.Contains(out, "no ccmux runs") {
			t.Errorf("after %v something runs: %q", args, out)
		}
	}
}
