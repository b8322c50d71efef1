package pane

import (
	"strings"
	"time"

	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui/cells"
)

// Model is what one screen knows of one pane: the rows it drew last, where it
// looks and what is selected.
type Model struct {
	term   *vt.Terminal
	frame  vt.Frame
	view   vt.View
	up     int // rows above the end, while the live screen is looked at
	sel    vt.Selection
	anchor vt.Pos
	unit   vt.Unit
	mark   mark
	found  found
	rows   []row
	buf    []byte
}

type row struct {
	key   rowKey
	text  string
	blank bool
}

// rowKey names how a row looks; while it is the same the text is.
type rowKey struct {
	stamp   uint64
	reverse bool
	from    int
	to      int
}

// Refresh takes what changed in term and says whether anything did.
func (m *Model) Refresh(term *vt.Terminal) bool {
	fresh := m.term != term
	if fresh {
		*m = Model{term: term}
	}
	if term == nil {
		return fresh
	}
	changed := term.Frame(&m.frame, m.view) || fresh
	if !changed && m.sel.Empty() && len(m.rows) == m.frame.Rows {
		return false
	}
	if len(m.rows) != m.frame.Rows {
		m.rows = make([]row, m.frame.Rows)
	}
	for y := range m.rows {
		m.refreshRow(y)
	}
	return true
}

func (m *Model) refreshRow(y int) {
	key := rowKey{stamp: m.frame.Stamp(y), reverse: m.frame.Reverse}
	span, marked := m.sel.Span(&m.frame, y)
	if marked {
		key.from, key.to = span.From, span.To
	}
	r := &m.rows[y]
	if r.key == key && r.text != "" {
		return
	}
	m.buf = m.buf[:0]
	if marked {
		m.buf = m.frame.AppendRow(m.buf, y, span)
	} else {
		m.buf = m.frame.AppendRow(m.buf, y)
	}
	r.key, r.text = key, string(m.buf)
	r.blank = strings.Trim(r.text, " ") == ""
}

// Settles says when an unfinished synchronized update has to be looked at again.
func (m *Model) Settles() (time.Time, bool) {
	if m.term == nil {
		return time.Time{}, false
	}
	return m.term.SyncDeadline()
}

// Lines returns the pane in h rows of w columns. A terminal of another size is
// cut, so that its cursor shows, or filled with blanks.
func (m *Model) Lines(w, h int) []string {
	out := make([]string, 0, h)
	top := m.top(h)
	for y := range h {
		if y+top >= len(m.rows) {
			out = append(out, strings.Repeat(" ", max(w, 0)))
			continue
		}
		text := m.rows[y+top].text
		switch {
		case m.frame.Cols > w:
			text = cells.Clip(text, w)
		case m.frame.Cols < w:
			text += strings.Repeat(" ", w-m.frame.Cols)
		}
		out = append(out, text)
	}
	return out
}

// top is the first row shown when h rows are fewer than the terminal has.
func (m *Model) top(h int) int {
	if m.view.Scrolled {
		return 0
	}
	return max(m.base(h)-m.up, 0)
}

// base is top at the end: the last row that has anything on it shows, and the
// cursor does.
func (m *Model) base(h int) int {
	if len(m.rows) <= h {
		return 0
	}
	c := m.frame.Cursor
	last := len(m.rows) - 1
	for last > 0 && m.rows[last].blank {
		last--
	}
	if c.Visible {
		last = max(last, c.Y)
	}
	top := min(max(last-h+1, 0), len(m.rows)-h)
	if c.Visible && c.Y < top {
		top = max(c.Y, 0)
	}
	return top
}

// Hidden is how many rows of the live screen do not fit above a pane of h rows.
func (m *Model) Hidden(h int) int { return m.top(h) }

// Cursor is where the child's cursor stands in a pane of w by h, and whether it
// shows.
func (m *Model) Cursor(w, h int) (c vt.Cursor, ok bool) {
	c = m.frame.Cursor
	c.Y -= m.top(h)
	ok = m.term != nil && c.Visible && c.X >= 0 && c.X < w && c.Y >= 0 && c.Y < h
	return c, ok
}

// Blank says that nothing has run in the pane.
func (m *Model) Blank() bool { return m.term == nil }
