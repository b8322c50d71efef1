//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
)

var transcriptRows = []behaviour{
	{name: "entries", check: doubleEntries},
}

var toolRows = []behaviour{
	{name: "hook fields", check: doubleFields},
	{name: "tool results", check: doubleResults},
	{name: "PreToolUse denies", check: func(d *double) { doublePreDeny(d, "--permission-mode", d.version.Manual) }},
	{name: "PreToolUse denies what is allowed", check: func(d *double) { doublePreDeny(d, "--allowedTools", "Bash") }},
	{name: "PreToolUse denies in acceptEdits", check: func(d *double) { doublePreDeny(d, "--permission-mode", "acceptEdits") }},
	{name: "PreToolUse asks for what is allowed", check: doublePreAsk},
	{name: "Stop goes on", check: doubleStop},
	{name: "esc while the model speaks", check: doubleEsc},
	{name: "esc while a tool runs", check: doubleEscTool},
}

// The fields ccmux and others read of the transcript's entries.
func doubleEntries(d *double) {
	d.channel("--session-id", conversation)
	d.stub.Send(note("hello model"))
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	d.screen.Submit("hello there")
	stop := d.called("Stop", 2)[1]
	d.tells("queue enqueue hello model", "queue dequeue", "channel hello model", "human hello there")
	folder := strings.NewReplacer("/", "-", ".", "-").Replace(d.dir)
	if want := filepath.Join(d.Home, ".claude", "projects", folder, conversation+".jsonl"); stop["transcript_path"] != want {
		d.T.Errorf("transcript_path %v, want %s", stop["transcript_path"], want)
	}
	event, typed := d.origin("channel"), d.origin("human")
	for _, e := range []map[string]any{event, typed} {
		for key, want := range map[string]any{
			"type": "user", "sessionId": conversation, "cwd": d.dir, "version": d.version.Name, "isSidechain": false,
			"userType": "external", "entrypoint": "cli", "permissionMode": "default",
		} {
			if e[key] != want {
				d.T.Errorf("%s is %v, want %v", key, e[key], want)
			}
		}
		if uuid.Validate(str(e["uuid"])) != nil || str(e["timestamp"]) == "" {
			d.T.Errorf("uuid %v, timestamp %v", e["uuid"], e["timestamp"])
		}
	}
	if event["isMeta"] != true || event["promptSource"] != "system" || event["origin"].(map[string]any)["server"] != "plugin:ccmux:peers" {
		d.T.Errorf("the event's entry: %v", event)
	}
	if typed["isMeta"] != nil || typed["promptSource"] != "typed" || typed["promptId"] != stop["prompt_id"] {
		d.T.Errorf("the prompt's entry: %v", typed)
	}
}

// origin is the transcript's first entry that came from there.
func (d *double) origin(kind string) map[string]any {
	d.T.Helper()
	for _, e := range d.entries("user") {
		if o, _ := e["origin"].(map[string]any); o["kind"] == kind {
			return e
		}
	}
	d.T.Fatalf("no entry from %s", kind)
	return nil
}

// commonFields are of every hook.
const commonFields = "cwd hook_event_name session_id transcript_path"

func doubleFields(d *double) {
	d.plain("--session-id", conversation)
	d.screen.Submit("run: touch made.txt")
	d.screen.Wait("Do you want to proceed?")
	d.screen.Answer("Enter")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	d.hooks.answer("PermissionRequest", allowHook)
	d.screen.Submit("run: sh -c 'exit 3'")
	d.called("Stop", 2)
	d.WaitStatus(d.dir, "idle")
	d.screen.Submit("/exit")
	d.screen.WaitExit()
	turn := commonFields + " permission_mode prompt_id"
	tool := turn + " effort tool_input tool_name"
	for event, want := range map[string]string{
		"SessionStart":       commonFields + " model session_title source",
		"UserPromptSubmit":   turn + " prompt session_title",
		"PreToolUse":         tool + " tool_use_id",
		"PermissionRequest":  tool + " permission_suggestions",
		"PostToolUse":        tool + " tool_use_id tool_response duration_ms",
		"PostToolUseFailure": tool + " tool_use_id duration_ms error is_interrupt",
		"Stop":               turn + " effort background_tasks last_assistant_message session_crons stop_hook_active",
		"SessionEnd":         commonFields + " prompt_id reason",
	} {
		fields := strings.Fields(want)
		slices.Sort(fields)
		for _, call := range d.called(event, 1) {
			if got := slices.Sorted(maps.Keys(call)); !slices.Equal(got, fields) {
				d.T.Errorf("%s has the fields %q, want %q", event, got, fields)
			}
			if call["session_id"] != conversation || call["cwd"] != d.dir || call["hook_event_name"] != event {
				d.T.Errorf("%s was given %v", event, call)
			}
			if mode := call["permission_mode"]; mode != nil && mode != "default" {
				d.T.Errorf("%s: permission mode %v", event, mode)
			}
		}
	}
	ids := map[any]int{}
	for _, event := range []string{"UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop"} {
		ids[d.calls(event)[0]["prompt_id"]]++
	}
	if len(ids) != 1 {
		d.T.Errorf("a turn has %d prompt ids", len(ids))
	}
}

func doubleResults(d *double) {
	d.plain("--allowedTools", "Bash", "Write")
	d.screen.Submit("run: sh -c 'echo out; echo err >&2'")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	d.screen.Submit("run: sh -c 'echo out; exit 3'")
	d.called("Stop", 2)
	d.WaitStatus(d.dir, "idle")
	d.screen.Submit("write new.txt: words")
	stop := d.called("Stop", 3)[2]
	d.logs(notTurn, "hook/UserPromptSubmit", "hook/PreToolUse", "hook/PostToolUse", "hook/Stop",
		"hook/UserPromptSubmit", "hook/PreToolUse", "hook/PostToolUseFailure", "hook/Stop",
		"hook/UserPromptSubmit", "hook/PreToolUse", "hook/PostToolUse", "hook/Stop")
	posts := d.calls("PostToolUse")
	said, _ := posts[0]["tool_response"].(map[string]any)
	if strings.TrimSpace(str(said["stdout"])+str(said["stderr"])) != "outerr" && !strings.Contains(str(said["stdout"]), "out\nerr") || said["interrupted"] != false {
		d.T.Errorf("PostToolUse was given %v", said)
	}
	if ms, ok := posts[0]["duration_ms"].(float64); !ok || ms < 0 {
		d.T.Errorf("it took %v", posts[0]["duration_ms"])
	}
	if failure := d.calls("PostToolUseFailure")[0]; failure["error"] != "Exit code 3\nout" || failure["is_interrupt"] != false {
		d.T.Errorf("PostToolUseFailure was given %v", failure)
	}
	path := filepath.Join(d.dir, "new.txt")
	wrote, _ := posts[1]["tool_response"].(map[string]any)
	if wrote["type"] != "create" || wrote["filePath"] != path || wrote["content"] != "words" {
		d.T.Errorf("PostToolUse was given %v", wrote)
	}
	if in, _ := posts[1]["tool_input"].(map[string]any); in["file_path"] != path || in["content"] != "words" {
		d.T.Errorf("PostToolUse was given the input %v", in)
	}
	if !strings.HasPrefix(str(stop["last_assistant_message"]), "File created successfully at: "+path) {
		d.T.Errorf("the last message was %q", stop["last_assistant_message"])
	}
	d.Eventually("three results in the transcript", func() bool { return len(d.results()) == 3 })
	if results := d.results(); results[0] != "out\nerr" || results[1] != "Exit code 3\nout" || results[2] != stop["last_assistant_message"] {
		d.T.Errorf("the model was told %q", results)
	}
}

func doublePreDeny(d *double, flags ...string) {
	d.plain(flags...)
	d.hooks.answer("PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"ruled out"}}`)
	d.screen.Submit("run: touch made.txt")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	d.logs(notTurn, "hook/UserPromptSubmit", "hook/PreToolUse", "hook/Stop")
	want := "PreToolUse:Bash hook error: ruled out"
	if d.old() {
		want = "ruled out"
	}
	if got := d.results(); len(got) != 1 || got[0] != want || made(d.dir) {
		d.T.Errorf("the model was told %q, want %q; ran: %v", got, want, made(d.dir))
	}
}

func doublePreAsk(d *double) {
	d.plain("--allowedTools", "Bash")
	d.screen.Submit("run: touch other.txt")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	if n := len(d.calls("PermissionRequest")); n != 0 {
		d.T.Errorf("asked %d times for what is allowed", n)
	}
	d.hooks.answer("PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"a rule says ask"}}`)
	d.screen.Submit("run: touch made.txt")
	d.screen.Wait("Do you want to proceed?")
	d.WaitsFor(d.dir, "permission prompt")
	call := d.called("PermissionRequest", 1)[0]
	if _, suggests := call["permission_suggestions"]; suggests || call["tool_name"] != "Bash" {
		d.T.Errorf("PermissionRequest was given %v", call)
	}
	d.screen.Answer("Enter")
	d.called("Stop", 2)
	if !made(d.dir) {
		d.T.Error("the approved command did not run")
	}
}

func doubleStop(d *double) {
	d.plain()
	d.hooks.answer("Stop", `{"decision":"block","reason":"mail for you: one task"}`)
	d.when("Stop", `"stop_hook_active":false`)
	d.screen.Submit("hello there")
	stops := d.called("Stop", 2)
	d.WaitStatus(d.dir, "idle")
	d.logs(notTurn, "hook/UserPromptSubmit", "hook/Stop", "hook/Stop")
	for i, want := range []string{"false done: hello there", "true"} {
		got := fmt.Sprintf("%v %v", stops[i]["stop_hook_active"], stops[i]["last_assistant_message"])
		if !strings.HasPrefix(got, want) {
			d.T.Errorf("Stop %d was given %q, want %q", i, got, want)
		}
	}
	if stops[0]["prompt_id"] != stops[1]["prompt_id"] {
		d.T.Error("the turn that goes on has another prompt id")
	}
	d.Eventually("the reason in the transcript", func() bool { // it is written a moment later
		return slices.ContainsFunc(d.entries("user"), func(e map[string]any) bool {
			message, _ := e["message"].(map[string]any)
			return e["isMeta"] == true && message["content"] == "Stop hook feedback:\nmail for you: one task"
		})
	})
}

func doubleEsc(d *double) {
	d.plain()
	d.screen.Submit("wait: never")
	d.gate("never").reached()
	d.screen.Wait("esc to interrupt")
	d.screen.settle()
	d.screen.Keys("Escape")
	d.screen.Wait("Interrupted")
	d.WaitStatus(d.dir, "idle")
	d.tells("human wait: never", "[Request interrupted by user]")
	d.logs(notTurn, "hook/UserPromptSubmit")
}

func doubleEscTool(d *double) {
	d.Write(filepath.Join(d.dir, "hold.sh"), "touch made.txt; while [ ! -e go ]; do sleep 0.05; done\n", 0o644)
	d.plain("--allowedTools", "Bash")
	d.screen.Submit("run: sh hold.sh")
	d.Eventually("the tool to run", func() bool { return made(d.dir) })
	d.screen.Keys("Escape")
	d.screen.Wait("Interrupted")
	d.WaitStatus(d.dir, "idle")
	d.tells("human run: sh hold.sh", "uses Bash", "result of it", "[Request interrupted by user for tool use]")
	d.logs(notTurn, "hook/UserPromptSubmit", "hook/PreToolUse")
}
