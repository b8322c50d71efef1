package vt

// dispatchEsc executes an escape sequence without intermediates.
func (t *Terminal) dispatchEsc(c byte) {
	t.open, t.last = false, cell{}
	switch c {
	case '7':
		t.saveCursor()
	case '8':
		t.restoreCursor()
	case 'D':
		t.cur.wrap = false
		if t.cur.y == t.scr.bot {
			t.line().wrapped = false // what it went on in stays below
		}
		t.index()
	case 'E': // in this order: outside the margins nothing scrolls
		t.lineFeed()
		t.carriageReturn()
	case 'M':
		t.cur.wrap = false
		t.reverseIndex()
	case 'H':
		t.tabs[t.cur.x] = true
	case 'N':
		t.sets.single = 2
	case 'O':
		t.sets.single = 3
	case 'n':
		t.sets.gl = 2
	case 'o':
		t.sets.gl = 3
	case 'c':
		t.reset()
	case '=':
		t.modes.appKeypad = true
	case '>':
		t.modes.appKeypad = false
	case 'Z':
		t.reply(t.deviceAttributes())
	}
}

// dispatchEscInter executes an escape sequence with intermediates.
func (t *Terminal) dispatchEscInter(c byte) {
	t.open, t.last = false, cell{}
	switch i, more := t.par.inter[0], t.par.ninter > 1; {
	case i == '#' && c == '8' && !more:
		t.alignTest()
	case i >= '(' && i <= '+':
		if more || c != '0' && c != 'A' {
			c = 'B' // a set that is not known here takes the place of the one before
		}
		t.sets.g[i-'('] = c
	case i >= '-' && i <= '/': // 96-character sets
		t.sets.g[i-'-'+1] = 'B'
	}
}

// reset is RIS: everything but the size, the scrollback's limit and Config.
func (t *Terminal) reset() {
	t.work += 2 * t.nrow * t.cols
	t.endSync()
	t.useAlt(false)
	for _, s := range []*screen{&t.main, &t.alt} {
		for _, r := range s.rows {
			r.clear(cell{})
		}
		s.top, s.bot = 0, t.nrow-1
		s.saved = savedCursor{}
		s.saved.sets.reset()
	}
	t.hist.clear()
	t.left, t.right = 0, t.cols
	t.cur, t.pen, t.penOK, t.prot, t.open, t.last = cursor{}, style{}, false, false, false, cell{}
	t.modes.reset()
	t.modes.alt = false
	t.sets.reset()
	t.tabs = t.tabs[:0]
	t.growTabs(t.cols)
	t.kitty, t.modKey, t.shape = [2]kittyStack{}, 0, CursorBlock
	t.colors = nil
	t.titles = nil
}

// softReset is DECSTR.
func (t *Terminal) softReset() {
	t.pen, t.penOK, t.prot = style{}, false, false
	t.scr.top, t.scr.bot = 0, t.nrow-1
	t.left, t.right, t.modes.margins = 0, t.cols, false
	t.scr.saved = savedCursor{}
	t.scr.saved.sets.reset()
	t.sets.reset()
	t.modes.hidden, t.modes.insert, t.modes.origin = false, false, false
	t.modes.appCursor, t.modes.appKeypad = false, false
	t.modes.autowrap = true
	t.cur.wrap = false
	t.kitty[t.screenIndex()] = kittyStack{}
	t.modKey = 0
}

func (t *Terminal) screenIndex() int {
	if t.modes.alt {
		return 1
	}
	return 0
}
