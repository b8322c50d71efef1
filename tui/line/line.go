package line

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/ccmux/ccmux/tui/cells"
)

// Model is a line under the cursor.
type Model struct {
	before, after string // the text around the cursor
}

// Text is what was typed.
func (m *Model) Text() string { return m.before + m.after }

// Before is what stands before the cursor.
func (m *Model) Before() string { return m.before }

// Set replaces the text and puts the cursor at its end.
func (m *Model) Set(s string) { m.before, m.after = clean(s), "" }

// Insert types s.
func (m *Model) Insert(s string) { m.before += clean(s) }

func clean(s string) string {
	return cells.Plain(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
}

// Complete replaces the last n bytes before the cursor by s.
func (m *Model) Complete(n int, s string) {
	m.before = m.before[:max(len(m.before)-n, 0)] + clean(s)
}

// Key edits by the key named as Bubble Tea names it, and says whether it was one
// for editing. Text is what the key types.
func (m *Model) Key(key, text string) bool {
	switch key {
	case "left", "ctrl+b":
		m.left()
	case "right", "ctrl+f":
		m.right()
	case "home", "ctrl+a":
		m.move(lineStart(m.before))
	case "end", "ctrl+e":
		n := strings.IndexByte(m.after, '\n')
		if n < 0 {
			n = len(m.after)
		}
		m.before, m.after = m.before+m.after[:n], m.after[n:]
	case "alt+left", "alt+b", "ctrl+left":
		m.move(wordStart(m.before))
	case "alt+right", "alt+f", "ctrl+right":
		n := wordEnd(m.after)
		m.before, m.after = m.before+m.after[:n], m.after[n:]
	case "backspace", "ctrl+h":
		m.before = m.before[:len(m.before)-lastCluster(m.before)]
	case "delete":
		m.after = m.after[firstCluster(m.after):]
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		m.before = m.before[:wordStart(m.before)]
	case "ctrl+u":
		m.before = m.before[:lineStart(m.before)]
	case "ctrl+k":
		m.after = ""
	default:
		if text == "" {
			return false
		}
		m.Insert(text)
	}
	return true
}

func (m *Model) left() { m.move(len(m.before) - lastCluster(m.before)) }

func (m *Model) right() {
	n := firstCluster(m.after)
	m.before, m.after = m.before+m.after[:n], m.after[n:]
}

// move puts the cursor at byte n of what is before it.
func (m *Model) move(n int) { m.before, m.after = m.before[:n], m.before[n:]+m.after }

func lineStart(s string) int { return strings.LastIndexByte(s, '\n') + 1 }

func firstCluster(s string) int {
	g := displaywidth.StringGraphemes(s)
	if !g.Next() {
		return 0
	}
	return len(g.Value())
}

func lastCluster(s string) int {
	n := 0
	for g := displaywidth.StringGraphemes(s[lineStart(strings.TrimSuffix(s, "\n")):]); g.Next(); {
		n = len(g.Value())
	}
	return n
}

func wordStart(s string) int {
	t := strings.TrimRight(s, " \n")
	return max(strings.LastIndexByte(t, ' '), strings.LastIndexByte(t, '\n')) + 1
}

func wordEnd(s string) int {
	n := len(s) - len(strings.TrimLeft(s, " \n"))
	if i := strings.IndexAny(s[n:], " \n"); i >= 0 {
		return n + i
	}
	return len(s)
}

// Lines returns the text in rows of exactly width columns, at most height of
// them, the ones around the cursor; x and y say where the cursor is in them.
func (m *Model) Lines(width, height int) (rows []string, x, y int) {
	width = max(width, 3)
	before := cells.Hard(m.before, width-1)
	y = len(before) - 1
	x = cells.Width(before[y])
	all := cells.Hard(m.before+m.after, width-1)
	first := 0
	if y >= height {
		first = y - height + 1
	}
	for i := first; i < len(all) && len(rows) < height; i++ {
		rows = append(rows, cells.Pad(all[i], width))
	}
	if len(rows) == 0 {
		rows = []string{cells.Pad("", width)}
	}
	return rows, min(x, width-1), y - first
}
