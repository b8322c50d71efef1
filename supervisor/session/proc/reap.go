package proc

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ErrNotChild reports that pid is not a child of this process.
var ErrNotChild = errors.New("not a child of this process")

// Status is how a child ended.
type Status struct {
	Code   int         // exit code, -1 when a signal ended it
	Signal unix.Signal // 0 when it exited by itself
}

// ReapChild collects the status of the child pid if it has ended; ok is false
// while it runs. It never touches another child.
func ReapChild(pid int) (s Status, ok bool, err error) { return wait(pid, unix.WNOHANG) }

// WaitChild blocks until the child pid has ended and collects its status.
func WaitChild(pid int) (Status, error) {
	s, _, err := wait(pid, 0)
	return s, err
}

func wait(pid, options int) (Status, bool, error) {
	if pid <= 0 { // 0 and -1 would mean any child
		return Status{}, false, fmt.Errorf("wait for pid %d: %w", pid, ErrNotChild)
	}
	var ws unix.WaitStatus
	for {
		got, err := unix.Wait4(pid, &ws, options, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD):
			return Status{}, false, fmt.Errorf("wait for pid %d: %w", pid, ErrNotChild)
		case err != nil:
			return Status{}, false, fmt.Errorf("wait for pid %d: %w", pid, err)
		case got != pid:
			return Status{}, false, nil
		case ws.Signaled():
			return Status{Code: -1, Signal: ws.Signal()}, true, nil
		case ws.Exited():
			return Status{Code: ws.ExitStatus()}, true, nil
		}
		// stopped or continued: it lives
	}
}

// Reaper collects the children that were left to this process as subreaper.
// Children that the program started itself are waited for by whoever started
// them, and their status must not be stolen: a zombie is taken only when keep
// does not claim it and an earlier Sweep has already seen it dead.
type Reaper struct {
	seen map[Identity]bool
}

// Sweep looks once at this process's children and returns those it collected.
// Call it every few seconds, not more often than a caller of exec.Cmd needs to
// get around to its Wait. It is not safe for concurrent use.
func (r *Reaper) Sweep(keep func(pid int) bool) ([]Process, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	self := os.Getpid()
	dead := map[Identity]bool{}
	var out []Process
	for _, p := range all {
		if p.PPID != self || !p.Zombie || (keep != nil && keep(p.PID)) {
			continue
		}
		if !r.seen[p.Identity()] {
			dead[p.Identity()] = true
			continue
		}
		if _, ok, err := ReapChild(p.PID); ok && err == nil {
			out = append(out, p)
		}
	}
	r.seen = dead
	return out, nil
}
