package vt

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// A packed row is a string of tokens that needs no table to be read: printable
// ASCII and UTF-8 stand for narrow cells, and these bytes for the rest.
const (
	tokStyle   = 0x01 // a style: see appendStyle
	tokFill    = 0x02 // blank cells to the end of the row, whatever its width
	tokBlank   = 0x03 // uvarint n: n blank cells
	tokWide    = 0x04 // the rune that follows is wide
	tokCluster = 0x05 // uvarint n, n bytes: a narrow cluster
	tokWideCl  = 0x06 // the same, wide
	tokWrapPad = 0x07 // the blank a wide character left at the margin
	tokProtect = 0x08 // from here on cells are protected (DECSCA), or no longer
)

// pack appends r. Blank cells at the end are left out, unless the text goes on
// in the next row.
func (tb *tables) pack(dst []byte, r *row) []byte {
	end, fill := r.content()
	var cur, prot uint32
	for i := 0; i < end; i++ {
		c := r.cells[i]
		if p := c.ch & protectBit; p != prot && !c.isTail() {
			dst, prot = append(dst, tokProtect), p
		}
		if c.st != cur {
			dst = tb.appendStyle(dst, c.st)
			cur = c.st
		}
		if c.ch-0x20 < 0x5f {
			n := 0
			dst, n = packASCII(dst, r.cells[i:end], cur)
			i += n - 1
			continue
		}
		if c.blank() && !c.isPad() {
			n := 1
			for i+n < end && r.cells[i+n].blank() && !r.cells[i+n].isPad() && r.cells[i+n].st == cur {
				n++
			}
			dst = binary.AppendUvarint(append(dst, tokBlank), uint64(n))
			i += n - 1
			continue
		}
		dst = tb.packCell(dst, c)
	}
	if fill {
		if st := r.cells[end].st; st != cur {
			dst = tb.appendStyle(dst, st)
		}
		dst = append(dst, tokFill)
	}
	return dst
}

// packASCII appends the printable ASCII of style st at the front of cells and
// returns how many cells that were.
func packASCII(dst []byte, cells []cell, st uint32) ([]byte, int) {
	at := len(dst)
	dst = slices.Grow(dst, len(cells))[:at+len(cells)]
	to := dst[at:]
	for i, c := range cells {
		if c.ch-0x20 >= 0x5f || c.st != st {
			return dst[:at+i], i
		}
		to[i] = byte(c.ch)
	}
	return dst, len(cells)
}

func (tb *tables) packCell(dst []byte, c cell) []byte {
	wide := c.isHead()
	v := c.ch & runeMask
	switch {
	case c.isTail():
		return dst
	case c.isPad():
		return append(dst, tokWrapPad)
	case c.ch&clusterBit != 0:
		s := tb.clusters[v]
		tok := byte(tokCluster)
		if wide {
			tok = tokWideCl
		}
		dst = binary.AppendUvarint(append(dst, tok), uint64(len(s)))
		return append(dst, s...)
	case wide:
		dst = append(dst, tokWide)
	}
	return utf8.AppendRune(dst, rune(v))
}

// appendStyle appends a style token: a byte that says which parts follow, then
// those parts.
//
//	bit 0    attributes, two bytes
//	bits 1–2 foreground: 0 default, 1 palette index, 2 three bytes
//	bits 3–4 background, bits 5–6 underline colour, the same
//	bit 7    link: uvarint and the target, uvarint and the id
func (tb *tables) appendStyle(dst []byte, id uint32) []byte {
	st := &tb.styles[id]
	at := len(dst) + 1
	dst = append(dst, tokStyle, 0)
	var f byte
	if st.attr != 0 {
		f = 1
		dst = append(dst, byte(st.attr), byte(st.attr>>8))
	}
	for i, c := range [...]Color{st.fg, st.bg, st.ul} {
		kind := byte(c >> 24)
		f |= kind << (1 + 2*i)
		switch kind {
		case 1:
			dst = append(dst, byte(c))
		case 2:
			dst = append(dst, byte(c>>16), byte(c>>8), byte(c))
		}
	}
	if st.link != 0 {
		f |= 1 << 7
		l := tb.links[st.link]
		dst = append(binary.AppendUvarint(dst, uint64(len(l.uri))), l.uri...)
		dst = append(binary.AppendUvarint(dst, uint64(len(l.id))), l.id...)
	}
	dst[at] = f
	return dst
}

// A token is one step of reading a packed row.
type token struct {
	kind  byte   // one of the tok constants, or 0 for a rune
	raw   []byte // the whole token
	text  []byte // of a rune or cluster
	n     int    // columns; 0 for styles and fill
	style []byte // of tokStyle: what follows the token byte
}

// next cuts the first token off b. Packed rows are made here only, so they are
// well formed; a broken one ends early rather than panic.
func next(b []byte) (tk token, rest []byte) {
	c := b[0]
	if c >= 0x20 {
		n := 1
		if c >= utf8.RuneSelf {
			_, n = utf8.DecodeRune(b)
		}
		return token{raw: b[:n], text: b[:n], n: 1}, b[n:]
	}
	tk = token{kind: c, n: 1}
	n := 1
	switch c {
	case tokStyle:
		n += styleLen(b[1:])
		tk.style, tk.n = b[1:n], 0
	case tokFill, tokProtect:
		tk.n = 0
	case tokBlank:
		v, k := binary.Uvarint(b[1:])
		n += k
		tk.n = int(v)
	case tokWide:
		_, k := utf8.DecodeRune(b[1:])
		n += k
		tk.text, tk.n = b[1:n], 2
	case tokCluster, tokWideCl:
		v, k := binary.Uvarint(b[1:])
		n += k + int(v)
		tk.text = b[1+k : n]
		if c == tokWideCl {
			tk.n = 2
		}
	}
	tk.raw = b[:n]
	return tk, b[n:]
}

func styleLen(b []byte) int {
	f, n := b[0], 1
	if f&1 != 0 {
		n += 2
	}
	for i := range 3 {
		n += [4]int{0, 1, 3, 0}[f>>(1+2*i)&3]
	}
	if f>>7 != 0 {
		for range 2 {
			v, k := binary.Uvarint(b[n:])
			n += k + int(v)
		}
	}
	return n
}

// readStyle turns a style token's bytes into a style.
func (in *interner) readStyle(b []byte) style {
	var st style
	f := b[0]
	b = b[1:]
	if f&1 != 0 {
		st.attr = Attr(b[0]) | Attr(b[1])<<8
		b = b[2:]
	}
	for i, dst := range [...]*Color{&st.fg, &st.bg, &st.ul} {
		switch f >> (1 + 2*i) & 3 {
		case 1:
			*dst, b = Indexed(b[0]), b[1:]
		case 2:
			*dst, b = RGB(b[0], b[1], b[2]), b[3:]
		}
	}
	if f>>7 != 0 {
		var part [2]string
		for i := range part {
			v, k := binary.Uvarint(b)
			part[i] = string(b[k : k+int(v)])
			b = b[k+int(v):]
		}
		st.link = in.link(link{uri: part[0], id: part[1]})
	}
	return st
}

// unpack fills cells, which are all of one row, from a packed row.
func (in *interner) unpack(cells []cell, b []byte) {
	clear(cells)
	var st, prot uint32
	x := 0
	for len(b) > 0 {
		var tk token
		if tk, b = next(b); x+tk.n > len(cells) {
			return
		}
		switch tk.kind {
		case tokStyle:
			s := in.readStyle(tk.style)
			st = in.style(&s)
			continue
		case tokProtect:
			prot ^= protectBit
			continue
		case tokFill, tokBlank:
			n := tk.n
			if tk.kind == tokFill {
				n = len(cells) - x
			}
			for i := range n {
				cells[x+i] = cell{st: st}
			}
			x += n
			continue
		case tokWrapPad:
			cells[x] = cell{ch: wrapPad, st: st}
		default:
			cells[x] = in.unpackText(tk, st)
			cells[x].ch |= prot
			if tk.n == 2 {
				cells[x+1] = cell{ch: wideTail | prot, st: st}
			}
		}
		x += tk.n
	}
}

func (in *interner) unpackText(tk token, st uint32) cell {
	c := cell{st: st}
	if tk.kind == tokCluster || tk.kind == tokWideCl {
		c.ch = clusterBit | in.cluster(tk.text)
	} else {
		r, _ := utf8.DecodeRune(tk.text)
		c.ch = uint32(r)
	}
	if tk.n == 2 {
		c.ch |= wideHead
	}
	return c
}
