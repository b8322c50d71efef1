package pane

import "github.com/ccmux/ccmux/supervisor/vt"

// mark is a cursor of ours in the text, moved by keys.
type mark struct {
	on     bool
	at     vt.Pos
	chosen bool // a selection reaches from the anchor to it
}

// Mark puts a cursor into a pane of h rows: where something is selected, else on
// its last row with text.
func (m *Model) Mark(h int) bool {
	if m.term == nil || len(m.rows) == 0 {
		return false
	}
	y := m.top(h)
	for i := y; i < min(y+h, len(m.rows)); i++ {
		if !m.rows[i].blank {
			y = i
		}
	}
	m.mark = mark{on: true, at: vt.Pos{Line: m.frame.Top + int64(y)}}
	if !m.sel.Empty() {
		m.mark.at = m.sel.Start
		m.Clear()
	}
	return true
}

// Marking says whether keys move a cursor of ours.
func (m *Model) Marking() bool { return m.mark.on }

// Unmark takes the cursor away, and what is selected.
func (m *Model) Unmark() {
	m.mark = mark{}
	m.Clear()
}

// MarkAt is where the cursor stands in a pane of w by h.
func (m *Model) MarkAt(w, h int) (x, y int, ok bool) {
	x, y = m.mark.at.Col, int(m.mark.at.Line-m.frame.Top)-m.top(h)
	return x, y, m.mark.on && x < w && y >= 0 && y < h
}

// Choose selects from the cursor on by unit; the same unit again drops that.
func (m *Model) Choose(u vt.Unit) {
	if m.mark.chosen && m.unit == u {
		m.mark.chosen = false
		m.Clear()
		return
	}
	if !m.mark.chosen {
		m.anchor = m.mark.at
	}
	m.unit, m.mark.chosen = u, true
	m.extend()
}

// MoveMark moves the cursor through the text, and shows it in a pane of h rows.
func (m *Model) MoveMark(by vt.Motion, h int) {
	if m.term == nil {
		return
	}
	m.mark.at = m.term.Move(m.mark.at, by)
	m.reveal(m.mark.at.Line, h)
	m.extend()
}

// reveal scrolls as little as it takes to show a row.
func (m *Model) reveal(line int64, h int) {
	_, live := m.term.Bounds()
	top := live + int64(m.top(h))
	if m.view.Scrolled {
		top = m.view.Top
	}
	switch {
	case line < top:
		m.lookAt(line, h)
	case line >= top+int64(h):
		m.lookAt(line-int64(h)+1, h)
	}
}

func (m *Model) extend() {
	if m.mark.chosen {
		m.sel = m.term.Select(m.unit, m.anchor, m.mark.at, false)
		m.repaint()
	}
}

// found is what a search brought, oldest first.
type found struct {
	all []vt.Selection
	at  int
}

// Found takes the places that a search brought and shows the newest of them that
// is not below a pane of h rows.
func (m *Model) Found(all []vt.Selection, h int) {
	m.found = found{all: all, at: len(all) - 1}
	m.showFound(h)
}

// NextFound goes n places on, older ones with a negative n; it stops at the ends
// and says whether it went anywhere.
func (m *Model) NextFound(n, h int) bool {
	at := min(max(m.found.at+n, 0), len(m.found.all)-1)
	if len(m.found.all) == 0 || at == m.found.at {
		return false
	}
	m.found.at = at
	m.showFound(h)
	return true
}

// FoundAt says which place of how many is shown, counted from the newest.
func (m *Model) FoundAt() (n, of int) { return len(m.found.all) - m.found.at, len(m.found.all) }

func (m *Model) showFound(h int) {
	if m.term == nil || len(m.found.all) == 0 {
		m.Clear()
		return
	}
	m.sel = m.found.all[m.found.at]
	line := m.sel.Start.Line
	_, live := m.term.Bounds()
	top := live + int64(m.top(h))
	if m.view.Scrolled {
		top = m.view.Top
	}
	if line < top || line >= top+int64(h) {
		m.lookAt(line-int64(h/2), h)
	}
	m.repaint()
}

// LinkAt is the address under x, y of a pane of h rows.
func (m *Model) LinkAt(x, y, h int) (string, bool) {
	if m.term == nil || y+m.top(h) >= len(m.rows) {
		return "", false
	}
	uri, _, ok := m.term.LinkAt(m.at(x, y, h))
	return uri, ok
}

// LinkHere is the address under the cursor of ours, or of what is selected.
func (m *Model) LinkHere() (string, bool) {
	if m.term == nil {
		return "", false
	}
	at := m.mark.at
	if !m.mark.on {
		if m.sel.Empty() {
			return "", false
		}
		at = m.sel.Start
	}
	uri, _, ok := m.term.LinkAt(at)
	return uri, ok
}
