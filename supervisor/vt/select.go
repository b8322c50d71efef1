package vt

import (
	"strings"
	"unicode"
)

// Unit is what a selection grows by: the first, second or third click.
type Unit uint8

// Units of selection.
const (
	Chars Unit = iota
	Words
	Lines // whole lines, soft-wrapped rows joined
)

// A Selection is a stretch of text, or a block of columns. It stays on its rows
// while output goes on and becomes empty when the terminal gets another width.
// The zero Selection is empty.
type Selection struct {
	Start, End Pos // End.Col is exclusive
	Block      bool
	reflows    uint64
	set        bool
}

// Empty tells whether nothing is selected.
func (s Selection) Empty() bool { return !s.set }

// Select returns the selection between two places, which may come in any order
// and both belong to it. Wide characters are taken whole.
func (t *Terminal) Select(u Unit, a, b Pos, block bool) Selection {
	t.lock()
	defer t.mu.Unlock()
	a, b = t.clampPos(a), t.clampPos(b)
	if block {
		from, to := min(a.Col, b.Col), max(a.Col, b.Col)+1
		a.Line, b.Line = min(a.Line, b.Line), max(a.Line, b.Line)
		return t.selection(Pos{a.Line, from}, Pos{b.Line, to}, true)
	}
	if b.before(a) {
		a, b = b, a
	}
	lr := &lineReader{t: t}
	switch u {
	case Chars:
	case Words:
		a, b = t.wordStart(lr, a), t.wordEnd(lr, b)
	case Lines:
		a.Col, b.Col = 0, t.cols-1
		for t.wrappedAt(a.Line - 1) {
			a.Line--
		}
		for t.wrappedAt(b.Line) {
			b.Line++
		}
	}
	if cells, _, ok := lr.read(a.Line); ok && cells[a.Col].isTail() {
		a.Col--
	}
	if cells, _, ok := lr.read(b.Line); ok && cells[b.Col].isHead() {
		b.Col++
	}
	t.settleTables()
	return t.selection(a, Pos{b.Line, b.Col + 1}, false)
}

func (t *Terminal) selection(a, b Pos, block bool) Selection {
	return Selection{Start: a, End: b, Block: block, reflows: t.reflows, set: true}
}

// wordRune tells whether a double click takes r for part of a word: letters,
// digits, and what paths and addresses are made of (the set VTE uses).
func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("-,./?%&#:_=+@~", r)
}

// wordAt tells what kind of character stands at p; characters of one kind are
// selected together.
func (t *Terminal) wordAt(cells []cell, x int) (word, blank bool) {
	if cells[x].isTail() && x > 0 {
		x--
	}
	b := t.in.appendText(nil, cells[x])
	if len(b) == 0 || string(b) == " " {
		return false, true
	}
	for _, r := range string(b) {
		return wordRune(r), false
	}
	return false, false
}

func (t *Terminal) wordStart(lr *lineReader, p Pos) Pos {
	cells, _, ok := lr.read(p.Line)
	if !ok {
		return p
	}
	word, blank := t.wordAt(cells, p.Col)
	if !word && !blank {
		return p
	}
	for {
		q := p
		if q.Col--; q.Col < 0 {
			if !t.wrappedAt(p.Line - 1) {
				return p
			}
			q = Pos{p.Line - 1, t.cols - 1}
			if cells, _, _ = lr.read(q.Line); q.Col > 0 && cells[q.Col].isPad() {
				q.Col-- // no blank was printed there
			}
		}
		if w, bl := t.wordAt(cells, q.Col); w != word || bl != blank {
			return p
		}
		p = q
	}
}

func (t *Terminal) wordEnd(lr *lineReader, p Pos) Pos {
	cells, wrapped, ok := lr.read(p.Line)
	if !ok {
		return p
	}
	word, blank := t.wordAt(cells, p.Col)
	if !word && !blank {
		return p
	}
	for {
		q := p
		if q.Col++; wrapped && q.Col == t.cols-1 && cells[q.Col].isPad() {
			q.Col++
		}
		if q.Col >= t.cols {
			if !wrapped {
				return p
			}
			q = Pos{p.Line + 1, 0}
			if cells, wrapped, ok = lr.read(q.Line); !ok {
				return p
			}
		}
		if w, bl := t.wordAt(cells, q.Col); w != word || bl != blank {
			return p
		}
		p = q
	}
}

// CopyText returns the selected text: what was printed and nothing else. Rows
// wrapped by the margin are joined, cells never printed at the end of a row are
// left out and those before count as spaces.
func (t *Terminal) CopyText(s Selection) string {
	t.lock()
	defer t.mu.Unlock()
	if !s.set || s.reflows != t.reflows {
		return ""
	}
	lr := &lineReader{t: t}
	var b []byte
	first, live := t.bounds()
	for n := max(s.Start.Line, first); n <= min(s.End.Line, live+int64(t.nrow)-1); n++ {
		cells, wrapped, ok := lr.read(n)
		if !ok {
			continue
		}
		from, to := s.columns(n, len(cells))
		b = t.in.appendCopied(b, cells, from, to)
		if n < s.End.Line && (!wrapped || s.Block) {
			b = append(b, '\n')
		}
	}
	t.settleTables()
	return string(b)
}

// columns returns what of row n is selected.
func (s *Selection) columns(n int64, cols int) (from, to int) {
	if n < s.Start.Line || n > s.End.Line || !s.set {
		return 0, 0
	}
	from, to = 0, cols
	if n == s.Start.Line || s.Block {
		from = s.Start.Col
	}
	if n == s.End.Line || s.Block {
		to = s.End.Col
	}
	return min(max(from, 0), cols), min(max(to, 0), cols)
}

func (tb *tables) appendCopied(dst []byte, cells []cell, from, to int) []byte {
	end := to
	for end > from && cells[end-1].blank() {
		end--
	}
	if from < len(cells) && cells[from].isTail() && from > 0 {
		from--
	}
	for x := from; x < end; x++ {
		switch c := cells[x]; {
		case c.isTail():
		case c.isPad():
		case c.blank():
			dst = append(dst, ' ')
		default:
			dst = tb.appendText(dst, c)
		}
	}
	return dst
}

// Span returns what of row y of f is selected, as an inverted span.
func (s Selection) Span(f *Frame, y int) (Span, bool) {
	from, to := s.columns(f.Top+int64(y), f.Cols)
	if s.reflows != f.reflows {
		return Span{}, false
	}
	return Span{From: from, To: to, Attr: Inverse}, from < to
}
