package proc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// zombieState is SZOMB of <sys/proc.h>.
const zombieState = 5

// Stat reads what the kernel says about pid.
func Stat(pid int) (Process, error) {
	if pid <= 0 {
		return Process{}, fmt.Errorf("pid %d: %w", pid, ErrGone)
	}
	kp, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		// the kernel answers with nothing for a pid that is not there, which
		// the library reports as EIO
		if errors.Is(err, unix.EIO) || errors.Is(err, unix.ESRCH) {
			err = ErrGone
		}
		return Process{}, fmt.Errorf("pid %d: %w", pid, err)
	}
	if int(kp.Proc.P_pid) != pid {
		return Process{}, fmt.Errorf("pid %d: %w", pid, ErrGone)
	}
	return fromKinfo(kp), nil
}

func fromKinfo(kp *unix.KinfoProc) Process {
	p := Process{
		PID: int(kp.Proc.P_pid), PPID: int(kp.Eproc.Ppid), PGID: int(kp.Eproc.Pgid),
		Start:  uint64(kp.Proc.P_starttime.Sec)*1_000_000 + uint64(kp.Proc.P_starttime.Usec), //nolint:gosec // never negative
		Zombie: kp.Proc.P_stat == zombieState,
		Comm:   unix.ByteSliceToString(kp.Proc.P_comm[:]),
	}
	if kp.Eproc.Tdev != -1 {
		p.TTY = uint64(uint32(kp.Eproc.Tdev)) //nolint:gosec // a device number, kept as bits
	}
	if sid, err := unix.Getsid(p.PID); err == nil {
		p.SID = sid
	}
	return p
}

// All returns every process that can be seen.
func All() ([]Process, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	out := make([]Process, 0, len(list))
	for i := range list {
		out = append(out, fromKinfo(&list[i]))
	}
	return out, nil
}

// arguments returns the program path and the strings behind it (arguments,
// then environment) of pid.
func arguments(pid int) (string, [][]byte, error) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", nil, fmt.Errorf("program of pid %d: %w", pid, err)
	}
	if len(raw) < 4 {
		return "", nil, fmt.Errorf("program of pid %d: short answer", pid)
	}
	argc := int(int32(binary.LittleEndian.Uint32(raw))) //nolint:gosec // as the kernel wrote it
	exe, rest, _ := bytes.Cut(raw[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	parts := bytes.Split(rest, []byte{0})
	if argc < 0 || argc > len(parts) {
		argc = len(parts)
	}
	return string(exe), parts[argc:], nil
}

// Exe returns the path of the program that pid runs.
func Exe(pid int) (string, error) {
	exe, _, err := arguments(pid)
	return exe, err
}

// HasEnv reports whether pid was started with the environment entry
// "NAME=VALUE".
func HasEnv(pid int, entry string) (bool, error) {
	_, env, err := arguments(pid)
	if err != nil {
		return false, err
	}
	for _, e := range env {
		if string(e) == entry {
			return true, nil
		}
	}
	return false, nil
}

// SubreaperOn reports false: macOS has no subreaper.
func SubreaperOn() (bool, error) { return false, nil }
