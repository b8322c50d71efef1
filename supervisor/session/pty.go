package session

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/ccmux/ccmux/supervisor/session/proc"
)

const hangup = syscall.SIGHUP

// startPty starts cmd as leader of a process session of its own whose
// controlling terminal is a new pty, and returns the master side.
func startPty(cmd *exec.Cmd, cols, rows int) (*os.File, error) {
	size := &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)} //nolint:gosec // checked to be small
	f, err := pty.StartWithAttrs(cmd, size, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	if err != nil {
		return nil, err
	}
	master, err := rewrap(f)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	return master, nil
}

// rewrap takes f over and returns the same pty as a file that the runtime
// polls. As the library returns it, Close does not wake a Read and deadlines do
// nothing.
func rewrap(f *os.File) (*os.File, error) {
	defer f.Close() // the duplicate lives on
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("duplicate pty: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("pty: %w", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil //nolint:gosec // a descriptor
}

// onFD calls f with the pty's descriptor, without making it blocking again as
// os.File.Fd would.
func (s *Session) onFD(f func(fd int) error) error {
	rc, err := s.master.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := rc.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil { //nolint:gosec // a descriptor
		return err
	}
	return inner
}

// read feeds the screen until the pty ends. It alone writes to the screen, and
// it alone resizes it, so that nothing is drawn at a wrong size.
func (s *Session) read() {
	buf := make([]byte, 32<<10)
	var g gather
	for {
		n, err := s.master.Read(buf)
		if n >= gatherFull {
			floods <- struct{}{}
			s.parse(buf[:n])
			<-floods
		} else {
			s.parse(buf[:n])
		}
		if now := time.Now(); err == nil && g.pause(n, now) && now.UnixNano()-s.typed.Load() > int64(gatherQuiet) {
			<-time.After(gatherFor)
			continue
		}
		if errors.Is(err, os.ErrDeadlineExceeded) { // Resize woke us
			_ = s.master.SetReadDeadline(time.Time{})
			s.resizeNow(buf)
			continue
		}
		if err != nil { // EIO is the end on Linux
			return
		}
		runtime.Gosched() // a flood never blocks here, and keys and screens wait behind it
	}
}

// floods leaves a processor free while sessions print without end: where all are
// at work, nobody asks the kernel what is ready, and a key or its echo waits for
// the runtime's own look, ten milliseconds apart.
var floods = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))

// A program that goes on printing wakes its reader for every piece, which costs
// several times what the pieces do. After a while of that they are gathered for
// most of a frame of the screen; the terminal holds many times as much. After a
// key it is not done for a while, because somebody waits for its echo.
const (
	gatherFor    = 12 * time.Millisecond
	gatherWindow = 40 * time.Millisecond
	gatherReads  = 8                      // reads in a window that make it a busy one
	gatherAfter  = 5                      // busy windows in a row after which pieces are gathered
	gatherQuiet  = 300 * time.Millisecond // since the last key
	gatherFull   = 4000                   // of 4095 that a read of a pty gives at most: there is more
	gatherLarge  = 16 << 10               // gathered bytes above which waiting would hold the program up
	gatherSmall  = 256                    // gathered bytes under which it is over
)

// gather decides when to let output gather.
type gather struct {
	on     bool
	bytes  int       // gathered since the last pause
	since  time.Time // when the window began
	reads  int       // in it
	streak int       // busy windows in a row
}

// pause says whether to wait after a read of n bytes at now.
func (g *gather) pause(n int, now time.Time) bool {
	if g.bytes += n; n >= gatherFull {
		return false
	}
	got := g.bytes
	g.bytes = 0
	if g.on {
		g.on = got >= gatherSmall
		return g.on && got < gatherLarge
	}
	if g.reads++; now.Sub(g.since) >= gatherWindow {
		if g.streak++; g.reads < gatherReads || now.Sub(g.since) > 2*gatherWindow {
			g.streak = 0
		}
		g.since, g.reads = now, 0
	}
	if g.streak < gatherAfter {
		return false
	}
	g.on, g.streak = true, 0
	return true
}

func (s *Session) parse(p []byte) {
	if len(p) == 0 {
		return
	}
	_, _ = s.screen.Write(p)
	if s.spec.OnOutput != nil {
		s.spec.OnOutput()
	}
	if s.looks.Load() {
		poke(s.dirty)
	}
}

// drainLimit bounds what is read before a resize; a flood never ends.
const drainLimit = 256 << 10

// drain reads what the child has written so far.
func (s *Session) drain(buf []byte) {
	rc, err := s.master.SyscallConn()
	if err != nil {
		return
	}
	for total := 0; total < drainLimit; {
		n := 0
		err := rc.Read(func(fd uintptr) bool {
			n, _ = unix.Read(int(fd), buf) //nolint:gosec // a descriptor
			return true
		})
		if err != nil || n <= 0 {
			return
		}
		s.parse(buf[:n])
		total += n
	}
}

// resizing hands the newest wanted size to the reader.
type resizing struct {
	mu   sync.Mutex
	next *resize
}

type resize struct {
	cols, rows int
	done       chan error
}

// Resize changes the size of the pane: what the child wrote so far is drawn at
// the old size, then the cells change, then the child is told. A newer Resize
// that comes meanwhile takes the place of this one. On an ended session only
// the cells change.
func (s *Session) Resize(cols, rows int) error {
	if err := checkSize(cols, rows); err != nil {
		return err
	}
	r := &resize{cols: cols, rows: rows, done: make(chan error, 1)}
	s.size.mu.Lock()
	old := s.size.next
	s.size.next = r
	s.size.mu.Unlock()
	if old != nil {
		old.done <- nil
	}
	_ = s.master.SetReadDeadline(time.Unix(1, 0))
	select {
	case err := <-r.done:
		return err
	case <-s.readerDone:
	}
	s.size.mu.Lock()
	defer s.size.mu.Unlock()
	if s.size.next == r {
		s.size.next = nil
		s.screen.Resize(cols, rows)
	}
	return nil
}

func (s *Session) resizeNow(buf []byte) {
	s.size.mu.Lock()
	r := s.size.next
	s.size.next = nil
	s.size.mu.Unlock()
	if r == nil {
		return
	}
	s.drain(buf)
	s.screen.Resize(r.cols, r.rows)
	err := s.onFD(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ,
			&unix.Winsize{Col: uint16(r.cols), Row: uint16(r.rows)}) //nolint:gosec // checked to be small
	})
	if err != nil {
		err = fmt.Errorf("resize pty: %w", err)
	}
	r.done <- err
	if s.spec.OnOutput != nil {
		s.spec.OnOutput()
	}
}

// redraw asks the program to draw itself anew, as after a resize.
func (s *Session) redraw() {
	_ = s.onFD(func(fd int) error {
		pgrp, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		if err != nil || pgrp <= 0 {
			return err
		}
		return unix.Kill(-pgrp, unix.SIGWINCH)
	})
}

// waitCmd waits for a child we started.
func waitCmd(cmd *exec.Cmd) Exit {
	err := cmd.Wait()
	st := cmd.ProcessState
	if st == nil {
		return Exit{Code: -1, Unknown: err != nil}
	}
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return Exit{Code: -1, Signal: ws.Signal()}
	}
	return Exit{Code: st.ExitCode()}
}

// notChildPoll is how often a process that is not our child is looked at.
const notChildPoll = 250 * time.Millisecond

// waitPID waits for a process that was started before this image, which is
// our child if that was us.
func waitPID(id proc.Identity) Exit {
	st, err := proc.WaitChild(id.PID)
	if err == nil {
		return Exit{Code: st.Code, Signal: st.Signal}
	}
	t := time.NewTicker(notChildPoll)
	defer t.Stop()
	for id.Alive() {
		<-t.C
	}
	return Exit{Code: -1, Unknown: true}
}
