package vt

import "bytes"

// stringState collects the text of an OSC or DCS sequence.
type stringState struct {
	kind byte // ']' for OSC, the final byte for DCS, X ^ _ for swallowed ones
	buf  []byte
	over bool // longer than maxString: swallow it
	bel  bool // an OSC that BEL ended, as its answer will be
	from state
}

const (
	// maxString bounds an OSC or DCS: 1 MiB lets a clipboard through.
	maxString = 1 << 20
	// keepString is how much of the buffer is kept between sequences.
	keepString = 4 << 10
)

func (s *stringState) start(kind byte) {
	s.kind, s.over = kind, false
	if cap(s.buf) > keepString {
		s.buf = nil
	}
	s.buf = s.buf[:0]
}

// takeString collects until a terminator. Bytes of 0x80 and up belong to the
// text: U+2733 holds the byte 0x9C, which some take for a terminator.
func (t *Terminal) takeString(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= 0x20 {
		n++
	}
	s := &t.str
	switch {
	case t.st == skipString || s.over:
	case len(s.buf)+n > maxString:
		s.over, s.buf = true, nil
	default:
		s.buf = append(s.buf, b[:n]...)
	}
	if n == len(b) {
		return n
	}
	switch b[n] {
	case 0x1b:
		s.from = t.st
		t.st = stringEsc
	case 0x18, 0x1a:
		t.st = ground
	case 0x07:
		if t.st == oscString {
			t.st, s.bel = ground, true
			t.finishString(s.kind, true)
		}
	}
	return n + 1
}

// endString takes the byte after an ESC inside a string.
func (t *Terminal) endString(c byte) {
	from := t.str.from
	if c == '\\' {
		t.st, t.str.bel = ground, false
		t.finishString(t.str.kind, from == oscString)
		return
	}
	// Any other escape sequence ends the string unheard.
	t.st = escape
	t.step(c)
}

// end is what ends the answer to an OSC: what ended the OSC (ctlseqs). Who asks
// with BEL reads up to BEL.
func (s *stringState) end() string {
	if s.bel {
		return "\a"
	}
	return "\x1b\\"
}

func (t *Terminal) finishString(kind byte, osc bool) {
	s := &t.str
	if s.over {
		return
	}
	t.open, t.last = false, cell{}
	switch {
	case osc:
		t.dispatchOSC(s.buf)
	case kind == 'X' || kind == '^' || kind == '_':
	default:
		if !t.par.bad {
			t.dispatchDCS(kind, s.buf)
		}
	}
}

// clean returns b as text fit for a title: valid UTF-8 without controls.
func clean(b []byte, limit int) string {
	b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	var out []byte
	for _, r := range string(b) {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || isBidi(r) {
			continue
		}
		if len(out)+len(string(r)) > limit {
			break
		}
		out = append(out, string(r)...)
	}
	return string(out)
}

// isBidi tells whether r could make text read in another order than it has.
func isBidi(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}
