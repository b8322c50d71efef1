package vt

// moveTo puts the cursor at a column and row of the screen, clamped.
func (t *Terminal) moveTo(x, y int) {
	t.cur.x = min(max(x, 0), t.cols-1)
	t.cur.y = min(max(y, 0), t.nrow-1)
	t.cur.wrap = false
}

// cursorTo is CUP: under origin mode rows count from the scroll region.
func (t *Terminal) cursorTo(x, y int) {
	if t.modes.origin {
		y = min(y+t.scr.top, t.scr.bot)
	}
	t.moveTo(x, y)
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

func (t *Terminal) tab(n int) {
	x := t.cur.x
	for n > 0 && x < t.cols-1 {
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
