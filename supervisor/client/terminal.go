package client

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ccmux/ccmux/supervisor/tty"
)

// resetSequence brings a terminal back from whatever a screen that died left
// behind: synchronized output, clusters, kitty keys, bracketed paste, focus reports,
// mouse, light/dark reports, alternate screen, title, scroll region, attributes,
// cursor.
const resetSequence = "\x1b[?2026l\x1b[?2027l\x1b[<u\x1b[=0u\x1b[>4m\x1b[?2004l\x1b[?1004l\x1b[?2031l" +
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1016l" +
	"\x1b[?1049l\x1b[23;0t\x1b[r\x1b[0m\x1b[?25h\x1b[0 q\x1b[?7h\r"

// terminal is the human's, as it was before a screen was shown on it.
type terminal struct {
	in, out, err *os.File
	saved        *tty.Modes
}

// CheckTerminal says what keeps in and out from being lent: ErrNoTerminal.
func CheckTerminal(in, out *os.File) error {
	if _, err := tty.Get(in); err != nil {
		return fmt.Errorf("standard input %w", ErrNoTerminal)
	}
	if _, err := tty.Get(out); err != nil {
		return fmt.Errorf("standard output %w", ErrNoTerminal)
	}
	return nil
}

// ErrNoTerminal ends a sentence about what should have been one.
var ErrNoTerminal = errors.New("is not a terminal")

// openTerminal remembers the state of the terminal on in and out.
func openTerminal(in, out, errs *os.File) (*terminal, error) {
	if err := CheckTerminal(in, out); err != nil {
		return nil, fmt.Errorf("%w: run ccmux in one, or use ccmux ls, send and approvals", err)
	}
	saved, err := tty.Get(in)
	if err != nil {
		return nil, fmt.Errorf("look at the terminal: %w", err)
	}
	return &terminal{in: in, out: out, err: errs, saved: saved}, nil
}

// size is in cells; a terminal that does not know says 80 by 24.
func (t *terminal) size() (cols, rows int) {
	ws, err := unix.IoctlGetWinsize(int(t.out.Fd()), unix.TIOCGWINSZ)
	if err != nil || ws.Col == 0 || ws.Row == 0 {
		return 80, 24
	}
	return int(ws.Col), int(ws.Row)
}

// mode puts the saved line discipline back.
func (t *terminal) mode() { _ = tty.Set(t.in, t.saved) } // a terminal that is gone needs none

// mend undoes what a screen that did not end in order left behind.
func (t *terminal) mend() {
	t.mode()
	_, _ = t.out.WriteString(resetSequence)
}
