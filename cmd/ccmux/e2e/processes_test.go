//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// Process is a process that runs in the rig.
type Process struct {
	PID     int
	Command string
}

// Processes are those that run with the rig's HOME, whoever started them and
// however far they have gone from their parents. tmux itself is left out.
func (r *Rig) Processes() []Process {
	var found []Process
	for _, p := range withHome(r.Home) {
		if !strings.HasPrefix(p.Command, "tmux ") {
			found = append(found, p)
		}
	}
	return found
}

// sweep ends what a test left behind. Everything with the rig's HOME was
// started by this test.
func (r *Rig) sweep() {
	for _, p := range withHome(r.Home) {
		// It may have ended by itself meanwhile.
		if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			r.T.Errorf("kill %d (%s): %v", p.PID, p.Command, err)
		}
	}
	if !poll(func() bool { return len(withHome(r.Home)) == 0 }) {
		r.T.Errorf("processes survive SIGKILL: %v", withHome(r.Home))
	}
}

// Signal sends a signal to a process of the rig.
func (r *Rig) Signal(pid int, sig syscall.Signal) {
	r.T.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		r.T.Fatalf("signal %s to %d: %v", sig, pid, err)
	}
}

// psHome finds processes by ps, where there is no /proc.
func psHome(home string) []Process {
	out, err := exec.Command("ps", "-axEww", "-o", "pid=,command=").Output()
	if err != nil {
		return nil
	}
	var found []Process
	for line := range strings.Lines(string(out)) {
		pid, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(pid)
		if err == nil && strings.Contains(rest+" ", " HOME="+home+" ") {
			found = append(found, Process{n, rest})
		}
	}
	return found
}

// String is for failure messages.
func (p Process) String() string { return fmt.Sprintf("%d %s", p.PID, p.Command) }
