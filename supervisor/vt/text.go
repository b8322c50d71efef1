package vt

import "strings"

// Text returns the screen's rows as plain text, each without its blank end and
// followed by a newline.
func (t *Terminal) Text() string {
	t.lock()
	defer t.mu.Unlock()
	var b []byte
	for _, r := range t.scr.rows {
		b = append(t.in.appendLine(b, r.cells), '\n')
	}
	return string(b)
}

// Line returns row y of the screen as plain text without its blank end, and the
// empty string if there is no such row.
func (t *Terminal) Line(y int) string {
	t.lock()
	defer t.mu.Unlock()
	if y < 0 || y >= t.nrow {
		return ""
	}
	return string(t.in.appendLine(nil, t.scr.rows[y].cells))
}

// appendLine appends the text of cells; blank ones are spaces, those at the end
// are left out together with printed spaces.
func (tb *tables) appendLine(dst []byte, cells []cell) []byte {
	start := len(dst)
	for _, c := range cells {
		switch {
		case c.isTail():
		case c.blank():
			dst = append(dst, ' ')
		default:
			dst = tb.appendText(dst, c)
		}
	}
	return dst[:start+len(strings.TrimRight(string(dst[start:]), " "))]
}
