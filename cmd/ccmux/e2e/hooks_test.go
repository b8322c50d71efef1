//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Hooks records the hook events of a claude run by itself, and answers them
// when the test says so.
type Hooks struct {
	rig      *Rig
	dir      string
	settings string // for --settings
}

// HookCall is one hook event as claude gave it.
type HookCall struct {
	Event     string `json:"hook_event_name"`
	SessionID string `json:"session_id"`
	PromptID  string `json:"prompt_id"`
	Mode      string `json:"permission_mode"`
	Tool      string `json:"tool_name"`
	ToolInput struct {
		Command string `json:"command"`
	} `json:"tool_input"`
	Prompt           string `json:"prompt"`
	LastMessage      string `json:"last_assistant_message"`
	NotificationType string `json:"notification_type"`
}

// hookScript keeps what it was given, whole, under a name that sorts by time,
// and answers with the event's answer file when there is one. An event with a
// file EVENT.hold waits until that is gone. It says when it was ended.
const hookScript = `#!/bin/bash
dir=$1 event=$2
name=$event.$(date +%s%N).$$
trap 'touch "$dir/$name.term"; exit 143' TERM
cat >"$dir/.$name"
mv "$dir/.$name" "$dir/$name.json"
while [ -e "$dir/$event.hold" ]; do sleep 0.02; done
if [ -e "$dir/$event.only" ] && ! grep -qf "$dir/$event.only" "$dir/$name.json"; then exit 0; fi
[ -e "$dir/$event.answer" ] && cat "$dir/$event.answer"
exit 0
`

// hooks makes command hooks for the events.
func (r *Rig) hooks(events ...string) *Hooks {
	r.T.Helper()
	h := &Hooks{rig: r, dir: filepath.Join(r.root, "hooks")}
	script := filepath.Join(r.bin(), "hook.sh")
	r.Write(script, hookScript, 0o755)
	r.mkdir(h.dir, 0o755)
	settings := map[string]any{}
	for _, event := range events {
		settings[event] = []any{map[string]any{"hooks": []any{map[string]any{
			"type": "command", "command": script, "args": []string{h.dir, event}, "timeout": 86400,
		}}}}
	}
	raw, err := json.Marshal(map[string]any{"hooks": settings})
	if err != nil {
		r.T.Fatal(err)
	}
	h.settings = filepath.Join(r.root, "settings.json")
	r.Write(h.settings, string(raw), 0o600)
	return h
}

// answer is what the hook of the event prints from now on.
func (h *Hooks) answer(event, output string) {
	h.rig.T.Helper()
	h.rig.Write(filepath.Join(h.dir, event+".answer"), output, 0o600)
}

// only has the event answered when what the hook is given holds the word.
func (h *Hooks) only(event, word string) {
	h.rig.T.Helper()
	h.rig.Write(filepath.Join(h.dir, event+".only"), word, 0o600)
}

// hold keeps the event's hooks running until release.
func (h *Hooks) hold(event string) {
	h.rig.T.Helper()
	h.rig.Write(filepath.Join(h.dir, event+".hold"), "", 0o600)
}

// release lets held hooks answer.
func (h *Hooks) release(event string) {
	h.rig.T.Helper()
	if err := os.Remove(filepath.Join(h.dir, event+".hold")); err != nil {
		h.rig.T.Fatal(err)
	}
}

// calls are the event's calls so far, oldest first.
func (h *Hooks) calls(event string) []HookCall {
	h.rig.T.Helper()
	paths, err := filepath.Glob(filepath.Join(h.dir, event+".*.json"))
	if err != nil {
		h.rig.T.Fatal(err)
	}
	slices.Sort(paths)
	var calls []HookCall
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			h.rig.T.Fatal(err)
		}
		var c HookCall
		if err := json.Unmarshal(raw, &c); err != nil {
			h.rig.T.Fatalf("%s: %v", path, err)
		}
		calls = append(calls, c)
	}
	return calls
}

// terminated is how many of the event's hooks were ended by SIGTERM.
func (h *Hooks) terminated(event string) int {
	paths, _ := filepath.Glob(filepath.Join(h.dir, event+".*.term"))
	return len(paths)
}

// wait waits until the event was called n times, and gives back the calls.
func (h *Hooks) wait(event string, n int) []HookCall {
	h.rig.T.Helper()
	h.rig.Eventually(fmt.Sprintf("%d calls of hook %s", n, event), func() bool { return len(h.calls(event)) >= n })
	return h.calls(event)
}

// events lists all calls by name, oldest first.
func (h *Hooks) events() []string {
	paths, _ := filepath.Glob(filepath.Join(h.dir, "*.json"))
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(when(a), when(b)) })
	var names []string
	for _, path := range paths {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		names = append(names, name)
	}
	return names
}

func when(path string) string {
	_, rest, _ := strings.Cut(filepath.Base(path), ".")
	return rest
}
