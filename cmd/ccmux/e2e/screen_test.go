//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Screen is a terminal with a program in it, driven through tmux.
type Screen struct {
	rig  *Rig
	name string
}

// tmuxConf keeps a dead program's last screen, and passes keys on at once.
const tmuxConf = `set -g remain-on-exit on
set -g escape-time 0
set -g history-limit 5000
set -g default-terminal xterm-256color
set -g status off
`

// Start runs a program in a terminal of 120×40.
func (r *Rig) Start(dir string, argv ...string) *Screen {
	r.T.Helper()
	return r.StartSized(120, 40, dir, argv...)
}

// StartSized runs a program in a terminal of its own.
func (r *Rig) StartSized(width, height int, dir string, argv ...string) *Screen {
	r.T.Helper()
	r.seed()
	conf := filepath.Join(r.root, "tmux.conf")
	r.Write(conf, tmuxConf, 0o600)
	s := &Screen{rig: r, name: "s" + strconv.Itoa(len(r.screens)+1)}
	args := []string{
		"-f", conf, "new-session", "-d", "-s", s.name,
		"-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "-c", dir, "env", "-i",
	}
	for _, key := range slices.Sorted(maps.Keys(r.Env)) {
		args = append(args, key+"="+r.Env[key])
	}
	if out, err := r.tmuxCommand(append(args, argv...)...).CombinedOutput(); err != nil {
		r.T.Fatalf("start %s in tmux: %v: %s", argv[0], err, out)
	}
	r.screens = append(r.screens, s)
	return s
}

// tmuxCommand is tmux on this rig's server. The server itself starts in the
// rig's environment, so that nothing of the caller's leaks into a program.
func (r *Rig) tmuxCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-L", r.tmux}, args...)...)
	cmd.Env = []string{"HOME=" + r.Home, "PATH=" + r.Env["PATH"], "TERM=xterm-256color", "LANG=C.UTF-8"}
	return cmd
}

func (r *Rig) killServer() {
	// Fails when no screen was ever started: nothing to end then.
	_ = r.tmuxCommand("kill-server").Run()
}

func (s *Screen) tmux(args ...string) string {
	s.rig.T.Helper()
	out, err := s.rig.tmuxCommand(args...).CombinedOutput()
	if err != nil {
		s.rig.T.Fatalf("tmux %s: %v: %s", args[0], err, out)
	}
	return string(out)
}

// Text is what the terminal shows, trailing blanks removed.
func (s *Screen) Text() string {
	s.rig.T.Helper()
	return s.tmux("capture-pane", "-p", "-t", s.name)
}

// History is the terminal's scrollback followed by what it shows.
func (s *Screen) History() string {
	s.rig.T.Helper()
	return s.tmux("capture-pane", "-p", "-S", "-", "-t", s.name)
}

// format asks tmux for one of its variables.
func (s *Screen) format(variable string) string {
	s.rig.T.Helper()
	return strings.TrimRight(s.tmux("display-message", "-p", "-t", s.name, "#{"+variable+"}"), "\n")
}

// Title is the title the program gave its terminal.
func (s *Screen) Title() string { return s.format("pane_title") }

// PID is the program's process.
func (s *Screen) PID() int {
	s.rig.T.Helper()
	pid, err := strconv.Atoi(s.format("pane_pid"))
	if err != nil {
		s.rig.T.Fatal(err)
	}
	return pid
}

// Type sends text as if typed, without Enter. The text has to show before the
// next key: a program that is still starting would take both for a paste.
func (s *Screen) Type(text string) {
	s.rig.T.Helper()
	s.tmux("send-keys", "-t", s.name, "-l", "--", text)
}

// Keys sends keys by tmux's names: Enter, Down, Escape, C-c.
func (s *Screen) Keys(keys ...string) {
	s.rig.T.Helper()
	s.tmux(append([]string{"send-keys", "-t", s.name, "--"}, keys...)...)
}

// Answer waits until the screen stands still, then sends keys to the dialog on
// it. The new version drops keys in the first 0.2 s of a dialog, so as not to
// take for an answer what was typed at something else.
func (s *Screen) Answer(keys ...string) {
	s.rig.T.Helper()
	s.settle()
	s.Keys(keys...)
}

var digits = regexp.MustCompile(`[0-9]+`)

// settle waits until the screen has not changed for a while.
func (s *Screen) settle() {
	s.rig.T.Helper()
	const still = 400 * time.Millisecond
	var last string
	var since time.Time // ages tick in ccmux: digits do not count
	s.rig.Eventually("screen "+s.name+" to stand still", func() bool {
		if now := digits.ReplaceAllString(s.Text(), "0"); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) >= still
	})
}

// Submit types a prompt, waits until the program shows it, and sends Enter.
func (s *Screen) Submit(text string) {
	s.rig.T.Helper()
	s.Type(text)
	s.Wait(text)
	s.Keys("Enter")
}

// Resize changes the terminal's size.
func (s *Screen) Resize(width, height int) {
	s.rig.T.Helper()
	s.tmux("resize-window", "-t", s.name, "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

// Wait waits until all the texts are on the screen at once.
func (s *Screen) Wait(texts ...string) {
	s.rig.T.Helper()
	s.rig.Eventually(fmt.Sprintf("%q on screen %s", texts, s.name), func() bool { return s.Has(texts...) })
}

// WaitGone waits until none of the texts is on the screen.
func (s *Screen) WaitGone(texts ...string) {
	s.rig.T.Helper()
	s.rig.Eventually(fmt.Sprintf("no %q on screen %s", texts, s.name), func() bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return s.Has(text) })
	})
}

// Has reports whether all the texts are on the screen now. A text may have
// been broken over lines: white space counts the same whatever it is.
func (s *Screen) Has(texts ...string) bool {
	s.rig.T.Helper()
	screen := s.Text()
	flat := strings.Join(strings.Fields(screen), " ")
	for _, text := range texts {
		if !strings.Contains(screen, text) && !strings.Contains(flat, strings.Join(strings.Fields(text), " ")) {
			return false
		}
	}
	return true
}

// WaitExit waits for the program's end and gives back its exit code, or minus
// the signal that ended it.
func (s *Screen) WaitExit() int {
	s.rig.T.Helper()
	var code int
	s.rig.Eventually("the end of the program on screen "+s.name, func() bool {
		status, signal, _ := strings.Cut(s.format("pane_dead_status}/#{pane_dead_signal"), "/")
		if status+signal == "" && s.Dead() {
			// tmux 3.3a now and then misses the end of a child; the end of
			// another makes it look.
			s.tmux("run-shell", "true")
		}
		n, err := strconv.Atoi(status + signal)
		if code = n; signal != "" {
			code = -n
		}
		return err == nil
	})
	return code
}

// Dead reports whether the program has ended.
func (s *Screen) Dead() bool { return s.format("pane_dead") == "1" }

func (s *Screen) framed() string {
	out, err := s.rig.tmuxCommand("capture-pane", "-p", "-t", s.name).Output()
	if err != nil {
		return fmt.Sprintf("--- screen %s is gone ---\n", s.name)
	}
	return fmt.Sprintf("--- screen %s ---\n%s\n", s.name, strings.TrimRight(string(out), "\n"))
}

// paste sends text as a terminal's bracketed paste.
func (s *Screen) paste(text string) {
	s.rig.T.Helper()
	s.tmux("set-buffer", "-b", s.name, "--", text)
	s.tmux("paste-buffer", "-p", "-d", "-b", s.name, "-t", s.name)
}
