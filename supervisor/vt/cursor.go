package vt

// moveTo puts the cursor at a column and row of the screen, clamped.
func (t *Terminal) moveTo(x, y int) {
	t.cur.x = min(max(x, 0), t.cols-1)
	t.cur.y = min(max(y, 0), t.nrow-1)
	t.cur.wrap = false
}

// cursorTo is CUP: under origin mode it counts from the margins.
func (t *Terminal) cursorTo(x, y int) {
	t.moveTo(t.column(x), t.cur.y)
	t.rowTo(y)
}

// rowTo is VPA.
func (t *Terminal) rowTo(y int) {
	if t.modes.origin {
		y = min(y+t.scr.top, t.scr.bot)
	}
	t.moveTo(t.cur.x, y)
}

// column turns a column that counts from the margin under origin mode into one
// of the screen.
func (t *Terminal) column(x int) int {
	if t.modes.origin {
		return min(x+t.left, t.right-1)
	}
	return x
}

// within brings a place between the margins under origin mode, where the cursor
// never leaves them.
func (t *Terminal) within(x, y int) (int, int) {
	if t.modes.origin {
		x = min(max(x, t.left), t.right-1)
		y = min(max(y, t.scr.top), t.scr.bot)
	}
	return x, y
}

// limit is the column the cursor may not reach: the right margin's, unless it
// stands beyond.
func (t *Terminal) limit() int {
	if t.cur.x < t.right {
		return t.right
	}
	return t.cols
}

// between tells whether the cursor is between the left and right margins.
func (t *Terminal) between() bool { return t.cur.x >= t.left && t.cur.x < t.right }

func (t *Terminal) cursorRight(n int) { t.moveTo(min(t.cur.x+n, t.limit()-1), t.cur.y) }

func (t *Terminal) cursorLeft(n int) {
	stop := 0
	if t.cur.x >= t.left {
		stop = t.left
	}
	t.moveTo(max(t.cur.x-n, stop), t.cur.y)
}

func (t *Terminal) carriageReturn() {
	if t.cur.x >= t.left || t.modes.origin {
		t.cur.x = t.left
	} else {
		t.cur.x = 0
	}
	t.cur.wrap = false
}

// cursorUp stops at the top of the scroll region when it starts inside it.
func (t *Terminal) cursorUp(n int) {
	limit := 0
	if t.cur.y >= t.scr.top {
		limit = t.scr.top
	}
	t.moveTo(t.cur.x, max(t.cur.y-n, limit))
}

func (t *Terminal) cursorDown(n int) {
	limit := t.nrow - 1
	if t.cur.y <= t.scr.bot {
		limit = t.scr.bot
	}
	t.moveTo(t.cur.x, min(t.cur.y+n, limit))
}

// setRegion is DECSTBM; top and bottom count from 1.
func (t *Terminal) setRegion(top, bot int) {
	bot = min(bot, t.nrow)
	if top >= bot {
		return
	}
	t.scr.top, t.scr.bot = top-1, bot-1
	t.cursorTo(0, 0)
}

// setMargins is DECSLRM; left and right count from 1.
func (t *Terminal) setMargins(left, right int) {
	right = min(right, t.cols)
	if left >= right {
		return
	}
	t.left, t.right = left-1, right
	t.cursorTo(0, 0)
}

func (t *Terminal) tab(n int) {
	x, last := t.cur.x, t.limit()-1
	for n > 0 && x < last {
		if x++; t.tabs[x] {
			n--
		}
	}
	// A tab at the margin leaves a pending wrap alone.
	if x != t.cur.x {
		t.cur.x, t.cur.wrap = x, false
	}
}

func (t *Terminal) backTab(n int) {
	x := t.cur.x
	for n > 0 && x > 0 {
		if x--; t.tabs[x] {
			n--
		}
	}
	t.cur.x, t.cur.wrap = x, false
}

func (t *Terminal) clearTabs(what int) {
	switch what {
	case 0:
		t.tabs[t.cur.x] = false
	case 3:
		clear(t.tabs)
	}
}

// growTabs makes tab stops every eight columns beyond those there are.
func (t *Terminal) growTabs(cols int) {
	for x := len(t.tabs); x < cols; x++ {
		t.tabs = append(t.tabs, x%8 == 0 && x > 0)
	}
}

// CursorShape is how the cursor looks (DECSCUSR).
type CursorShape uint8

// Cursor shapes.
const (
	CursorBlock CursorShape = iota
	CursorUnderline
	CursorBar
)

func (t *Terminal) setShape(n int) {
	if n > 6 {
		return
	}
	t.modes.blink = n == 0 || n%2 == 1
	t.modes.shapeSet = n != 0
	t.shape = CursorShape(max(n-1, 0) / 2)
}
