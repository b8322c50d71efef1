//go:build e2e

package e2e

import (
	"errors"
	"fmt"
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

// String is for failure messages.
func (p Process) String() string { return fmt.Sprintf("%d %s", p.PID, p.Command) }
