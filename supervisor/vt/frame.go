package vt

// View says which rows to look at. The zero View follows the live screen.
type View struct {
	Scrolled bool
	Top      int64 // the first row's number, while Scrolled
}

// Scroll moves a view by delta rows, up if negative. A view that reaches the
// live screen follows it again.
func (t *Terminal) Scroll(v View, delta int) View {
	first, live := t.Bounds()
	top := live
	if v.Scrolled {
		top = v.Top
	}
	d := min(max(int64(delta), first-live), live-first) // any int may come
	top = min(max(top, first), live)
	top = min(max(top+d, first), live)
	return View{Scrolled: top < live, Top: top}
}

// Bounds returns the number of the oldest row kept and of the live screen's
// first row. Rows are numbered from the terminal's beginning; numbers stay with
// their rows until a resize to another width.
func (t *Terminal) Bounds() (first, live int64) {
	t.lock()
	defer t.mu.Unlock()
	return t.bounds()
}

func (t *Terminal) bounds() (first, live int64) {
	if t.scr == &t.alt {
		live = t.hist.first + int64(t.hist.n)
		return live, live
	}
	return t.hist.first, t.hist.first + int64(t.hist.n)
}

// A Cursor is where and how the cursor shows.
type Cursor struct {
	X, Y    int // in the frame; Y may lie below a scrolled view
	Visible bool
	Blink   bool
	Shape   CursorShape
	// Usual says that the program chose no shape, or the terminal's own (DECSCUSR
	// 0): Blink and Shape are then xterm's.
	Usual bool
}

// A Frame is a copy of what a View shows, for one reader. Terminal.Frame fills
// it; afterwards it is read without any lock. The zero Frame is ready.
type Frame struct {
	Cols, Rows int
	Top, Live  int64 // numbers of the first row, and of the live screen's first
	Cursor     Cursor
	Alt        bool // the alternate screen
	Reverse    bool // the whole screen is inverted (DECSCNM)
	// CursorColor is the one the program set (OSC 12), or Default.
	CursorColor Color

	rows  []frameRow
	tab   tables
	epoch uint64
	gen   uint64

	reflows uint64
	colors  *colorTable
}

type frameRow struct {
	cells   []cell
	stamp   uint64
	wrapped bool
	mark    Mark
}

// Frame brings f up to what v shows, copying only the rows that changed since f
// was last filled, and reports whether anything changed. During a synchronized
// update f stays as it is, unless it is empty or of another size.
func (t *Terminal) Frame(f *Frame, v View) bool {
	gen := t.Generation()
	t.lock()
	defer t.mu.Unlock()
	sized := f.Cols == t.cols && f.Rows == t.nrow
	if sized && t.syncing.Load() != 0 {
		return false
	}
	first, live := t.bounds()
	top := live
	if v.Scrolled {
		top = min(max(v.Top, first), live)
	}
	if sized && f.gen == gen && f.Top == top && f.epoch == t.in.epoch {
		return false
	}
	if !sized {
		f.resize(t.cols, t.nrow)
	}
	changed := f.setHead(t, top, live) || !sized
	if t.in.full() {
		t.collect() // looking through the scrollback filled the tables
	}
	changed = t.copyRows(f, top, live) || changed
	f.gen, f.reflows = gen, t.reflows
	f.tab, t.in.shared = t.in.tables, true
	return changed
}

func (f *Frame) resize(cols, rows int) {
	cells := make([]cell, cols*rows)
	f.rows = make([]frameRow, rows)
	for i := range f.rows {
		f.rows[i].cells = cells[i*cols : (i+1)*cols]
	}
	f.Cols, f.Rows = cols, rows
}

func (f *Frame) setHead(t *Terminal, top, live int64) bool {
	cur := Cursor{
		X: t.cur.x, Y: t.cur.y + int(live-top),
		Visible: !t.modes.hidden, Blink: t.modes.blink, Shape: t.shape, Usual: !t.modes.shapeSet,
	}
	changed := f.Top != top || f.Live != live || f.Cursor != cur || f.Alt != t.modes.alt || f.Reverse != t.modes.reverse
	f.Top, f.Live, f.Cursor, f.Alt, f.Reverse = top, live, cur, t.modes.alt, t.modes.reverse
	if changed = changed || f.colors != t.colors; f.colors != t.colors {
		f.colors, f.CursorColor, f.epoch = t.colors, Default, 0 // scrollback rows too
		if t.colors != nil {
			f.CursorColor = t.colors.dyn[2]
		}
	}
	return changed
}

func (t *Terminal) copyRows(f *Frame, top, live int64) bool {
	if f.epoch != t.in.epoch {
		for i := range f.rows {
			f.rows[i].stamp = 0
		}
		f.epoch = t.in.epoch
	}
	changed := false
	for y := range f.rows {
		changed = t.copyRow(&f.rows[y], top+int64(y), live) || changed
	}
	return changed
}

// historyStamp marks the stamps of scrollback rows, which change only when a
// resize brings them back to the screen.
const historyStamp = 1 << 63

func (t *Terminal) copyRow(d *frameRow, n, live int64) bool {
	if n < live {
		stamp := historyStamp | t.resizes<<44 | uint64(n)
		if d.stamp == stamp {
			return false
		}
		p := t.hist.at(int(n - t.hist.first))
		t.in.unpack(d.cells, p.bytes())
		d.stamp, d.wrapped, d.mark = stamp, p.wrapped, p.mark
		return true
	}
	r := t.scr.rows[n-live]
	if r.stamp == 0 {
		t.stamps++
		r.stamp = t.stamps
	}
	if d.stamp == r.stamp {
		// These change without the look of the row.
		changed := d.wrapped != r.wrapped || d.mark != r.mark
		d.wrapped, d.mark = r.wrapped, r.mark
		return changed
	}
	copy(d.cells, r.cells)
	d.stamp, d.wrapped, d.mark = r.stamp, r.wrapped, r.mark
	return true
}

// Stamp names the content of a row: while it is the same, the row looks the
// same. A caller that keeps rendered rows compares it.
func (f *Frame) Stamp(y int) uint64 { return f.rows[y].stamp }

// Wrapped tells whether the text of row y goes on in the next one.
func (f *Frame) Wrapped(y int) bool { return f.rows[y].wrapped }

// Mark returns the shell integration marks of row y.
func (f *Frame) Mark(y int) Mark { return f.rows[y].mark }

// A Cell is one column of a frame.
type Cell struct {
	Text  string // empty if nothing was printed here, and in the right half of a wide one
	Width int    // 1, or 2 for the left half of a wide character, 0 for the right half
	Style Style
}

// Cell returns the cell at column x of row y.
func (f *Frame) Cell(x, y int) Cell {
	c := f.rows[y].cells[x]
	st := f.tab.styles[c.st]
	l := f.tab.links[st.link]
	w := 1
	switch {
	case c.isHead():
		w = 2
	case c.isTail():
		w = 0
	}
	return Cell{
		Text: string(f.tab.appendText(nil, c)), Width: w,
		Style: Style{Fg: st.fg, Bg: st.bg, Underline: st.ul, Attr: st.attr, Link: l.uri, LinkID: l.id},
	}
}
