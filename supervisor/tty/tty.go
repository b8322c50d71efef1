// Package tty reads and sets the line discipline of a terminal by its
// descriptor, on Linux and macOS alike.
//
// It guarantees nothing but the two calls; it never changes the flags of the
// descriptor itself, which may be shared with the human's shell. The client uses
// it to mend the terminal it lent, the supervisor to leave a shell's own modes
// alone. It is tested through both, on real terminals.
package tty

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Modes is a terminal's line discipline.
type Modes unix.Termios

// Get returns the modes of the terminal f; it fails when f is none.
func Get(f *os.File) (*Modes, error) {
	t, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	if err != nil {
		return nil, fmt.Errorf("read the terminal's modes: %w", err)
	}
	return (*Modes)(t), nil
}

// Set gives the terminal f these modes at once.
func Set(f *os.File, m *Modes) error {
	if err := unix.IoctlSetTermios(int(f.Fd()), setTermios, (*unix.Termios)(m)); err != nil {
		return fmt.Errorf("set the terminal's modes: %w", err)
	}
	return nil
}

// Signals says whether keys such as ctrl+c make signals: they do in a shell, and
// do not on a terminal that a screen has taken.
func (m *Modes) Signals() bool { return m.Lflag&unix.ISIG != 0 }
