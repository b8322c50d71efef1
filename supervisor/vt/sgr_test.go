package vt

import "testing"

// TestRendition holds each rendition against the cell it colours, in both ways
// of writing its parameters.
func TestRendition(t *testing.T) {
	for in, want := range map[string]Style{
		"1":                {Attr: Bold},
		"2;3":              {Attr: Faint | Italic},
		"4":                {Attr: UnderlineSingle},
		"4:1":              {Attr: UnderlineSingle},
		"4:2":              {Attr: UnderlineDouble},
		"4:3":              {Attr: UnderlineCurly},
		"4:4":              {Attr: UnderlineDotted},
		"4:5":              {Attr: UnderlineDashed},
		"4:3;4:0":          {},
		"21":               {Attr: UnderlineDouble},
		"4:3;24":           {},
		"5":                {Attr: Blink},
		"7;8;9":            {Attr: Inverse | Conceal | Strike},
		"53":               {Attr: Overline},
		"53;55":            {},
		"1;2;22":           {},
		"31;42":            {Fg: Indexed(1), Bg: Indexed(2)},
		"91;102":           {Fg: Indexed(9), Bg: Indexed(10)},
		"38;5;208;48;5;17": {Fg: Indexed(208), Bg: Indexed(17)},
		"38:5:208;48:5:17": {Fg: Indexed(208), Bg: Indexed(17)},
		"38;2;1;2;3":       {Fg: RGB(1, 2, 3)},
		"38:2:1:2:3":       {Fg: RGB(1, 2, 3)},
		"38:2::1:2:3":      {Fg: RGB(1, 2, 3)},
		"48:2::1:2:3;1":    {Bg: RGB(1, 2, 3), Attr: Bold},
		"58;5;9":           {Underline: Indexed(9)},
		"58:2::4:5:6":      {Underline: RGB(4, 5, 6)},
		"58:2::4:5:6;59":   {},
		"38;2;1;2;3;39":    {},
		"1;31;58;5;9;0":    {},
		"38;5":             {},
		"38:2:1":           {},
		"31;38;7;32":       {Fg: Indexed(2)},
	} {
		tm := newTerm(t, 4, 1)
		write(tm, "\x1b["+in+"mx")
		var f Frame
		tm.Frame(&f, View{})
		if got := f.Cell(0, 0).Style; got != want {
			t.Errorf("%s gives %+v; want %+v", in, got, want)
		}
	}
}
