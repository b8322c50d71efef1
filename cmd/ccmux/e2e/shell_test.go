//go:build e2e

package e2e

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"

	"github.com/creack/pty"
)

// upInShell is Up from a shell prompt, to see what the human is left with.
func (r *Rig) upInShell(name string) *Mux {
	r.T.Helper()
	r.Folder(name)
	r.configure([]string{name})
	r.Env["PS1"] = "prompt> "
	m := &Mux{r.StartSized(160, 45, r.work(), "bash", "--norc", "--noprofile", "-i"), []string{name}}
	m.Wait("prompt>")
	m.Type(strings.Join(r.upCommand([]string{name}), " "))
	m.Keys("Enter")
	m.confirmAgain(name, 0)
	r.Eventually(name+" idle", func() bool { return r.listed(name).State == "idle" })
	return m
}

// usableShell tries the terminal as a human would: a line can be typed, is
// echoed, runs, and the cursor shows; no mode of the screen is left behind.
func (m *Mux) usableShell() {
	m.rig.T.Helper()
	m.Wait("prompt>")
	m.Type("echo still-$((40+2))")
	m.Wait("echo still-$((40+2))")
	m.Keys("Enter")
	m.Wait("still-42")
	for _, mode := range []string{"alternate_on", "mouse_any_flag"} {
		m.rig.Eventually(mode+" off", func() bool { return m.format(mode) == "0" })
	}
	m.rig.Eventually("a cursor", func() bool { return m.format("cursor_flag") == "1" })
	m.Type("stty -a | tr ';' '\\n' | grep -wo -e '-\\?icanon' -e '-\\?echo' | paste -sd,")
	m.Keys("Enter")
	m.Wait("icanon,echo")
}

// server is the pid of the ccmux in the background.
func (r *Rig) server() int {
	r.T.Helper()
	var l struct{ PID int }
	if err := json.Unmarshal([]byte(r.ccmux("ls", "--json")), &l); err != nil {
		r.T.Fatal(err)
	}
	return l.PID
}

// screensAttached is how many terminals ccmux draws on.
func (r *Rig) screensAttached() int {
	r.T.Helper()
	var l struct{ Screens int }
	if err := json.Unmarshal([]byte(r.ccmux("ls", "--json")), &l); err != nil {
		r.T.Fatal(err)
	}
	return l.Screens
}

// attached is the pid of the process that lent the terminal.
func (r *Rig) attached() int {
	r.T.Helper()
	for _, p := range r.Processes() {
		if strings.HasPrefix(p.Command, "ccmux attach") || strings.HasPrefix(p.Command, "ccmux up") {
			return p.PID
		}
	}
	r.T.Fatalf("no attach process among %v", r.Processes())
	return 0
}

// claudes are the claude processes that run.
func (r *Rig) claudes() []Process {
	return slices.DeleteFunc(r.Processes(), func(p Process) bool {
		return !strings.Contains(p.Command, "--session-id") && !strings.Contains(p.Command, "--resume")
	})
}

// deafTerminal runs ccmux in a terminal that nobody ever reads.
func (r *Rig) deafTerminal(args ...string) {
	r.T.Helper()
	r.seed()
	cmd := exec.Command(ccmuxPath, args...)
	cmd.Dir = r.work()
	for key, value := range r.Env {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 160, Rows: 45})
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(func() {
		f.Close()
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()
	})
}
