package vt

// Resize gives the screen a new size, clamped to 1–4096. Text that was wrapped
// by the margin is wrapped anew, in the scrollback too; the cursor stays on its
// text. Rows that no longer fit go to the scrollback and come back when there is
// room. The alternate screen is cropped instead, since its program redraws it.
//
// A program on the main screen that draws everything anew after a resize, from
// the top of what it printed, prints again what the resize moved into the
// scrollback, so that those lines stand there twice. So it is in every terminal
// that wraps anew (xterm.js has the same rows to the letter, tmux more; see
// alacritty/alacritty#2408 and anthropics/claude-code#49086): a terminal cannot
// know which of its lines a program means to replace, and taking away text that
// was shown would be worse.
//
// The right order for a pty is: read and Write what is there, Resize, then tell
// the kernel (TIOCSWINSZ), then go on reading.
func (t *Terminal) Resize(cols, rows int) {
	cols, rows = clampSize(cols), clampSize(rows)
	t.lock()
	if cols == t.cols && rows == t.nrow {
		t.mu.Unlock()
		return
	}
	t.resize(cols, rows)
	t.endSync()
	t.settle()
	told, report := t.modes.inBand, t.inBandSize()
	t.mu.Unlock()
	if told {
		t.replies.add([]byte(report))
	}
}

func (t *Terminal) resize(cols, rows int) {
	saved := &t.main.saved.cursor
	active := &t.cur
	if t.scr == &t.alt {
		t.resizeAlt(cols, rows)
		active = &t.main.left
	}
	t.resizeMain(cols, rows, active, saved)
	if t.scr == &t.main {
		t.alt = screen{saved: t.alt.saved}
		t.alt.init(cols, rows)
	}
	t.cols, t.nrow = cols, rows
	t.resizes++
	t.growTabs(cols)
	t.open = false
	t.left, t.right = 0, cols
	for _, s := range []*screen{&t.main, &t.alt} {
		s.top, s.bot = 0, rows-1
	}
}

// resizeAlt crops or extends the alternate screen, keeping the cursor's row.
func (t *Terminal) resizeAlt(cols, rows int) {
	old := t.alt.rows
	drop := max(0, t.cur.y-(rows-1))
	saved := t.alt.saved
	t.alt.init(cols, rows)
	t.alt.saved = saved
	for y, r := range t.alt.rows {
		if y+drop < len(old) {
			o := old[y+drop]
			if r.mark = o.mark; cols == t.cols {
				r.wrapped = o.wrapped
			} else {
				o.unpad()
			}
			copy(r.cells, o.cells)
			if last := &r.cells[cols-1]; last.isHead() {
				last.ch = 0
			}
		}
	}
	t.cur.y = min(t.cur.y-drop, rows-1)
	if t.cur.x >= cols || cols != t.cols {
		t.cur.x, t.cur.wrap = min(t.cur.x, cols-1), false
	}
}

// resizeMain lays the main screen and its scrollback out anew. Everything is
// packed into one run of rows, wrapped again if the width changed, and the end
// of it becomes the screen.
func (t *Terminal) resizeMain(cols, rows int, cur, saved *cursor) {
	s := &t.main
	limit, maxBytes := t.hist.limit, t.hist.maxBytes
	t.hist.limit, t.hist.maxBytes = 1<<40, 1<<40
	base := t.hist.n
	last := s.lastUsed(cur.y)
	for _, r := range s.rows[:last+1] {
		t.hist.push(&t.in.tables, r)
	}
	full := last == len(s.rows)-1
	p := []place{{row: base}, {row: base + cur.y, col: cur.col()}, {row: base + saved.y, col: saved.col()}}
	below := saved.y - last
	if below > 0 { // nothing is there to keep it on: it stays as far below the text
		p[2] = place{row: base + last, col: maxSize}
	}
	if cols != t.cols {
		// What is above this many rows is over the limit, whatever is below.
		most := limit + rows + 2*len(s.rows)*(t.cols/cols+1)
		t.hist = reflow(&t.hist, cols, most, p)
		t.reflows++
	}
	start := liveStart(t.hist.n, rows, p[0].row, p[1].row, full)
	s.take(t, cols, rows, start)
	cur.set(p[1], start, cols, rows)
	if below > 0 {
		p[2] = place{p[2].row + below, saved.col()}
	}
	saved.set(p[2], start, cols, rows)
	if !t.modes.autowrap {
		cur.wrap, saved.wrap = false, false
	}
	t.hist.limit, t.hist.maxBytes = limit, maxBytes
	for t.hist.n > limit || t.hist.bytes > maxBytes {
		t.hist.dropFirst()
	}
}

// liveStart chooses which row becomes the screen's first: the one that was, as
// long as everything fits; further down to make room; further up, back into the
// scrollback, if the screen was full and there is room now.
func liveStart(total, rows, top, cur int, full bool) int {
	start := top
	if full || total-start > rows {
		start = max(0, total-rows)
	}
	return min(start, cur)
}

func (s *screen) lastUsed(y int) int {
	for i := len(s.rows) - 1; i > y; i-- {
		if end, fill := s.rows[i].content(); end > 0 || fill {
			return i
		}
	}
	return min(y, len(s.rows)-1)
}

// take makes the rows from start on the screen, and the ones before scrollback.
func (s *screen) take(t *Terminal, cols, rows, start int) {
	s.init(cols, rows)
	for y, r := range s.rows {
		if start+y >= t.hist.n {
			break
		}
		p := t.hist.at(start + y)
		t.in.unpack(r.cells, p.bytes())
		r.wrapped, r.mark = p.wrapped, p.mark
	}
	for t.hist.n > start {
		t.hist.dropLast()
	}
}

// col is where the cursor's next character belongs: after the last column if a
// wrap is pending.
func (c *cursor) col() int {
	if c.wrap {
		return c.x + 1
	}
	return c.x
}

func (c *cursor) set(p place, start, cols, rows int) {
	c.y = min(max(p.row-start, 0), rows-1)
	c.wrap = p.col >= cols
	c.x = min(p.col, cols-1)
}
