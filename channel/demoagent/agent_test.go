package demoagent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

const block = `{"decision":"block","reason":"no"}`

func TestHandshake(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		script string
		want   string
	}{
		{"version=new", "server, rpc server/discover, rpc initialize, rpc notifications/initialized, rpc tools/list"},
		{"version=old", "server, rpc initialize, rpc notifications/initialized, rpc tools/list"},
	} {
		r := newRig(t)
		r.start(v.script)
		r.count("rpc tools/list", 1)
		if got := strings.TrimPrefix(r.order(), "hook SessionStart, "); got != v.want {
			t.Errorf("%s: %s, want %s", v.script, got, v.want)
		}
		init := r.count("rpc initialize", 1).in
		if init["protocolVersion"] != "2025-11-25" || init["clientInfo"].(object)["name"] != "claude-code" {
			t.Errorf("initialize said %v", init)
		}
		env := r.count("server", 1).env
		for _, want := range []string{"CLAUDE_CODE_SESSION_ID=" + r.args[1], "CLAUDE_PLUGIN_ROOT=" + filepath.Join(r.dir, "plug in"), "FROM_ROOT=" + filepath.Join(r.dir, "plug in") + "/x"} {
			if !slices.Contains(env, want) {
				t.Errorf("the server's environment lacks %s", want)
			}
		}
	}
}

func TestProbeIsBlockedWithoutATurn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start("")
	r.sees("not claude")
	r.ready()
	in := r.count("hook UserPromptSubmit", 1).in
	if !strings.HasPrefix(in["prompt"].(string), wire.TagPrefix) {
		t.Errorf("prompt %q does not begin with %s", in["prompt"], wire.TagPrefix)
	}
	if in["session_id"] != r.args[1] || in["permission_mode"] != "default" || in["prompt_id"] == "" || in["cwd"] == "" {
		t.Errorf("hook fields: %v", in)
	}
	if strings.Contains(r.order(), "hook Stop") {
		t.Error("a blocked event made a turn")
	}
	for _, e := range r.transcript() {
		if e["type"] == "user" {
			t.Errorf("a blocked event is in the conversation: %v", e)
		}
	}
}

func TestEarlyPushIsDropped(t *testing.T) {
	s := &mcpServer{}
	var got []note
	s.notes = func(n note) { got = append(got, n) }
	push := rpc{Method: "notifications/claude/channel", Params: json.RawMessage(`{"content":"x"}`)}
	s.receive(push)
	if !got[0].early {
		t.Error("a push before tools/list was heard")
	}
}

func TestTaskIsDoneAndAnswered(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start("")
	r.ready()
	r.hooked(func(event string, _ object) string {
		if event == "PermissionRequest" {
			return `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`
		}
		return ""
	})
	r.push(task("t-1", "please\nrun: echo one-$((1+1))"))
	call := r.count("rpc tools/call", 1)
	args := call.in["arguments"].(object)
	if call.in["name"] != "respond_to_peer" || args["task_id"] != "t-1" || args["content"] != "one-2" {
		t.Errorf("answered with %v", call.in)
	}
	if used := call.in["_meta"].(object)["claudecode/toolUseId"]; used == "" || used != r.count("hook PreToolUse", 2).in["tool_use_id"] {
		t.Errorf("the call has the id %v, its hook %v", used, r.count("hook PreToolUse", 2).in["tool_use_id"])
	}
	r.count("hook Stop", 1)
	r.status("idle", "")
	r.sees("← peers: please…")
	order := r.order()
	order = order[strings.Index(order, "hook PreToolUse"):]
	want := "hook PreToolUse, hook PermissionRequest, hook PostToolUse, hook PreToolUse, rpc tools/call, hook PostToolUse, hook Stop"
	if order != want {
		t.Errorf("order: %s\nwant:  %s", order, want)
	}
	ask := r.count("hook PermissionRequest", 1).in
	if ask["tool_name"] != "Bash" || ask["tool_input"].(object)["command"] != "echo one-$((1+1))" {
		t.Errorf("asked with %v", ask)
	}
	if r.count("hook Stop", 1).in["last_assistant_message"] != "answered t-1." {
		t.Errorf("Stop said %v", r.count("hook Stop", 1).in)
	}
}

func TestEventsDuringATool(t *testing.T) {
	t.Parallel()
	for _, old := range []bool{false, true} {
		r := newRig(t)
		gate := filepath.Join(r.dir, "gate")
		script := "tool=" + gate
		if old {
			script += " version=old"
		}
		r.start(script)
		r.sees("slow tool")
		r.count("hook PreToolUse", 1)
		r.hooked(func(event string, in object) string {
			if p, _ := in["prompt"].(string); event == "UserPromptSubmit" && strings.Contains(p, "t-2") {
				return block
			}
			return ""
		})
		r.pushUntilQueued(task("t-1", "first"))
		r.push(task("t-2", "second"))
		r.wait("two in the queue", func() bool { return r.enqueued() >= 2 })
		writeFile(t, gate)
		r.count("hook Stop", 1)
		running := r.count("hook PreToolUse", 1).in["prompt_id"]
		var gated []object
		r.mu.Lock()
		for _, c := range r.log {
			if p, _ := c.in["prompt"].(string); c.what == "hook UserPromptSubmit" && strings.Contains(p, "<channel") {
				gated = append(gated, c.in)
			}
		}
		r.mu.Unlock()
		if old && len(gated) > 0 || !old && len(gated) < 2 {
			t.Errorf("old %v: %d hooks for events in mid-tool", old, len(gated))
		}
		for _, g := range gated {
			if g["prompt_id"] != running {
				t.Errorf("hook has prompt_id %v, the running turn %v", g["prompt_id"], running)
			}
		}
		if strings.Contains(r.order(), "tools/call") {
			t.Error("a task in mid-turn was acted upon")
		}
		r.checkAbsorbed(old)
	}
}

// checkAbsorbed looks for the proof in the transcript.

func (r *rig) checkAbsorbed(old bool) {
	r.t.Helper()
	seen := ""
	for _, e := range r.transcript() {
		if a, ok := e["attachment"].(object); ok && a["type"] == "queued_command" {
			seen += readTags(a["prompt"].(string))[0].attr["task_id"] + " "
		}
	}
	want := "t-2"
	if strings.Contains(seen, want) != old || !strings.Contains(seen, "t-1") {
		r.t.Errorf("old %v: attached %s", old, seen)
	}
}

func (r *rig) enqueued() int {
	n := 0
	for _, e := range r.transcript() {
		if e["operation"] == "enqueue" && strings.Contains(e["content"].(string), "<channel") {
			n++
		}
	}
	return n
}

func writeFile(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestQueueBecomesOneTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	gate := filepath.Join(r.dir, "gate")
	r.start("busy=" + gate)
	r.status("busy", "")
	r.count("rpc tools/list", 1)
	r.pushUntilQueued(task("t-1", "first"))
	have := r.enqueued()
	r.push(task("t-2", "second"))
	r.wait("one more in the queue", func() bool { return r.enqueued() == have+1 })
	r.typed("and this")
	r.sees("queued: and this")
	typedHook := func(c call) bool { return c.what == "hook UserPromptSubmit" && c.in["prompt"] == "and this" }
	r.wait("the hook of what was typed", func() bool { return slices.ContainsFunc(r.log, typedHook) })
	if strings.Contains(r.order(), "hook Stop") {
		t.Error("the turn ended by itself")
	}
	writeFile(t, gate)
	r.count("hook Stop", 3) // the first, the events in one, what was typed
	if calls := strings.Count(r.order(), "rpc tools/call"); calls != have+1 {
		t.Errorf("%d tasks answered, want %d", calls, have+1)
	}
}

func TestStopHookMakesItGoOn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start("")
	r.ready()
	r.hooked(func(event string, in object) string {
		if event == "Stop" && in["stop_hook_active"] == false {
			reason := "You have mail:\n" + `<channel source="plugin:ccmux:peers" sender="frontend" kind="task" task_id="t-9" message_id="m9">` + "\nhello\n</channel>"
			b, _ := json.Marshal(object{"decision": "block", "reason": reason})
			return string(b)
		}
		return ""
	})
	r.typed("hi")
	args := r.count("rpc tools/call", 1).in["arguments"].(object)
	if args["task_id"] != "t-9" {
		t.Errorf("answered %v", args)
	}
	if r.count("hook Stop", 2).in["stop_hook_active"] != true {
		t.Error("the second Stop does not say that one was blocked")
	}
}

func TestDelegationReachesTheAsker(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.onTool = func(name string, _ object) any {
		res := object{"content": []any{object{"type": "text", "text": "sent"}}}
		if name == "send_to_peer" {
			res["structuredContent"] = object{"task_id": "t-2"}
		}
		return res
	}
	r.start("")
	r.ready()
	r.push(task("t-1", "ask docs: what is it?"))
	sent := r.count("rpc tools/call", 1).in["arguments"].(object)
	if sent["to"] != "docs" || sent["kind"] != "task" || sent["parent_task_id"] != "t-1" {
		t.Errorf("sent %v", sent)
	}
	r.sees("waiting for t-2.")
	r.status("idle", "")
	// A new process knows it from the transcript.
	r.keys("/exit\r")
	r.ended()
	again := newRig(t)
	again.home, again.onTool = r.home, r.onTool
	again.args[0] = "--resume"
	again.start("")
	again.ready()
	again.sees("waiting for t-2.")
	again.push(message1("it is 42", object{"sender": "docs", "kind": "reply", "task_id": "t-2", "message_id": "m"}))
	answer := again.count("rpc tools/call", 1).in["arguments"].(object)
	if answer["task_id"] != "t-1" || answer["content"] != "docs says: it is 42" {
		t.Errorf("answered %v", answer)
	}
}
