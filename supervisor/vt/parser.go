package vt

import "unicode/utf8"

// state is where in a sequence the parser stands.
type state uint8

const (
	ground state = iota
	escape
	escapeInter
	csiParam
	oscString
	dcsParam
	dcsString
	skipString // SOS, PM, APC: swallowed
	stringEsc  // ESC inside a string: ST if a backslash follows
)

// feed parses b and returns how much of it: less than all if that was work
// enough for one hold of the lock.
func (t *Terminal) feed(b []byte) int {
	n := len(b)
	for t.work = 0; len(b) > 0 && t.work < maxWork; {
		switch t.st {
		case ground:
			b = b[t.ground(b):]
		case csiParam:
			b = b[t.csi(b):]
		case oscString, dcsString, skipString:
			b = b[t.takeString(b):]
		default:
			t.step(b[0])
			b = b[1:]
		}
	}
	return n - len(b)
}

// ground takes text until a sequence begins or b ends.
func (t *Terminal) ground(b []byte) int {
	i := 0
	if t.npar > 0 {
		i = t.finishRune(b)
	}
	for i < len(b) {
		c := b[i]
		switch {
		case c-0x20 < 0x5f:
			i += t.printASCII(b[i:])
		case c >= 0x80:
			t.sets.single = 0 // that was for this character, which is in no set
			n := t.printUTF8(b[i:])
			if n == 0 {
				t.npar = copy(t.part[:], b[i:])
				return len(b)
			}
			i += n
		case c == 0x1b:
			t.st = escape
			return i + 1
		default:
			t.control(c)
			if i++; t.work >= maxWork {
				return i
			}
		}
	}
	return i
}

// finishRune goes on with a rune whose first bytes came with an earlier write
// and returns how many bytes of b it used.
func (t *Terminal) finishRune(b []byte) int {
	used := 0
	for t.npar > 0 {
		for t.npar < utf8.UTFMax && used < len(b) && !utf8.FullRune(t.part[:t.npar]) {
			t.part[t.npar] = b[used]
			t.npar++
			used++
		}
		if !utf8.FullRune(t.part[:t.npar]) {
			return used
		}
		r, n := utf8.DecodeRune(t.part[:t.npar])
		if n < t.npar && r == utf8.RuneError && t.part[n] < 0x80 {
			// An unfinished rune, then something else: give that back.
			used -= t.npar - n
			t.npar = n
		}
		if r != utf8.RuneError || n > 1 {
			t.printRune(r)
		}
		t.npar = copy(t.part[:], t.part[n:t.npar])
	}
	return used
}

// csi takes the header of a CSI sequence.
func (t *Terminal) csi(b []byte) int {
	p := &t.par
	for i, c := range b {
		switch {
		case c-'0' <= 9 && p.ninter == 0:
			p.digit(c)
		case c < 0x20:
			if t.interrupt(c); t.st != csiParam {
				return i + 1
			}
		case p.header(c):
			t.st = ground
			if !p.bad {
				t.dispatchCSI(c)
			}
			return i + 1
		}
	}
	return len(b)
}

// interrupt handles a control character inside a sequence.
func (t *Terminal) interrupt(c byte) {
	switch c {
	case 0x1b:
		t.st = escape
	case 0x18, 0x1a:
		t.st = ground
	default:
		t.control(c)
	}
}

// step takes one byte in the states that are short.
func (t *Terminal) step(c byte) {
	if c < 0x20 && t.st != stringEsc {
		t.interrupt(c)
		return
	}
	switch t.st {
	case escape:
		t.par.reset()
		t.escapeByte(c)
	case escapeInter:
		switch {
		case c <= 0x2f:
			t.par.header(c)
		case c < 0x7f:
			t.st = ground
			if !t.par.bad {
				t.dispatchEscInter(c)
			}
		case c >= 0x80:
			t.st = ground
		}
	case dcsParam:
		if t.par.header(c) {
			t.str.start(c)
			t.st = dcsString
		}
	case stringEsc:
		t.endString(c)
	default: // the others take many bytes at once: see feed
	}
}

func (t *Terminal) escapeByte(c byte) {
	t.st = ground
	switch {
	case c == '[':
		t.st = csiParam
	case c == ']':
		t.st = oscString
		t.str.start(c)
	case c == 'P':
		t.st = dcsParam
	case c == 'X' || c == '^' || c == '_':
		t.st = skipString
		t.str.start(c)
	case c <= 0x2f:
		t.st = escapeInter
		t.par.header(c)
	case c == 0x7f:
		t.st = escape
	case c < 0x7f:
		t.dispatchEsc(c)
	}
}

// control executes a C0 control character.
func (t *Terminal) control(c byte) {
	t.open, t.last = false, cell{}
	switch c {
	case 0x07:
		t.bell()
	case 0x08:
		t.cursorLeft(1)
	case 0x09:
		t.tab(1)
	case 0x0a, 0x0b, 0x0c:
		t.lineFeed()
	case 0x0d:
		t.carriageReturn()
	case 0x0e:
		t.sets.gl = 1
	case 0x0f:
		t.sets.gl = 0
	}
}

func (t *Terminal) lineFeed() {
	t.line().wrapped = false
	t.cur.wrap = false
	t.index()
	if t.modes.newline {
		t.carriageReturn()
	}
}
