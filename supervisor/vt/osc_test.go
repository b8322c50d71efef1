package vt

import (
	"fmt"
	"strings"
	"testing"
)

// record returns a Config that writes every callback to a log.
func record(log *[]string) Config {
	add := func(format string, args ...any) { *log = append(*log, fmt.Sprintf(format, args...)) }
	return Config{
		Title:      func(s string) { add("title %q", s) },
		Bell:       func() { add("bell") },
		Notify:     func(a, b string) { add("notify %q %q", a, b) },
		WorkingDir: func(s string) { add("dir %q", s) },
		Progress:   func(s, p int) { add("progress %d %d", s, p) },
		Mark:       func(k byte, p string) { add("mark %c %q", k, p) },
		Other:      func(c int, d string) { add("other %d %q", c, d) },
		Clipboard:  func(s string, d []byte) { add("clipboard %q %q", s, d) },
	}
}

func TestCallbacks(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"\x1b]0;a title\x07", `title "a title"`},
		{"\x1b]2;✳ Claude Code\x1b\\", `title "✳ Claude Code"`},
		{"\x1b]2;a\tb\u202ec\u009bd\x07", `title "abcd"`},
		{"\x1b]2;one\x07\x1b[22;2t\x1b]2;two\x07\x1b[23;2t", `title "one"|title "two"|title "one"`},
		{"\x07\x07\x07", "bell"},
		{"\x1b]9;hello; there\x07", `notify "" "hello; there"`},
		{"\x1b]777;notify;title;body\x07", `notify "title" "body"`},
		{"\x1b]7;file://host/a%20b\x07", `dir "file://host/a%20b"`},
		{"\x1b]9;4;1;50\x07\x1b]9;4;0\x07\x1b]9;4;9;1\x07\x1b]9;4;1;900\x07", "progress 1 50|progress 0 0|progress 1 100"},
		{"\x1b]133;A\x07\x1b]133;D;1\x07\x1b]133;Z\x07", `mark A ""|mark D "1"`},
		{"\x1b]7501;?\x07", `other 7501 "?"`},
		{"\x1b]52;c;aGVsbG8=\x07", `clipboard "c" "hello"`},
		{"\x1b]52;c;not base64!\x07\x1b]52;c;?\x07", ""},
		{"\x1b]2;never ended", ""},
		{"\x1b]2;cut\x18\x1b]2;off\x1b[m", ""},
	} {
		for _, piece := range []int{1, len(c.in)} {
			var log []string
			tm := New(80, 24, record(&log))
			for i := 0; i < len(c.in); i += piece {
				write(tm, c.in[i:min(i+piece, len(c.in))])
			}
			got := strings.Join(log, "|")
			if piece == 1 {
				got = strings.Replace(got, "bell|bell|bell", "bell", 1) // one a Write
			}
			if got != c.want {
				t.Errorf("%q in pieces of %d: got %s, want %s", c.in, piece, got, c.want)
			}
		}
	}
}

// TestClipboardIsGuarded holds that without a setting nothing is read or set.
func TestClipboardIsGuarded(t *testing.T) {
	var got strings.Builder
	tm := New(80, 24, Config{Reply: func(p []byte) { got.Write(p) }})
	write(tm, "\x1b]52;c;?\x07\x1b]52;c;aGVsbG8=\x07")
	tm.Flush()
	if got.Len() > 0 {
		t.Errorf("answered %q", got.String())
	}
	tm = New(80, 24, Config{Reply: func(p []byte) { got.Write(p) }, ReadClipboard: func(string) []byte { return []byte("hi") }})
	write(tm, "\x1b]52;c;?\x07")
	tm.Flush()
	if got.String() != "\x1b]52;c;aGk=\x07" {
		t.Errorf("answered %q", got.String())
	}
}

// TestEveryModeKnown holds that a mode that can be set answers DECRQM with its
// state, and that one nobody knows answers 0.
func TestEveryModeKnown(t *testing.T) {
	var got strings.Builder
	tm := New(80, 24, Config{Reply: func(p []byte) { got.Write(p) }})
	ask := func(n int) string {
		got.Reset()
		write(tm, fmt.Sprintf("\x1b[?%d$p", n))
		tm.Flush()
		return got.String()
	}
	for _, n := range []int{1, 5, 6, 7, 9, 12, 25, 47, 66, 69, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1047, 1049, 2004, 2026, 2027, 2031, 2048} {
		for _, c := range []struct {
			set  byte
			want int
		}{{'h', 1}, {'l', 2}} {
			write(tm, fmt.Sprintf("\x1b[?%d%c", n, c.set))
			tm.Flush()
			if got, want := ask(n), fmt.Sprintf("\x1b[?%d;%d$y", n, c.want); got != want {
				t.Errorf("mode %d after %c: %q, want %q", n, c.set, got, want)
			}
		}
	}
	if got := ask(31337); got != "\x1b[?31337;0$y" {
		t.Errorf("unknown: %q", got)
	}
}

// TestColorScheme tells a program that asked about dark and light.
func TestColorScheme(t *testing.T) {
	var got strings.Builder
	tm := New(80, 24, Config{Background: RGB(0, 0, 0), Reply: func(p []byte) { got.Write(p) }})
	tm.SetColors(Default, RGB(255, 255, 255), Default)
	write(tm, "\x1b[?2031h\x1b[?996n")
	tm.Flush()
	tm.SetColors(Default, RGB(0, 0, 0), Default)
	tm.Flush()
	if want := "\x1b[?997;2n\x1b[?997;1n"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}

// TestColorsTheProgramSets shows in frames.
func TestColorsTheProgramSets(t *testing.T) {
	tm := New(3, 1, Config{})
	write(tm, "\x1b[31ma\x1b]4;1;#102030\x07\x1b]11;rgb:40/50/60\x07")
	var f Frame
	tm.Frame(&f, View{})
	if got, want := string(f.AppendRow(nil, 0)), "\x1b[0;38;2;16;32;48;48;2;64;80;96ma\x1b[0;48;2;64;80;96m  \x1b[m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	write(tm, "\x1b]104\x07\x1b]111\x07")
	tm.Frame(&f, View{})
	if got, want := string(f.AppendRow(nil, 0)), "\x1b[0;31ma\x1b[m  "; got != want {
		t.Errorf("reset: got %q, want %q", got, want)
	}
}
