package vt

import "unicode/utf8"

// printASCII prints the printable ASCII at the front of b, which has at least
// one such byte, and returns how many bytes it used.
func (t *Terminal) printASCII(b []byte) int {
	if t.modes.insert || t.sets.shifted() || t.open && t.prevClass&joinsNext != 0 {
		t.printMapped(b[0])
		return 1
	}
	st, used := t.style(), 0
	var prot uint32
	if t.prot {
		prot = protectBit
	}
	for used < len(b) && b[used]-0x20 < 0x5f {
		if t.cur.wrap {
			t.wrapLine()
		}
		t.stuck = false
		limit := t.limit()
		n := fillASCII(t.line(), t.cur.x, limit, b[used:], st, prot)
		used += n
		if t.cur.x += n; t.cur.x >= limit {
			if t.stop(limit); !t.cur.wrap && used < len(b) && b[used]-0x20 < 0x5f {
				// Without autowrap each further character takes the last column.
				continue
			}
		}
	}
	t.last = cell{ch: uint32(b[used-1]) | prot, st: st}
	t.open, t.prevClass, t.prevRune, t.prevJoins = true, 1, rune(b[used-1]), false
	return used
}

// fillASCII writes b into r from column x until b's printable run or the margin
// ends it, and returns how many it wrote.
func fillASCII(r *row, x, limit int, b []byte, st, prot uint32) int {
	r.split(x)
	cells := r.cells[x:limit]
	if len(cells) > len(b) {
		cells = cells[:len(b)]
	}
	b = b[:len(cells)]
	n := len(cells)
	for i := range cells {
		c := b[i]
		if c-0x20 >= 0x5f {
			n = i
			break
		}
		cells[i] = cell{ch: uint32(c) | prot, st: st}
	}
	// A wide character that lost its left half loses the right one.
	if end := x + n; end < len(r.cells) && r.cells[end].isTail() {
		r.cells[end].ch = 0
	}
	r.stamp = 0
	return n
}

// printMapped prints one ASCII character by way of the character sets.
func (t *Terminal) printMapped(c byte) { t.printRune(t.sets.translate(rune(c))) }

// printUTF8 prints the runes at the front of b until ASCII, and returns how many
// bytes they had; 0 if b ends within the first.
func (t *Terminal) printUTF8(b []byte) int {
	i := 0
	for i < len(b) && b[i] >= utf8.RuneSelf {
		// Most of what is not ASCII has three bytes, and decoding those here is
		// much faster.
		if len(b)-i >= 3 && b[i]&0xf0 == 0xe0 && b[i+1]&0xc0 == 0x80 && b[i+2]&0xc0 == 0x80 {
			r := rune(b[i]&0xf)<<12 | rune(b[i+1]&0x3f)<<6 | rune(b[i+2]&0x3f)
			if r >= 0x800 && (r < 0xd800 || r > 0xdfff) {
				t.printRune(r)
				i += 3
				continue
			}
		}
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r != utf8.RuneError || n > 1:
			t.printRune(r)
		case !utf8.FullRune(b[i:]):
			return i
		}
		i += n // a byte that is not UTF-8 is swallowed, as tmux and xterm.js do
	}
	return i
}

func (t *Terminal) printRune(r rune) {
	c := classOf(r)
	if (c&mayJoinBits != 0 || t.prevClass&joinsNext != 0) && t.mayJoin(c) && t.join(r, c) {
		return
	}
	w := int(c & widthBits)
	if w == 0 {
		return // nothing to show and nothing to join
	}
	t.put(uint32(r), w)
	t.open, t.prevRune, t.prevClass, t.prevJoins = true, r, c, false
}

// mayJoin is a cheap test for runes that could extend the text before them.
func (t *Terminal) mayJoin(c class) bool {
	if c&joinsLeft != 0 {
		return true
	}
	if !t.open || !t.modes.graphemes {
		return false
	}
	p := t.prevClass
	switch {
	case p&joinsNext != 0, p&c&isFlag != 0:
		return true
	case c&isPicture != 0:
		return t.prevRune == zwj
	case c&isIndic != 0:
		return t.prevJoins
	case c&afterL != 0 && p&isHangulL != 0:
		return true
	}
	return c&afterV != 0 && p&isHangul != 0
}

// join appends r to the cluster left of the cursor, if the rules say so.
func (t *Terminal) join(r rune, c class) bool {
	row := t.line()
	x := t.cur.x
	if !t.cur.wrap && (!t.open || !t.stuck) {
		x--
	}
	if x >= 0 && row.cells[x].isTail() {
		x--
	}
	if x < 0 || row.cells[x].blank() {
		return false
	}
	cl := &row.cells[x]
	b := t.in.appendText(t.scratch[:0], *cl)
	single := cl.ch&clusterBit == 0
	b = utf8.AppendRune(b, r)
	t.scratch = b
	if c&joinsLeft == 0 && !oneCluster(b) || single && classOf(rune(cl.ch&runeMask))&barren != 0 {
		return false
	}
	wider := r == vs16 && single && !cl.isHead()
	if wider && !t.modes.graphemes {
		return true // it would measure two columns and has one
	}
	t.prevRune, t.prevClass, t.prevJoins = r, c, t.prevJoins || c&joinsLeft != 0
	if len(b) > maxCluster {
		return true
	}
	cl.ch = cl.ch&^(runeMask|clusterBit) | clusterBit | t.in.cluster(b)
	row.stamp = 0
	if wider {
		t.widen(row, x)
	}
	t.last = row.cells[min(x, len(row.cells)-1)]
	return true
}

// widen makes the cluster at column x, left of the cursor, two columns wide.
func (t *Terminal) widen(r *row, x int) {
	limit := t.limit()
	if x == limit-1 {
		if !t.modes.autowrap || limit-t.left < 2 {
			return
		}
		c := r.cells[x]
		r.cells[x] = cell{ch: t.pad(), st: c.st}
		t.wrapLine()
		t.putCell(c, 2)
		return
	}
	if t.modes.insert {
		t.insertCells(1) // it was inserted one column wide
	}
	r.split(x + 2)
	c := &r.cells[x]
	c.ch = c.ch&^widthMask | wideHead
	r.cells[x+1] = cell{ch: wideTail | c.ch&protectBit, st: c.st}
	t.cur.x = x + 2
	if t.cur.x >= limit {
		t.stop(limit)
	}
}

// pad is what a wide character leaves at the margin. Between margins that is a
// blank: the row's text does not go on in the next one.
func (t *Terminal) pad() uint32 {
	if t.narrow() {
		return 0
	}
	return wrapPad
}

// put prints ch, w columns wide, at the cursor.
func (t *Terminal) put(ch uint32, w int) {
	c := cell{ch: ch, st: t.style()}
	if t.prot {
		c.ch |= protectBit
	}
	t.putCell(c, w)
}

func (t *Terminal) putCell(c cell, w int) {
	if t.cur.wrap {
		t.wrapLine()
	}
	limit := t.limit()
	if w == 2 && t.cur.x == limit-1 {
		if !t.modes.autowrap || limit-t.left < 2 {
			return
		}
		r := t.line()
		r.split(t.cur.x)
		r.split(t.cur.x + 1)
		r.cells[t.cur.x] = cell{ch: t.pad(), st: c.st}
		r.stamp = 0
		t.wrapLine()
		limit = t.limit()
	}
	if t.modes.insert {
		t.insertCells(w)
	}
	r, x := t.line(), t.cur.x
	r.split(x)
	r.split(x + w)
	c.ch &^= widthMask
	if w == 2 {
		c.ch |= wideHead
		r.cells[x+1] = cell{ch: wideTail | c.ch&protectBit, st: c.st}
	}
	r.cells[x] = c
	r.stamp = 0
	t.last = c
	t.stuck = false
	if t.cur.x += w; t.cur.x >= limit {
		t.stop(limit)
	}
}

// stop keeps the cursor in the last column, which was just printed to.
func (t *Terminal) stop(limit int) {
	t.cur.x, t.cur.wrap, t.stuck = limit-1, t.modes.autowrap, !t.modes.autowrap
}

// repeat prints the character before it n more times (REP), at most a screenful.
// Where none stands right before it ECMA-48 leaves it open; xterm, xterm.js and
// tmux do nothing.
func (t *Terminal) repeat(n int) {
	c := t.last
	t.last = cell{}
	if c.ch&^protectBit == 0 {
		return
	}
	c.st = t.style()
	n = min(n, t.cols*t.nrow)
	t.work += n
	switch {
	case c.isHead() || t.modes.insert:
		w := 1
		if c.isHead() {
			w = 2
		}
		t.work += 8 * n
		for range n {
			t.putCell(c, w)
		}
		t.last = cell{}
	default:
		t.repeatNarrow(c, n)
	}
}

func (t *Terminal) repeatNarrow(c cell, n int) {
	for n > 0 {
		if t.cur.wrap {
			t.wrapLine()
		}
		x, limit := t.cur.x, t.limit()
		k := min(n, limit-x)
		t.line().fill(x, x+k, c)
		if t.cur.x, n = x+k, n-k; t.cur.x < limit {
			return
		}
		if t.stop(limit); !t.modes.autowrap {
			return // the rest would take the last column again and again
		}
	}
}
