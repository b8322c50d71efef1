package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Stat reads what the kernel says about pid.
func Stat(pid int) (Process, error) {
	if pid <= 0 {
		return Process{}, fmt.Errorf("pid %d: %w", pid, ErrGone)
	}
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Process{}, fmt.Errorf("pid %d: %w", pid, goneOr(err))
	}
	p, err := parseStat(raw)
	if err != nil {
		return Process{}, fmt.Errorf("pid %d: %w", pid, err)
	}
	return p, nil
}

// goneOr turns the errors with which /proc says "ended" into ErrGone.
func goneOr(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}

// parseStat reads one line of /proc/PID/stat. The name in brackets is the
// process's own choice and may hold spaces, brackets and newlines, so the last
// closing bracket counts.
func parseStat(raw []byte) (Process, error) {
	open, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if open < 2 || end < open {
		return Process{}, errors.New("stat line without a name")
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(raw[:open])))
	if err != nil {
		return Process{}, fmt.Errorf("stat line: %w", err)
	}
	// fields after the name: state ppid pgrp session tty_nr … starttime is
	// field 22 of the line, the 20th of these.
	f := bytes.Fields(raw[end+1:])
	if len(f) < 20 || len(f[0]) != 1 {
		return Process{}, errors.New("stat line is short")
	}
	var n [5]int
	for i, at := range []int{1, 2, 3, 4} {
		if n[i], err = strconv.Atoi(string(f[at])); err != nil {
			return Process{}, fmt.Errorf("stat line: %w", err)
		}
	}
	start, err := strconv.ParseUint(string(f[19]), 10, 64)
	if err != nil {
		return Process{}, fmt.Errorf("stat line: %w", err)
	}
	return Process{
		PID: pid, PPID: n[0], PGID: n[1], SID: n[2], TTY: uint64(uint32(n[3])), //nolint:gosec // a device number, kept as bits
		Start: start, Comm: string(raw[open+1 : end]),
		Zombie:  f[0][0] == 'Z' || f[0][0] == 'X' || f[0][0] == 'x',
		Stopped: f[0][0] == 'T' || f[0][0] == 't',
	}, nil
}

// All returns every process that can be seen. What ends meanwhile is left out.
func All() ([]Process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	out := make([]Process, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		p, err := Stat(pid)
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// Exe returns the path of the program that pid runs. A file removed since then
// has " (deleted)" behind it.
func Exe(pid int) (string, error) {
	path, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	if err != nil {
		return "", fmt.Errorf("program of pid %d: %w", pid, goneOr(err))
	}
	return path, nil
}

// HasEnv reports whether pid was started with the environment entry
// "NAME=VALUE".
func HasEnv(pid int, entry string) (bool, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false, fmt.Errorf("environment of pid %d: %w", pid, goneOr(err))
	}
	for e := range bytes.SplitSeq(raw, []byte{0}) {
		if string(e) == entry {
			return true, nil
		}
	}
	return false, nil
}

// SubreaperOn makes this process the parent of what its descendants leave
// behind, so that a daemonised child stays findable. It reports whether the
// platform can.
func SubreaperOn() (bool, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return false, fmt.Errorf("become subreaper: %w", err)
	}
	return true, nil
}
