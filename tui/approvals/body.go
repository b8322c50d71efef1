package approvals

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

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

// body is the whole input in rows of at most w columns, and what there is to know
// beside it. The first need rows are what a yes would be said to.
func (m *Model) body(c draw.Context, card Card, w int) (rows []string, need int) {
	if card.Perm == nil {
		rows = m.question(c, card, w)
		return rows, len(rows)
	}
	if why := card.Perm.Moved; why != "" {
		for _, l := range lines(c, cells.Line(why), w) {
			rows = append(rows, c.Styles.Asks.On(l))
		}
	}
	rows = append(rows, m.request(c, card, w)...)
	if len(card.Dialogs) > 0 {
		rows = append(rows, m.question(c, card, w)...)
	}
	need = len(rows)
	if also := asked(c, card.Perm); also != "" {
		rows = append(rows, dim(c, also, w)...)
	}
	if says := m.said(card); says != "" {
		rows = append(rows, dim(c, "by the rules: "+says, w)...)
	}
	if m.chain == card.ID {
		rows = append(rows, work(c, card.Perm, w)...)
	}
	return rows, need
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
		return dim(c, "what it wants to do is not known here; its pane shows it", w)
	case p.Tool == "Bash":
		return within(c, table(c, p, w), p.Dir, w)
	}
	return table(c, p, w)
}

// within adds the folder of a command: at the end of its first row where there is
// room, else below.
func within(c draw.Context, rows []string, dir string, w int) []string {
	if dir == "" || len(rows) == 0 {
		return rows
	}
	in := "in " + c.Path(dir)
	if cells.Width(rows[0])+cells.Width(in)+2 > w {
		return append(rows, dim(c, in, w)...)
	}
	rows[0] = cells.Sides(rows[0], c.Dim.On(in), w)
	return rows
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
	out := within(c, lines(c, in.Command, w), p.Dir, w)
	if _, n := cells.Reveal(in.Command); n > 0 {
		out = append(out, c.Bad.On(fmt.Sprintf("%d hidden %s in it, written out above", n, plural(n, "character"))))
	}
	if in.Description != "" {
		out = append(out, dim(c, in.Description, w)...)
	}
	var extra struct {
		Timeout    json.RawMessage `json:"timeout"`
		Background json.RawMessage `json:"run_in_background"`
	}
	_ = json.Unmarshal(p.Input, &extra) // it was read before
	switch b := string(extra.Background); b {
	case "", "false", "null":
	case "true":
		out = append(out, c.Dim.On("runs in the background"))
	default:
		out = append(out, dim(c, "run_in_background "+b, w)...)
	}
	if t := string(extra.Timeout); t != "" && t != "null" {
		if ms, err := strconv.Atoi(t); err == nil {
			t = (time.Duration(ms) * time.Millisecond).String()
		}
		out = append(out, dim(c, "may take "+t, w)...)
	}
	return out
}

// dim is a sentence beside the input, whole, in rows.
func dim(c draw.Context, text string, w int) []string {
	rows := lines(c, cells.Tabs(text), w)
	for i := range rows {
		rows[i] = c.Dim.On(rows[i])
	}
	return rows
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
