package vt

// A screen is the rows of the main or the alternate screen.
type screen struct {
	rows     []*row
	top, bot int // scroll region, both inclusive
	saved    savedCursor
	left     cursor // where it stood when the alternate screen came
}

type cursor struct {
	x, y int
	wrap bool // the last column was written; the next character wraps first
}

type savedCursor struct {
	cursor
	pen    style
	prot   bool
	origin bool
	sets   charsets
}

func (s *screen) init(cols, rows int) {
	cells := make([]cell, cols*rows)
	s.rows = make([]*row, rows)
	for i := range s.rows {
		s.rows[i] = &row{cells: cells[i*cols : (i+1)*cols : (i+1)*cols]}
	}
	s.top, s.bot = 0, rows-1
}

// line returns the row of the cursor.
func (t *Terminal) line() *row { return t.scr.rows[t.cur.y] }

func (t *Terminal) style() uint32 {
	if !t.penOK {
		t.penID = t.in.style(&t.pen)
		t.bgID = 0
		if t.pen.bg != Default {
			t.bgID = t.in.style(&style{bg: t.pen.bg})
		}
		t.penOK = true
	}
	return t.penID
}

// blankCell is what erasing leaves: the background colour stays.
func (t *Terminal) blankCell() cell {
	t.style()
	return cell{st: t.bgID}
}

// scrollUp moves the rows of [top,bot] up by n. Rows that leave the main screen
// at its very top go to the scrollback, unless margins cut them.
func (t *Terminal) scrollUp(top, bot, n int) {
	n = min(n, bot-top+1)
	if n <= 0 {
		return
	}
	t.work += n * t.cols
	if t.narrow() {
		t.shift(top, bot, n)
		return
	}
	rows, b := t.scr.rows[top:bot+1], t.blankCell()
	for _, r := range rows[:n] {
		if top == 0 && t.scr == &t.main {
			t.hist.push(&t.in.tables, r)
		}
		r.clear(b)
	}
	if top > 0 {
		t.scr.rows[top-1].wrapped = false
	}
	if n > 1 {
		rotate(rows, n)
		return
	}
	r := rows[0]
	copy(rows, rows[1:])
	rows[len(rows)-1] = r
}

func (t *Terminal) scrollDown(top, bot, n int) {
	n = min(n, bot-top+1)
	if n <= 0 {
		return
	}
	t.work += n * t.cols
	if t.narrow() {
		t.shift(top, bot, -n)
		return
	}
	rows, b := t.scr.rows[top:bot+1], t.blankCell()
	for _, r := range rows[len(rows)-n:] {
		r.clear(b)
	}
	rotate(rows, len(rows)-n)
	t.scr.rows[bot].wrapped = false
	if top > 0 {
		t.scr.rows[top-1].wrapped = false
	}
}

// narrow tells whether margins take something off the screen's width.
func (t *Terminal) narrow() bool { return t.left != 0 || t.right != t.cols }

// shift moves what is between the margins up by n rows, down if n is negative.
func (t *Terminal) shift(top, bot, n int) {
	b := t.blankCell()
	t.work += (bot - top) * t.cols
	for _, r := range t.scr.rows[top : bot+1] {
		r.split(t.left)
		r.split(t.right)
		r.stamp, r.wrapped = 0, false
	}
	move := func(y int) {
		to := t.scr.rows[y]
		if from := y + n; from >= top && from <= bot {
			copy(to.cells[t.left:t.right], t.scr.rows[from].cells[t.left:t.right])
		} else {
			to.fillRaw(t.left, t.right, b)
		}
	}
	for i := range bot - top + 1 {
		if n > 0 {
			move(top + i)
		} else {
			move(bot - i)
		}
	}
}

// rotate moves the first n rows to the end.
func rotate(rows []*row, n int) {
	reverse(rows[:n])
	reverse(rows[n:])
	reverse(rows)
}

func reverse(rows []*row) {
	for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
		rows[i], rows[j] = rows[j], rows[i]
	}
}

// index moves the cursor down, scrolling at the bottom of the region (IND).
func (t *Terminal) index() {
	if t.cur.y == t.scr.bot {
		if t.between() {
			t.scrollUp(t.scr.top, t.scr.bot, 1)
		}
	} else if t.cur.y < t.nrow-1 {
		t.cur.y++
	}
}

// reverseIndex is RI.
func (t *Terminal) reverseIndex() {
	if t.cur.y == t.scr.top {
		if t.between() {
			t.scrollDown(t.scr.top, t.scr.bot, 1)
		}
	} else if t.cur.y > 0 {
		t.cur.y--
	}
}

// wrapLine goes on in the next row because this one is full.
func (t *Terminal) wrapLine() {
	t.line().wrapped = !t.narrow()
	t.carriageReturn()
	t.index()
}

func (t *Terminal) saveCursor() {
	t.scr.saved = savedCursor{
		cursor: t.cur, pen: t.pen, prot: t.prot,
		origin: t.modes.origin, sets: t.sets,
	}
}

func (t *Terminal) restoreCursor() {
	s := &t.scr.saved
	t.cur, t.pen, t.prot, t.sets = s.cursor, s.pen, s.prot, s.sets
	t.cur.x, t.cur.y = min(t.cur.x, t.cols-1), min(t.cur.y, t.nrow-1)
	t.modes.origin = s.origin
	t.cur.x, t.cur.y = t.within(t.cur.x, t.cur.y)
	t.cur.wrap = t.cur.wrap && t.cur.x == t.limit()-1
	t.penOK = false
}

// useAlt switches screens; the cursor stays where it is.
func (t *Terminal) useAlt(on bool) {
	if on == (t.scr == &t.alt) {
		return
	}
	t.scr = &t.main
	if on {
		t.scr, t.main.left = &t.alt, t.cur
	}
	for _, r := range t.scr.rows {
		r.stamp = 0
	}
	t.modes.alt = on
}
