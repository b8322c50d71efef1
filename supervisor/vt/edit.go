package vt

// insertCells shifts the rest of the line right (ICH).
func (t *Terminal) insertCells(n int) {
	if !t.between() {
		return
	}
	r, x := t.line(), t.cur.x
	n = min(n, t.right-x)
	if n <= 0 {
		return
	}
	r.split(x)
	r.split(t.right - n) // a wide character pushed half over the margin
	r.split(t.right)
	copy(r.cells[x+n:t.right], r.cells[x:])
	r.fillRaw(x, x+n, t.blankCell())
	r.wrapped = false
}

// deleteCells shifts the rest of the line left (DCH).
func (t *Terminal) deleteCells(n int) {
	t.cur.wrap = false
	if !t.between() {
		return
	}
	r, x := t.line(), t.cur.x
	n = min(n, t.right-x)
	r.unpad()
	r.split(x)
	r.split(x + n)
	r.split(t.right)
	copy(r.cells[x:], r.cells[x+n:t.right])
	r.fillRaw(t.right-n, t.right, t.blankCell())
	r.wrapped = false
}

func (t *Terminal) eraseCells(n int) {
	r, x := t.line(), t.cur.x
	end := min(x+n, t.cols)
	r.fill(x, end, t.blankCell())
	if end == t.cols {
		r.wrapped = false
	}
	t.cur.wrap = false
}

// fillRaw overwrites cells whose edges are known to cut no wide character.
func (r *row) fillRaw(from, to int, c cell) {
	for i := from; i < to; i++ {
		r.cells[i] = c
	}
	r.stamp = 0
}

// fillOpen overwrites cells but protected ones (DECSEL, DECSED).
func (r *row) fillOpen(from, to int, c cell) {
	for i := from; i < to; i++ {
		if r.cells[i].ch&protectBit == 0 {
			r.fill(i, i+1, c)
		}
	}
}

func (r *row) erase(from, to int, c cell, selective bool) {
	if selective {
		r.fillOpen(from, to, c)
	} else {
		r.fill(from, to, c)
	}
}

func (t *Terminal) eraseLine(what int, selective bool) {
	r, b := t.line(), t.blankCell()
	switch what {
	case 0:
		r.erase(t.cur.x, t.cols, b, selective)
		r.wrapped = false
	case 1:
		r.erase(0, t.cur.x+1, b, selective)
	case 2:
		r.erase(0, t.cols, b, selective)
		r.wrapped = false
	default:
		return
	}
	t.cur.wrap = false
}

func (t *Terminal) eraseDisplay(what int, selective bool) {
	from, to := 0, t.nrow
	switch what {
	case 0:
		t.eraseLine(0, selective)
		from = t.cur.y + 1
	case 1:
		t.eraseLine(1, selective)
		to = t.cur.y
		if to > 0 {
			t.scr.rows[to-1].wrapped = false
		}
	case 2:
	case 3:
		t.hist.clear()
		return
	default:
		return
	}
	t.cur.wrap = false
	t.work += (to - from) * t.cols
	b := t.blankCell()
	for _, r := range t.scr.rows[from:to] {
		if selective {
			t.work += 4 * t.cols
			r.erase(0, t.cols, b, true)
			r.wrapped = false
		} else {
			r.clear(b)
		}
	}
}

func (t *Terminal) insertLines(n int) {
	if t.cur.y < t.scr.top || t.cur.y > t.scr.bot || !t.between() {
		return
	}
	t.scrollDown(t.cur.y, t.scr.bot, n)
	t.carriageReturn()
}

// deleteLines is DL. What it deletes is gone: it never goes to the scrollback.
func (t *Terminal) deleteLines(n int) {
	top, bot := t.cur.y, t.scr.bot
	if top < t.scr.top || top > bot || !t.between() {
		return
	}
	n = min(n, bot-top+1)
	t.work += n * t.cols
	t.carriageReturn()
	if t.narrow() {
		t.shift(top, bot, n)
		return
	}
	b := t.blankCell()
	t.scr.rows[bot].wrapped = false
	for _, r := range t.scr.rows[top : top+n] {
		r.clear(b)
	}
	rotate(t.scr.rows[top:bot+1], n)
	if top > 0 {
		t.scr.rows[top-1].wrapped = false
	}
}

// alignTest fills the screen with E (DECALN).
func (t *Terminal) alignTest() {
	t.scr.top, t.scr.bot = 0, t.nrow-1
	t.left, t.right = 0, t.cols
	t.modes.origin = false
	t.work += t.nrow * t.cols
	for _, r := range t.scr.rows {
		r.clear(cell{ch: 'E'})
	}
	t.moveTo(0, 0)
}
