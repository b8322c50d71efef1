package vt

import (
	"fmt"
	"math/rand"
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

// TestNeighboursStayApart prints text that would join what stands beside it,
// had it not been printed elsewhere or with clusters off, and measures the rows.
func TestNeighboursStayApart(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 20000 {
		cols := 2 + r.Intn(10)
		tm := New(cols, 2, Config{})
		in := ""
		for range 1 + r.Intn(5) {
			switch r.Intn(4) {
			case 0:
				in += fmt.Sprintf("\x1b[%d;%dH", 1+r.Intn(2), 1+r.Intn(cols))
			case 1:
				in += []string{"\x1b[?2027l", "\x1b[X", "\x1b[4h", "\x1b[P", "\x1b[31m"}[r.Intn(5)]
			default:
				in += string(append(pool, 0x0600, 0xe00f3)[r.Intn(len(pool)+2)])
			}
		}
		write(tm, in)
		var f Frame
		tm.Frame(&f, View{})
		for y := range f.Rows {
			for _, beside := range []string{"", "│", " "} {
				row := beside + string(f.AppendRow(nil, y)) + beside
				if w := ansi.StringWidth(row); w != cols+2*ansi.StringWidth(beside) {
					t.Fatalf("%+q: %d columns of %d: %+q", in, w, cols, row)
				}
			}
		}
	}
}
