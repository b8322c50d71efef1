package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/layout"
)

// picture is one drawing of the whole screen. It does not change once made.
type picture struct {
	w, h    int
	rows    [][]piece // from left to right, without gaps
	cursor  *tea.Cursor
	title   string
	charset charset
	grouped bool // the terminal groups characters into clusters
	tmux    bool // it is tmux, which groups some
	profile colorprofile.Profile
}

// piece is text in columns x to x+w of a row. It begins and ends in the
// terminal's own style.
type piece struct {
	x, w int
	text string
}

// put places lines in a rectangle; each must have its width.
func (p *picture) put(r layout.Rect, lines []string) {
	for i, l := range lines {
		if y := r.Y + i; i < r.H && y >= 0 && y < p.h {
			p.rows[y] = append(p.rows[y], piece{r.X, r.W, l})
		}
	}
}

// close sorts the rows and fills their gaps with blanks.
func (p *picture) close() {
	for y, row := range p.rows {
		for i := 1; i < len(row); i++ {
			for j := i; j > 0 && row[j].x < row[j-1].x; j-- {
				row[j], row[j-1] = row[j-1], row[j]
			}
		}
		x := 0
		out := make([]piece, 0, len(row)+1)
		for _, pc := range row {
			if pc.x > x {
				out = append(out, blankPiece(x, pc.x-x))
			}
			out = append(out, pc)
			x = pc.x + pc.w
		}
		if x < p.w {
			out = append(out, blankPiece(x, p.w-x))
		}
		p.rows[y] = out
	}
}

func blankPiece(x, w int) piece { return piece{x, w, strings.Repeat(" ", w)} }

// fit leaves in a text only what the terminal draws as wide as we think.
func (p *picture) fit(text string) string {
	switch p.charset {
	case asciiOnly:
		return cells.ASCII(text)
	case narrow:
		text = cells.Narrow(text)
	case anything:
	}
	switch {
	case p.grouped:
	case p.tmux:
		text = cells.SafeInTmux(text)
	default:
		text = cells.Safe(text)
	}
	return text
}

// String is the picture as lines of text.
func (p *picture) String() string {
	var b strings.Builder
	for y, row := range p.rows {
		if y > 0 {
			b.WriteByte('\n')
		}
		for _, pc := range row {
			b.WriteString(p.fit(pc.text))
		}
	}
	return b.String()
}

// painter turns pictures into what a terminal needs to show them, given what it
// shows already. Every piece that is drawn begins at a named place, so that a
// terminal which measures some character otherwise stays straight after it.
type painter struct {
	last   *picture // what the terminal shows; nil when that is not known
	synced bool     // the terminal knows synchronized updates (mode 2026)
	shape  int      // of the cursor, as DECSCUSR numbers it
	buf    []byte
}

// forget makes the next picture be drawn whole.
func (t *painter) forget() { t.last = nil }

// paint returns what changes the terminal to p; the result is valid until the
// next call.
func (t *painter) paint(p *picture) []byte {
	old := t.last
	if old != nil && (old.w != p.w || old.h != p.h || old.charset != p.charset || old.grouped != p.grouped || old.profile != p.profile) {
		old = nil
	}
	t.buf = t.buf[:0]
	if t.synced {
		t.buf = append(t.buf, "\x1b[?2026h"...)
	}
	begin := len(t.buf)
	t.buf = append(t.buf, "\x1b[?25l"...)
	hidden := len(t.buf)
	if old == nil {
		t.buf = append(t.buf, "\x1b[m\x1b[2J"...)
	}
	t.rows(old, p)
	if len(t.buf) == hidden && old != nil && sameCursor(old.cursor, p.cursor) {
		t.buf = t.buf[:begin] // the rows and the cursor are as they were
	} else {
		t.cursor(p.cursor)
	}
	if old == nil || old.title != p.title {
		t.buf = append(t.buf, "\x1b]2;"+p.title+"\x1b\\"...)
	}
	t.last = p
	if len(t.buf) == begin {
		return nil
	}
	if t.synced {
		t.buf = append(t.buf, "\x1b[?2026l"...)
	}
	return t.buf
}

// rows draws the pieces that differ.
func (t *painter) rows(old, p *picture) {
	for y, row := range p.rows {
		var was []piece
		if old != nil {
			was = old.rows[y]
		}
		i := 0
		for _, pc := range row {
			for i < len(was) && was[i].x < pc.x {
				i++
			}
			if i < len(was) && was[i] == pc {
				continue
			}
			t.move(pc.x, y)
			t.text(p, pc.text)
		}
	}
}

func (t *painter) move(x, y int) {
	t.buf = append(t.buf, "\x1b["...)
	t.buf = strconv.AppendInt(t.buf, int64(y+1), 10)
	t.buf = append(t.buf, ';')
	t.buf = strconv.AppendInt(t.buf, int64(x+1), 10)
	t.buf = append(t.buf, 'H')
}

// text appends a piece as the terminal can show it.
func (t *painter) text(p *picture, text string) {
	text = p.fit(text)
	if p.profile == colorprofile.TrueColor || !strings.Contains(text, "\x1b") {
		t.buf = append(t.buf, text...)
		return
	}
	w := colorprofile.Writer{Forward: (*appender)(&t.buf), Profile: max(p.profile, colorprofile.ASCII)}
	_, _ = w.WriteString(text) // an appender takes all
}

type appender []byte

func (a *appender) Write(p []byte) (int, error) {
	*a = append(*a, p...)
	return len(p), nil
}

func (t *painter) cursor(c *tea.Cursor) {
	if c == nil {
		return
	}
	if n := shapeOf(c); n != t.shape {
		t.buf = fmt.Appendf(t.buf, "\x1b[%d q", n)
		t.shape = n
	}
	t.move(c.X, c.Y)
	t.buf = append(t.buf, "\x1b[?25h"...)
}

// shapeOf numbers a cursor as DECSCUSR does.
func shapeOf(c *tea.Cursor) int {
	if c.Shape == shapeUsual {
		return 0
	}
	n := int(c.Shape)*2 + 1
	if !c.Blink {
		n++
	}
	return n
}

func sameCursor(a, b *tea.Cursor) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.X == b.X && a.Y == b.Y && shapeOf(a) == shapeOf(b)
}
