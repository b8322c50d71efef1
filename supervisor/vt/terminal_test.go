package vt

import (
	"strings"
	"testing"
)

func newTerm(t testing.TB, cols, rows int) *Terminal {
	t.Helper()
	tm := New(cols, rows, Config{Scrollback: 1000})
	t.Cleanup(tm.Close)
	return tm
}

func write(tm *Terminal, s string) { _, _ = tm.Write([]byte(s)) }

// screenOf returns the rows with blank ends cut, joined by |, blank rows at the
// bottom left out.
func screenOf(tm *Terminal) string {
	return strings.TrimRight(strings.ReplaceAll(tm.Text(), "\n", "|"), "|")
}

func TestScreen(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "hello\r\nworld", "hello|world"},
		{"wrap", "0123456789ab", "0123456789|ab"},
		{"pending wrap", "0123456789\rX", "X123456789"},
		{"no autowrap", "\x1b[?7l0123456789abc", "012345678c"},
		{"wide", "日本", "日本"},
		{"wide at the margin", "012345678日", "012345678|日"},
		{"wide overwritten", "日本\x1b[2GX", " X本"},
		{"cluster", "e\u0301x", "e\u0301x"},
		{"zwj", "👩\u200d💻x\x1b[4G#", "👩\u200d💻x#"},
		{"vs16 widens", "➡\ufe0fx\x1b[4G#", "➡\ufe0fx#"},
		{"flag", "🇩🇪x", "🇩🇪x"},
		{"scroll", "1\r\n2\r\n3\r\n4\r\n5", "2|3|4|5"},
		{"insert mode", "abc\r\x1b[4hX", "Xabc"},
		{"ich", "abc\r\x1b[2@", "  abc"},
		{"dch", "abcdef\r\x1b[2P", "cdef"},
		{"ech", "abcdef\r\x1b[2X", "  cdef"},
		{"rep", "a\x1b[3b", "aaaa"},
		{"rep over the margin", "01234567a\x1b[4b", "01234567aa|aaa"},
		{"rep without autowrap", "\x1b[?7l01234567a\x1b[4bb", "01234567ab"},
		{"rep in insert mode", "bc\r\x1b[4ha\x1b[2b", "aaabc"},
		{"rep over half a wide character", "日本\ra\x1b[1b\x1b[H\x1b[C日", "a日"},
		{"rep once only", "a\x1b[b\x1b[b", "aa"},
		{"rep of nothing after a control", "a\r\x1b[bb\x1b[mb\x1b[Hc", "cb"},
		{"il", "1\r\n2\r\n3\x1b[2H\x1b[L", "1||2|3"},
		{"dl", "1\r\n2\r\n3\x1b[2H\x1b[M", "1|3"},
		{"region", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3H\n", "1|3||4"},
		{"acs", "\x1b(0lqk\x1b(B", "┌─┐"},
		{"tabs", "a\tb", "a       b"},
		{"unknown swallowed", "a\x1b[999;1<z\x1b]999;x\x07\x1bPzz\x1b\\\x1b_G\x1b\\b", "ab"},
		{"check mark in a title", "\x1b]0;✳ Claude\x07x", "x"},
		{"1049", "a\x1b[?1049hb\x1b[?1049lc", "ac"},
		{"47 keeps the other screen", "a\x1b[?47h\rb\x1b[?47l\rc\x1b[?47h\r\n#", "b|#"},
		{"1047 clears as it leaves", "a\x1b[?1047h\rb\x1b[?1047lc\x1b[?1047h#", "  #"},
		{"a pending wrap goes to the other screen", "\x1b[2;1H0123456789\x1b[?1047hb", "||b"},
		{"1048 is the cursor alone", "ab\x1b[?1048h\r\n\nc\x1b[?1048ld", "abd||c"},
		{"protected cells stay", "a\x1b[1\"qb\x1b[0\"qc\x1b[?2K", " b"},
		{"protected from the erase of the screen", "a\x1b[1\"qb\x1b[2\"qc\x1b[?2J", " b"},
		{"plain erase takes protected cells", "a\x1b[1\"qb\x1b[2K", ""},
		{"single shifts", "\x1b*0\x1b+0q\x1bNq\x1bOqq", "q──q"},
		{"a single shift is for the next character", "\x1b*0\x1bNéq", "éq"},
		{"a set not known ends the one before", "\x1b(0q\x1b(%5q\x1b(0q\x1b(\"?q", "─q─q"},
		{"locking shifts", "\x1b*0\x1bnq\x0fq\x1b+0\x1boq\x0fq", "─q─q"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{1, 3, len(c.in)} {
				tm := newTerm(t, 10, 4)
				for i := 0; i < len(c.in); i += size {
					write(tm, c.in[i:min(i+size, len(c.in))])
				}
				if got := screenOf(tm); got != c.want {
					t.Errorf("in pieces of %d: got %q, want %q", size, got, c.want)
				}
			}
		})
	}
}

func TestReplies(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"\x1b[c", "\x1b[?62;22c"},
		{"ab\x1b[6n", "\x1b[1;3R"},
		{"\x1b[?2026$p", "\x1b[?2026;2$y"},
		{"\x1b[4h\x1b[4$p\x1b[20$p\x1b[2$p\x1b[12$p\x1b[99$p", "\x1b[4;1$y\x1b[20;2$y\x1b[2;4$y\x1b[12;3$y\x1b[99;0$y"},
		{"\x1b[>5u\x1b[?u", "\x1b[?5u"},
		{"\x1b]11;?\x07", "\x1b]11;rgb:1010/2020/3030\x07"},
		{"\x1b]11;?\x1b\\", "\x1b]11;rgb:1010/2020/3030\x1b\\"},
		{"\x1b[16t", "\x1b[6;16;8t"},
		{"\x1b[>0q", "\x1bP>|vt(1)\x1b\\"},
		{"\x1b[?u", "\x1b[?0u"},
		{"\x1b[?1016$p", "\x1b[?1016;2$y"},
		{"\x1b]4;1;?\x07", "\x1b]4;1;rgb:cdcd/0000/0000\x07"},
		{"\x1b[>c", "\x1b[>41;390;0c"},
		{"\x1b[18t\x1b[14t", "\x1b[8;4;10t\x1b[4;64;80t"},
		{"\x1b[?6h\x1b7\x1b[2;3r\x1b8\x1b[6n", "\x1b[1;1R"},
		{"\x1b[2;3r\x1b[?6h\x1b[2;2H\x1b[6n", "\x1b[2;2R"},
		{"\x1bP$qr\x1b\\", "\x1bP1$r1;4r\x1b\\"},
		{"\x1bP$qz\x1b\\", "\x1bP0$r\x1b\\"},
		{"\x1b[5 q\x1bP$q q\x1b\\", "\x1bP1$r5 q\x1b\\"},
		{"\x1b[?2048h", "\x1b[48;4;10;64;80t"},
		{"\x1bP$qm\x1b\\", "\x1bP1$r0m\x1b\\"},
		{"\x1b]10;?\x07\x1b]12;?\x07", "\x1b]10;rgb:aaaa/bbbb/cccc\x07\x1b]12;rgb:0101/0202/0303\x07"},
		{"\x1b]10;#010203\x07\x1b]10;?\x07\x1b]110\x07\x1b]10;?\x07", "\x1b]10;rgb:0101/0202/0303\x07\x1b]10;rgb:aaaa/bbbb/cccc\x07"},
		{"\x1b]12;#ff0000\x07\x1b]112\x07\x1b]12;?\x07", "\x1b]12;rgb:0101/0202/0303\x07"},
		{"\x1bP+q4d73\x1b\\", "\x1bP0+r4d73\x1b\\"}, // nobody takes a clipboard here
		{"\x1b[1;31m\x1bP$qm\x1b\\", "\x1bP1$r0;1;31m\x1b\\"},
		{"\x1b[4:3;38;5;200;48;2;1;2;3;58;5;9m\x1bP$qm\x1b\\", "\x1bP1$r0;4:3;38:5:200;48:2::1:2:3;58:5:9m\x1b\\"},
		{"\x1b[2;3H\x1b[?6n", "\x1b[?2;3R"},
		{"\x1bP+q544e\x1b\\", "\x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\"},
	} {
		var got strings.Builder
		tm := New(10, 4, Config{Foreground: RGB(0xaa, 0xbb, 0xcc), Background: RGB(0x10, 0x20, 0x30), CursorColor: RGB(1, 2, 3), Reply: func(p []byte) { got.Write(p) }})
		write(tm, c.in)
		tm.Flush()
		if got.String() != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got.String(), c.want)
		}
		tm.Close()
	}
}

func TestReflow(t *testing.T) {
	tm := newTerm(t, 10, 4)
	write(tm, "0123456789abcdefghij\r\nxyz")
	tm.Resize(5, 4)
	if got := screenOf(tm); got != "56789|abcde|fghij|xyz" {
		t.Errorf("narrower: %q", got)
	}
	tm.Resize(20, 4)
	if got := screenOf(tm); got != "0123456789abcdefghij|xyz" {
		t.Errorf("wider: %q", got)
	}
	write(tm, "!")
	if got := screenOf(tm); got != "0123456789abcdefghij|xyz!" {
		t.Errorf("cursor: %q", got)
	}
}

func TestFrame(t *testing.T) {
	tm := newTerm(t, 10, 3)
	write(tm, "a\x1b[1;31mbc\x1b[m日")
	var f Frame
	if !tm.Frame(&f, View{}) || tm.Frame(&f, View{}) {
		t.Error("a frame changes once")
	}
	want := "a\x1b[0;1;31mbc\x1b[m日     "
	if got := string(f.AppendRow(nil, 0)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if f.Cursor != (Cursor{X: 5, Visible: true, Blink: true, Usual: true}) {
		t.Errorf("cursor %+v", f.Cursor)
	}
}

// TestFrameSaysWhatARowIs holds what a frame says of a row besides its cells,
// and the rows of a scrolled view, to the terminal's.
func TestFrameSaysWhatARowIs(t *testing.T) {
	tm := newTerm(t, 5, 3)
	var f Frame
	write(tm, "01234")
	tm.Frame(&f, View{})
	write(tm, "5")
	if tm.Frame(&f, View{}); !f.Wrapped(0) {
		t.Error("a row that was wrapped later does not say so")
	}
	write(tm, "\x1b]133;D;0\x07")
	if !tm.Frame(&f, View{}) || f.Mark(1) != MarkEnd {
		t.Errorf("mark %v, want %v", f.Mark(1), MarkEnd)
	}
	write(tm, "\x1b[H\n")
	if tm.Frame(&f, View{}); f.Wrapped(0) {
		t.Error("a row that ends by a line feed says it goes on")
	}
	write(tm, "\x1bc1\r\n2\r\n3\r\n4\r\n5\r\n6")
	first, _ := tm.Bounds()
	v := View{Scrolled: true, Top: first}
	tm.Frame(&f, v)
	tm.Resize(5, 6)
	write(tm, "\x1b[2;1Hnew")
	write(tm, "\x1b[6;1H")
	tm.Resize(5, 3)
	tm.Frame(&f, v)
	if got := f.Cell(0, 1).Text; got != "n" {
		t.Errorf("a row that came back and went again shows %q", got)
	}
}
