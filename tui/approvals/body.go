package approvals

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
)

// input is what the known tools are called with.
type input struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	FilePath    string `json:"file_path"`
	Notebook    string `json:"notebook_path"`
	Content     string `json:"content"`
	Old         string `json:"old_string"`
	New         string `json:"new_string"`
	All         bool   `json:"replace_all"`
	Edits       []edit `json:"edits"`
}

type edit struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
	All bool   `json:"replace_all"`
}

// known are the fields of each tool that is shown in a way of its own. A call
// with any other field is shown as a table, so that nothing of it is left out.
var known = map[string][]string{
	"Bash":      {"command", "description", "timeout", "run_in_background"},
	"Write":     {"file_path", "content"},
	"Edit":      {"file_path", "old_string", "new_string", "replace_all"},
	"MultiEdit": {"file_path", "edits"},
}

// parse reads the input of a tool; ok is false when it has to be a table.
func parse(p *router.PermissionView) (in input, ok bool) {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(p.Input, &fields) != nil || json.Unmarshal(p.Input, &in) != nil {
		return input{}, false
	}
	names, ok := known[p.Tool]
	for f := range fields {
		ok = ok && slices.Contains(names, f)
	}
	return in, ok
}

// target is the file a request would change, absolute.
func target(p *router.PermissionView) string {
	in, ok := parse(p)
	if !ok || p.Tool == "Bash" || in.FilePath == "" {
		return ""
	}
	if filepath.IsAbs(in.FilePath) {
		return filepath.Clean(in.FilePath)
	}
	if p.Dir == "" {
		return ""
	}
	return filepath.Join(p.Dir, in.FilePath)
}

// Asks says in words what a tool wants to do.
func Asks(tool string) string {
	switch tool {
	case "Bash":
		return "asks to run a command"
	case "Write":
		return "asks to write a file"
	case "Edit", "MultiEdit", "NotebookEdit":
		return "asks to change a file"
	case "Read":
		return "asks to read a file"
	case "WebFetch":
		return "asks to fetch a page"
	case "WebSearch":
		return "asks to search the web"
	case "Task", "Agent":
		return "asks to start a subagent"
	case "":
		return "asks for something"
	}
	if server, name, ok := mcp(tool); ok {
		return "asks to use " + name + " of " + server
	}
	return "asks to use " + cells.Line(tool)
}

// mcp takes the name of an MCP tool apart.
func mcp(tool string) (server, name string, ok bool) {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return "", "", false
	}
	server, name, ok = strings.Cut(rest, "__")
	return cells.Line(server), cells.Line(name), ok
}

// body is the whole input in rows of at most w columns.
func (m *Model) body(c draw.Context, card Card, w int) []string {
	if card.Perm == nil {
		return m.question(c, card, w)
	}
	out := m.request(c, card, w)
	if len(card.Dialogs) > 0 {
		out = append(out, m.question(c, card, w)...)
	}
	if says := m.said(card); says != "" {
		out = append(out, c.Dim.On(cells.Cut(reveal(c, cells.Line("by the rules: "+says)), w)))
	}
	if m.chain == card.ID {
		out = append(out, work(c, card.Perm, w)...)
	}
	return out
}

// work is the chain of tasks a request serves, nearest first.
func work(c draw.Context, p *router.PermissionView, w int) []string {
	if len(p.Threads) == 0 {
		return []string{c.Dim.On("it serves no task that ccmux knows of")}
	}
	var out []string
	for i, id := range p.Threads {
		mark := c.Dim.On(strings.Repeat("  ", min(i, 8)) + "for ")
		text := mark + c.Thread.On(cells.Line(string(id)))
		for _, t := range c.View.Threads {
			if t.ID == id {
				text += "  " + c.Bold.On(c.Name(t.From)) + c.Arrow + c.Bold.On(c.Names(t.To, 30)) + "  " + cells.Line(t.Title)
			}
		}
		out = append(out, cells.Cut(text, w))
	}
	return out
}

// request is the whole input of a tool.
func (m *Model) request(c draw.Context, card Card, w int) []string {
	p := card.Perm
	in, ok := parse(p)
	switch {
	case ok && p.Tool == "Bash":
		return command(c, in, p, w)
	case ok && (p.Tool == "Write" || p.Tool == "Edit" || p.Tool == "MultiEdit"):
		return m.change(c, card, in, w)
	case len(p.Input) == 0:
		return []string{c.Dim.On("what it wants to do is not known here; its pane shows it")}
	}
	return table(c, p, w)
}

// reveal writes hidden characters out, marked.
func reveal(c draw.Context, s string) string {
	s, n := cells.Reveal(s)
	if n == 0 {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "‹")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		end := strings.Index(s[i:], "›")
		if end < 0 {
			b.WriteString(s)
			return b.String()
		}
		end += i + len("›")
		b.WriteString(s[:i] + c.Mark.On(c.Words(s[i:end])))
		s = s[end:]
	}
}

// lines breaks text into rows, with hidden characters written out. Marks are put
// in after the breaking, so that they are not torn.
func lines(c draw.Context, s string, w int) []string {
	plain, n := cells.Reveal(s)
	rows := cells.Hard(strings.TrimSuffix(plain, "\n"), w)
	if n == 0 {
		return rows
	}
	for i, r := range rows {
		for _, word := range hiddenWords(r) {
			r = strings.ReplaceAll(r, word, c.Mark.On(word))
		}
		rows[i] = r
	}
	return rows
}

// hiddenWords are the written out characters in a row.
func hiddenWords(row string) []string {
	var out []string
	for rest := row; ; {
		i := strings.Index(rest, "‹")
		if i < 0 {
			return out
		}
		end := strings.Index(rest[i:], "›")
		if end < 0 {
			return out
		}
		word := rest[i : i+end+len("›")]
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
		rest = rest[i+end+len("›"):]
	}
}

func command(c draw.Context, in input, p *router.PermissionView, w int) []string {
	out := lines(c, in.Command, w)
	if _, n := cells.Reveal(in.Command); n > 0 {
		out = append(out, c.Bad.On(fmt.Sprintf("%d hidden %s in it, written out above", n, plural(n, "character"))))
	}
	if in.Description != "" {
		out = append(out, c.Dim.On(cells.Cut(reveal(c, cells.Line(in.Description)), w)))
	}
	var extra struct {
		Timeout    json.Number `json:"timeout"`
		Background bool        `json:"run_in_background"`
	}
	if json.Unmarshal(p.Input, &extra) == nil && extra.Background {
		out = append(out, c.Dim.On("runs in the background"))
	}
	return out
}

// table shows the input of any tool, one field a row, nested ones flattened.
func table(c draw.Context, p *router.PermissionView, w int) []string {
	var v any
	d := json.NewDecoder(bytes.NewReader(p.Input))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return lines(c, string(p.Input), w)
	}
	var rows [][2]string
	flatten("", v, &rows)
	width := 0
	for _, r := range rows {
		width = max(width, min(cells.Width(r[0]), w/3))
	}
	var out []string
	for _, r := range rows {
		for i, text := range lines(c, r[1], max(w-width-2, 8)) {
			name := ""
			if i == 0 {
				name = r[0]
			}
			out = append(out, c.Dim.On(cells.Pad(name, width))+"  "+text)
		}
	}
	return out
}

func flatten(name string, v any, out *[][2]string) {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			flatten(join(name, k), v[k], out)
		}
		if len(keys) == 0 {
			*out = append(*out, [2]string{name, "(nothing)"})
		}
	case []any:
		for i, e := range v {
			flatten(fmt.Sprintf("%s[%d]", name, i), e, out)
		}
		if len(v) == 0 {
			*out = append(*out, [2]string{name, "(none)"})
		}
	case string:
		*out = append(*out, [2]string{name, v})
	default:
		*out = append(*out, [2]string{name, fmt.Sprint(v)})
	}
}

func join(a, b string) string {
	b, _ = cells.Reveal(b)
	b = strings.Join(strings.Fields(b), " ")
	if a == "" {
		return b
	}
	return a + "." + b
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
