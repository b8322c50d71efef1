package cells

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ccmux/ccmux/channel/wire"
)

// Plain returns s without anything that could act on a terminal or hide: no
// controls but newline and tab, no bidi controls, no invisible characters, and
// none that join whatever follows.
func Plain(s string) string {
	s, _ = rewrite(s, func(rune) string { return "" })
	return s
}

// Line is Plain in one line.
func Line(s string) string {
	s = Plain(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// Reveal returns s with everything that Plain would drop written out, such as
// ‹U+202E›, and how many characters that were. A carriage return before a line
// end is an ordinary line end.
func Reveal(s string) (string, int) {
	return rewrite(strings.ReplaceAll(s, "\r\n", "\n"), func(r rune) string {
		switch r {
		case 0x1b:
			return "‹ESC›"
		case '\r':
			return "‹CR›"
		}
		return fmt.Sprintf("‹U+%04X›", r)
	})
}

func rewrite(s string, hidden func(rune) string) (string, int) {
	clean := true
	for i := range len(s) {
		if s[i] < 0x20 && s[i] != '\n' && s[i] != '\t' || s[i] >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return s, 0
	}
	var b strings.Builder
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteRune(utf8.RuneError)
		case r == '\n' || r == '\t' || !wire.Hidden(r) && !prepends(r):
			b.WriteString(s[i : i+size])
		default:
			b.WriteString(hidden(r))
			n++
		}
		i += size
	}
	return b.String(), n
}

// prepends says whether r joins the character after it, whatever that is: at the
// end of a text it would swallow the border. They are rare number signs and
// letters of a few scripts.
func prepends(r rune) bool {
	switch {
	case r < 0x600:
		return false
	case r <= 0x605 || r == 0x6dd || r == 0x70f || r == 0x890 || r == 0x891 || r == 0x8e2 || r == 0xd4e:
		return true
	}
	return r == 0x110bd || r == 0x110cd || r == 0x111c2 || r == 0x111c3 || r == 0x1193f || r == 0x11941 ||
		r == 0x11a3a || r >= 0x11a84 && r <= 0x11a89 || r == 0x11d46 || r == 0x11f02
}
