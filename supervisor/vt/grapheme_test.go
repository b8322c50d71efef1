package vt

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// pool has runes of every class the cluster rules know.
var pool = []rune{
	'a', '1', '#', ' ', 'é', '日', '語', 'ﾊ', '\u0301', '\u0308', '\u20e3', 0xfe0f, 0xfe0e, 0x200d, 0x1F469, 0x1F4BB, 0x1F44D, 0x1F3FD,
	0x1F1E9, 0x1F1EA, 0x2764, 0x27A1, 0x26A0, 0x1F3F4, 0xE0067, 0xE007F, 0x1100, 0x1161, 0x11A8, 0xAC00, 0xAC01,
	0x0915, 0x094D, 0x0937, 0x093F, 0x0E33, 0x0E01, 0x2600, 0x00A9,
}

// TestClustersAsTheLibrarySays prints random text and compares the cells with
// the library's clusters and widths, the ones Bubble Tea draws with.
func TestClustersAsTheLibrarySays(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	for range 20000 {
		var b strings.Builder
		b.WriteString("x") // something for a leading mark to stand on
		for range 1 + r.Intn(8) {
			b.WriteRune(pool[r.Intn(len(pool))])
		}
		s := b.String()
		tm := New(60, 1, Config{})
		for p := []byte(s); len(p) > 0; {
			n := min(len(p), 1+r.Intn(5))
			_, _ = tm.Write(p[:n])
			p = p[n:]
		}
		var want []refCell
		for it := graphemes.FromString(s); it.Next(); {
			w := displaywidth.String(it.Value())
			if w == 0 {
				continue // controls and lone format characters show nothing
			}
			want = append(want, refCell{it.Value(), w, ";;"})
			if w == 2 {
				want = append(want, refCell{})
			}
		}
		got := ours(tm, 0)
		if got.x != len(want) {
			t.Fatalf("%+q: the cursor is at %d, want %d", s, got.x, len(want))
		}
		for x := range want {
			if got.cells[0][x] != want[x] {
				t.Fatalf("%+q column %d: %+q, want %+q", s, x, got.cells[0][x].text, want[x].text)
			}
		}
	}
}

// TestWideAtTheEdges overwrites, cuts and wraps wide characters.
func TestWideAtTheEdges(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"left half overwritten", "日本\rX", "X 本"},
		{"right half overwritten", "日本\x1b[2GX", " X本"},
		{"narrow over both", "日本\rXY", "XY本"},
		{"wide over two halves", "日本\x1b[2G語", " 語"},
		{"erased right half", "日本\x1b[2G\x1b[X", "  本"},
		{"erased to the right", "日本\x1b[4G\x1b[K", "日"},
		{"erased to the left", "日本\x1b[G\x1b[1K", "  本"},
		{"inserted between halves", "日本\x1b[2G\x1b[@", "   本"},
		{"deleted right half", "日本\x1b[2G\x1b[P", " 本"},
		{"pushed over the margin", "日本語テス\r\x1b[@", " 日本語テ"},
		{"at the margin without autowrap", "\x1b[?7l123456789日", "123456789"},
		{"emoji widened at the margin", "123456789➡\ufe0f", "123456789|➡\ufe0f"},
		{"emoji widened in insert mode", "abc\r\x1b[4h➡\ufe0f", "➡\ufe0fabc"},
		{"keycap", "1\ufe0f\u20e3x\x1b[3G#", "1\ufe0f\u20e3#"},
		{"mark after a wide character", "日\u0301x", "日\u0301x"},
		{"mark in a pending wrap", "012345678e\u0301", "012345678e\u0301"},
		{"mark in the last column without autowrap", "\x1b[?7l012345678e\u0301", "012345678e\u0301"},
		{"mark in the last column twice", "\x1b[?7l012345678xyze\u0301\u0302", "012345678e\u0301\u0302"},
		{"mark after a move to the last column", "\x1b[?7l012345678e\x1b[10G\u0301", "012345678\u0301e"},
		{"mark on nothing", "\r\u0301x", "x"},
		{"mark after a move", "ab\x1b[2G\u0301", "a\u0301b"},
		{"clusters off", "\x1b[?2027l👩\u200d💻x\x1b[5G#", "👩\u200d💻#"},
		{"repeated wide", "日\x1b[2b", "日日日"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, piece := range []int{1, 3, len(c.in)} {
				tm := newTerm(t, 10, 3)
				for i := 0; i < len(c.in); i += piece {
					write(tm, c.in[i:min(i+piece, len(c.in))])
				}
				if got := screenOf(tm); got != c.want {
					t.Errorf("in pieces of %d: got %q, want %q", piece, got, c.want)
				}
				if w := broken(tm); w != "" {
					t.Error(w)
				}
			}
		})
	}
}
