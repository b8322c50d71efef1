package markdown

import (
	"strings"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/theme"
)

// part is text of one look, without spaces.
type part struct {
	text string
	look theme.Style
}

// word is what is not broken: parts that stand together.
type word struct {
	parts []part
	space bool // a space stands before it
}

func (w word) width() int {
	n := 0
	for _, p := range w.parts {
		n += cells.Width(p.text)
	}
	return n
}

// gap is the space before a word.
func (word) gap() string { return " " }

// words splits a line into words with their looks.
func words(t *theme.Theme, text string, base theme.Style) []word {
	var out []word
	space := true
	for _, s := range inline(t, text, base) {
		for i, f := range strings.Split(s.text, " ") {
			if i > 0 {
				space = true
			}
			if f == "" {
				continue
			}
			if space || len(out) == 0 {
				out = append(out, word{space: space})
				space = false
			}
			last := &out[len(out)-1]
			last.parts = append(last.parts, part{f, s.look})
		}
	}
	return out
}

// inline splits a line by emphasis, code and links. What has no end stays as it
// stands.
func inline(t *theme.Theme, s string, base theme.Style) []part {
	var out []part
	plain := 0
	add := func(at int, p part, skip int) {
		if plain < at {
			out = append(out, part{s[plain:at], base})
		}
		out = append(out, p)
		plain = at + skip
	}
	for i := 0; i < len(s); {
		mark := opens(s, i)
		if mark == "" {
			i++
			continue
		}
		if mark == "[" {
			if text, url, n := link(s[i:]); n > 0 {
				if text == url {
					text = ""
				} else {
					text += " "
				}
				add(i, part{text + "(" + url + ")", base}, n)
				i += n
				continue
			}
			i++
			continue
		}
		end := strings.Index(s[i+len(mark):], mark)
		if end <= 0 {
			i += len(mark)
			continue
		}
		inner := s[i+len(mark) : i+len(mark)+end]
		if mark != "`" && (inner[0] == ' ' || inner[len(inner)-1] == ' ') {
			i += len(mark)
			continue
		}
		n := end + 2*len(mark)
		add(i, part{inner, lookOf(t, mark, base)}, n)
		i += n
	}
	if plain < len(s) {
		out = append(out, part{s[plain:], base})
	}
	return out
}

// opens returns the mark that may begin at i.
func opens(s string, i int) string {
	inWord := i > 0 && isWord(s[i-1])
	switch {
	case s[i] == '`':
		if strings.HasPrefix(s[i:], "``") {
			return "``"
		}
		return "`"
	case strings.HasPrefix(s[i:], "**"):
		return "**"
	case s[i] == '*' && !inWord:
		return "*"
	case strings.HasPrefix(s[i:], "__") && !inWord:
		return "__"
	case s[i] == '[':
		return "["
	}
	return ""
}

func isWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b >= 0x80
}

func lookOf(t *theme.Theme, mark string, base theme.Style) theme.Style {
	switch mark {
	case "`", "``":
		if t.Code.Plain() {
			return base
		}
		return t.Code
	case "*":
		return t.Italic
	}
	return t.Bold
}

// link reads [text](address) at the beginning of s.
func link(s string) (text, url string, n int) {
	mid := strings.Index(s, "](")
	if mid < 0 {
		return "", "", 0
	}
	end := strings.IndexByte(s[mid:], ')')
	if end < 0 {
		return "", "", 0
	}
	return s[1:mid], s[mid+2 : mid+end], mid + end + 1
}
