package vt

// maxParams is how many parameters of a sequence are kept; xterm.js keeps 32 too.
const maxParams = 32

// maxParam is where a parameter's value stops growing, give or take a digit.
const maxParam = 1 << 24

// params are the parameters of a CSI or DCS sequence. An absent one is -1.
type params struct {
	v      [maxParams]int32
	sub    uint32 // bit i: v[i] followed a colon
	n      int
	full   bool // more came than are kept
	bad    bool // malformed: swallow it and do nothing
	prefix byte // one of < = > ?
	inter  [2]byte
	ninter int
}

func (p *params) reset() {
	p.v[0] = -1
	p.n, p.sub, p.full, p.bad, p.prefix, p.ninter, p.inter = 1, 0, false, false, 0, 0, [2]byte{}
}

func (p *params) digit(c byte) {
	if p.full {
		return
	}
	switch v := &p.v[p.n-1]; {
	case *v < 0:
		*v = int32(c - '0')
	case *v < maxParam:
		*v = *v*10 + int32(c-'0')
	}
}

func (p *params) next(sub bool) {
	if p.n == maxParams {
		p.full = true
		return
	}
	p.v[p.n] = -1
	if sub {
		p.sub |= 1 << p.n
	}
	p.n++
}

// at returns parameter i, or def if it is absent or zero.
func (p *params) at(i, def int) int {
	if i < p.n && p.v[i] > 0 {
		return int(p.v[i])
	}
	return def
}

// raw returns parameter i with absent as 0.
func (p *params) raw(i int) int {
	if i < p.n && p.v[i] > 0 {
		return int(p.v[i])
	}
	return 0
}

// header takes a byte of the header of a CSI or DCS sequence, whose final byte
// ends it.
func (p *params) header(c byte) (final bool) {
	switch {
	case c >= '0' && c <= '9':
		p.digit(c)
		p.bad = p.bad || p.ninter > 0
	case c == ';' || c == ':':
		p.next(c == ':')
		p.bad = p.bad || p.ninter > 0
	case c >= 0x40 && c <= 0x7e:
		return true
	case c >= 0x3c && c <= 0x3f:
		p.bad = p.bad || p.prefix != 0 || p.n > 1 || p.v[0] >= 0
		p.prefix = c
	case c >= 0x20 && c <= 0x2f:
		if p.ninter == len(p.inter) {
			p.bad = true
			break
		}
		p.inter[p.ninter] = c
		p.ninter++
	case c >= 0x80:
		p.bad = true
	}
	return false
}
