package vt

import "slices"

// modes are the switches a program can throw.
type modes struct {
	insert, newline                      bool // ANSI 4, 20
	appCursor, origin, autowrap, reverse bool // ?1 ?6 ?7 ?5
	hidden, blink, shapeSet              bool // ?25 off, ?12
	appKeypad                            bool // ?66 and ESC =
	mouse                                int  // 0, 9, 1000, 1002 or 1003
	utf8Mouse, sgrMouse, urxvtMouse      bool // ?1005 ?1006 ?1015
	pixelMouse                           bool // ?1016
	focus, altScroll, paste              bool // ?1004 ?1007 ?2004
	graphemes, colorScheme, inBand       bool // ?2027 ?2031 ?2048
	margins                              bool // ?69: left and right margins may be set
	alt                                  bool // one of ?47 ?1047 ?1049
	saved                                map[int]modeState
}

func (m *modes) reset() {
	*m = modes{autowrap: true, graphemes: true, altScroll: true, blink: true, alt: m.alt}
}

// modeState is the answer to DECRQM.
type modeState int

const (
	modeUnknown modeState = iota
	modeSet
	modeReset
	modeAlwaysSet
	modeAlwaysReset
)

func onOff(on bool) modeState {
	if on {
		return modeSet
	}
	return modeReset
}

// maxSavedModes bounds what CSI ? s remembers; there are not that many modes.
const maxSavedModes = 64

func (m *modes) save(n int, s modeState) {
	if m.saved == nil {
		m.saved = map[int]modeState{}
	}
	if len(m.saved) < maxSavedModes && (s == modeSet || s == modeReset) {
		m.saved[n] = s
	}
}

// flag returns the switch of a DEC private mode that is nothing but a switch.
func (m *modes) flag(n int) *bool {
	switch n {
	case 1:
		return &m.appCursor
	case 5:
		return &m.reverse
	case 7:
		return &m.autowrap
	case 12:
		return &m.blink
	case 66:
		return &m.appKeypad
	case 1004:
		return &m.focus
	case 1005:
		return &m.utf8Mouse
	case 1006:
		return &m.sgrMouse
	case 1007:
		return &m.altScroll
	case 1015:
		return &m.urxvtMouse
	case 1016:
		return &m.pixelMouse
	case 2004:
		return &m.paste
	case 2027:
		return &m.graphemes
	case 2031:
		return &m.colorScheme
	}
	return nil
}

func (t *Terminal) setMode(n int, on bool) {
	if f := t.modes.flag(n); f != nil {
		*f = on
		if on {
			t.modes.oneEncoding(n)
		}
		if n == 7 && !on {
			t.cur.wrap = false
		}
		if n == 5 {
			t.touchAll()
		}
		return
	}
	switch n {
	case 6:
		t.modes.origin = on
		t.cursorTo(0, 0)
	case 25:
		t.modes.hidden = !on
	case 69:
		t.modes.margins = on
		t.left, t.right = 0, t.cols
	case 9, 1000, 1002, 1003:
		if on {
			t.modes.mouse = n
		} else if t.modes.mouse == n || n != 9 {
			t.modes.mouse = 0
		}
	case 47, 1047, 1049:
		t.setAlt(n, on)
	case 1048:
		if on {
			t.saveCursor()
		} else {
			t.restoreCursor()
		}
	case 2026:
		if on {
			t.beginSync()
		} else {
			t.endSync()
		}
	case 2048:
		if t.modes.inBand = on; on {
			t.reply(t.inBandSize())
		}
	}
}

// oneEncoding turns the other mouse encodings off when one is set.
func (m *modes) oneEncoding(n int) {
	all := [...]int{1005, 1006, 1015, 1016}
	if !slices.Contains(all[:], n) {
		return
	}
	for _, o := range all {
		*m.flag(o) = o == n
	}
}

// setAlt is modes 47, 1047 and 1049: 1049 also saves and restores the cursor
// and clears the alternate screen on entry, 1047 clears it on leaving.
func (t *Terminal) setAlt(n int, on bool) {
	if on == t.modes.alt {
		if n == 1049 && !on {
			t.restoreCursor()
		}
		return
	}
	if n == 1049 && on {
		t.saveCursor()
	}
	if n == 1047 && !on {
		t.clearScreen()
	}
	t.useAlt(on)
	if n == 1049 && on {
		t.clearScreen()
	}
	if n == 1049 && !on {
		t.restoreCursor()
	}
}

func (t *Terminal) clearScreen() {
	t.work += t.nrow * t.cols
	b := t.blankCell()
	for _, r := range t.scr.rows {
		r.clear(b)
	}
}

func (t *Terminal) touchAll() {
	for _, r := range t.scr.rows {
		r.stamp = 0
	}
}

// mode answers DECRQM for a DEC private mode.
func (t *Terminal) mode(n int) modeState {
	if f := t.modes.flag(n); f != nil {
		return onOff(*f)
	}
	switch n {
	case 6:
		return onOff(t.modes.origin)
	case 25:
		return onOff(!t.modes.hidden)
	case 69:
		return onOff(t.modes.margins)
	case 9, 1000, 1002, 1003:
		return onOff(t.modes.mouse == n)
	case 47, 1047, 1049:
		return onOff(t.modes.alt)
	case 1048:
		return modeSet
	case 2026:
		return onOff(t.syncing.Load() != 0)
	case 2048:
		return onOff(t.modes.inBand)
	case 8:
		return modeAlwaysSet // auto repeat is the keyboard's
	case 3, 40, 45, 80, 1001, 1034, 1035, 1036, 1039:
		return modeAlwaysReset
	}
	return modeUnknown
}

func (t *Terminal) setANSIModes(on bool) {
	for i := range t.par.n {
		switch t.par.raw(i) {
		case 4:
			t.modes.insert = on
		case 20:
			t.modes.newline = on
		}
	}
}
