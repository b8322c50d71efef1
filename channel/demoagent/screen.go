package demoagent

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/ccmux/ccmux/channel/wire"
)

// What is sent at start and at the end; both as claude does.
const (
	enterModes = "\x1b7\x1b[r\x1b8\x1b[?25l\x1b[?2004h\x1b[?2031h\x1b[?1004h"
	queries    = "\x1b[>0q\x1b[?u\x1b]7501;?\x07\x1b[c"
	leaveModes = "\x1b[?1004l\x1b[?2031l\x1b[?2004l\x1b[<u\x1b[?25h\x1b[0m\x1b]0;\x07"
)

// Colours, as SGR parameters.
const (
	sgrPlain  = ""
	sgrBold   = "1"
	sgrDim    = "38;2;140;140;150"
	sgrBrand  = "38;2;120;170;255;1"
	sgrPrompt = "48;2;55;55;62;38;2;235;235;240"
	sgrPeer   = "38;2;130;200;160"
	sgrAsk    = "38;2;175;200;255"
	sgrWarn   = "38;2;240;180;90"
)

// maxLog is how many lines are kept for repainting after a resize.
const maxLog = 1000

// line is one paragraph of one colour.
type line struct{ sgr, text string }

// screen draws a log that scrolls up over a live part at the bottom. It writes
// only what changed: an idle agent writes nothing.
type screen struct {
	out        io.Writer
	cols, rows int
	log        []line
	fresh      int    // lines of log not yet on the terminal
	live       string // the live part as last drawn
	liveRows   int
	title      string
}

// add appends a paragraph to the log. Text from elsewhere is stripped of what
// could steer the terminal.
func (s *screen) add(sgr, text string) {
	for part := range strings.SplitSeq(text, "\n") {
		s.log = append(s.log, line{sgr, printable(part)})
		s.fresh++
	}
	if n := len(s.log) - maxLog; n > 0 {
		s.log = append(s.log[:0:0], s.log[n:]...)
		s.fresh = min(s.fresh, maxLog)
	}
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case wire.Hidden(r):
			return -1
		}
		return r
	}, s)
}

// draw brings the terminal up to date with the log and the live part.
func (s *screen) draw(live []line, title string) error {
	var b strings.Builder
	if title != s.title {
		b.WriteString("\x1b]0;" + printable(title) + "\x07")
		s.title = title
	}
	rows := s.wrapAll(live)
	if len(rows) >= s.rows {
		rows = rows[len(rows)-s.rows+1:]
	}
	text := strings.Join(rows, "\r\n")
	if s.fresh > 0 || text != s.live {
		s.toTop(&b)
		for _, r := range s.wrapAll(s.log[len(s.log)-s.fresh:]) {
			b.WriteString(r + "\r\n")
		}
		b.WriteString(text)
		s.fresh, s.live, s.liveRows = 0, text, len(rows)
	}
	return s.write(b.String())
}

// toTop goes to the first row of the live part and clears from there.
func (s *screen) toTop(b *strings.Builder) {
	b.WriteString("\r")
	if s.liveRows > 1 {
		b.WriteString("\x1b[" + itoa(s.liveRows-1) + "A")
	}
	b.WriteString("\x1b[J")
}

// resize repaints everything from the top left.
func (s *screen) resize(cols, rows int) error {
	s.cols, s.rows = cols, rows
	s.liveRows, s.live = 0, ""
	s.fresh = min(len(s.log), rows)
	return s.write("\x1b[H\x1b[J")
}

// raw passes bytes through above the live part; they end with a line end.
func (s *screen) raw(p []byte) error {
	var b strings.Builder
	s.toTop(&b)
	b.Write(p)
	b.WriteString(s.live)
	return s.write(b.String())
}

func (s *screen) write(text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(s.out, text)
	return err
}

func (s *screen) wrapAll(lines []line) []string {
	var rows []string
	for _, l := range lines {
		for _, part := range wrap(l.text, s.cols) {
			if l.sgr != "" {
				part = "\x1b[" + l.sgr + "m" + part + "\x1b[0m"
			}
			rows = append(rows, part)
		}
	}
	return rows
}

// wrap cuts text into rows of at most cols cells, between words where it can.
// Later rows are set in as far as the first begins after its mark.
func wrap(text string, cols int) []string {
	cols = max(cols, 2)
	indent := strings.Repeat(" ", hang(text, cols))
	var rows []string
	start, space, width, pos := 0, 0, 0, 0
	row := func(end int) {
		part := strings.TrimRight(text[start:end], " ")
		if len(rows) > 0 {
			part = indent + strings.TrimLeft(part, " ")
		}
		rows = append(rows, part)
	}
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		w := g.Width()
		for width+w > cols && pos > start {
			cut := pos
			if space > start && g.Value() != " " {
				cut = space
			}
			row(cut)
			start = cut + len(text[cut:pos]) - len(strings.TrimLeft(text[cut:pos], " "))
			width = len(indent) + displaywidth.String(text[start:pos])
		}
		width += w
		pos += len(g.Value())
		if g.Value() == " " {
			space = pos
		}
	}
	row(len(text))
	return rows
}

// hang is where the text of a paragraph begins: after blanks and a mark of one
// character.
func hang(text string, cols int) int {
	blank := len(text) - len(strings.TrimLeft(text, " "))
	mark, after, ok := strings.Cut(text[blank:], " ")
	n := blank
	if r, _ := utf8.DecodeRuneInString(mark); ok && displaywidth.String(mark) == 1 && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		n += 2 + len(after) - len(strings.TrimLeft(after, " "))
	}
	if n > cols/2 {
		return 0
	}
	return n
}
