package vt

import (
	"runtime"
	"strings"
	"testing"
)

// TestRepaintAfterResize plays claude's session that was resized four times in
// the middle of a turn: at every checkpoint, and after every repaint, no line of
// its transcript stands twice on the screen. (What it re-prints stands in the
// scrollback too: see Resize.)
func TestRepaintAfterResize(t *testing.T) {
	for _, r := range recordings(t) {
		if r.Resizes == nil {
			continue
		}
		tm := New(r.Cols, r.Rows, Config{Scrollback: 10000})
		looks, size := 0, [2]int{tm.cols, tm.nrow}
		check := func(at int) {
			if now := [2]int{tm.cols, tm.nrow}; now != size {
				size = now
				return // not drawn anew yet
			}
			looks++
			seen := map[string]bool{}
			for line := range strings.Lines(tm.Text()) {
				line = strings.TrimSpace(line)
				if !strings.Contains(line, "word") && !strings.Contains(line, "SLOW") && !strings.Contains(line, "Claude Code") {
					continue
				}
				if seen[line] {
					t.Errorf("at %d, %d×%d: %q twice:\n%s", at, tm.cols, tm.nrow, line, tm.Text())
				}
				seen[line] = true
			}
			if len(seen) == 0 {
				t.Errorf("at %d: nothing of the transcript on the screen", at)
			}
		}
		r.play(tm, 3, check)
		if looks != 4+len(r.Resizes) {
			t.Fatalf("%d checkpoints", looks)
		}
	}
}

func TestResize(t *testing.T) {
	for _, c := range []struct {
		name       string
		in         string
		cols, rows int
		want       string // the screen
		x, y       int
	}{
		{"lower keeps the cursor's row", "1\r\n2\r\n3\r\n4", 10, 2, "3|4", 1, 1},
		{"lower drops blank rows first", "1\r\n2", 10, 2, "1|2", 1, 1},
		{"lower keeps text under the cursor if it can", "1\r\n2\r\n3\x1b[2;2H", 10, 3, "1|2|3", 1, 1},
		{"lower cuts text under the cursor if it must", "1\r\n2\r\n3\r\n4\x1b[H", 10, 2, "1|2", 0, 0},
		{"higher pulls the scrollback back", "1\r\n2\r\n3\r\n4\r\n5\r\n6", 10, 6, "1|2|3|4|5|6", 1, 5},
		{"higher leaves a screen with room alone", "1\r\n2", 10, 6, "1|2", 1, 1},
		{"wide cut by the margin", "日本語", 5, 4, "日本|語", 2, 1},
		{"pending wrap", "0123456789", 20, 4, "0123456789", 10, 0},
		{"into a pending wrap", "01234", 5, 4, "01234", 5, 0},
		{"colour to the margin does not wrap", "\x1b[44mab\x1b[K\r\nc", 5, 4, "ab|c", 1, 1},
		{"alternate screen is cropped", "main\x1b[?1049h\x1b[H0123456789\x1b[4;1Hlast", 5, 2, "|last", 4, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			tm := newTerm(t, 10, 4)
			write(tm, c.in)
			tm.Resize(c.cols, c.rows)
			got := ours(tm, 0)
			if s := screenOf(tm); s != c.want || got.x != c.x || got.y != c.y {
				t.Errorf("got %q, cursor %d,%d; want %q, %d,%d", s, got.x, got.y, c.want, c.x, c.y)
			}
		})
	}
}

func TestAlternateScreenReturnsAfterResize(t *testing.T) {
	tm := newTerm(t, 10, 4)
	write(tm, "0123456789abc\r\n$ \x1b[?1049hfull screen")
	tm.Resize(5, 4)
	tm.Resize(20, 4)
	write(tm, "\x1b[?1049lx")
	if got, want := screenOf(tm), "0123456789abc|$ x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAlternateScreenKeepsItsLines: a line wrapped there is one line after a
// resize that leaves its width, and has its blanks after any other.
func TestAlternateScreenKeepsItsLines(t *testing.T) {
	for rows, want := range map[int]string{6: "0123456789ab\n012345678日", 4: "0123456789ab\n012345678日"} {
		tm := newTerm(t, 10, 5)
		write(tm, "\x1b[?1049h\x1b[H0123456789ab\r\n012345678日")
		tm.Resize(10, rows)
		if got := strings.TrimRight(allText(tm), "\n"); got != want {
			t.Errorf("%d rows: got %q, want %q", rows, got, want)
		}
		tm.Resize(12, rows)
		write(tm, "\x1b[3;12HX")
		if got := strings.Split(allText(tm), "\n")[2]; got != "012345678  X" {
			t.Errorf("wider: got %q", got)
		}
	}
}

// TestSavedCursorsThroughResize holds where DECRC and the end of the alternate
// screen lead to after a resize.
func TestSavedCursorsThroughResize(t *testing.T) {
	for _, c := range []struct {
		name, before string
		cols, rows   int
		after, want  string
	}{
		{"saved below the text", "ab\x1b[4;6H\x1b7\x1b[1;3H", 8, 5, "\x1b8x", "ab|||     x"},
		{"saved below the text, lower", "ab\x1b[4;6H\x1b7\x1b[1;3H", 8, 3, "\x1b8x", "ab||     x"},
		{"saved below text that wraps", "0123456789\x1b[4;1H\x1b7\x1b[1;3H", 5, 5, "\x1b8x", "01234|56789|||x"},
		{"saved on text", "0123456789\r\nabc\x1b7\r\n", 5, 5, "\x1b8x", "01234|56789|abcx"},
		{"47 keeps the prompt", "1\r\n2\r\n3\r\n4\r\n$ \x1b[?47h", 10, 3, "\x1b[?47l", "3|4|$ "},
		{"1047 keeps the prompt", "1\r\n2\r\n3\r\n4\r\n$ \x1b[?1047h\x1b[H", 9, 3, "\x1b[?1047l", "3|4|$ "},
		{"1049 brings the cursor back", "1\r\n2\r\n3\r\n4\r\n$ \x1b[?1049h\x1b[H", 9, 3, "\x1b[?1049lx", "3|4|$ x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tm := newTerm(t, 10, 5)
			write(tm, c.before)
			tm.Resize(c.cols, c.rows)
			write(tm, c.after)
			if got := screenOf(tm); got != strings.TrimRight(c.want, " ") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestNarrowResizeIsBounded: a scrollback of long rows in one link, made one
// column wide, would repeat the link in each of its many rows.
func TestNarrowResizeIsBounded(t *testing.T) {
	tm := New(200, 50, Config{Scrollback: 500})
	write(tm, "\x1b]8;;http://"+strings.Repeat("u", 2000)+"\x07"+strings.Repeat(strings.Repeat("x", 200)+"\r\n", 500))
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	tm.Resize(10, 50)
	runtime.ReadMemStats(&b)
	if used := b.TotalAlloc - a.TotalAlloc; used > 16<<20 {
		t.Errorf("the resize took %d MB", used>>20)
	}
	if tm.hist.n != 500 {
		t.Errorf("%d rows of scrollback", tm.hist.n)
	}
}

// TestProtectedThroughResize: selective erase passes over the same cells after a
// resize as before it, and over what was wrapped anew.
func TestProtectedThroughResize(t *testing.T) {
	for cols, want := range map[int]string{10: "  cd日e", 5: "  cd|日e", 4: "  cd|日e", 3: "  c|d日|e", 20: "  cd日e"} {
		tm := newTerm(t, 10, 6)
		write(tm, "ab\x1b[1\"qcd日e\x1b[0\"qfgh")
		tm.Resize(cols, 7)
		write(tm, "\x1b[?2J")
		if got := screenOf(tm); got != want {
			t.Errorf("%d columns: got %q, want %q", cols, got, want)
		}
	}
}
