package vt

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// SearchOptions say how to search.
type SearchOptions struct {
	MatchCase bool
	Limit     int // stop after so many; 0 means 10,000
}

// searchRows is how many rows are searched under one hold of the lock.
const searchRows = 512

// Search returns where text stands in the scrollback and on the screen, oldest
// first. A match may run over rows that were wrapped by the margin.
func (t *Terminal) Search(text string, o SearchOptions) []Selection {
	if text == "" {
		return nil
	}
	if o.Limit <= 0 {
		o.Limit = 10000
	}
	s := searcher{t: t, want: fold(text, o.MatchCase), opt: o}
	t.lock()
	n, _ := t.bounds()
	s.reflows = t.reflows
	t.mu.Unlock()
	for more := true; more; {
		t.lock()
		n, more = s.some(n)
		t.settleTables()
		t.mu.Unlock()
	}
	return s.found
}

func fold(s string, matchCase bool) []byte {
	if matchCase {
		return []byte(s)
	}
	var b []byte
	for _, r := range s {
		b = utf8.AppendRune(b, unicode.ToLower(r))
	}
	return b
}

type searcher struct {
	t       *Terminal
	want    []byte
	opt     SearchOptions
	reflows uint64
	found   []Selection
	text    []byte
	at      []Pos // where each byte of text stands
}

// some searches the lines from row n on and returns the row to go on with.
func (s *searcher) some(n int64) (next int64, more bool) {
	t := s.t
	if t.reflows != s.reflows {
		return n, false // the rows moved; what was found before has moved too
	}
	first, _ := t.bounds()
	n = max(n, first)
	lr := &lineReader{t: t}
	for stop := n + searchRows; n < stop; {
		s.text, s.at = s.text[:0], s.at[:0]
		for {
			cells, wrapped, ok := lr.read(n)
			if !ok {
				s.match()
				return n, false
			}
			s.addRow(n, cells)
			n++
			if !wrapped || len(s.text) > maxString {
				break
			}
		}
		if s.match(); len(s.found) >= s.opt.Limit {
			return n, false
		}
	}
	return n, true
}

func (s *searcher) addRow(n int64, cells []cell) {
	end := len(cells)
	for end > 0 && cells[end-1].blank() {
		end--
	}
	for x := range end {
		c := cells[x]
		if c.isTail() || c.isPad() {
			continue
		}
		start := len(s.text)
		if c.blank() {
			s.text = append(s.text, ' ')
		} else {
			s.text = s.t.in.appendText(s.text, c)
		}
		if !s.opt.MatchCase {
			s.lower(start)
		}
		for range len(s.text) - start {
			s.at = append(s.at, Pos{n, x})
		}
	}
}

// lower folds the text from start on, which is one cell's.
func (s *searcher) lower(start int) {
	if b := s.text[start:]; len(b) == 1 {
		if b[0] >= 'A' && b[0] <= 'Z' {
			b[0] |= 0x20
		}
		return
	}
	low := fold(string(s.text[start:]), false)
	s.text = append(s.text[:start], low...)
}

func (s *searcher) match() {
	for from := 0; len(s.found) < s.opt.Limit; {
		i := bytes.Index(s.text[from:], s.want)
		if i < 0 {
			return
		}
		a, b := from+i, from+i+len(s.want)-1
		end := s.at[b]
		end.Col++
		for b+1 < len(s.at) && s.at[b+1] == s.at[b] {
			b++
		}
		// A wide character's right half belongs to it.
		if cells, _, ok := (&lineReader{t: s.t}).read(end.Line); ok && end.Col < len(cells) && cells[end.Col].isTail() {
			end.Col++
		}
		s.found = append(s.found, s.t.selection(s.at[a], end, false))
		from = b + 1
	}
}
