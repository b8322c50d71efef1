package proc

import (
	"errors"
	"fmt"
)

// ErrUnreadable reports a chain of parents that could not be read to its end.
var ErrUnreadable = errors.New("chain of parent processes cannot be read")

// maxChain bounds the walk upwards; no honest chain comes near it.
const maxChain = 1024

// statFunc reads one process; a test puts a table in its place.
type statFunc func(pid int) (Process, error)

// Ancestry returns the process pid, its parent, and so on up to pid 1 (or to
// the first process of a container, whose parent cannot be seen).
func Ancestry(pid int) ([]Process, error) { return ancestry(Stat, pid) }

func ancestry(stat statFunc, pid int) ([]Process, error) {
	p, err := stat(pid)
	if err != nil {
		return nil, err
	}
	chain := []Process{p}
	for p.PPID != 0 && p.PID != 1 {
		if len(chain) >= maxChain {
			return chain, fmt.Errorf("%w: more than %d parents", ErrUnreadable, maxChain)
		}
		var parent Process
		p, parent, err = parentOf(stat, p)
		if err != nil {
			return chain, err
		}
		chain[len(chain)-1] = p
		chain = append(chain, parent)
		p = parent
	}
	return chain, nil
}

// parentOf returns the parent of p, and p as it is while it has that parent. A
// parent may end in between and leave p to another: then it looks again.
func parentOf(stat statFunc, p Process) (Process, Process, error) {
	for range 5 {
		parent, perr := stat(p.PPID)
		again, err := stat(p.PID)
		if err != nil {
			return p, Process{}, fmt.Errorf("%w: pid %d: %w", ErrUnreadable, p.PID, err)
		}
		if again.Start != p.Start {
			return p, Process{}, fmt.Errorf("%w: pid %d was handed out again", ErrUnreadable, p.PID)
		}
		switch {
		case again.PPID != p.PPID: // left to another parent meanwhile
		case perr == nil && parent.Start <= p.Start:
			return again, parent, nil
		case perr == nil: // younger than its child: a pid handed out again
		case !errors.Is(perr, ErrGone):
			return p, Process{}, fmt.Errorf("%w: pid %d: %w", ErrUnreadable, p.PPID, perr)
		}
		p = again
	}
	return p, Process{}, fmt.Errorf("%w: the parent of pid %d keeps changing", ErrUnreadable, p.PID)
}

// Check tells processes that descend from sessions from all others.
type Check struct {
	// Roots are the processes the sessions run in, and the process that runs
	// them (see Self): what daemonised inside a session is found below it when
	// SubreaperOn has been called.
	Roots []Identity
	// Terminals are the device numbers of the terminals opened for sessions
	// (Process.TTY). They are asked only where there is no subreaper.
	Terminals []uint64
	// Subreaper says that SubreaperOn worked. Without it a process whose chain
	// ends at pid 1 may be a daemonised child of a session; it is taken for the
	// human's only if it has a controlling terminal which is not one of ours.
	Subreaper bool

	stat statFunc // nil: the real one
}

// FromSession reports whether peer is, or descends from, one of roots, on a
// system whose subreaper is on. Any error means: refuse.
func FromSession(peer Identity, roots []Identity) (bool, error) {
	return Check{Roots: roots, Subreaper: true}.FromSession(peer)
}

// FromSession reports whether peer belongs to a session. Any error means that
// it cannot be told (the peer is gone, its pid was handed out again, its chain
// of parents cannot be read), and the answer is then true: refuse.
func (c Check) FromSession(peer Identity) (bool, error) {
	stat := c.stat
	if stat == nil {
		stat = Stat
	}
	chain, err := ancestry(stat, peer.PID)
	if err != nil {
		return true, fmt.Errorf("look at pid %d: %w", peer.PID, err)
	}
	switch first := chain[0]; {
	case first.Start != peer.Start:
		return true, fmt.Errorf("pid %d: %w: its pid was handed out again", peer.PID, ErrGone)
	case first.Zombie:
		return true, fmt.Errorf("pid %d: %w: it has ended", peer.PID, ErrGone)
	}
	roots := make(map[Identity]bool, len(c.Roots))
	for _, r := range c.Roots {
		roots[r] = true
	}
	for _, p := range chain {
		if roots[p.Identity()] {
			return true, nil
		}
	}
	return !c.Subreaper && !c.ownTerminal(chain[0]), nil
}

// ownTerminal reports whether p has a terminal that no session was given.
func (c Check) ownTerminal(p Process) bool {
	if p.TTY == 0 {
		return false
	}
	for _, t := range c.Terminals {
		if t == p.TTY {
			return false
		}
	}
	return true
}
