package cells

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

var options = displaywidth.Options{ControlSequences: true}

// Width returns the columns s takes; escape sequences take none.
func Width(s string) int {
	if w, ok := asciiWidth(s); ok {
		return w
	}
	return options.String(s)
}

func asciiWidth(s string) (int, bool) {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return 0, false
		}
	}
	return len(s), true
}

// Pad returns s in exactly width columns: filled with spaces, or cut with an
// ellipsis.
func Pad(s string, width int) string {
	if width <= 0 {
		return ""
	}
	w := Width(s)
	if w > width {
		s = Cut(s, width)
		w = Width(s)
	}
	if w < width {
		s += strings.Repeat(" ", width-w)
	}
	return s
}

// PadLeft is Pad with the spaces before the text.
func PadLeft(s string, width int) string {
	if w := Width(s); w < width {
		return strings.Repeat(" ", width-w) + s
	}
	return Pad(s, width)
}

// Cut returns s in at most width columns; what was cut is marked by an ellipsis,
// and escape sequences after the cut are kept, so that a style still ends.
func Cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if Width(s) <= width {
		return s
	}
	var b strings.Builder
	used, full := 0, false
	for g := options.StringGraphemes(s); g.Next(); {
		v, w := g.Value(), g.Width()
		switch {
		case v[0] == 0x1b:
			b.WriteString(v)
		case full:
		case used+w > width-1:
			full = true
			b.WriteString("…")
		default:
			b.WriteString(v)
			used += w
		}
	}
	return b.String()
}

// Drop returns s without its first n columns. Half of a wide character becomes
// a space; escape sequences are kept.
func Drop(s string, n int) string {
	if n <= 0 {
		return s
	}
	var b strings.Builder
	for g := options.StringGraphemes(s); g.Next(); {
		v, w := g.Value(), g.Width()
		switch {
		case v[0] == 0x1b || n <= 0:
			b.WriteString(v)
		case w > n:
			b.WriteString(strings.Repeat(" ", w-n))
			n = 0
		default:
			n -= w
		}
	}
	return b.String()
}

// Sides returns left and right at the two ends of width columns, with a blank
// between. When both do not fit, left is cut first, down to a third of the
// width, then right.
func Sides(left, right string, width int) string {
	rw := Width(right)
	if rw == 0 {
		return Pad(left, width)
	}
	least := min(Width(left), width/3)
	if width-rw-1 < least {
		right = Cut(right, max(width-least-1, 0))
		rw = Width(right)
	}
	if rw >= width {
		return Pad(right, width)
	}
	return Pad(left, width-rw-1) + " " + right
}

// Clip returns the first width columns of s without a mark where it was cut.
// Half of a wide character becomes a space; escape sequences are kept.
func Clip(s string, width int) string {
	var b strings.Builder
	used, full := 0, width <= 0
	for g := options.StringGraphemes(s); g.Next(); {
		v, w := g.Value(), g.Width()
		switch {
		case v[0] == 0x1b:
			b.WriteString(v)
		case full:
		case used+w > width:
			full = true
			b.WriteString(strings.Repeat(" ", width-used))
		default:
			b.WriteString(v)
			used += w
		}
	}
	return b.String()
}
