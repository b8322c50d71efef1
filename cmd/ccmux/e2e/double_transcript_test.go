//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// entries are the transcript's lines so far of a type, or all when it is empty.
func (d *double) entries(kind string) []map[string]any {
	paths, _ := filepath.Glob(filepath.Join(d.Home, ".claude", "projects", "*", "*.jsonl"))
	var all []map[string]any
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(raw)) {
			var e map[string]any
			if json.Unmarshal([]byte(line), &e) == nil && (kind == "" || e["type"] == kind) {
				all = append(all, e)
			}
		}
	}
	return all
}

// story is the transcript in short: what ccmux reads of it, without the text
// of the model, which is not the subjects' own.
func (d *double) story() []string {
	var all []string
	probes := 0 // in the queue
	for _, e := range d.entries("") {
		switch e["type"] {
		case "queue-operation":
			switch {
			case queued(e) == probe:
				probes++
			case e["operation"] == "dequeue" && probes > 0:
				probes--
			default:
				all = append(all, strings.TrimSpace(fmt.Sprintf("queue %s %s", e["operation"], queued(e))))
			}
		case "system":
			if text := str(e["content"]); strings.HasPrefix(text, "UserPromptSubmit operation blocked by hook:\n") && body(text) != probe {
				all = append(all, "blocked "+body(text))
			}
		case "attachment":
			if a, _ := e["attachment"].(map[string]any); a["type"] == "queued_command" {
				all = append(all, "attached "+body(str(a["prompt"])))
			}
		case "user", "assistant":
			all = append(all, spoken(e)...)
		}
	}
	return all
}

// queued is what a line about the queue names: the text that came, or why it
// went.
func queued(e map[string]any) string {
	if why := str(e["reason"]); why != "" {
		return why
	}
	if e["operation"] == "enqueue" {
		return body(str(e["content"]))
	}
	return ""
}

// spoken is an entry of the conversation: who it comes from, tools and results.
func spoken(e map[string]any) []string {
	message, _ := e["message"].(map[string]any)
	if text, ok := message["content"].(string); ok {
		origin, _ := e["origin"].(map[string]any)
		if origin["kind"] == nil {
			return nil // claude's own additions
		}
		return []string{fmt.Sprintf("%s %s", origin["kind"], body(text))}
	}
	var all []string
	blocks, _ := message["content"].([]any)
	for _, b := range blocks {
		block, _ := b.(map[string]any)
		switch block["type"] {
		case "tool_use":
			all = append(all, "uses "+str(block["name"]))
		case "tool_result":
			all = append(all, "result of it")
		case "text":
			if e["type"] == "user" {
				all = append(all, str(block["text"]))
			}
		}
	}
	return all
}

// results are the texts of the tools' results in the transcript.
func (d *double) results() []string {
	var all []string
	for _, e := range d.entries("user") {
		message, _ := e["message"].(map[string]any)
		blocks, _ := message["content"].([]any)
		for _, b := range blocks {
			if block, _ := b.(map[string]any); block["type"] == "tool_result" {
				all = append(all, str(block["content"]))
			}
		}
	}
	return all
}

var inTag = regexp.MustCompile(`(?s)<channel source="plugin:ccmux:peers"[^>]*>\n(.*)\n</channel>`)

// body is the text of a channel event, of anything else the text itself.
func body(text string) string {
	if m := inTag.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// tells waits until the transcript has the story.
func (d *double) tells(want ...string) { d.T.Helper(); d.tellsBut("", want...) }

// tellsBut is the same without a line whose place is not certain: the new
// version writes what was typed some time after the turn has begun.
func (d *double) tellsBut(line string, want ...string) {
	d.T.Helper()
	var got []string
	if !poll(func() bool {
		got = slices.DeleteFunc(d.story(), func(s string) bool { return s == line })
		return slices.Equal(got, want)
	}) {
		d.T.Fatalf("the transcript tells\n  %s\nwant\n  %s\n%s", strings.Join(got, "\n  "), strings.Join(want, "\n  "), d.Report())
	}
}

// logs waits until the plugin's log, with the names left out, is the list.
func (d *double) logs(without func(string) bool, want ...string) {
	d.T.Helper()
	var got []string
	if !poll(func() bool { got = slices.DeleteFunc(d.log(), without); return slices.Equal(got, want) }) {
		d.T.Fatalf("the plugin saw %q, want %q\n%s", got, want, d.Report())
	}
}

func isHook(name string) bool { return strings.HasPrefix(name, "hook/") }

// notTurn leaves the hooks of the turns.
func notTurn(name string) bool {
	return !isHook(name) || name == "hook/SessionStart" || name == "hook/SessionEnd"
}
