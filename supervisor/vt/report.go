package vt

import "fmt"

// deviceAttributes is DA1: a VT220 with ANSI colour, and the clipboard (52) when
// somebody takes it. Sixel (4) is not claimed.
func (t *Terminal) deviceAttributes() string {
	if t.cfg.Clipboard == nil {
		return "\x1b[?62;22c"
	}
	return "\x1b[?62;22;52c"
}

func (t *Terminal) deviceStatus(what int) {
	switch what {
	case 5:
		t.reply("\x1b[0n")
	case 6:
		t.reply(t.cursorReport("\x1b[%d;%dR"))
	}
}

func (t *Terminal) cursorReport(format string) string {
	y := t.cur.y
	if t.modes.origin {
		return fmt.Sprintf(format, y-t.scr.top+1, t.cur.x-t.left+1)
	}
	return fmt.Sprintf(format, y+1, t.cur.x+1)
}

func (t *Terminal) privateStatus(what int) {
	switch what {
	case 6:
		t.reply(t.cursorReport("\x1b[?%d;%dR"))
	case 15:
		t.reply("\x1b[?13n") // no printer
	case 25:
		t.reply("\x1b[?20n") // user keys unlocked
	case 26:
		t.reply("\x1b[?27;1;0;0n") // North American keyboard
	case 996:
		t.reply(schemeReport(t.dark()))
	}
}

func requestParams(n int) string {
	if n > 1 {
		return ""
	}
	return fmt.Sprintf("\x1b[%d;1;1;128;128;1;0x", n+2)
}

// reportMode is DECRQM.
func (t *Terminal) reportMode(private bool, n int) {
	if private {
		t.reply(fmt.Sprintf("\x1b[?%d;%d$y", n, t.mode(n)))
		return
	}
	s := modeUnknown
	switch n {
	case 4:
		s = onOff(t.modes.insert)
	case 20:
		s = onOff(t.modes.newline)
	case 2:
		s = modeAlwaysReset
	case 12:
		s = modeAlwaysSet // SRM: nothing typed is echoed here
	}
	t.reply(fmt.Sprintf("\x1b[%d;%d$y", n, s))
}

// windowOp is XTWINOPS: reports and the title stack. Nothing moves a window.
func (t *Terminal) windowOp() {
	w, h := t.cfg.CellWidth, t.cfg.CellHeight
	switch t.par.raw(0) {
	case 11:
		t.reply("\x1b[1t")
	case 13:
		t.reply("\x1b[3;0;0t")
	case 14:
		t.reply(fmt.Sprintf("\x1b[4;%d;%dt", t.nrow*h, t.cols*w))
	case 15:
		t.reply(fmt.Sprintf("\x1b[5;%d;%dt", t.nrow*h, t.cols*w))
	case 16:
		t.reply(fmt.Sprintf("\x1b[6;%d;%dt", h, w))
	case 18:
		t.reply(fmt.Sprintf("\x1b[8;%d;%dt", t.nrow, t.cols))
	case 19:
		t.reply(fmt.Sprintf("\x1b[9;%d;%dt", t.nrow, t.cols))
	case 20:
		t.reply("\x1b]L\x1b\\")
	case 21:
		// The title came from the program and could be typed into a shell by
		// this answer, so it is withheld, as xterm does by default.
		t.reply("\x1b]l\x1b\\")
	case 22:
		if len(t.titles) < maxTitles {
			t.titles = append(t.titles, t.title)
		}
	case 23:
		if n := len(t.titles); n > 0 {
			t.title = t.titles[n-1]
			t.titles = t.titles[:n-1]
			t.emit(event{kind: evTitle, s: t.title})
		}
	}
}

func (t *Terminal) inBandSize() string {
	w, h := t.cfg.CellWidth, t.cfg.CellHeight
	return fmt.Sprintf("\x1b[48;%d;%d;%d;%dt", t.nrow, t.cols, t.nrow*h, t.cols*w)
}

// dispatchDCS answers DECRQSS and XTGETTCAP; every other DCS is swallowed.
func (t *Terminal) dispatchDCS(final byte, b []byte) {
	if final != 'q' || t.par.ninter != 1 || t.par.prefix != 0 {
		return
	}
	switch t.par.inter[0] {
	case '$':
		t.requestSetting(string(b))
	case '+':
		t.requestTermcap(string(b))
	}
}

// requestSetting is DECRQSS.
func (t *Terminal) requestSetting(what string) {
	var v string
	switch what {
	case "m":
		v = t.pen.setting()
	case "r":
		v = fmt.Sprintf("%d;%dr", t.scr.top+1, t.scr.bot+1)
	case "s":
		v = fmt.Sprintf("%d;%ds", t.left+1, t.right)
	case " q":
		v = fmt.Sprintf("%d q", t.shapeNumber())
	case `"p`:
		v = `62;1"p`
	case `"q`:
		v = `0"q`
		if t.prot {
			v = `1"q`
		}
	case "t":
		v = fmt.Sprintf("%dt", t.nrow)
	default:
		t.reply("\x1bP0$r\x1b\\")
		return
	}
	t.reply("\x1bP1$r" + v + "\x1b\\")
}

// setting is SGR as DECRQSS answers it: with the colours of 256 and of true ones
// in the form that has colons, by which programs find out that it is known.
func (st *style) setting() string {
	b := appendAttrs([]byte("0"), st.attr)
	for i, c := range [...]Color{st.fg, st.bg, st.ul} {
		base := 30 + 10*i
		if n, ok := c.Index(); ok && (n >= 16 || base == 50) {
			b = fmt.Appendf(b, ";%d:5:%d", base+8, n)
		} else if r, g, bl, ok := c.RGB(); ok {
			b = fmt.Appendf(b, ";%d:2::%d:%d:%d", base+8, r, g, bl)
		} else {
			b = appendColor(b, c, base)
		}
	}
	return string(b) + "m"
}

func (t *Terminal) shapeNumber() int {
	n := int(t.shape)*2 + 2
	if t.modes.blink {
		n--
	}
	return n
}
