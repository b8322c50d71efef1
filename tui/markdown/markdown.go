package markdown

import (
	"strings"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/theme"
)

// Render returns text in rows of at most width columns.
func Render(t *theme.Theme, text string, width int) []string {
	r := renderer{t: t, w: max(width, 4)}
	for line := range strings.SplitSeq(cells.Tabs(cells.Plain(text)), "\n") {
		r.line(line)
	}
	for len(r.out) > 0 && r.out[len(r.out)-1] == "" {
		r.out = r.out[:len(r.out)-1]
	}
	return r.out
}

type renderer struct {
	t     *theme.Theme
	w     int
	out   []string
	fence string // what ends the block of code, when in one
}

func (r *renderer) line(line string) {
	trimmed := strings.TrimLeft(line, " ")
	switch {
	case r.fence != "":
		if strings.HasPrefix(trimmed, r.fence) && strings.Trim(trimmed, "`~ ") == "" {
			r.fence = ""
			return
		}
		r.code(line)
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		r.fence = trimmed[:3]
		if lang := strings.TrimSpace(strings.Trim(trimmed, "`~")); lang != "" {
			r.out = append(r.out, r.t.Dim.On(cells.Cut(lang, r.w)))
		}
	case trimmed == "":
		if len(r.out) > 0 && r.out[len(r.out)-1] != "" {
			r.out = append(r.out, "")
		}
	case heading(trimmed) > 0:
		r.flow("", "", trimmed[heading(trimmed):], r.t.Bold)
	case strings.HasPrefix(trimmed, ">"):
		bar := r.t.Frame.On(r.t.Bar)
		r.flow(bar, bar, strings.TrimSpace(strings.TrimLeft(trimmed, "> ")), r.t.Dim)
	case strings.Trim(trimmed, "-*_ ") == "" && len(strings.ReplaceAll(trimmed, " ", "")) >= 3:
		r.out = append(r.out, r.t.Frame.On(theme.Line(r.t.Thin.Top, r.w)))
	case strings.HasPrefix(trimmed, "|"):
		r.out = append(r.out, cells.Hard(line, r.w)...) // a table keeps its columns
	default:
		r.item(line, trimmed)
	}
}

// item draws a paragraph or an item of a list.
func (r *renderer) item(line, trimmed string) {
	indent := strings.Repeat(" ", min(len(line)-len(trimmed), r.w/3))
	mark, rest := bullet(trimmed)
	if mark == "" {
		r.flow(indent, indent, trimmed, theme.Style{})
		return
	}
	if mark == "-" || mark == "*" || mark == "+" {
		mark = r.t.Dot
	}
	r.flow(indent+mark+" ", indent+strings.Repeat(" ", cells.Width(mark)+1), rest, theme.Style{})
}

func (r *renderer) code(line string) {
	bar := r.t.Frame.On(r.t.Bar)
	for _, row := range cells.Hard(line, r.w-2) {
		r.out = append(r.out, bar+r.t.Code.On(row))
	}
}

// heading returns the length of the marks of a heading, 0 for none.
func heading(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "#"))
	if n == 0 || n > 6 || n >= len(s) || s[n] != ' ' {
		return 0
	}
	return n + 1
}

// bullet takes the mark of a list item off.
func bullet(s string) (mark, rest string) {
	if len(s) > 1 && strings.ContainsRune("-*+", rune(s[0])) && s[1] == ' ' {
		return s[:1], strings.TrimLeft(s[2:], " ")
	}
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n > 0 && n < 4 && len(s) > n+1 && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		return s[:n+1], strings.TrimLeft(s[n+2:], " ")
	}
	return "", s
}

// flow breaks text at spaces; the first row begins with first, others with next.
func (r *renderer) flow(first, next, text string, base theme.Style) {
	row, used := first, cells.Width(first)
	empty := true
	flush := func() {
		r.out = append(r.out, row)
		row, used, empty = next, cells.Width(next), true
	}
	for _, w := range words(r.t, text, base) {
		if !empty && used+btoi(w.space)+w.width() > r.w {
			flush()
		}
		if !empty && w.space {
			row += w.gap()
			used++
		}
		for _, p := range w.parts {
			for used+cells.Width(p.text) > r.w {
				room := r.w - used
				if room < 2 && used > cells.Width(next) { // less than the widest character
					flush()
					continue
				}
				head := cells.Hard(p.text, max(room, 2))[0]
				row += p.look.On(head)
				p.text = strings.TrimPrefix(p.text, head)
				flush()
			}
			row += p.look.On(p.text)
			used += cells.Width(p.text)
			empty = false
		}
	}
	r.out = append(r.out, row)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
