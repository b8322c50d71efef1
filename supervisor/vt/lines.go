package vt

// A Pos is a place in the text: a row's number, as Bounds counts them, and a
// column. On the alternate screen only the live rows exist.
type Pos struct {
	Line int64
	Col  int
}

func (p Pos) before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

// A lineReader reads rows by number, those of the scrollback and the screen
// alike. The lock is held while it is used; cells are good until the next call.
type lineReader struct {
	t   *Terminal
	buf []cell
}

// read returns the cells of row n and whether its text goes on in the next one.
func (lr *lineReader) read(n int64) (cells []cell, wrapped, ok bool) {
	t := lr.t
	first, live := t.bounds()
	switch {
	case n < first || n >= live+int64(t.nrow):
		return nil, false, false
	case n >= live:
		r := t.scr.rows[n-live]
		return r.cells, r.wrapped, true
	}
	if lr.buf == nil {
		lr.buf = make([]cell, t.cols)
	}
	p := t.hist.at(int(n - first))
	t.in.unpack(lr.buf, p.bytes())
	return lr.buf, p.wrapped, true
}

// wrapped tells whether the text of row n goes on in the next one.
func (t *Terminal) wrappedAt(n int64) bool {
	first, live := t.bounds()
	switch {
	case n < first || n >= live+int64(t.nrow):
		return false
	case n >= live:
		return t.scr.rows[n-live].wrapped
	}
	return t.hist.at(int(n - first)).wrapped
}

// clampPos brings p into the text there is.
func (t *Terminal) clampPos(p Pos) Pos {
	first, live := t.bounds()
	last := live + int64(t.nrow) - 1
	switch {
	case p.Line < first:
		return Pos{Line: first}
	case p.Line > last:
		return Pos{Line: last, Col: t.cols - 1}
	}
	p.Col = min(max(p.Col, 0), t.cols-1)
	return p
}

// settleTables collects after reading scrollback filled the tables up.
func (t *Terminal) settleTables() {
	if t.in.full() {
		t.collect()
	}
}
