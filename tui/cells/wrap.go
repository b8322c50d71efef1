package cells

import "strings"

// Wrap breaks plain text into lines of at most width columns, at spaces where it
// can. Line ends of the text stay; tabs become spaces. It returns at least one
// line.
func Wrap(s string, width int) []string {
	width = max(width, 1)
	var out []string
	for line := range strings.SplitSeq(Tabs(s), "\n") {
		for _, row := range wrapLine(line, width) {
			// A mark at the beginning of a word joins the blank before it.
			if Width(row) > width {
				out = append(out, Hard(row, width)...)
			} else {
				out = append(out, row)
			}
		}
	}
	return out
}

func wrapLine(line string, width int) []string {
	if Width(line) <= width {
		return []string{line}
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if len(indent) > width/2 {
		indent = ""
	}
	var out []string
	cur, used := indent, len(indent)
	for word := range strings.FieldsSeq(line) {
		w := Width(word)
		if used > len(indent) && used+1+w > width {
			out = append(out, cur)
			cur, used = indent, len(indent)
		}
		if used > len(indent) {
			cur += " "
			used++
		}
		for used+w > width {
			head, rest := split(word, width-used)
			out = append(out, cur+head)
			cur, used = indent, len(indent)
			word, w = rest, Width(rest)
		}
		cur += word
		used += w
	}
	if used > len(indent) || len(out) == 0 {
		out = append(out, cur)
	}
	return out
}

// Hard breaks plain text at every width columns and nowhere else, so that
// nothing of it is lost, spaces included. It returns at least one line.
func Hard(s string, width int) []string {
	width = max(width, 2)
	var out []string
	for line := range strings.SplitSeq(Tabs(s), "\n") {
		for Width(line) > width {
			head, rest := split(line, width)
			out = append(out, head)
			line = rest
		}
		out = append(out, line)
	}
	return out
}

// split cuts s before the cluster that no longer fits in width columns. It
// always takes at least one cluster.
func split(s string, width int) (head, rest string) {
	n, used := 0, 0
	for g := options.StringGraphemes(s); g.Next(); {
		w := g.Width()
		if n > 0 && used+w > width {
			break
		}
		n += len(g.Value())
		used += w
	}
	return s[:n], s[n:]
}

// Tabs replaces tabs by spaces up to the next multiple of four columns.
func Tabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	col := 0
	for g := options.StringGraphemes(s); g.Next(); {
		switch v := g.Value(); v {
		case "\t":
			n := 4 - col%4
			b.WriteString(strings.Repeat(" ", n))
			col += n
		case "\n":
			b.WriteString(v)
			col = 0
		default:
			b.WriteString(v)
			col += g.Width()
		}
	}
	return b.String()
}
