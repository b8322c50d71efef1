package tui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// maxQueue bounds the output that waits for the terminal. Pictures are painted
// only into an empty queue, so only what Bubble Tea writes by itself can fill it.
const maxQueue = 4 << 20

// writer is a screen's output: a bounded queue that one goroutine drains into
// the terminal. Nothing that writes ever waits. When the terminal takes nothing
// for the patience, or is gone, every write fails and down is called once.
type writer struct {
	term     *os.File // the descriptor that came from outside; never written to directly
	out      *os.File // the same terminal, opened anew so that it can be non-blocking
	own      bool     // out is ours to close
	patience time.Duration
	down     func(error) // from the draining goroutine
	empty    func()      // from the same: what was queued is with the terminal

	mu     sync.Mutex
	room   *sync.Cond
	queue  []byte
	spare  []byte
	err    error
	silent bool // what comes is dropped without an error

	wake chan struct{}
	stop chan struct{}
	done chan struct{}
}

var errClosed = errors.New("the screen is closed")

// newWriter opens the output and starts its goroutine. Close ends it.
func newWriter(term *os.File, patience time.Duration, down func(error), empty func()) *writer {
	w := &writer{
		term: term, patience: patience, down: down, empty: empty,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	w.room = sync.NewCond(&w.mu)
	w.out, w.own = reopen(term)
	go w.drain()
	return w
}

// reopen opens the terminal behind f once more. The new description has flags of
// its own: O_NONBLOCK on it does not reach the shell, which shares f's.
func reopen(f *os.File) (*os.File, bool) {
	for _, path := range []string{fmt.Sprintf("/proc/self/fd/%d", f.Fd()), f.Name()} {
		fd, err := unix.Open(path, unix.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		if sameTerminal(fd, int(f.Fd())) {
			return os.NewFile(uintptr(fd), f.Name()), true
		}
		_ = unix.Close(fd)
	}
	return f, false
}

func sameTerminal(a, b int) bool {
	var sa, sb unix.Stat_t
	if unix.Fstat(a, &sa) != nil || unix.Fstat(b, &sb) != nil {
		return false
	}
	return sa.Dev == sb.Dev && sa.Ino == sb.Ino && sa.Rdev == sb.Rdev
}

// Fd makes Bubble Tea ask this descriptor for the size and the mode.
func (w *writer) Fd() uintptr { return w.term.Fd() }

// Read is there to look like a file.
func (w *writer) Read([]byte) (int, error) { return 0, io.EOF }

// Close does nothing: the descriptor belongs to who attached it. See shut.
func (w *writer) Close() error { return nil }

// Write queues p.
func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.silent:
		return len(p), nil
	case w.err != nil:
		return 0, w.err
	case len(w.queue)+len(p) > maxQueue:
		return 0, ErrStalled
	}
	w.queue = append(w.queue, p...)
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return len(p), nil
}

// send is Write for those who learn of a failure by down.
func (w *writer) send(p []byte) {
	if len(p) > 0 {
		_, _ = w.Write(p)
	}
}

// busy says whether output waits for the terminal: a frame drawn now would be
// old when it arrives.
func (w *writer) busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queue) > 0
}

// mute drops what is written from now on.
func (w *writer) mute(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent = on
	w.room.Broadcast()
}

// flush waits until the queue is empty, the terminal failed or the time is over.
func (w *writer) flush(limit time.Duration) {
	t := time.AfterFunc(limit, w.room.Broadcast)
	defer t.Stop()
	end := time.Now().Add(limit)
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > 0 && w.err == nil && time.Now().Before(end) {
		w.room.Wait()
	}
}

// fail makes every write return err from now on.
func (w *writer) fail(err error) {
	w.mu.Lock()
	if w.err == nil {
		w.err = err
	}
	w.queue = nil
	w.mu.Unlock()
	w.room.Broadcast()
}

// shut ends the goroutine and waits for it. What is queued is dropped.
func (w *writer) shut() {
	w.fail(errClosed)
	close(w.stop)
	if w.own {
		_ = w.out.SetWriteDeadline(time.Unix(1, 0)) // wakes a write; put sees the stop
	}
	<-w.done
	if w.own {
		_ = w.out.Close()
	}
}

func (w *writer) drain() {
	defer close(w.done)
	for {
		select {
		case <-w.stop:
			return
		case <-w.wake:
		}
		for {
			p := w.take()
			if len(p) == 0 {
				break
			}
			if err := w.put(p); err != nil {
				stopped := w.stopping()
				w.fail(err)
				if !stopped {
					w.down(err)
				}
				return
			}
			if w.took(len(p)) {
				w.empty()
			}
		}
	}
}

func (w *writer) stopping() bool {
	select {
	case <-w.stop:
		return true
	default:
		return false
	}
}

// writePiece is how much is written at a time, so that progress is seen on a
// slow line.
const writePiece = 4 << 10

// take returns the next piece; it stays in the queue until took.
func (w *writer) take() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(w.queue), writePiece)
	w.spare = append(w.spare[:0], w.queue[:n]...)
	return w.spare
}

// took drops what was written, and says whether that was all.
func (w *writer) took(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = append(w.queue[:0], w.queue[min(n, len(w.queue)):]...)
	w.room.Broadcast()
	return len(w.queue) == 0
}

// put writes p, or fails after the patience without any progress. It waits in
// steps, so that bytes taken in the middle of a step begin the patience anew.
func (w *writer) put(p []byte) error {
	const steps = 5
	for idle := 0; len(p) > 0; {
		if w.own {
			_ = w.out.SetWriteDeadline(time.Now().Add(w.patience / steps))
			if w.stopping() {
				return errClosed
			}
		} else if err := waitWritable(int(w.out.Fd()), w.patience); err != nil {
			return err
		}
		n, err := w.out.Write(p)
		p = p[n:]
		if n > 0 {
			idle = 0
		}
		switch {
		case err == nil:
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf("%w: %w", ErrGone, err)
		case n == 0:
			if idle++; idle >= steps {
				return ErrStalled
			}
		}
	}
	return nil
}

// waitWritable is for a terminal that could not be opened anew: it is written to
// only when it says that it has room.
func waitWritable(fd int, patience time.Duration) error {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	end := time.Now().Add(patience)
	for {
		n, err := unix.Poll(fds, int(time.Until(end).Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("%w: %w", ErrGone, err)
		case n == 0:
			return ErrStalled
		case fds[0].Revents&(unix.POLLERR|unix.POLLNVAL|unix.POLLHUP) != 0:
			return ErrGone
		default:
			return nil
		}
	}
}
