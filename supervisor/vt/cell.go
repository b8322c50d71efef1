package vt

import "unicode/utf8"

// A cell is one column of one row in eight bytes. The zero cell was never
// written: it looks like a space and is not copied.
//
// ch holds a rune, or the number of a cluster when clusterBit is set, and what
// part of a wide character the column is. st numbers a style.
type cell struct{ ch, st uint32 }

const (
	runeMask   = 1<<21 - 1
	clusterBit = 1 << 21
	widthMask  = 3 << 22
	wideHead   = 1 << 22 // left half, holds the text
	wideTail   = 2 << 22 // right half, holds nothing
	wrapPad    = 3 << 22 // left blank in the last column: a wide character went to the next row
	protectBit = 1 << 24 // DECSCA: selective erase passes over it
)

func (c cell) isTail() bool { return c.ch&widthMask == wideTail }
func (c cell) isHead() bool { return c.ch&widthMask == wideHead }
func (c cell) isPad() bool  { return c.ch&widthMask == wrapPad }

// unpad makes the blank a wide character left in the last column a blank like
// any other: it moves, or its row's text no longer goes on in the next one.
func (r *row) unpad() {
	if last := &r.cells[len(r.cells)-1]; last.isPad() {
		last.ch = 0
	}
}

// blank tells whether nothing was printed here (colour aside).
func (c cell) blank() bool {
	return c.ch&(runeMask|clusterBit) == 0 && c.ch&widthMask != wideTail
}

// A row is one line of the screen. stamp names its content: zero means changed
// since anyone looked; Frame gives out a number no other content ever had.
type row struct {
	cells   []cell
	stamp   uint64
	wrapped bool // the text goes on in the next row
	mark    Mark // shell integration, from OSC 133
}

// Mark says what a shell said about a row (OSC 133).
type Mark uint8

// Marks of rows; a row may carry several.
const (
	MarkPrompt  Mark = 1 << iota // a prompt begins here (OSC 133;A)
	MarkCommand                  // the typed command begins here (OSC 133;B)
	MarkOutput                   // the command's output begins here (OSC 133;C)
	MarkEnd                      // a command ended here (OSC 133;D)
)

func (r *row) clear(c cell) {
	if c == (cell{}) {
		clear(r.cells)
	} else {
		for i := range r.cells {
			r.cells[i] = c
		}
	}
	r.stamp, r.wrapped, r.mark = 0, false, 0
}

// fill overwrites columns [from,to) and mends wide characters cut by the ends.
func (r *row) fill(from, to int, c cell) {
	if from >= to {
		return
	}
	r.split(from)
	r.split(to)
	for i := from; i < to; i++ {
		r.cells[i] = c
	}
	r.stamp = 0
}

// split blanks a wide character that stands across the left edge of column x.
func (r *row) split(x int) {
	if x > 0 && x < len(r.cells) && r.cells[x].isTail() {
		r.cells[x-1].ch = 0
		r.cells[x].ch = 0
	}
}

// content returns how many cells hold something, and whether the blank rest is
// of one colour that is not the default. The pad of a row that does not go on
// becomes a blank.
func (r *row) content() (end int, fill bool) {
	end = len(r.cells)
	if r.wrapped {
		return end, false
	}
	r.unpad()
	for end > 0 && r.cells[end-1] == (cell{}) {
		end--
	}
	if end < len(r.cells) || end == 0 {
		return end, false
	}
	st := r.cells[end-1].st
	e := end
	for e > 0 && r.cells[e-1].st == st && r.cells[e-1].ch == 0 {
		e--
	}
	return e, e < end
}

// appendText appends what the cell shows; a never written one shows nothing.
func (tb *tables) appendText(dst []byte, c cell) []byte {
	v := c.ch & runeMask
	switch {
	case c.ch&clusterBit != 0:
		return append(dst, tb.clusters[v]...)
	case v == 0:
		return dst
	case v < utf8.RuneSelf:
		return append(dst, byte(v))
	default:
		return utf8.AppendRune(dst, rune(v))
	}
}
