package vt

// dispatchCSI executes a CSI sequence.
func (t *Terminal) dispatchCSI(final byte) {
	p := &t.par
	if final == 'b' && p.prefix == 0 && p.ninter == 0 {
		t.repeat(p.at(0, 1))
		t.open = false
		return
	}
	t.last = cell{}
	if final == 'm' && p.prefix == 0 && p.ninter == 0 {
		t.sgr()
		return
	}
	t.open = false
	switch {
	case p.ninter == 0 && p.prefix == 0:
		t.csiPlain(final)
	case p.ninter == 0:
		t.csiPrefixed(p.prefix, final)
	case p.ninter == 1:
		t.csiInter(p.prefix, p.inter[0], final)
	}
}

func (t *Terminal) csiPlain(final byte) {
	p := &t.par
	n := p.at(0, 1)
	switch final {
	case 'A':
		t.cursorUp(n)
	case 'B':
		t.cursorDown(n)
	case 'C':
		t.cursorRight(n)
	case 'a':
		t.moveTo(t.within(t.cur.x+n, t.cur.y))
	case 'e':
		t.moveTo(t.within(t.cur.x, t.cur.y+n))
	case 'D':
		t.cursorLeft(n)
	case 'E':
		t.cursorDown(n)
		t.carriageReturn()
	case 'F':
		t.cursorUp(n)
		t.carriageReturn()
	case 'G', '`':
		t.moveTo(t.column(n-1), t.cur.y)
	case 'H', 'f':
		t.cursorTo(p.at(1, 1)-1, n-1)
	case 'I':
		t.tab(n)
	case 'Z':
		t.backTab(n)
	case 'd':
		t.rowTo(n - 1)
	default:
		if !t.csiMode(final) {
			t.csiEdit(final, n)
		}
	}
}

// csiMode is the part of csiPlain that sets modes and answers.
func (t *Terminal) csiMode(final byte) bool {
	p := &t.par
	switch final {
	case 'h', 'l':
		t.setANSIModes(final == 'h')
	case 's':
		if t.modes.margins {
			t.setMargins(p.at(0, 1), p.at(1, t.cols))
		} else {
			t.saveCursor()
		}
	case 'u':
		t.restoreCursor()
	case 'r':
		t.setRegion(p.at(0, 1), p.at(1, t.nrow))
	case 'c':
		if p.raw(0) == 0 {
			t.reply(t.deviceAttributes())
		}
	case 'n':
		t.deviceStatus(p.raw(0))
	case 't':
		t.windowOp()
	case 'x':
		t.reply(requestParams(p.raw(0)))
	case 'g':
		t.clearTabs(p.raw(0))
	default:
		return false
	}
	return true
}

// csiEdit is the part of csiPlain that changes cells.
func (t *Terminal) csiEdit(final byte, n int) {
	switch final {
	case '@':
		t.insertCells(n)
		t.cur.wrap = false
	case 'P':
		t.deleteCells(n)
	case 'X':
		t.eraseCells(n)
	case 'K':
		t.eraseLine(t.par.raw(0), false)
	case 'J':
		t.eraseDisplay(t.par.raw(0), false)
	case 'L':
		t.insertLines(n)
	case 'M':
		t.deleteLines(n)
	case 'S':
		t.scr.rows[t.scr.bot].wrapped = false
		t.scrollUp(t.scr.top, t.scr.bot, n)
	case 'T', '^':
		if t.par.n <= 1 || final == '^' { // five parameters are mouse highlighting
			t.scrollDown(t.scr.top, t.scr.bot, n)
		}
	}
}

func (t *Terminal) csiPrefixed(prefix, final byte) {
	switch {
	case final == 'u':
		t.kittyKeys(prefix)
	case prefix == '?':
		t.csiPrivate(final)
	case prefix == '>':
		t.csiGreater(final)
	case prefix == '=' && final == 'c' && t.par.raw(0) == 0:
		t.reply("\x1bP!|00000000\x1b\\") // DA3: no serial number
	}
}

// csiPrivate is the sequences with a question mark.
func (t *Terminal) csiPrivate(final byte) {
	p := &t.par
	switch final {
	case 'h', 'l', 's', 'r':
		for i := range p.n {
			t.privateMode(final, p.raw(i))
		}
	case 'J':
		t.eraseDisplay(p.raw(0), true)
	case 'K':
		t.eraseLine(p.raw(0), true)
	case 'n':
		t.privateStatus(p.raw(0))
	case 'm':
		t.reportModifyKeys()
	}
}

// privateMode sets, resets, saves or restores one DEC private mode.
func (t *Terminal) privateMode(final byte, n int) {
	switch final {
	case 'h', 'l':
		t.setMode(n, final == 'h')
	case 's':
		t.modes.save(n, t.mode(n))
	case 'r':
		if was, ok := t.modes.saved[n]; ok {
			t.setMode(n, was == modeSet)
		}
	}
}

// csiGreater is the sequences with a greater-than sign.
func (t *Terminal) csiGreater(final byte) {
	p := &t.par
	switch {
	case final == 'c' && p.raw(0) == 0:
		t.reply("\x1b[>41;390;0c") // DA2: what xterm patch 390 says
	case final == 'q' && p.raw(0) == 0:
		t.reply("\x1bP>|" + t.cfg.Version + "\x1b\\")
	case final == 'm':
		t.setModifyKeys()
	case final == 'n' && p.raw(0) == 4:
		t.modKey = 0
	}
}

func (t *Terminal) csiInter(prefix, inter, final byte) {
	p := &t.par
	switch {
	case inter == ' ' && final == 'q' && prefix == 0:
		t.setShape(p.raw(0))
	case inter == '!' && final == 'p' && prefix == 0:
		t.softReset()
	case inter == '$' && final == 'p':
		t.reportMode(prefix == '?', p.raw(0))
	case inter == '"' && final == 'q' && prefix == 0:
		t.prot = p.raw(0) == 1
	}
}
