package pane

import "github.com/ccmux/ccmux/supervisor/vt"

// Scroll looks delta rows further up (negative) or down, and says whether the
// pane looks at something else now.
func (m *Model) Scroll(delta int) bool {
	if m.term == nil {
		return false
	}
	v := m.term.Scroll(m.view, delta)
	if v == m.view {
		return false
	}
	m.view = v
	return true
}

// Oldest looks at the first row kept.
func (m *Model) Oldest() bool { return m.Scroll(-1 << 30) }

// Follow looks at the live screen again.
func (m *Model) Follow() bool {
	if !m.view.Scrolled {
		return false
	}
	m.view = vt.View{}
	return true
}

// Scrolled says how many rows above the live screen the pane looks.
func (m *Model) Scrolled() (above int64, scrolled bool) {
	if m.term == nil || !m.view.Scrolled {
		return 0, false
	}
	_, live := m.term.Bounds()
	return live - m.view.Top, true
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
