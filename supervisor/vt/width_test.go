package vt

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestRowsAreAsWideAsTheScreen draws every recording as it goes by and measures
// the rows as Bubble Tea does: each exactly the screen's width, or the borders
// around a pane would shift.
func TestRowsAreAsWideAsTheScreen(t *testing.T) {
	for _, r := range recordings(t) {
		tm := New(r.Cols, r.Rows, Config{Scrollback: 1000})
		var f Frame
		var row []byte
		for from := 0; from < len(r.bytes); from += 700 {
			_, _ = tm.Write(r.bytes[from:min(from+700, len(r.bytes))])
			if !tm.Frame(&f, tm.Scroll(View{}, -from/700%3)) {
				continue
			}
			for y := range f.Rows {
				row = f.AppendRow(row[:0], y, Span{From: 3, To: 5, Attr: Inverse})
				if w := ansi.StringWidth(string(row)); w != r.Cols {
					t.Fatalf("%s at %d, row %d: %d columns of %d: %q", r.name, from, y, w, r.Cols, row)
				}
			}
		}
	}
}
