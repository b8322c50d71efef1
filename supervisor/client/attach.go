package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ccmux/ccmux/channel/wire"
)

// releaseTimeout bounds how long a stop waits for ccmux to let go of the
// terminal; a ccmux that hangs must not keep the shell from coming back.
const releaseTimeout = 2 * time.Second

// signalTime is how long after the end of its context an attachment waits for
// the signal that caused it.
const signalTime = 50 * time.Millisecond

// AttachOptions are the terminal to lend and how.
type AttachOptions struct {
	In, Out, Err *os.File
	Env          []string // os.Environ of the terminal
	View         bool     // look without counting for the panes' size
}

// Pushes receives what ccmux pushes while a terminal is attached; its Push is
// to be given to Dial or Ensure.
type Pushes struct{ bye chan wire.Bye }

// NewPushes makes one for one connection.
func NewPushes() *Pushes { return &Pushes{bye: make(chan wire.Bye, 1)} }

// Push takes one frame.
func (p *Pushes) Push(f wire.Frame) {
	if f.Type != wire.TypeBye {
		return
	}
	var b wire.Bye
	_ = f.Decode(&b) // an empty reason is a plain detach
	select {
	case p.bye <- b:
	default:
	}
}

// How an attachment ends with ccmux itself.
var (
	ErrStopped = errors.New("ccmux was stopped")
	ErrDied    = errors.New("ccmux ended unexpectedly")
)

// Attach lends the terminal to ccmux until the screen ends, and returns its last
// words. However it ends, the terminal is as it was. It fails with ErrStopped or
// ErrDied when it was not the screen alone that ended.
func Attach(ctx context.Context, c *wire.Client, p *Pushes, o AttachOptions) (string, error) {
	t, err := openTerminal(o.In, o.Out, o.Err)
	if err != nil {
		return "", err
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT,
		syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	cols, rows := t.size()
	a := wire.Attach{Size: wire.Size{Cols: cols, Rows: rows}, Env: terminalEnv(o.Env), View: o.View, TTY: ttyName(o.In)}
	if err := lend(c, t, a); err != nil {
		t.mend()
		return "", err
	}
	s := &attached{client: c, term: t, bye: p.bye}
	return s.wait(ctx, signals)
}

// lend sends the attach frame with the terminal's three descriptors. The frame
// carries no id: what goes wrong comes back as a bye.
func lend(c *wire.Client, t *terminal, a wire.Attach) error {
	uc, ok := c.Conn().NetConn().(*net.UnixConn)
	if !ok {
		return errors.New("attach needs a unix socket")
	}
	rights := unix.UnixRights(int(t.in.Fd()), int(t.out.Fd()), int(t.err.Fd()))
	// One byte carries the descriptors: a blank before the frame's line.
	if _, _, err := uc.WriteMsgUnix([]byte(" "), rights, nil); err != nil {
		return fmt.Errorf("lend the terminal: %w", err)
	}
	return c.Conn().Write(wire.TypeAttach, 0, a)
}

// attached is a terminal while ccmux draws on it.
type attached struct {
	client *wire.Client
	term   *terminal
	bye    <-chan wire.Bye
}

func (s *attached) wait(ctx context.Context, signals <-chan os.Signal) (string, error) {
	for {
		select {
		case b := <-s.bye:
			return s.farewell(b)
		case <-s.client.Done():
			return s.gone()
		case sig := <-signals:
			if end := s.signal(ctx, sig); end {
				s.letGo(ctx)
				s.client.Close()
				return fmt.Sprintf("detached (%v)", sig), nil
			}
		case <-ctx.Done():
			return s.cancelled(context.WithoutCancel(ctx), signals), nil
		}
	}
}

// cancelled ends an attachment whose context ended. A program that ends its
// context at a signal gets that here too, from either of the two first.
func (s *attached) cancelled(ctx context.Context, signals <-chan os.Signal) (words string) {
	words = "detached"
	select {
	case sig := <-signals:
		words = fmt.Sprintf("detached (%v)", sig)
	case <-time.After(signalTime):
	}
	s.letGo(ctx)
	s.client.Close()
	return words
}

// gone ends an attachment whose connection ended; the bye may have come just
// before.
func (s *attached) gone() (string, error) {
	select {
	case b := <-s.bye:
		return s.farewell(b)
	default:
		s.term.mend()
		return "", ErrDied
	}
}

// farewell takes the last words of a screen.
func (s *attached) farewell(b wire.Bye) (string, error) {
	s.term.mode()
	if b.Stopped {
		return "", ErrStopped
	}
	return b.Reason, nil
}

func (s *attached) signal(ctx context.Context, sig os.Signal) (end bool) {
	switch sig {
	case syscall.SIGWINCH:
		cols, rows := s.term.size()
		_ = s.client.Conn().Write(wire.TypeResize, 0, wire.Size{Cols: cols, Rows: rows})
	case syscall.SIGTSTP:
		s.stop(ctx)
	case syscall.SIGCONT: // after a SIGSTOP nobody asked ccmux to let go: have it draw anew
		s.resume(ctx)
	default:
		return true
	}
	return false
}

// stop has ccmux let go of the terminal, then stops this process as the shell
// expects, and asks for the screen again when the human brings it back.
func (s *attached) stop(ctx context.Context) {
	s.letGo(ctx)
	// SIGSTOP, because SIGTSTP is caught here; the shell sees a stopped job all the same.
	_ = syscall.Kill(0, syscall.SIGSTOP)
}

// letGo has ccmux give the terminal back before anybody else writes on it: what
// two write at once, such as last words and the end of the alternate screen,
// comes in any order. A ccmux that hangs is not waited for.
func (s *attached) letGo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	if err := s.client.Call(ctx, wire.TypeSuspend, nil, nil); err != nil {
		s.term.mend()
	}
	s.term.mode()
}

func (s *attached) resume(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	_ = s.client.Call(ctx, wire.TypeResume, nil, nil) // a lost connection shows in wait
	cols, rows := s.term.size()
	_ = s.client.Conn().Write(wire.TypeResize, 0, wire.Size{Cols: cols, Rows: rows})
}

// terminalEnv keeps what says how the terminal draws, and which folder is ~; the rest of the
// environment is no business of a screen's.
func terminalEnv(env []string) []string {
	var keep []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(name, "TERM"), strings.HasPrefix(name, "LC_"),
			strings.HasPrefix(name, "KITTY_"), strings.HasPrefix(name, "WT_"),
			strings.HasPrefix(name, "CCMUX_"):
			keep = append(keep, kv)
		default:
			switch name {
			case "COLORTERM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORFGBG", "LANG", "TMUX", "STY", "SSH_TTY", "SSH_CONNECTION", "WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR", "HOME":
				keep = append(keep, kv)
			}
		}
	}
	return keep
}

func ttyName(f *os.File) string {
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return f.Name()
	}
	return name
}
