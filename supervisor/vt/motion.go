package vt

// Motion is a step of a cursor that walks over the text to select by keyboard.
type Motion uint8

// Motions.
const (
	MoveLeft Motion = iota
	MoveRight
	MoveUp
	MoveDown
	MoveWordLeft  // to the beginning of the word before
	MoveWordRight // to the end of the word after
	MoveLineStart // of the line, over the rows it was wrapped to
	MoveLineEnd   // to its last printed character
	MovePageUp
	MovePageDown
	MoveTop
	MoveBottom
)

// Move returns where m leads from p. It goes through the scrollback and the
// screen, over the ends of rows, and stays inside the text there is.
func (t *Terminal) Move(p Pos, m Motion) Pos {
	t.lock()
	defer t.mu.Unlock()
	lr := &lineReader{t: t}
	p = t.clampPos(p)
	switch m {
	case MoveLeft:
		p, _ = t.step1(lr, p, -1)
	case MoveRight:
		p, _ = t.step1(lr, p, +1)
	case MoveUp:
		p.Line--
	case MoveDown:
		p.Line++
	case MovePageUp:
		p.Line -= int64(t.nrow)
	case MovePageDown:
		p.Line += int64(t.nrow)
	case MoveTop:
		p = Pos{}
	case MoveBottom:
		p = t.clampPos(Pos{Line: 1 << 62})
	case MoveWordLeft:
		p = t.wordStart(lr, t.skipBlanks(lr, p, -1))
	case MoveWordRight:
		p = t.wordEnd(lr, t.skipBlanks(lr, p, +1))
	case MoveLineStart:
		for p.Col = 0; t.wrappedAt(p.Line - 1); {
			p.Line--
		}
	case MoveLineEnd:
		for t.wrappedAt(p.Line) {
			p.Line++
		}
		p.Col = lr.lastPrinted(p.Line)
	}
	first, live := t.bounds()
	p.Line = min(max(p.Line, first), live+int64(t.nrow)-1)
	if cells, _, ok := lr.read(p.Line); ok && cells[p.Col].isTail() {
		p.Col--
	}
	t.settleTables()
	return p
}

// step1 moves by one character and tells whether there was one.
func (t *Terminal) step1(lr *lineReader, p Pos, d int) (Pos, bool) {
	q := p
	cells, _, _ := lr.read(q.Line)
	for q.Col += d; q.Col >= 0 && q.Col < len(cells); q.Col += d {
		if !cells[q.Col].isTail() {
			return q, true
		}
	}
	q.Line += int64(d)
	if cells, _, ok := lr.read(q.Line); !ok || len(cells) == 0 {
		return p, false
	}
	if q.Col = 0; d < 0 {
		q.Col = t.cols - 1
	}
	return q, true
}

// skipBlanks steps at least once, and on over blanks to a character.
func (t *Terminal) skipBlanks(lr *lineReader, p Pos, d int) Pos {
	for {
		q, ok := t.step1(lr, p, d)
		if !ok {
			return p
		}
		p = q
		cells, _, _ := lr.read(p.Line)
		if _, blank := t.wordAt(cells, p.Col); !blank {
			return p
		}
	}
}

func (lr *lineReader) lastPrinted(n int64) int {
	cells, _, _ := lr.read(n)
	x := len(cells) - 1
	for x > 0 && cells[x].blank() {
		x--
	}
	return max(x, 0)
}
