package vt

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestSelectAndCopy(t *testing.T) {
	for _, c := range []struct {
		name  string
		in    string
		unit  Unit
		a, b  Pos
		block bool
		want  string
	}{
		{"CJK and ASCII", "日本語テスト ABC", Lines, Pos{0, 3}, Pos{0, 3}, false, "日本語テスト ABC"},
		{"half of a wide character", "日本語", Chars, Pos{0, 1}, Pos{0, 2}, false, "日本"},
		{"backwards", "hello", Chars, Pos{0, 3}, Pos{0, 1}, false, "ell"},
		{"soft-wrapped rows are joined", strings.Repeat("0123456789", 3), Lines, Pos{1, 0}, Pos{1, 0}, false, strings.Repeat("0123456789", 3)},
		{"a wide character at the margin leaves no gap", "0123456789012345678日x", Lines, Pos{0, 0}, Pos{0, 0}, false, "0123456789012345678日x"},
		{"hard line ends", "one\r\ntwo  \r\nthree", Chars, Pos{0, 0}, Pos{2, 19}, false, "one\ntwo  \nthree"},
		{"no padding", "a\r\n\r\nb", Chars, Pos{0, 0}, Pos{2, 19}, false, "a\n\nb"},
		{"moved over, not printed", "a\x1b[5Gb", Lines, Pos{0, 0}, Pos{0, 0}, false, "a   b"},
		{"word", "see ./a/b.go:12 (now)", Words, Pos{0, 6}, Pos{0, 6}, false, "./a/b.go:12"},
		{"word over a soft wrap", "x 01234567890123456789abc y", Words, Pos{1, 1}, Pos{1, 1}, false, "01234567890123456789abc"},
		{"word over a wide character at the margin", "x 01234567890123456日本 y", Words, Pos{0, 3}, Pos{0, 3}, false, "01234567890123456日本"},
		{"word from behind it", "x 01234567890123456日本 y", Words, Pos{1, 1}, Pos{1, 1}, false, "01234567890123456日本"},
		{"word stops at brackets", "f(arg)", Words, Pos{0, 3}, Pos{0, 3}, false, "arg"},
		{"one bracket", "f(arg)", Words, Pos{0, 1}, Pos{0, 1}, false, "("},
		{"two words", "one two three", Words, Pos{0, 1}, Pos{0, 5}, false, "one two"},
		{"block", "abcd\r\nefgh\r\nijkl", Chars, Pos{2, 2}, Pos{0, 1}, true, "bc\nfg\njk"},
		{"clusters", "👩\u200d💻e\u0301🇩🇪", Lines, Pos{0, 0}, Pos{0, 0}, false, "👩\u200d💻e\u0301🇩🇪"},
		{"out of range", "abc", Chars, Pos{-5, -5}, Pos{99, 99}, false, "abc\n\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tm := newTerm(t, 20, 4)
			write(tm, c.in)
			if got := tm.CopyText(tm.Select(c.unit, c.a, c.b, c.block)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestCopyJoinsWhatWrapped and nothing else, whatever moved in between.
func TestCopyJoinsWhatWrapped(t *testing.T) {
	const long = "0123456789ab"
	for _, c := range []struct{ name, in, want string }{
		{"the blank before a wide character moves", "012345678日\x1b[H\x1b[3P\x1b[10GX", "345678   X\n日"},
		{"the blank before a wide character at a margin", "\x1b[?69h\x1b[1;5sabcd日\x1b[1;6Hfg", "abcd fg\n日"},
		{"emoji widened at a margin", "\x1b[?69h\x1b[1;5sabcd➡\ufe0f\x1b[1;6Hfg", "abcd fg\n➡\ufe0f"},
		{"reverse index over the lower margin", "\x1b[4;1Hunder\x1b[1;3r\x1b[2;1H" + long + "\x1b[1;1H\x1bM", "\n\n0123456789\nunder"},
		{"insert line", "\x1b[4;1Hunder\x1b[1;3r\x1b[2;1H" + long + "\x1b[1;1H\x1b[L", "\n\n0123456789\nunder"},
		{"delete line", "\x1b[3;1H" + long + "\x1b[1;3r\x1b[2;1H\x1b[M\x1b[3;1Hx", "\n0123456789\nx\nab"},
		{"index at the lower margin", "\x1b[3;1H" + long + "\x1b[1;3r\x1b[3;1H\x1bD\x1b[3;1Hx", "\n0123456789\nx\nab"},
		{"index above it", "\x1b[2;1H" + long + "\x1b[2;1H\x1bD", "\n" + long},
	} {
		t.Run(c.name, func(t *testing.T) {
			tm := newTerm(t, 10, 4)
			write(tm, c.in)
			sel := tm.Select(Chars, Pos{}, Pos{3, 9}, false)
			if c.name == "index at the lower margin" {
				sel = tm.Select(Chars, Pos{1, 0}, Pos{4, 9}, false)
			}
			if got := strings.TrimRight(tm.CopyText(sel), "\n"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestSelectionStaysOnItsText scrolls and resizes under a selection.
func TestSelectionStaysOnItsText(t *testing.T) {
	tm := newTerm(t, 20, 4)
	write(tm, "first line\r\n")
	sel := tm.Select(Words, Pos{0, 7}, Pos{0, 7}, false)
	for i := range 50 {
		write(tm, fmt.Sprintf("more %d\r\n", i))
	}
	if got := tm.CopyText(sel); got != "line" {
		t.Errorf("after output: %q", got)
	}
	tm.Resize(20, 2)
	if got := tm.CopyText(sel); got != "line" {
		t.Errorf("after another height: %q", got)
	}
	tm.Resize(9, 4)
	if got := tm.CopyText(sel); got != "" {
		t.Errorf("after another width: %q, want nothing", got)
	}
}

func TestSelectionShows(t *testing.T) {
	tm := newTerm(t, 10, 2)
	write(tm, "ab\x1b[31mcd\x1b[m")
	var f Frame
	tm.Frame(&f, View{})
	span, ok := tm.Select(Chars, Pos{0, 1}, Pos{0, 2}, false).Span(&f, 0)
	if !ok {
		t.Fatal("no span")
	}
	want := "a\x1b[0;7mb\x1b[0;7;31mc\x1b[0;31md\x1b[m      "
	if got := string(f.AppendRow(nil, 0, span)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, ok := (Selection{}).Span(&f, 0); ok {
		t.Error("an empty selection shows")
	}
}

func TestSearch(t *testing.T) {
	tm := newTerm(t, 20, 4)
	for i := range 100 {
		write(tm, fmt.Sprintf("row %d Needle 日本語\r\n", i))
	}
	hits := tm.Search("needle 日本", SearchOptions{})
	if len(hits) != 100 {
		t.Fatalf("%d hits, want 100", len(hits))
	}
	for _, h := range hits {
		if got := tm.CopyText(h); got != "Needle 日本" {
			t.Fatalf("hit is %q", got)
		}
	}
	if n := len(tm.Search("needle", SearchOptions{MatchCase: true})); n != 0 {
		t.Errorf("%d hits with the case matched", n)
	}
	if n := len(tm.Search("row", SearchOptions{Limit: 7})); n != 7 {
		t.Errorf("%d hits, want the limit", n)
	}
	write(tm, "a long line that wraps twice: 0123456789 and on")
	hits = tm.Search("0123456789 and", SearchOptions{})
	if len(hits) != 1 || hits[0].Start.Line == hits[0].End.Line {
		t.Fatalf("over a wrap: %+v", hits)
	}
	if tm.Search("", SearchOptions{}) != nil || tm.Search("absent", SearchOptions{}) != nil {
		t.Error("found what is not there")
	}
}

func TestLinkAt(t *testing.T) {
	tm := newTerm(t, 60, 4)
	write(tm, "\x1b]8;;https://example.org/hidden\x1b\\shown\x1b]8;;\x1b\\ and https://example.com/a?b=c. End (file:///etc/hosts)")
	for _, c := range []struct {
		col  int
		want string
	}{{2, "https://example.org/hidden"}, {6, ""}, {20, "https://example.com/a?b=c"}, {50, "file:///etc/hosts"}} {
		got, text, ok := tm.LinkAt(Pos{0, c.col})
		if got != c.want || ok != (c.want != "") || ok && text.Empty() {
			t.Errorf("column %d: %q %v, want %q", c.col, got, ok, c.want)
		}
	}
}

// TestScrolledView keeps a view on its rows while output goes on.
func TestScrolledView(t *testing.T) {
	tm := newTerm(t, 20, 3)
	for i := range 20 {
		write(tm, fmt.Sprintf("row %d\r\n", i))
	}
	v := tm.Scroll(View{}, -5)
	var f Frame
	tm.Frame(&f, v)
	first := string(f.AppendRow(nil, 0))
	write(tm, "more\r\nand more\r\n")
	tm.Frame(&f, v)
	if got := string(f.AppendRow(nil, 0)); got != first || !strings.HasPrefix(got, "row 13") {
		t.Errorf("the view moved from %q to %q", first, got)
	}
	if v = tm.Scroll(v, 1000); v.Scrolled {
		t.Errorf("at the bottom: %+v, want to follow", v)
	}
	if v = tm.Scroll(v, -1000); v.Top != 0 {
		t.Errorf("at the top: %+v", v)
	}
	if v = tm.Scroll(View{Scrolled: true, Top: 5}, math.MaxInt); v.Scrolled {
		t.Errorf("as far down as can be said: %+v", v)
	}
	if v = tm.Scroll(View{}, math.MinInt); !v.Scrolled || v.Top != 0 {
		t.Errorf("as far up: %+v", v)
	}
}

func TestMove(t *testing.T) {
	tm := newTerm(t, 10, 4)
	write(tm, "one two\r\n日本 go\r\n0123456789abc")
	for _, c := range []struct {
		name string
		from Pos
		m    Motion
		want Pos
	}{
		{"left", Pos{0, 3}, MoveLeft, Pos{0, 2}},
		{"left over a wide character", Pos{1, 2}, MoveLeft, Pos{1, 0}},
		{"left over the row's beginning", Pos{1, 0}, MoveLeft, Pos{0, 9}},
		{"left at the top", Pos{0, 0}, MoveLeft, Pos{0, 0}},
		{"right over a wide character", Pos{1, 0}, MoveRight, Pos{1, 2}},
		{"right over the row's end", Pos{0, 9}, MoveRight, Pos{1, 0}},
		{"up onto a right half", Pos{2, 1}, MoveUp, Pos{1, 0}},
		{"word left", Pos{0, 5}, MoveWordLeft, Pos{0, 4}},
		{"word left twice", Pos{0, 4}, MoveWordLeft, Pos{0, 0}},
		{"word right", Pos{0, 0}, MoveWordRight, Pos{0, 2}},
		{"word right into the next row", Pos{0, 6}, MoveWordRight, Pos{1, 2}},
		{"line start over a wrap", Pos{3, 2}, MoveLineStart, Pos{2, 0}},
		{"line end over a wrap", Pos{2, 3}, MoveLineEnd, Pos{3, 2}},
		{"line end", Pos{0, 0}, MoveLineEnd, Pos{0, 6}},
		{"top", Pos{3, 3}, MoveTop, Pos{0, 0}},
		{"bottom", Pos{0, 0}, MoveBottom, Pos{3, 9}},
		{"page down", Pos{0, 2}, MovePageDown, Pos{3, 2}},
	} {
		if got := tm.Move(c.from, c.m); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
