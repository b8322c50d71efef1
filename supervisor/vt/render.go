package vt

import (
	"strconv"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// A Span paints over part of a row: a selection or a search hit.
type Span struct {
	From, To int // columns, To exclusive
	// Fg and Bg replace the colours if they are not Default; Attr is toggled,
	// so Inverse shows also on inverted text.
	Fg, Bg Color
	Attr   Attr
}

// AppendRow appends row y as text and SGR of exactly f.Cols columns. It starts
// from and ends in the default style, and holds no other control sequence but
// OSC 8 for links. Where a cell's text would join its neighbour's into one
// cluster, a sequence keeps them apart, so that the row measures what it should.
// Later spans win.
func (f *Frame) AppendRow(dst []byte, y int, spans ...Span) []byte {
	row := f.rows[y].cells
	var cur style
	pen := style{}
	lastID, lastSpan := uint32(0), -1
	for x := 0; x < len(row); x++ {
		c := row[x]
		if len(spans) == 0 && x > 0 && c.st == lastID && (c.ch-0x20 < 0x5f || c.ch == 0) {
			dst = append(dst, max(byte(c.ch), ' ')) // most cells are like the one before
			continue
		}
		span := -1
		for i := range spans {
			if x >= spans[i].From && x < spans[i].To {
				span = i
			}
		}
		if c.st != lastID || span != lastSpan || x == 0 {
			pen = f.look(c.st, span, spans)
			lastID, lastSpan = c.st, span
		}
		switch {
		case pen != cur:
			dst = f.change(dst, &cur, &pen)
		case f.joinsBefore(dst, row, x):
			dst = appendSGR(dst, &cur)
		}
		dst, x = f.appendCell(dst, row, x)
		if f.joinsAfter(c) {
			dst = appendSGR(dst, &cur)
		}
	}
	if cur != (style{}) {
		pen = style{}
		dst = f.change(dst, &cur, &pen)
	}
	return dst
}

func (f *Frame) look(id uint32, span int, spans []Span) style {
	st := f.tab.styles[id]
	if f.colors != nil {
		st.fg, st.bg, st.ul = f.colors.shown(st.fg, 0), f.colors.shown(st.bg, 1), f.colors.shown(st.ul, -1)
	}
	if f.Reverse {
		st.attr ^= Inverse
	}
	if span >= 0 {
		s := &spans[span]
		if s.Fg != Default {
			st.fg = s.Fg
		}
		if s.Bg != Default {
			st.bg = s.Bg
		}
		st.attr ^= s.Attr
	}
	return st
}

// joinsBefore tells whether the text of column x and that of the cell before it
// would be one cluster: they were printed apart, with a move in between, or with
// clusters off. A mark that stands alone would join whatever the row is put
// behind. The room behind dst is used to find out.
func (f *Frame) joinsBefore(dst []byte, row []cell, x int) bool {
	c := row[x]
	if c.ch&clusterBit == 0 && c.ch&runeMask < utf8.RuneSelf || c.isTail() {
		return false
	}
	first, _ := f.tab.ends(c)
	k := classOf(first)
	if x == 0 || k&mayJoinBits == 0 || k&joinsLeft != 0 {
		return k&joinsLeft != 0
	}
	prev := row[x-1]
	if prev.isTail() && x > 1 {
		prev = row[x-2]
	}
	if _, last := f.tab.ends(prev); last < utf8.RuneSelf || k&mayJoinBits == isPicture && last != zwj {
		return false
	}
	b := f.tab.appendText(dst[len(dst):], prev)
	n := len(b)
	one, _, err := graphemes.SplitFunc(f.tab.appendText(b, c), true)
	return err == nil && one > n
}

// joinsAfter tells whether anything that follows c would join it.
func (f *Frame) joinsAfter(c cell) bool {
	if c.ch&clusterBit == 0 && c.ch&runeMask < utf8.RuneSelf {
		return false
	}
	_, last := f.tab.ends(c)
	return classOf(last)&joinsNext != 0
}

// ends returns the first and the last rune of a cell's text.
func (tb *tables) ends(c cell) (first, last rune) {
	if c.ch&clusterBit == 0 {
		r := rune(c.ch & runeMask)
		return r, r
	}
	s := tb.clusters[c.ch&runeMask]
	first, _ = utf8.DecodeRuneInString(s)
	last, _ = utf8.DecodeLastRuneInString(s)
	return first, last
}

func (f *Frame) appendCell(dst []byte, row []cell, x int) ([]byte, int) {
	c := row[x]
	switch {
	case c.ch-0x20 < 0x5f:
		return append(dst, byte(c.ch)), x
	case c.blank() || c.isTail():
		return append(dst, ' '), x
	case c.isHead():
		if x+1 >= len(row) || !row[x+1].isTail() {
			return append(dst, ' '), x
		}
		return f.tab.appendText(dst, c), x + 1
	}
	return f.tab.appendText(dst, c), x
}

// change appends what leads from one style to another.
func (f *Frame) change(dst []byte, cur, to *style) []byte {
	if cur.link != to.link {
		l := f.tab.links[to.link]
		dst = append(dst, "\x1b]8;"...)
		if l.id != "" {
			dst = append(append(dst, "id="...), l.id...)
		}
		dst = append(append(append(dst, ';'), l.uri...), "\x1b\\"...)
	}
	a, b := *cur, *to
	a.link, b.link = 0, 0
	if a != b {
		dst = appendSGR(dst, to)
	}
	*cur = *to
	return dst
}

var attrCodes = [...]struct {
	bit  Attr
	code string
}{
	{Bold, ";1"},
	{Faint, ";2"},
	{Italic, ";3"},
	{Blink, ";5"},
	{RapidBlink, ";6"},
	{Inverse, ";7"},
	{Conceal, ";8"},
	{Strike, ";9"},
	{Overline, ";53"},
}

// appendSGR appends the sequence that sets st from whatever was set before.
func appendSGR(dst []byte, st *style) []byte {
	if st.fg|st.bg|st.ul == 0 && st.attr == 0 {
		return append(dst, "\x1b[m"...)
	}
	dst = append(dst, "\x1b[0"...)
	if st.attr != 0 {
		dst = appendAttrs(dst, st.attr)
	}
	dst = appendColor(dst, st.fg, 30)
	dst = appendColor(dst, st.bg, 40)
	if st.ul != Default {
		dst = appendColor(dst, st.ul, 50)
	}
	return append(dst, 'm')
}

func appendAttrs(dst []byte, attr Attr) []byte {
	for _, a := range attrCodes {
		if attr&a.bit != 0 {
			dst = append(dst, a.code...)
		}
	}
	switch u := attr & UnderlineMask; u {
	case 0:
	case UnderlineSingle:
		dst = append(dst, ";4"...)
	default:
		dst = append(dst, ";4:"...)
		dst = append(dst, '0'+byte(u/UnderlineSingle))
	}
	return dst
}

// appendColor appends a colour; base is 30, 40 or 50.
func appendColor(dst []byte, c Color, base int) []byte {
	if i, ok := c.Index(); ok {
		switch {
		case base < 50 && i < 8:
			return strconv.AppendInt(append(dst, ';'), int64(base+int(i)), 10)
		case base < 50 && i < 16:
			return strconv.AppendInt(append(dst, ';'), int64(base+60+int(i)-8), 10)
		}
		dst = strconv.AppendInt(append(dst, ';'), int64(base+8), 10)
		return strconv.AppendInt(append(dst, ";5;"...), int64(i), 10)
	}
	if r, g, b, ok := c.RGB(); ok {
		dst = strconv.AppendInt(append(dst, ';'), int64(base+8), 10)
		dst = append(dst, ";2"...)
		for _, v := range [...]uint8{r, g, b} {
			dst = strconv.AppendInt(append(dst, ';'), int64(v), 10)
		}
	}
	return dst
}
