package vt

import "testing"

// TestMargins holds left and right margins to DEC STD 070 and xterm's ctlseqs;
// neither tmux 3.3a nor xterm.js knows them. Columns 3 to 7 of 10 are inside.
func TestMargins(t *testing.T) {
	const fill = "0123456789\r\nabcdefghij\r\nABCDEFGHIJ"
	const set = "\x1b[?69h\x1b[3;7s"
	for _, c := range []struct{ name, in, want string }{
		{"text wraps between them", set + "\x1b[3Gabcdefg", "  abcde|  fg"},
		{"text before the left one wraps at the right one", set + "123456789", "1234567|  89"},
		{"text beyond the right one wraps at the screen's", set + "\x1b[9Gxyz", "        xy|  z"},
		{"return goes to the left one", set + "\x1b[5Gx\ry", "  y x"},
		{"return from before it goes to the first column", set + "\x1b[2Gx\x1b[2G\ry", "yx"},
		{"cursor stops at them", set + "\x1b[5G\x1b[99Cx\x1b[5G\x1b[99Dy", "  y   x"},
		{"backspace stops", set + "\x1b[4G\b\b\bx", "  x"},
		{"insert", fill + "\x1b[H" + set + "\x1b[1;4H\x1b[2@", "012  34789|abcdefghij|ABCDEFGHIJ"},
		{"insert outside does nothing", fill + set + "\x1b[1;9H\x1b[2@", "0123456789|abcdefghij|ABCDEFGHIJ"},
		{"delete", fill + set + "\x1b[1;4H\x1b[2P", "01256  789|abcdefghij|ABCDEFGHIJ"},
		{"insert line", fill + set + "\x1b[1;4H\x1b[L", "01     789|ab23456hij|ABcdefgHIJ|  CDEFG"},
		{"delete line", fill + set + "\x1b[1;4H\x1b[M", "01cdefg789|abCDEFGhij|AB     HIJ"},
		{"scroll up", fill + set + "\x1b[S", "01cdefg789|abCDEFGhij|AB     HIJ"},
		{"scroll down", fill + set + "\x1b[T", "01     789|ab23456hij|ABcdefgHIJ|  CDEFG"},
		{"line feed at the bottom", fill + "\r\nxxxxxxxxxx" + set + "\x1b[4;4H\n", "01cdefg789|abCDEFGhij|ABxxxxxHIJ|xx     xxx"},
		{"line feed outside does not scroll", fill + "\r\nx" + set + "\x1b[4;9H\ny", "0123456789|abcdefghij|ABCDEFGHIJ|x       y"},
		{"origin", set + "\x1b[2;3r\x1b[?6h\x1b[Hx\x1b[9;9Hy", "|  x|      y"},
		{"wide at the right one", set + "\x1b[3G日本語", "  日本|  語"},
		{"cuts wide characters", "一二三四五" + set + "\x1b[2;2r\x1b[1;4r\x1b[1;3H\x1b[L", "一      五|  二三"},
		{"next line outside does not scroll", fill + "\r\nxxxxxxxxxx" + set + "\x1b[4;9H\x1bEy", "0123456789|abcdefghij|ABCDEFGHIJ|xxyxxxxxxx"},
		{"HPR and VPR know no margins", set + "\x1b[1;2r\x1b[1;4H\x1b[5ax\x1b[1;1H\x1b[2ey", "        x||y"},
		{"but origin mode does", set + "\x1b[1;2r\x1b[?6h\x1b[9ax\x1b[H\x1b[9ey", "      x|  y"},
		{"DECRC under origin mode stays between", "\x1b[?6h\x1b[H\x1b7" + set + "\x1b[2;3r\x1b8x", "|  x"},
		{"return under origin mode", "\x1b[?6h\x1b7" + set + "\x1b8\rx", "  x"},
		{"off again", set + "\x1b[?69labcdefghijk", "abcdefghij|k"},
		{"refused", "\x1b[?69h\x1b[7;3sabcdefghijk", "abcdefghij|k"},
		{"without the mode it saves the cursor", "ab\x1b[s\x1b[Hx\x1b[uc", "xbc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tm := newTerm(t, 10, 4)
			write(tm, c.in)
			if got := screenOf(tm); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if w := broken(tm); w != "" {
				t.Error(w)
			}
			if tm.hist.n != 0 {
				t.Error("what scrolls between margins went to the scrollback")
			}
		})
	}
}
