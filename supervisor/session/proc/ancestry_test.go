package proc

import (
	"errors"
	"fmt"
	"testing"
)

// table is a made-up set of processes.
type table map[int]Process

func (tb table) stat(pid int) (Process, error) {
	p, ok := tb[pid]
	if !ok {
		return Process{}, fmt.Errorf("pid %d: %w", pid, ErrGone)
	}
	return p, nil
}

// world: init 1, ccmux 50 with a session 60 (claude, shell 61, command 62) and
// an orphan 70 it got as subreaper; tmux 20 with the human's shell 21.
func world() table {
	tb := table{}
	for _, p := range []Process{
		{PID: 1, PPID: 0, Start: 1},
		{PID: 20, PPID: 1, Start: 20, TTY: 0},
		{PID: 21, PPID: 20, Start: 21, TTY: 5},
		{PID: 50, PPID: 1, Start: 50},
		{PID: 60, PPID: 50, Start: 60, TTY: 9},
		{PID: 61, PPID: 60, Start: 61, TTY: 9},
		{PID: 62, PPID: 61, Start: 62, TTY: 9},
		{PID: 70, PPID: 50, Start: 70},
		{PID: 80, PPID: 1, Start: 80},         // daemonised where there is no subreaper
		{PID: 81, PPID: 1, Start: 81, TTY: 9}, // the same, on a session's terminal
		{PID: 90, PPID: 91, Start: 90},        // its parent is gone
		{PID: 95, PPID: 96, Start: 95},        // its parent's pid was handed out again
		{PID: 96, PPID: 1, Start: 999},
		{PID: 97, PPID: 98, Start: 97}, // a ring
		{PID: 98, PPID: 97, Start: 97},
		{PID: 99, PPID: 1, Start: 99, Zombie: true, TTY: 5},
		{PID: 30, PPID: 0, Start: 30, TTY: 5}, // entered a container from outside
	} {
		tb[p.PID] = p
	}
	return tb
}

func TestFromSession(t *testing.T) {
	linux := Check{Roots: []Identity{{50, 50}, {60, 60}}, Subreaper: true}
	other := Check{Roots: []Identity{{50, 50}, {60, 60}}, Terminals: []uint64{9}}
	const human, session, refused = "human", "session", "refused"
	for _, c := range []struct {
		name         string
		peer         Identity
		linux, macOS string
	}{
		{"the human's shell under tmux", Identity{21, 21}, human, human},
		{"claude itself", Identity{60, 60}, session, session},
		{"a command of the model", Identity{62, 62}, session, session},
		{"an orphan of a session", Identity{70, 70}, session, session},
		{"ccmux itself", Identity{50, 50}, session, session},
		{"a daemon below init", Identity{80, 80}, human, session},
		{"a daemon on a session's terminal", Identity{81, 81}, human, session},
		{"from outside the container", Identity{30, 30}, human, human},
		{"gone", Identity{1000, 1}, refused, refused},
		{"its pid was handed out again", Identity{21, 22}, refused, refused},
		{"a zombie", Identity{99, 99}, refused, refused},
		{"the parent is gone", Identity{90, 90}, refused, refused},
		{"the parent is younger", Identity{95, 95}, refused, refused},
		{"a ring of parents", Identity{97, 97}, refused, refused},
		{"pid 0", Identity{0, 0}, refused, refused},
	} {
		for i, check := range []Check{linux, other} {
			want := []string{c.linux, c.macOS}[i]
			check.stat = world().stat
			from, err := check.FromSession(c.peer)
			got := map[bool]string{true: session, false: human}[from]
			if err != nil {
				got = refused
				if !from {
					t.Errorf("%s: an error, and the answer is not to refuse", c.name)
				}
			}
			if got != want {
				t.Errorf("%s: %s, want %s (%v)", c.name, got, want, err)
			}
		}
	}
}

// TestParentEndsInBetween: the parent ends between two looks and leaves the
// child to the subreaper, which is looked at instead.
func TestParentEndsInBetween(t *testing.T) {
	tb := world()
	tb[62] = Process{PID: 62, PPID: 61, Start: 62}
	looks := 0
	check := Check{Roots: []Identity{{50, 50}}, Subreaper: true, stat: func(pid int) (Process, error) {
		if looks++; looks == 2 {
			delete(tb, 61)
			tb[62] = Process{PID: 62, PPID: 50, Start: 62}
		}
		return tb.stat(pid)
	}}
	if from, err := check.FromSession(Identity{62, 62}); !from || err != nil {
		t.Errorf("%v, %v", from, err)
	}
}

func TestUnreadableParent(t *testing.T) {
	tb := world()
	denied := errors.New("permission denied")
	check := Check{Subreaper: true, stat: func(pid int) (Process, error) {
		if pid == 20 {
			return Process{}, denied
		}
		return tb.stat(pid)
	}}
	if from, err := check.FromSession(Identity{21, 21}); !from || !errors.Is(err, ErrUnreadable) || !errors.Is(err, denied) {
		t.Errorf("%v, %v", from, err)
	}
}

func TestDescendants(t *testing.T) {
	var all []Process
	for _, p := range world() {
		all = append(all, p)
	}
	got := map[int]bool{}
	for _, p := range descendants(all, 50) {
		got[p.PID] = true
	}
	if len(got) != 4 || !got[60] || !got[61] || !got[62] || !got[70] {
		t.Errorf("below 50: %v", got)
	}
	if d := descendants(all, 97); len(d) != 1 {
		t.Errorf("a ring: %v", d)
	}
}
