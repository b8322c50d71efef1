package vt

import (
	"bytes"
	"strings"
	"testing"
)

// TestHostile feeds streams made to hurt. What bounds them is counted work and
// memory, so the test needs no clock: it would run for hours if it failed.
func TestHostile(t *testing.T) {
	big := 4 << 20
	for _, c := range []struct{ name, in string }{
		{"repeat without end", "x" + strings.Repeat("\x1b[1000000000000b", 1000)},
		{"huge parameters", strings.Repeat("\x1b[999999999999999999999;99999999999999H\x1b[4294967296A\x1b[99999999999L\x1b[99999999999@\x1b[99999999999S\x1b[99999999999T\x1b[99999999999X\x1b[99999999I", 2000)},
		{"many parameters", "\x1b[" + strings.Repeat("1;", big) + "m"},
		{"endless OSC", "\x1b]0;" + strings.Repeat("a", big)},
		{"endless DCS", "\x1bP$q" + strings.Repeat("m", big)},
		{"nested DCS", strings.Repeat("\x1bP\x1bP\x1bP$q", big/16)},
		{"nested OSC", strings.Repeat("\x1b]8;;x\x1b]", big/16)},
		{"marks on one cell", "a" + strings.Repeat("\u0301", big/2)},
		{"joiners on one cell", "👩" + strings.Repeat("\u200d👩", big/8)},
		{"flags", strings.Repeat("🇩", big/4)},
		{"every cluster another", distinctClusters(200000)},
		{"links without end", strings.Repeat("\x1b]8;id="+strings.Repeat("i", 200)+";http://"+strings.Repeat("u", 1900)+"\x1b\\x", 2000)},
		{"titles", strings.Repeat("\x1b]2;t\x07\x1b[22t", 100000)},
		{"kitty pushes", strings.Repeat("\x1b[>31u", 100000)},
		{"saved modes", manyModes()},
		{"invalid UTF-8", strings.Repeat("\xff\xc3(\xe2\x82\xf0\x9f", big/8)},
		{"controls", strings.Repeat("\x00\x01\x05\x7f\x0e\x0f\x1b\x18\x1b\x1a", big/8)},
		{"palette", strings.Repeat("\x1b]4;1;#123;2;#456\x07", 50000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			titles := 0
			tm := New(80, 24, Config{Scrollback: 1000, ScrollbackBytes: 1 << 20, Title: func(string) { titles++ }})
			grew, _ := heapAfter(func() any { write(tm, c.in); return tm })
			if grew > 6<<20 {
				t.Errorf("the heap grew by %d bytes", grew)
			}
			if w := broken(tm); w != "" {
				t.Error(w)
			}
			write(tm, "\x18\x1bcafter")
			if got := screenOf(tm); got != "after" {
				t.Errorf("afterwards the screen is %.100q", got)
			}
		})
	}
}

// TestReadersAreLetIn holds that no stream keeps the lock for more work than a
// few screens, however much its sequences do.
func TestReadersAreLetIn(t *testing.T) {
	for _, unit := range []string{
		"x\x1b[65535b", "日\x1b[65535b", "\x1b[4hx\x1b[65535b", "x\x1b[65535S", "\x1b[9999T", "\x1b[2J", "\x1b[?2J", "\x1b#8", "\x1b[?1049h\x1b[?1049l",
		"\x1bc", "\x1b[9999L", "\x1b[9999M", "\n", "\x1b[?69h\x1b[2;9s\x1b[S",
	} {
		tm := New(200, 60, Config{Scrollback: 100})
		write(tm, "\x1b[60H")
		in := []byte(strings.Repeat(unit, writeSlice/len(unit)))
		n, _ := tm.apply(in)
		if limit := maxWork + 10*tm.cols*tm.nrow; tm.work > limit || n == len(in) {
			t.Errorf("%q: %d bytes of %d and work of %d in one hold, want at most %d", unit, n, len(in), tm.work, limit)
		}
	}
}

func distinctClusters(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteRune('a' + rune(i%26))
		for ; i > 0; i /= 50 {
			b.WriteRune(0x300 + rune(i%50))
		}
	}
	return b.String()
}

func manyModes() string {
	var b strings.Builder
	for i := range 100000 {
		b.WriteString("\x1b[?")
		b.WriteString(strings.TrimLeft(string(rune('0'+i%10))+string(rune('0'+i/10%10))+string(rune('0'+i/100%10)), "0"))
		b.WriteString("s")
	}
	return b.String()
}

// TestNothingIsPrinted holds that a sequence nobody knows leaves no letter.
func TestNothingIsPrinted(t *testing.T) {
	var in bytes.Buffer
	for final := byte(0x40); final < 0x7f; final++ {
		for _, head := range []string{"\x1b[?987;1", "\x1b[>987", "\x1b[=987", "\x1b[<987", "\x1b[1:2:3", "\x1b[1 ", "\x1b[1!!", "\x1b[1#%", "\x1b[;;;<"} {
			if final == 'h' || final == 'l' || final == 'u' || final == 't' {
				continue
			}
			in.WriteString(head)
			in.WriteByte(final)
		}
	}
	in.WriteString("\x1b]12345;text\x07\x1b]no number\x1b\\\x1bPunknown\x1b\\\x1b_kitty graphics\x1b\\\x1b^private\x1b\\\x1bXstart\x1b\\\x1b%G\x1b F\x1b#3")
	tm := newTerm(t, 80, 24)
	_, _ = tm.Write(in.Bytes())
	if got := screenOf(tm); got != "" {
		t.Errorf("printed %q", got)
	}
}
