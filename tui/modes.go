package tui

import (
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"github.com/ccmux/ccmux/channel/wire"
)

// enterModes takes a terminal: title kept, alternate screen, no wrap at the
// margin, paste marked, focus told, mouse with buttons and drags, keys told
// apart (xterm's way, and kitty's with what the key is on other layouts).
const enterModes = "\x1b[22;0t\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[?1002h\x1b[?1006h\x1b[>4;2m\x1b[>5u"

// leaveModes gives it back, in the opposite order.
const leaveModes = "\x1b[m\x1b[<1u\x1b[>4m\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1004l\x1b[?2004l\x1b[0 q\x1b[?25h\x1b[?7h\x1b[?1049l\x1b[23;0t"

// askColor asks for the text's colour and the background's, askModes for synchronized updates and for
// grouping into clusters.
const (
	askColor = "\x1b]10;?\x1b\\\x1b]11;?\x1b\\"
	askModes = "\x1b[?2026$p\x1b[?2027$p"
	// hover has the mouse told also without a button, drags is as before.
	hover   = "\x1b[?1003h"
	drags   = "\x1b[?1003l\x1b[?1002h"
	group   = "\x1b[?2027h"
	ungroup = "\x1b[?2027l"
)

// questions are what may be asked of a terminal: some print a question they do
// not know.
func (e environment) questions() string {
	if e["TERM"] == "dumb" || e["TERM"] == "linux" {
		return ""
	}
	if strings.Contains(e["TERM_PROGRAM"], "Apple") {
		return askColor
	}
	return askColor + askModes
}

// terminalState is what a terminal was before a screen took it.
type terminalState struct {
	in    *os.File
	saved *term.State
}

// takeTerminal makes the terminal raw. It fails when it is none.
func takeTerminal(in *os.File) (*terminalState, error) {
	saved, err := term.MakeRaw(in.Fd())
	if err != nil {
		return nil, err
	}
	return &terminalState{in: in, saved: saved}, nil
}

// giveBack restores the terminal's modes of input.
func (t *terminalState) giveBack() error { return term.Restore(t.in.Fd(), t.saved) }

// sizeOf asks the kernel for a terminal's size; def when it does not know.
func sizeOf(f *os.File, def wire.Size) wire.Size {
	ws, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err == nil && ws.Col > 0 && ws.Row > 0 {
		return wire.Size{Cols: int(ws.Col), Rows: int(ws.Row)}
	}
	if def.Cols > 0 && def.Rows > 0 {
		return def
	}
	return wire.Size{Cols: 80, Rows: 24}
}
