package pane

import "github.com/ccmux/ccmux/supervisor/vt"

// Scroll looks delta rows further up (negative) or down in a pane of h rows, and
// says whether it looks at something else now.
func (m *Model) Scroll(delta, h int) bool {
	if m.term == nil {
		return false
	}
	_, live := m.term.Bounds()
	from := live + int64(m.top(h))
	if m.view.Scrolled {
		from = m.view.Top
	}
	return m.lookAt(from+int64(delta), h)
}

// lookAt shows row line first, as far as there are rows.
func (m *Model) lookAt(line int64, h int) bool {
	view, up := m.view, m.up
	_, live := m.term.Bounds()
	base := m.base(h)
	switch end := live + int64(base); {
	case line >= end:
		m.view, m.up = vt.View{}, 0
	case line >= live:
		m.view, m.up = vt.View{}, int(end-line)
	default:
		m.view, m.up = m.term.Scroll(vt.View{}, int(max(line-live, -1<<30))), 0
		if !m.view.Scrolled {
			m.up = base
		}
	}
	return m.view != view || m.up != up
}

// Oldest looks at the first row kept.
func (m *Model) Oldest(h int) bool { return m.Scroll(-1<<30, h) }

// Follow looks at the live screen again.
func (m *Model) Follow() bool {
	if !m.view.Scrolled && m.up == 0 {
		return false
	}
	m.view, m.up = vt.View{}, 0
	return true
}

// Scrolled says how many rows above its end a pane of h rows looks.
func (m *Model) Scrolled(h int) (above int64, scrolled bool) {
	if m.term == nil || !m.view.Scrolled {
		return int64(m.up), m.up > 0
	}
	_, live := m.term.Bounds()
	return live + int64(m.base(h)) - m.view.Top, true
}

// at is the place of the cell at x, y of a pane of h rows.
func (m *Model) at(x, y, h int) vt.Pos {
	return vt.Pos{Line: m.frame.Top + int64(y+m.top(h)), Col: max(x, 0)}
}

// Press begins a selection; clicks is 1 for characters, 2 for words, 3 for
// lines.
func (m *Model) Press(x, y, h, clicks int) {
	m.sel = vt.Selection{}
	m.unit = vt.Chars
	switch clicks {
	case 2:
		m.unit = vt.Words
	case 3:
		m.unit = vt.Lines
	}
	m.anchor = m.at(x, y, h)
	if m.term != nil && clicks > 1 {
		m.sel = m.term.Select(m.unit, m.anchor, m.anchor, false)
	}
	m.repaint()
}

// Drag moves the end of the selection.
func (m *Model) Drag(x, y, h int, block bool) {
	if m.term == nil {
		return
	}
	m.sel = m.term.Select(m.unit, m.anchor, m.at(x, y, h), block)
	m.repaint()
}

// Clear takes the selection away and says whether there was one.
func (m *Model) Clear() bool {
	if m.sel.Empty() {
		return false
	}
	m.sel = vt.Selection{}
	m.repaint()
	return true
}

// Copied is the selected text; empty when nothing is selected.
func (m *Model) Copied() string {
	if m.term == nil || m.sel.Empty() {
		return ""
	}
	return m.term.CopyText(m.sel)
}

// Visible is the text of the rows that are shown.
func (m *Model) Visible() string {
	if m.term == nil || m.frame.Rows == 0 {
		return ""
	}
	a := vt.Pos{Line: m.frame.Top}
	b := vt.Pos{Line: m.frame.Top + int64(m.frame.Rows) - 1, Col: m.frame.Cols - 1}
	return m.term.CopyText(m.term.Select(vt.Chars, a, b, false))
}

func (m *Model) repaint() {
	for y := range m.rows {
		m.refreshRow(y)
	}
}
