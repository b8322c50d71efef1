package vt

import (
	"fmt"
	"testing"
)

func TestEncodeKey(t *testing.T) {
	a := Key{Code: 'a', Text: "a"}
	up := Key{Code: KeyUp}
	for _, c := range []struct {
		modes string
		key   Key
		want  string
	}{
		{"", a, "a"},
		{"", Key{Code: 'a', ShiftedCode: 'A', Text: "A", Mod: ModShift}, "A"},
		{"", Key{Code: 'ö', Text: "ö"}, "ö"},
		{"", Key{Code: KeyExtended, Text: "👩\u200d💻"}, "👩\u200d💻"},
		{"", Key{Code: 'a', Mod: ModCtrl}, "\x01"},
		{"", Key{Code: 'a', Mod: ModAlt}, "\x1ba"},
		{"", Key{Code: 'a', Mod: ModAlt | ModCtrl}, "\x1b\x01"},
		{"", Key{Code: 'a', Mod: ModAlt | ModShift}, "\x1bA"},
		{"", Key{Code: 'с', BaseCode: 'c', Mod: ModCtrl}, "\x03"},
		{"", Key{Code: 'с', BaseCode: 'c', Mod: ModAlt}, "\x1bс"},
		{"", Key{Code: 'ö', BaseCode: ';', Mod: ModCtrl}, "ö"},
		{"\x1b[>4;2m", Key{Code: 'с', BaseCode: 'c', Mod: ModCtrl}, "\x1b[27;5;1089~"},
		{"", Key{Code: ' ', Mod: ModCtrl}, "\x00"},
		{"", Key{Code: '@', Mod: ModCtrl}, "\x00"},
		{"", Key{Code: '/', Mod: ModCtrl}, "\x1f"},
		{"", Key{Code: '1', Mod: ModCtrl}, "1"},
		{"", Key{Code: KeyEscape}, "\x1b"},
		{"", Key{Code: KeyEnter}, "\r"},
		{"\x1b[20h", Key{Code: KeyEnter}, "\r\n"},
		{"", Key{Code: KeyEnter, Mod: ModShift}, "\r"},
		{"", Key{Code: KeyEnter, Mod: ModAlt}, "\x1b\r"},
		{"", Key{Code: KeyTab, Mod: ModShift}, "\x1b[Z"},
		{"", Key{Code: KeyBackspace}, "\x7f"},
		{"", Key{Code: KeyBackspace, Mod: ModCtrl}, "\b"},
		{"", Key{Code: KeyBackspace, Mod: ModAlt}, "\x1b\x7f"},
		{"", up, "\x1b[A"},
		{"\x1b[?1h", up, "\x1bOA"},
		{"\x1b[?1h", Key{Code: KeyUp, Mod: ModCtrl}, "\x1b[1;5A"},
		{"", Key{Code: KeyHome}, "\x1b[H"},
		{"", Key{Code: KeyEnd, Mod: ModShift}, "\x1b[1;2F"},
		{"", Key{Code: KeyDelete}, "\x1b[3~"},
		{"", Key{Code: KeyPgUp, Mod: ModAlt}, "\x1b[5;3~"},
		{"", Key{Code: KeyF1}, "\x1bOP"},
		{"", Key{Code: KeyF1, Mod: ModShift}, "\x1b[1;2P"},
		{"", Key{Code: KeyF5}, "\x1b[15~"},
		{"", Key{Code: KeyF12, Mod: ModCtrl}, "\x1b[24;5~"},
		{"", Key{Code: KeyF1 + 12}, "\x1b[1;2P"},
		{"", Key{Code: KeyKp5}, "5"},
		{"\x1b=", Key{Code: KeyKp5}, "\x1bOu"},
		{"\x1b=", Key{Code: KeyKp5, Mod: ModNumLock}, "5"},
		{"\x1b=", Key{Code: KeyKpEnter}, "\x1bOM"},
		{"\x1b[?1h", Key{Code: KeyKpUp}, "\x1bOA"},
		{"", Key{Code: KeyLeftShift}, ""},
		{"", Key{Code: KeyMediaPlay}, ""},
		{"", Key{Code: 'a', Text: "a", Action: KeyRelease}, ""},

		{"\x1b[>4;1m", a, "a"},
		{"\x1b[>4;1m", Key{Code: KeyEnter, Mod: ModShift}, "\x1b[27;2;13~"},
		{"\x1b[>4;1m", Key{Code: KeyEnter, Mod: ModCtrl}, "\x1b[27;5;13~"},
		{"\x1b[>4;1m", Key{Code: 'a', Mod: ModCtrl}, "\x01"},
		{"\x1b[>4;1m", Key{Code: '1', Mod: ModCtrl}, "\x1b[27;5;49~"},
		{"\x1b[>4;1m", Key{Code: KeyTab, Mod: ModShift}, "\x1b[Z"},
		{"\x1b[>4;2m", Key{Code: 'a', Mod: ModCtrl}, "\x1b[27;5;97~"},
		{"\x1b[>4;2m", Key{Code: 'a', Mod: ModAlt | ModShift}, "\x1b[27;4;65~"},
		{"\x1b[>4;2m\x1b[>4m", Key{Code: 'a', Mod: ModCtrl}, "\x01"},

		{"\x1b[>1u", a, "a"},
		{"\x1b[>1u", Key{Code: 'a', ShiftedCode: 'A', Text: "A", Mod: ModShift}, "A"},
		{"\x1b[>1u", Key{Code: KeyEscape}, "\x1b[27u"},
		{"\x1b[>1u", Key{Code: KeyEnter}, "\r"},
		{"\x1b[>1u", Key{Code: KeyEnter, Mod: ModShift}, "\x1b[13;2u"},
		{"\x1b[>1u", Key{Code: 'a', Mod: ModCtrl}, "\x1b[97;5u"},
		{"\x1b[>1u", Key{Code: 'a', Mod: ModAlt}, "\x1b[97;3u"},
		{"\x1b[>1u", Key{Code: 'a', Mod: ModSuper}, "\x1b[97;9u"},
		{"\x1b[>1u\x1b[?1h", up, "\x1b[A"},
		{"\x1b[>1u", Key{Code: KeyUp, Mod: ModShift}, "\x1b[1;2A"},
		{"\x1b[>1u", Key{Code: KeyF1}, "\x1b[P"},
		{"\x1b[>1u", Key{Code: KeyF3}, "\x1b[13~"},
		{"\x1b[>1u", Key{Code: KeyF1 + 12}, "\x1b[57376u"},
		{"\x1b[>1u", Key{Code: KeyKp5, Text: "5"}, "5"},
		{"\x1b[>1u", Key{Code: KeyKpLeft}, "\x1b[57417u"},
		{"\x1b[>1u", Key{Code: KeyKpEnter}, "\x1b[57414u"},
		{"\x1b[>1u", Key{Code: KeyLeftShift}, ""},
		{"\x1b[>1u", Key{Code: KeyMediaPlayPause}, "\x1b[57430u"},
		{"\x1b[>5u", Key{Code: 'a', ShiftedCode: 'A', Mod: ModShift | ModCtrl}, "\x1b[97:65;6u"},
		{"\x1b[>5u", Key{Code: 'с', BaseCode: 'c', Mod: ModCtrl}, "\x1b[1089::99;5u"},
		{"\x1b[>3u", Key{Code: 'a', Mod: ModCtrl, Action: KeyRelease}, "\x1b[97;5:3u"},
		{"\x1b[>3u", Key{Code: KeyUp, Action: KeyRepeat}, "\x1b[1;1:2A"},
		{"\x1b[>3u", Key{Code: KeyEnter, Action: KeyRelease}, ""},
		{"\x1b[>4u", Key{Code: KeyEscape}, "\x1b"},
		{"\x1b[>4u\x1b[?1h", up, "\x1bOA"},
		{"\x1b[>16u", Key{Code: 'a', Mod: ModCtrl}, "\x01"},
		{"\x1b[>8u", a, "\x1b[97u"},
		{"\x1b[>8u", Key{Code: KeyEnter}, "\x1b[13u"},
		{"\x1b[>8u", Key{Code: KeyLeftCtrl, Mod: ModCtrl}, "\x1b[57442;5u"},
		{"\x1b[>24u", Key{Code: 'a', ShiftedCode: 'A', Text: "A", Mod: ModShift}, "\x1b[97;2;65u"},
		{"\x1b[>24u", a, "\x1b[97;;97u"},
		{"\x1b[>1u\x1b[<u", Key{Code: KeyEscape}, "\x1b"},
		{"\x1b[>1u\x1b[?1049h", Key{Code: KeyEscape}, "\x1b"},
		{"\x1b[=4u\x1b[=1;2u\x1b[=4;3u", Key{Code: 'a', Mod: ModCtrl}, "\x1b[97;5u"},
	} {
		tm := newTerm(t, 80, 24)
		write(tm, c.modes)
		if got := string(tm.EncodeKey(c.key)); got != c.want {
			t.Errorf("%q %+v: got %q, want %q", c.modes, c.key, got, c.want)
		}
	}
}

// TestEscThenArrow: Esc, then an arrow, are two keys and never Alt with an arrow.
func TestEscThenArrow(t *testing.T) {
	tm := newTerm(t, 80, 24)
	got := string(tm.EncodeKey(Key{Code: KeyEscape})) + "|" + string(tm.EncodeKey(Key{Code: KeyUp}))
	if got != "\x1b|\x1b[A" {
		t.Errorf("got %q", got)
	}
}

func TestEncodeMouse(t *testing.T) {
	left := Mouse{X: 2, Y: 3, Button: MouseLeft}
	release := Mouse{X: 2, Y: 3, Button: MouseLeft, Action: MouseRelease}
	drag := Mouse{X: 2, Y: 3, Button: MouseLeft, Action: MouseMotion}
	hover := Mouse{X: 2, Y: 3, Action: MouseMotion}
	wheel := Mouse{X: 2, Y: 3, Button: MouseWheelDown}
	for _, c := range []struct {
		modes string
		mouse Mouse
		want  string
	}{
		{"", left, ""},
		{"", wheel, ""},
		{"\x1b[?1049h", wheel, "\x1b[B\x1b[B\x1b[B"},
		{"\x1b[?1049h\x1b[?1h", wheel, "\x1bOB\x1bOB\x1bOB"},
		{"\x1b[?1049h\x1b[?1007l", wheel, ""},
		{"\x1b[?9h", left, "\x1b[M #$"},
		{"\x1b[?9h", release, ""},
		{"\x1b[?1000h", left, "\x1b[M #$"},
		{"\x1b[?1000h", release, "\x1b[M##$"},
		{"\x1b[?1000h", drag, ""},
		{"\x1b[?1000h\x1b[?1006h", left, "\x1b[<0;3;4M"},
		{"\x1b[?1000h\x1b[?1006h", release, "\x1b[<0;3;4m"},
		{"\x1b[?1000h\x1b[?1006h", wheel, "\x1b[<65;3;4M"},
		{"\x1b[?1000h\x1b[?1006h", Mouse{X: 2, Y: 3, Button: MouseRight, Mod: ModShift | ModAlt | ModCtrl}, "\x1b[<30;3;4M"},
		{"\x1b[?1002h\x1b[?1006h", drag, "\x1b[<32;3;4M"},
		{"\x1b[?1002h\x1b[?1006h", hover, ""},
		{"\x1b[?1003h\x1b[?1006h", hover, "\x1b[<35;3;4M"},
		{"\x1b[?1003h\x1b[?1016h", left, "\x1b[<0;20;56M"},
		{"\x1b[?1000h\x1b[?1015h", left, "\x1b[32;3;4M"},
		{"\x1b[?1000h\x1b[?1000l", left, ""},
		{"\x1b[?1000h", Mouse{X: 80, Y: 3, Button: MouseLeft}, ""},
		{"\x1b[?1003h\x1b[?1006h", Mouse{X: 2, Y: 3, Button: MouseBackward}, "\x1b[<128;3;4M"},
	} {
		tm := newTerm(t, 80, 24)
		write(tm, c.modes)
		if got := string(tm.EncodeMouse(c.mouse)); got != c.want {
			t.Errorf("%q %+v: got %q, want %q", c.modes, c.mouse, got, c.want)
		}
	}
}

func TestEncodePasteAndFocus(t *testing.T) {
	tm := newTerm(t, 80, 24)
	in := "a\tb\nc\r\nd\x1b[201~\x00\u009b日"
	if got, want := string(tm.EncodePaste(in)), "a\tb\rc\rd[201~日"; got != want {
		t.Errorf("plain: got %q, want %q", got, want)
	}
	if got := tm.EncodeFocus(true); got != nil {
		t.Errorf("focus unasked: %q", got)
	}
	write(tm, "\x1b[?2004h\x1b[?1004h")
	if got, want := string(tm.EncodePaste(in)), "\x1b[200~a\tb\rc\rd[201~日\x1b[201~"; got != want {
		t.Errorf("bracketed: got %q, want %q", got, want)
	}
	if got := fmt.Sprintf("%q %q", tm.EncodeFocus(true), tm.EncodeFocus(false)); got != `"\x1b[I" "\x1b[O"` {
		t.Errorf("focus: %s", got)
	}
}
