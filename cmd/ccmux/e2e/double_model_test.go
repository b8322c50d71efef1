//go:build e2e

package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

var anything = modelapi.Any()

// lineModel is claude's model in the table. It understands the words the demo
// agent's worker understands, as far as the table uses them, so that the same
// text makes all subjects do the same.
type lineModel struct {
	double *double

	mu      sync.Mutex
	lines   []string
	results []string
	prose   []string
	gates   map[string]*doubleGate
}

// doubleGate holds a turn up: claude's at its model, the demo agent's by a file.
type doubleGate struct {
	*modelapi.Gate
	double *double
	name   string
}

// gate is the gate that `wait: NAME` waits at.
func (d *double) gate(name string) *doubleGate {
	d.model.mu.Lock()
	defer d.model.mu.Unlock()
	if d.model.gates[name] == nil {
		d.model.gates[name] = &doubleGate{modelapi.NewGate(), d, name}
	}
	return d.model.gates[name]
}

// reached waits until the turn stands at the gate.
func (g *doubleGate) reached() {
	g.double.T.Helper()
	if !g.double.demo {
		g.double.Reached(g.Gate)
		return
	}
	g.double.Eventually("the prompt with the gate in the transcript", func() bool {
		return slices.ContainsFunc(g.double.story(), func(line string) bool { return strings.HasSuffix(line, "wait: "+g.name) })
	})
}

func (g *doubleGate) open() {
	g.double.T.Helper()
	g.double.Write(filepath.Join(g.double.dir, g.name), "", 0o600)
	g.Open()
}

// reply goes on with the lines at hand, or takes up new ones.
func (m *lineModel) reply(req *modelapi.Request) []modelapi.Part {
	results := req.ToolResults()
	m.mu.Lock()
	if len(results) == 0 {
		m.lines, m.results, m.prose = told(req), nil, nil
	}
	for _, r := range results {
		m.results = append(m.results, r.Text)
	}
	m.mu.Unlock()
	return m.next()
}

// told is what the model is to do, line by line.
func told(req *modelapi.Request) []string {
	var lines []string
	for _, e := range req.Events() {
		if e.Background || e.Attr["kind"] == "note" {
			lines = append(lines, "note from "+e.Attr["sender"]+" read.")
			continue
		}
		lines = append(lines, strings.Split(e.Body, "\n")...)
	}
	if len(lines) > 0 {
		return lines
	}
	text := req.UserText()
	if note := req.NoteText(); strings.Contains(note, "hook") && strings.Contains(note, "feedback") {
		text = note
	}
	if _, feedback, ok := strings.Cut(text, "feedback:\n"); ok {
		text = "noted: " + feedback
	}
	return strings.Split(strings.TrimSpace(text), "\n")
}

// next plays lines up to the first tool, or to the end of the turn.
func (m *lineModel) next() []modelapi.Part {
	var parts []modelapi.Part
	for len(m.lines) > 0 {
		line := m.lines[0]
		m.lines = m.lines[1:]
		word, arg, _ := strings.Cut(line, " ")
		switch word {
		case "run:":
			return append(parts, modelapi.Use("Bash", map[string]string{"command": arg, "description": "do as told"}))
		case "write":
			path, text, _ := strings.Cut(arg, ": ")
			return append(parts, modelapi.Use("Write", map[string]string{"file_path": filepath.Join(m.double.dir, path), "content": text}))
		case "tool":
			name, args, _ := strings.Cut(arg, " ")
			return append(parts, modelapi.Use(peerTool(name), json.RawMessage(args)))
		case "wait:":
			parts = append(parts, modelapi.Text("one moment. "), modelapi.Hold(m.double.gate(arg).Gate))
		default:
			m.prose = append(m.prose, line)
		}
	}
	last := strings.Join(m.results, "\n")
	if last == "" {
		last = "done: " + strings.Join(m.prose, " ")
	}
	return append(parts, modelapi.Text(last))
}
