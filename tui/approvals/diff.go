package approvals

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/theme"
)

// contextLines is how much of a file is shown around a change.
const contextLines = 2

// change shows what a file would become, as a diff against what it is.
func (m *Model) change(c draw.Context, card Card, in input, w int) []string {
	file, read := m.file(card)
	old, next, note := outcome(in, file, read)
	path := target(card.Perm)
	if path == "" { // relative to a folder that is not known
		path = in.FilePath
	}
	out := lines(c, c.Path(path), w)
	for i := range out {
		out[i] = c.Bold.On(out[i])
	}
	for _, n := range []string{note, every(in)} {
		if last := len(out) - 1; n != "" && cells.Width(out[last])+2+cells.Width(n) <= w {
			out[last] += "  " + c.Dim.On(n)
		} else if n != "" {
			out = append(out, dim(c, n, w)...)
		}
	}
	if old == next {
		return append(out, c.Dim.On("nothing would change"))
	}
	return append(out, diff(c, old, next, w)...)
}

// every says whether all occurrences are replaced, which the text alone does not.
func every(in input) string {
	all := in.All
	for _, e := range in.Edits {
		all = all || e.All
	}
	if all {
		return "replaces every occurrence"
	}
	return ""
}

// outcome returns a file's text before and after. Where the file is not known,
// only the changed parts are compared.
func outcome(in input, file File, read bool) (old, next, note string) {
	edits := in.Edits
	if len(edits) == 0 && (in.Old != "" || in.New != "") {
		edits = []edit{{Old: in.Old, New: in.New, All: in.All}}
	}
	if len(edits) == 0 {
		switch {
		case !read:
			return "", in.Content, "reading the file…"
		case file.Err != nil:
			return "", in.Content, "the file cannot be read here: " + cells.Line(file.Err.Error())
		case !file.Exists:
			return "", in.Content, "a new file"
		}
		return file.Text, in.Content, "the whole file is written anew"
	}
	if read && file.Err == nil && file.Exists {
		if after, ok := apply(file.Text, edits); ok {
			return file.Text, after, ""
		}
		note = "the text to replace is not in the file now"
	}
	var a, b strings.Builder
	for _, e := range edits {
		a.WriteString(withEnd(e.Old))
		b.WriteString(withEnd(e.New))
	}
	return a.String(), b.String(), note
}

func withEnd(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

func apply(text string, edits []edit) (string, bool) {
	for _, e := range edits {
		if e.Old == "" || !strings.Contains(text, e.Old) {
			return "", false
		}
		n := 1
		if e.All {
			n = -1
		}
		text = strings.Replace(text, e.Old, e.New, n)
	}
	return text, true
}

// maxDiff bounds what is compared: above it a diff would take too long, and the
// new text is shown whole.
const maxDiff = 256 << 10

func diff(c draw.Context, old, next string, w int) []string {
	if len(old)+len(next) > maxDiff {
		return whole(c, next, w)
	}
	text, err := udiff.ToUnified("a", "b", old, udiff.Lines(old, next), contextLines)
	if err != nil {
		return whole(c, next, w)
	}
	var out []string
	for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		switch {
		case i < 2 && (strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ ")):
		case strings.HasPrefix(l, "@@"):
			out = append(out, c.Hunk.On(l))
		case strings.HasPrefix(l, "+"):
			out = append(out, styled(c, c.Added, l, w)...)
		case strings.HasPrefix(l, "-"):
			out = append(out, styled(c, c.Removed, l, w)...)
		case strings.HasPrefix(l, `\`):
			out = append(out, c.Dim.On(l))
		default:
			out = append(out, styled(c, theme.Style{}, l, w)...)
		}
	}
	return out
}

// styled breaks a line of a diff; what follows the break keeps its sign.
func styled(c draw.Context, look theme.Style, l string, w int) []string {
	sign := l[:min(1, len(l))]
	var out []string
	for _, r := range lines(c, strings.TrimPrefix(l, sign), w-2) {
		out = append(out, look.On(sign+" "+r))
	}
	return out
}

func whole(c draw.Context, next string, w int) []string {
	out := []string{c.Dim.On(fmt.Sprintf("too large to compare; the new text has %d lines", strings.Count(next, "\n")+1))}
	for _, r := range lines(c, next, w-2) {
		out = append(out, c.Added.On("+ "+r))
	}
	return out
}
