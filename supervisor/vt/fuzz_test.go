package vt

import (
	"math/rand"
	"strings"
	"testing"
)

// corpus reaches every state of the parser and most of what it can do.
var corpus = []string{
	"text \u65e5\u672c \U0001F469\u200d\U0001F4BB e\u0301 \u27a1\ufe0f \U0001F1E9\U0001F1EA \u1100\u1161\u11a8 \u0915\u094d\u0937 #\ufe0f\u20e3",
	"\xe6\x97\xff\xf0\x9f\x91 \xc3", "\r\n\t\b\x07\x0e\x0f\x0b\x0c\x7f\x00",
	"\x1b7\x1b8\x1bD\x1bE\x1bM\x1bH\x1bN\x1bO\x1bc\x1b=\x1b>\x1bZ\x1bn\x1bo",
	"\x1b#8\x1b(0lqk\x1b(B\x1b)A\x1b*0\x1b+B\x1b-A",
	"\x1b[3A\x1b[2B\x1b[5C\x1b[4D\x1b[E\x1b[F\x1b[9G\x1b[3;4H\x1b[2I\x1b[Z\x1b[5d\x1b[s\x1b[u",
	"\x1b[2@\x1b[2P\x1b[2X\x1b[0K\x1b[1K\x1b[2K\x1b[0J\x1b[1J\x1b[2J\x1b[3J\x1b[2L\x1b[2M\x1b[2S\x1b[2T\x1b[5b",
	"\x1b[2;5r\x1b[?6h\x1b[H\x1b[20h\x1b[4hxx\x1b[4l\x1b[?7lzzzzzzzzzzzzzzzzzzzzzzzzz\x1b[?7h\x1b[3g\x1b[0g",
	"\x1b[1;2;3;4;5;6;7;8;9;21;53mx\x1b[22;23;24;25;27;28;29;55mx\x1b[38;5;9;48;2;1;2;3;58:2::4:5:6;4:3mx\x1b[38:5:1:48mx\x1b[39;49;59;0m",
	"\x1b[?1049hx\x1b[?1049l\x1b[?47hx\x1b[?47l\x1b[?1047hx\x1b[?1047l\x1b[?1048h\x1b[?1048l",
	"\x1b[?1;5;9;12;25;66;1000;1002;1003;1004;1005;1006;1007;1015;1016;2004;2026;2027;2031;2048h\x1b[?1s\x1b[?1r\x1b[?2026l",
	"\x1b[c\x1b[>c\x1b[=c\x1b[5n\x1b[6n\x1b[?6n\x1b[?996n\x1b[?2026$p\x1b[4$p\x1b[14t\x1b[16t\x1b[18t\x1b[22;0t\x1b[23;0t\x1b[x\x1b[>q",
	"\x1b[>5u\x1b[?u\x1b[=1;2u\x1b[<9u\x1b[>4;2m\x1b[?4m\x1b[>4n\x1b[3 q\x1b[!p\x1b[1\"qx\x1b[?2J\x1b[?2K\x1b[0\"q",
	"\x1b]0;t\x07\x1b]2;t\x1b\\\x1b]4;1;?;2;#fff\x07\x1b]104;1\x07\x1b]10;?\x07\x1b]11;rgb:1/2/3\x07\x1b]111\x07\x1b]7;file:///\x07",
	"\x1b]8;id=x;http://y\x1b\\link\x1b]8;;\x1b\\\x1b]9;n\x07\x1b]9;4;1;50\x07\x1b]52;c;aGk=\x07\x1b]52;c;?\x07\x1b]133;A\x07\x1b]133;D;0\x07\x1b]777;notify;a;b\x07\x1b]7501;?\x07",
	"\x1bP$qm\x1b\\\x1bP$q q\x1b\\\x1bP$qr\x1b\\\x1bP+q544e;436f\x1b\\\x1bPq#0\x1b\\\x1b_Gx\x1b\\\x1bXx\x1b\\\x1b^x\x18\x1b]0;cut\x1b[m",
	"\x1b[12\x1b[\x18\x1b[1;\x1a\x1b[?\x0a5h\x1b[99999999999;:;:m\x1b[1<m\x1b[ !\"m",
	"\x1b[?69h\x1b[3;9s\x1b[5;9Hmargin text that is long\x1b[2@\x1b[2P\x1b[2L\x1b[2M\n\n\n\x1b[?69l",
}

// comparePieces holds that tm, which got in piece by piece, is like one that got
// it whole.
func comparePieces(t *testing.T, tm *Terminal, in []byte, cols, rows int, cfg Config) {
	t.Helper()
	var log []string
	whole := New(cols, rows, record(&log))
	whole.hist.limit = cfg.Scrollback
	_, _ = whole.Write(in)
	if a, b := allText(tm), allText(whole); a != b {
		t.Fatalf("text in pieces %q, whole %q", a, b)
	}
	if d := diff(ours(tm, 0), ours(whole, 0)); len(d) > 0 {
		t.Fatalf("cells in pieces and whole: %q", d)
	}
	if tm.title != whole.title || tm.modes.mouse != whole.modes.mouse || tm.kitty[0].flags != whole.kitty[0].flags || tm.pen.attr != whole.pen.attr {
		t.Fatalf("state in pieces %+v, whole %+v", tm.modes, whole.modes)
	}
	whole.Close()
}

// FuzzTerminal writes the input in pieces, with resizes in between if seed says
// so, and looks for broken cells. Without resizes, the pieces must not matter.
func FuzzTerminal(f *testing.F) {
	for i, s := range corpus {
		f.Add([]byte(s), int64(2*i), true)
		f.Add([]byte(s), int64(2*i+1), false)
	}
	f.Add([]byte(strings.Join(corpus, "")), int64(99), true)
	for _, r := range recordings(f) {
		f.Add(r.bytes[:min(len(r.bytes), 4096)], int64(len(r.bytes)), true)
	}
	f.Fuzz(func(t *testing.T, in []byte, seed int64, resize bool) {
		r := rand.New(rand.NewSource(seed))
		cfg := Config{Scrollback: r.Intn(50), Reply: func([]byte) {}}
		cols, rows := 1+r.Intn(30), 1+r.Intn(10)
		tm := New(cols, rows, cfg)
		var fr Frame
		for rest := in; len(rest) > 0; {
			n := min(1+r.Intn(40), len(rest))
			_, _ = tm.Write(rest[:n])
			rest = rest[n:]
			if resize && r.Intn(4) == 0 {
				tm.Resize(1+r.Intn(30), 1+r.Intn(10))
			}
			tm.Frame(&fr, tm.Scroll(View{}, -r.Intn(20)))
			for y := range fr.Rows {
				_ = fr.AppendRow(nil, y)
			}
		}
		if w := broken(tm); w != "" {
			t.Fatal(w)
		}
		if !resize {
			comparePieces(t, tm, in, cols, rows, cfg)
		}
		_ = tm.Search("a", SearchOptions{})
		tm.Close()
	})
}
