package proc

import (
	"errors"
	"fmt"
	"os"
)

// ErrGone reports that there is no such process, or none any more.
var ErrGone = errors.New("process is gone")

// Process is what the kernel says about one process at one moment.
type Process struct {
	PID  int
	PPID int
	PGID int
	// SID is the process session, the set of processes that one terminal
	// login makes; it has nothing to do with a session of ours.
	SID int
	// Start is when the process started, in a unit of the platform's own
	// (Linux: clock ticks since boot; macOS: microseconds since 1970). It is
	// good for comparing, for nothing else.
	Start uint64
	// TTY is the device number of the controlling terminal, 0 for none.
	TTY uint64
	// Zombie says that it has ended and waits to be reaped.
	Zombie bool
	// Stopped says that a signal or a debugger holds it.
	Stopped bool
	// Comm is the short name, which a process may set itself.
	Comm string
}

// Identity names one process for good.
type Identity struct {
	PID   int
	Start uint64
}

// Identity returns the identity of p.
func (p Process) Identity() Identity { return Identity{PID: p.PID, Start: p.Start} }

func (id Identity) String() string { return fmt.Sprintf("%d@%d", id.PID, id.Start) }

// Alive reports whether this very process still runs; a zombie does not.
func (id Identity) Alive() bool {
	p, err := Stat(id.PID)
	return err == nil && p.Start == id.Start && !p.Zombie
}

// Self returns the identity of this process.
func Self() (Identity, error) {
	p, err := Stat(os.Getpid())
	if err != nil {
		return Identity{}, err
	}
	return p.Identity(), nil
}

// Identify returns the identity of the process which has this pid now.
func Identify(pid int) (Identity, error) {
	p, err := Stat(pid)
	if err != nil {
		return Identity{}, err
	}
	return p.Identity(), nil
}

// Session returns the processes that belong to process session sid, zombies
// left out.
func Session(sid int) ([]Process, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	var out []Process
	for _, p := range all {
		if p.SID == sid && !p.Zombie {
			out = append(out, p)
		}
	}
	return out, nil
}

// Descendants returns the processes below pid, nearest first, pid itself and
// zombies left out (the children of a zombie have another parent already).
func Descendants(pid int) ([]Process, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	return descendants(all, pid), nil
}

func descendants(all []Process, root int) []Process {
	children := make(map[int][]Process, len(all))
	for _, p := range all {
		children[p.PPID] = append(children[p.PPID], p)
	}
	seen := map[int]bool{root: true}
	var out []Process
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, p := range children[queue[0]] {
			if seen[p.PID] {
				continue
			}
			seen[p.PID] = true
			queue = append(queue, p.PID)
			if !p.Zombie {
				out = append(out, p)
			}
		}
	}
	return out
}
