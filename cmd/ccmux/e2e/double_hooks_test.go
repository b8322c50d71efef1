//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// doubleEvents are the hooks of the plugin.
var doubleEvents = []string{
	"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd",
}

// doubleHook is hookScript with more services: it notes each call in the
// server's log too, so that one list has the order of everything; a file
// EVENT.when bounds the answer to calls that hold its text; and it blocks the
// question whether the channel works, and keeps it apart.
const doubleHook = `#!/bin/bash
dir=$1 event=$2 log=$3
name=$event.$(date +%s%N).$$
cat >"$dir/.$name"
if grep -q 'is anybody there' "$dir/.$name"; then
  mv "$dir/.$name" "$dir/probe.$name"
  echo '{"decision":"block","reason":"the channel works"}'
  exit 0
fi
mv "$dir/.$name" "$dir/$name.json"
echo "{\"method\":\"hook/$event\"}" >>"$log"
trap 'touch "$dir/$name.term"; exit 143' TERM
while [ -e "$dir/$event.hold" ]; do sleep 0.02; done
if [ -e "$dir/$event.answer" ]; then
  if [ ! -e "$dir/$event.when" ] || grep -qFf "$dir/$event.when" "$dir/$name.json"; then cat "$dir/$event.answer"; fi
fi
exit 0
`

// calls are the calls of a hook so far, whole.
func (d *double) calls(event string) []map[string]any {
	d.T.Helper()
	paths, err := filepath.Glob(filepath.Join(d.hooks.dir, event+".*.json"))
	if err != nil {
		d.T.Fatal(err)
	}
	slices.Sort(paths)
	var calls []map[string]any
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			d.T.Fatal(err)
		}
		var c map[string]any
		if err := json.Unmarshal(raw, &c); err != nil {
			d.T.Fatalf("%s: %v", path, err)
		}
		calls = append(calls, c)
	}
	return calls
}

// called waits for n calls of a hook.
func (d *double) called(event string, n int) []map[string]any {
	d.T.Helper()
	d.hooks.wait(event, n)
	return d.calls(event)
}

// when bounds a hook's answer to calls that hold the text.
func (d *double) when(event, text string) {
	d.T.Helper()
	d.Write(filepath.Join(d.hooks.dir, event+".when"), text+"\n", 0o600)
}

// log is all that happened at the plugin, in order: methods, signals, hooks.
func (d *double) log() []string {
	raw, err := os.ReadFile(d.stub.log)
	if err != nil {
		return nil // nothing has happened yet
	}
	var all []string
	for line := range strings.Lines(string(raw)) {
		var c StubCall
		if json.Unmarshal([]byte(line), &c) != nil || c.Method == "" {
			continue
		}
		name := c.Method
		if name == "stub/signal" {
			var p struct{ Name string }
			_ = json.Unmarshal(c.Params, &p)
			name = "signal " + p.Name
		}
		all = append(all, name)
	}
	return all
}
