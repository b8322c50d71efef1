package vt

import "encoding/binary"

// A place is a row and column that reflow keeps on its text.
type place struct{ row, col int }

// reflow wraps every line of old anew to cols columns and moves the places. It
// keeps the last so many rows: one column wide, a scrollback would take many
// times its memory.
func reflow(old *history, cols, most int, places []place) history {
	w := wrapper{cols: cols, out: history{limit: most, maxBytes: old.maxBytes}}
	from := append([]place(nil), places...)
	for i := range old.n {
		p := old.at(i)
		w.track = w.track[:0]
		for j := range from {
			if from[j].row == i {
				w.track = append(w.track, tracked{&places[j], from[j].col})
			}
		}
		w.row(p)
	}
	if w.begun {
		w.finish(false)
	}
	for i := range places {
		places[i].row = max(0, places[i].row-int(w.out.first))
	}
	w.out.limit, w.out.first = old.limit, old.first+w.out.first
	return w.out
}

type tracked struct {
	to  *place
	col int // in the old row; -1 once placed
}

// A wrapper builds rows of a new width out of packed rows of another.
type wrapper struct {
	cols  int
	out   history
	buf   []byte // the row being made
	x     int    // its columns so far
	begun bool
	mark  Mark
	style []byte // the style token in force; nil for the default
	prot  bool   // cells are protected
	track []tracked
}

// row takes one old row. If it is wrapped, the next one goes on in its line.
func (w *wrapper) row(p packed) {
	if !w.begun {
		w.begun = true
	}
	w.mark |= p.mark
	w.setStyle(nil)
	w.protect(false)
	in := 0
	for b := p.bytes(); len(b) > 0; {
		var tk token
		tk, b = next(b)
		switch tk.kind {
		case tokStyle:
			w.setStyle(tk.raw)
		case tokProtect:
			w.protect(!w.prot)
		case tokFill:
			w.place(in, 0)
			w.buf = append(w.buf, tokFill)
		case tokWrapPad: // made anew where it is needed
			w.place(in, 1)
			in++
		case tokBlank:
			w.blanks(in, tk.n)
			in += tk.n
		default:
			w.text(in, tk)
			in += tk.n
		}
	}
	if !p.wrapped {
		w.placeRest(in)
		w.finish(false)
		return
	}
	w.placeRest(in)
}

func (w *wrapper) setStyle(raw []byte) {
	if string(raw) == string(w.style) {
		return
	}
	w.style = append(w.style[:0], raw...)
	if len(raw) == 0 {
		raw = []byte{tokStyle, 0}
	}
	w.buf = append(w.buf, raw...)
}

func (w *wrapper) protect(on bool) {
	if on != w.prot {
		w.buf, w.prot = append(w.buf, tokProtect), on
	}
}

func (w *wrapper) text(in int, tk token) {
	if tk.n > w.cols {
		return // a wide character has no room in one column
	}
	if w.x+tk.n > w.cols {
		if w.x < w.cols {
			w.buf = append(w.buf, tokWrapPad)
		}
		w.finish(true)
	}
	w.place(in, tk.n)
	w.buf = append(w.buf, tk.raw...)
	w.x += tk.n
}

func (w *wrapper) blanks(in, n int) {
	for n > 0 {
		if w.x == w.cols {
			w.finish(true)
		}
		k := min(n, w.cols-w.x)
		w.place(in, k)
		w.buf = binary.AppendUvarint(append(w.buf, tokBlank), uint64(k))
		w.x, in, n = w.x+k, in+k, n-k
	}
}

// place settles the tracked columns among the n that come now.
func (w *wrapper) place(in, n int) {
	for i := range w.track {
		if tr := &w.track[i]; tr.col >= in && tr.col < in+n {
			*tr.to = place{w.rowNumber(), min(w.x+tr.col-in, w.cols-1)}
			tr.col = -1
		}
	}
}

// placeRest settles the columns behind the row's text. The one right behind it
// may be the column after the last: a wrap is pending there.
func (w *wrapper) placeRest(in int) {
	for i := range w.track {
		if tr := &w.track[i]; tr.col >= in {
			col := w.x
			if tr.col > in {
				col = min(w.x+tr.col-in, w.cols-1)
			}
			*tr.to = place{w.rowNumber(), col}
			tr.col = -1
		}
	}
}

// rowNumber is the number of the row being made; those dropped since count.
func (w *wrapper) rowNumber() int { return int(w.out.first) + w.out.n }

// finish ends the row being made; on says that its line goes on.
func (w *wrapper) finish(on bool) {
	w.out.add(w.buf, on, w.mark)
	w.buf, w.x, w.mark = w.buf[:0], 0, 0
	if !on {
		w.begun, w.style, w.prot = false, w.style[:0], false
		return
	}
	if w.buf = append(w.buf, w.style...); w.prot {
		w.buf = append(w.buf, tokProtect)
	}
}
