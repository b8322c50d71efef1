package demoagent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is the tty in raw mode.
type terminal struct {
	in, out *os.File
	saved   *unix.Termios
	wake    [2]*os.File // a byte, or the end of it, stops the reader
}

func openTerminal(in, out *os.File) (*terminal, error) {
	saved, err := unix.IoctlGetTermios(int(in.Fd()), getTermios)
	if err != nil {
		return nil, fmt.Errorf("the demo agent needs a terminal: %w", err)
	}
	raw := *saved
	raw.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Cflag &^= unix.CSIZE | unix.PARENB
	raw.Cflag |= unix.CS8
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(in.Fd()), setTermios, &raw); err != nil {
		return nil, fmt.Errorf("set raw mode: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	return &terminal{in: in, out: out, saved: saved, wake: [2]*os.File{r, w}}, nil
}

// restore gives the terminal back as it was.
func (t *terminal) restore() {
	_ = unix.IoctlSetTermios(int(t.in.Fd()), setTermios, t.saved)
	_ = t.wake[0].Close()
}

// stopReading ends readKeys.
func (t *terminal) stopReading() { _ = t.wake[1].Close() }

// size is in columns and rows; a terminal that does not tell has 80×24.
func (t *terminal) size() (cols, rows int) {
	ws, err := unix.IoctlGetWinsize(int(t.out.Fd()), unix.TIOCGWINSZ)
	if err != nil || ws.Col == 0 || ws.Row == 0 {
		return 80, 24
	}
	return int(ws.Col), int(ws.Row)
}

// readKeys hands keys to got until the terminal hangs up, reading is stopped or
// ctx ends.
func (t *terminal) readKeys(ctx context.Context, got func(key)) error {
	fds := []unix.PollFd{{Fd: int32(t.in.Fd()), Events: unix.POLLIN}, {Fd: int32(t.wake[0].Fd()), Events: unix.POLLIN}}
	chunk := make([]byte, 64<<10)
	var buf []byte
	for ctx.Err() == nil {
		wait := -1
		if len(buf) > 0 {
			wait = int(escTime / time.Millisecond)
		}
		n, err := unix.Poll(fds, wait)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || fds[1].Revents != 0 {
			return err
		}
		if n > 0 {
			m, err := unix.Read(int(t.in.Fd()), chunk)
			if m <= 0 {
				return fmt.Errorf("the terminal hung up: %w", err)
			}
			buf = append(buf, chunk[:m]...)
		}
		var keys []key
		keys, buf = decodeKeys(buf, n == 0)
		for _, k := range keys {
			got(k)
		}
	}
	return nil
}
