package cells

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
)

// Safe returns s for a terminal that does not group characters into grapheme
// clusters: each cluster whose parts such a terminal would measure differently
// is replaced by its first character and spaces, so that what follows stands
// where it should. Flags become their two letters.
func Safe(s string) string { return safely(s, false) }

// SafeInTmux is Safe for a screen inside tmux, which joins what a zero width
// joiner holds together: such a cluster stays whole where tmux takes it for as
// wide as it is.
func SafeInTmux(s string) string { return safely(s, true) }

func safely(s string, tmux bool) string {
	i := suspect(s, 0)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	done := 0
	for i >= 0 {
		b.WriteString(s[done:i])
		g := options.StringGraphemes(s[i:])
		if !g.Next() {
			break
		}
		v := g.Value()
		if tmux && inTmux(v) == g.Width() {
			b.WriteString(v)
		} else {
			b.WriteString(settle(v, g.Width()))
		}
		done = i + len(v)
		i = suspect(s, done)
	}
	b.WriteString(s[done:])
	return b.String()
}

// settle returns cluster, or what stands for it, in width columns.
func settle(cluster string, width int) string {
	r, size := utf8.DecodeRuneInString(cluster)
	if r == utf8.RuneError && size == 1 {
		return strings.Repeat("?", width)
	}
	if isFlag(r) {
		second, _ := utf8.DecodeRuneInString(cluster[size:])
		if isFlag(second) {
			return string([]rune{'A' + r - 0x1f1e6, 'A' + second - 0x1f1e6})
		}
		return string('A'+r-0x1f1e6) + strings.Repeat(" ", max(width-1, 0))
	}
	if ansi.WcWidth.StringWidth(cluster) == width && !joined(cluster[size:]) {
		return cluster
	}
	first := cluster[:size]
	w := ansi.WcWidth.StringWidth(first)
	if w > width {
		return strings.Repeat("?", width)
	}
	return first + strings.Repeat(" ", width-w)
}

// tmuxCell is how many bytes a cell of tmux holds; the rest of a cluster is lost.
const tmuxCell = 21

// inTmux is the width tmux gives a cluster: the sum of its characters, but for
// those that follow a joiner (measured with 3.3a; later versions also join the
// tones of skin, so that those are not counted on). It is -1 when tmux would cut
// the cluster, or begin another with its parts.
func inTmux(cluster string) int {
	if len(cluster) > tmuxCell || strings.HasSuffix(cluster, "\u200d") {
		return -1
	}
	width, after := 0, false
	for _, r := range cluster {
		if isFlag(r) || r >= 0x1f3fb && r <= 0x1f3ff || r == 0x20e3 {
			return -1
		}
		if !after {
			width += ansi.WcWidth.StringWidth(string(r))
		}
		after = r == 0x200d
	}
	return width
}

func isFlag(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// joined says whether rest, which follows a cluster's first character, changes
// its width or shape on terminals that group and not on others.
func joined(rest string) bool {
	for _, r := range rest {
		if r == 0x200d || r == 0xfe0f || r == 0x20e3 || r >= 0x1f3fb && r <= 0x1f3ff {
			return true
		}
	}
	return false
}

// suspect returns where, from position i on, a cluster begins that has to be
// looked at; -1 when there is none. Most text is passed over at a byte a step.
func suspect(s string, i int) int {
	start := i
	for i < len(s) {
		if s[i] < utf8.RuneSelf {
			start = i
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case extends(r):
			return start // belongs to the character before
		case r >= 0x2500 && r <= 0x259f || r == '…' || r == '→' || r == '·',
			r >= 0x3040 && r <= 0x30ff, r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3:
			start = i // frames, kana, ideographs: everyone agrees
			i += size
		case r < 0x300:
			start = i
			i += size
		default:
			return i
		}
	}
	return -1
}

// extends says whether r may belong to the cluster of the character before it.
func extends(r rune) bool {
	return unicode.Is(unicode.M, r) || r == 0x200c || r == 0x200d || r == 0xff9e || r == 0xff9f ||
		r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0020 && r <= 0xe007f
}

// Narrow returns s for a terminal that may draw characters of ambiguous width in
// two columns: those are replaced by ASCII ones. Lines stay lines.
func Narrow(s string) string {
	return replace(s, func(v string, r rune, w int) string {
		if w != 1 || wide.String(v) == 1 {
			return v
		}
		return stand(r)
	})
}

// ASCII returns s for a terminal that knows nothing else.
func ASCII(s string) string {
	return replace(s, func(v string, r rune, w int) string {
		if w == 2 {
			return "??"
		}
		return strings.Repeat(stand(r), w)
	})
}

var wide = displaywidth.Options{EastAsianWidth: true}

// replace calls f with each cluster that is not ASCII, its first character and
// its width.
func replace(s string, f func(v string, r rune, w int) string) string {
	if _, plain := asciiOnly(s); plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for g := options.StringGraphemes(s); g.Next(); {
		v := g.Value()
		if len(v) == 1 && v[0] < utf8.RuneSelf || v[0] == 0x1b {
			b.WriteString(v)
			continue
		}
		r, _ := utf8.DecodeRuneInString(v)
		b.WriteString(f(v, r, g.Width()))
	}
	return b.String()
}

func asciiOnly(s string) (int, bool) {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return i, false
		}
	}
	return len(s), true
}

// stand is the ASCII character that stands for r.
func stand(r rune) string {
	switch {
	case r < utf8.RuneSelf:
		return string(r)
	case r == '─' || r == '━' || r == '═' || r == '╌' || r == '┄' || r == '–' || r == '—':
		return "-"
	case r == '│' || r == '┃' || r == '║' || r == '┆' || r == '╎':
		return "|"
	case r >= 0x2500 && r <= 0x257f:
		return "+"
	case r >= 0x2580 && r <= 0x259f:
		return "#"
	}
	if s, ok := stands[r]; ok {
		return s
	}
	return "?"
}

var stands = map[rune]string{
	'…': "~", '→': ">", '←': "<", '↑': "^", '↓': "v", '·': "-", '•': "*", '●': "*", '○': "o", '◆': "*", '◇': "o",
	'■': "#", '□': "o", '★': "*", '☆': "*", '✓': "v", '✕': "x", '✗': "x", '‘': "'", '’': "'", '“': `"`, '”': `"`,
	'‹': "<", '›': ">", '«': "<", '»': ">", '×': "x", '÷': "/", '°': "o", '±': "+", '❯': ">", '⎿': "`", '✳': "*",
	'é': "e", 'è': "e", 'à': "a", 'ü': "u", 'ö': "o", 'ä': "a", 'ß': "s", 'ñ': "n", 'ç': "c", '\u00a0': " ",
}
