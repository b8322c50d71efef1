package vt

import "strconv"

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
// OSC 8 for links. Later spans win.
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
		if pen != cur {
			dst = f.change(dst, &cur, &pen)
		}
		dst, x = f.appendCell(dst, row, x)
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
		for _, a := range attrCodes {
			if st.attr&a.bit != 0 {
				dst = append(dst, a.code...)
			}
		}
		switch u := st.attr & UnderlineMask; u {
		case 0:
		case UnderlineSingle:
			dst = append(dst, ";4"...)
		default:
			dst = append(dst, ";4:"...)
			dst = append(dst, '0'+byte(u/UnderlineSingle))
		}
	}
	dst = appendColor(dst, st.fg, 30)
	dst = appendColor(dst, st.bg, 40)
	if st.ul != Default {
		dst = appendColor(dst, st.ul, 50)
	}
	return append(dst, 'm')
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
