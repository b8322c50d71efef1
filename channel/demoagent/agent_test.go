package demoagent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/ccmux/ccmux/channel/wire"
)

const block = `{"decision":"block","reason":"no"}`

func TestHandshake(t *testing.T) {
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

func TestPermissionAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		hook   string // what the hook answers; "hold" waits for the end
		keys   string
		status string // of the reply; empty when the turn ends without one
		text   string
	}{
		"hook denies":        {`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"not today"}}}`, "", "failed", "not today"},
		"1 on the screen":    {"hold", "1", "", "yes-2"},
		"enter":              {"hold", "\r", "", "yes-2"},
		"down twice, enter":  {"hold", "\x1b[B\x1b[B\r", "", ""},
		"esc":                {"hold", "\x1b", "", ""},
		"no opinion, then 2": {"", "2", "", "yes-2"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.start("")
			r.ready()
			hold := make(chan struct{})
			r.hooked(func(event string, _ object) string {
				if event == "PermissionRequest" {
					if c.hook == "hold" {
						<-hold
						return ""
					}
					return c.hook
				}
				return ""
			})
			defer close(hold)
			r.push(task("t-1", "run: echo yes-$((1+1))"))
			if c.keys != "" {
				r.status("waiting", "permission prompt")
				r.sees("Do you want to proceed?")
				r.keys(c.keys)
			}
			if c.text == "" {
				r.sees("Interrupted")
				r.status("idle", "")
				if strings.Contains(r.order(), "hook Stop") || strings.Contains(r.order(), "tools/call") {
					t.Error("the refused turn went on: " + r.order())
				}
				return
			}
			args := r.count("rpc tools/call", 1).in["arguments"].(object)
			if status, _ := args["status"].(string); status != c.status || args["content"] != c.text {
				t.Errorf("answered %v", args)
			}
		})
	}
}

func TestPreToolUseDenyHoldsInEveryMode(t *testing.T) {
	for _, mode := range []string{"manual", "acceptEdits", "auto", "bypassPermissions"} {
		r := newRig(t)
		r.start("", "--permission-mode", mode)
		r.ready()
		r.hooked(func(event string, in object) string {
			if event == "PreToolUse" && in["tool_name"] == "Bash" {
				return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rule 7"}}`
			}
			return ""
		})
		r.push(task("t-1", "run: echo no"))
		args := r.count("rpc tools/call", 1).in["arguments"].(object)
		if args["status"] != "failed" || args["content"] != "PreToolUse:Bash hook error: rule 7" {
			t.Errorf("%s: answered %v", mode, args)
		}
		if strings.Contains(r.order(), "PermissionRequest") {
			t.Errorf("%s: asked all the same", mode)
		}
	}
}

func TestEventsDuringATool(t *testing.T) {
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

func TestInterrupt(t *testing.T) {
	r := newRig(t)
	r.start("")
	r.ready()
	r.typed("run: sleep 100")
	r.status("waiting", "permission prompt")
	r.keys("1")
	r.status("busy", "")
	r.keys("\x1b")
	r.sees("Interrupted")
	r.status("idle", "")
	if strings.Contains(r.order(), "hook Stop") || strings.Contains(r.order(), "hook PostToolUse") {
		t.Error("an interrupted turn ran " + r.order())
	}
}

func TestEnd(t *testing.T) {
	for name, keys := range map[string]string{"ctrl+c twice": "\x03\x03", "/exit": "/exit\r", "hang-up": ""} {
		r := newRig(t)
		r.start("")
		r.ready()
		if keys == "" {
			r.ptmx.Close()
		}
		r.keys(keys)
		r.ended()
		order := r.order()
		want := "signal interrupt, signal terminated, hook SessionEnd"
		if !strings.HasSuffix(order, want) {
			t.Errorf("%s: %s", name, order)
		}
		if files, _ := filepath.Glob(filepath.Join(r.home, ".claude", "sessions", "*")); len(files) > 0 {
			t.Errorf("%s: %v is left", name, files)
		}
	}
}

func TestSignalsAndCrash(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		r := newRig(t)
		cmd := r.spawn("")
		r.ready()
		_ = cmd.Process.Signal(sig)
		r.ended()
		if r.count("hook SessionEnd", 1).in["reason"] != "other" {
			t.Errorf("%v: %s", sig, r.order())
		}
	}
	r := newRig(t)
	r.spawn("crash")
	r.ready()
	r.push(task("t-1", "boom"))
	r.ended()
	r.count("signal EOF", 1)
	if strings.Contains(r.order(), "SessionEnd") || strings.Contains(r.order(), "signal interrupt") {
		t.Error("a crash said goodbye: " + r.order())
	}
}

func TestDeafAndFlagsOff(t *testing.T) {
	for script, screen := range map[string]string{"channels=off": "Channels are not currently available", "deaf": "not claude"} {
		r := newRig(t)
		r.start(script)
		r.sees(screen)
		r.count("rpc tools/list", 1)
		r.push(task("t-1", "anybody?"))
		r.settle()
		r.push(task("t-1", "anybody?"))
		r.typed("still here")
		r.count("hook Stop", 1)
		if n := r.enqueued(); n != 0 {
			t.Errorf("%s: heard %d events", script, n)
		}
	}
}

func TestModernServerHasNoChannels(t *testing.T) {
	r := newRig(t)
	r.discover = object{}
	r.start("")
	r.count("rpc tools/list", 1)
	r.push(task("t-1", "anybody?"))
	r.settle()
	r.push(task("t-1", "anybody?"))
	r.typed("still here")
	r.count("hook Stop", 1)
	if r.enqueued() != 0 {
		t.Error("a server that answers server/discover was heard")
	}
}

func TestStartDialogs(t *testing.T) {
	for _, c := range []struct {
		script, keys string
		goesOn       bool
	}{
		{"dialog=trust", "\r", false},
		{"dialog=trust", "\x1b[B\r", true},
		{"dialog=trust version=old", "\r", true},
		{"dialog=trust row=2", "\r", true},
		{"dialog=channels", "\r", true},
		{"dialog=channels", "2", false},
		{"dialog=channels", "\x1b", false},
		{"dialog=apikey", "\r", true},
	} {
		r := newRig(t)
		r.start(c.script)
		r.sees("Enter to confirm")
		if files, _ := filepath.Glob(filepath.Join(r.home, ".claude", "sessions", "*")); len(files) > 0 {
			t.Errorf("%s: there is a status file before the prompt", c.script)
		}
		r.keys(c.keys)
		if c.goesOn {
			r.count("rpc tools/list", 1)
		} else if code := r.ended(); code != 1 || strings.Contains(r.order(), "server") {
			t.Errorf("%s %q: exit %d, %s", c.script, c.keys, code, r.order())
		}
	}
}

func TestRelay(t *testing.T) {
	r := newRig(t)
	r.caps["claude/channel/permission"] = object{}
	r.start("relay=on")
	r.ready()
	hold := make(chan struct{})
	defer close(hold)
	r.hooked(func(event string, _ object) string {
		if event == "PermissionRequest" {
			<-hold
		}
		return ""
	})
	r.push(task("t-1", "run: echo relayed"))
	req := r.count("rpc notifications/claude/channel/permission_request", 1).in
	b, _ := json.Marshal(object{"jsonrpc": "2.0", "method": "notifications/claude/channel/permission", "params": object{"request_id": req["request_id"], "behavior": "deny"}})
	r.server.Write(append(b, '\n'))
	args := r.count("rpc tools/call", 1).in["arguments"].(object)
	if !strings.HasPrefix(args["content"].(string), "Denied via channel") {
		t.Errorf("answered %v", args)
	}
}

func TestAutoModeAsksWithoutAHook(t *testing.T) {
	r := newRig(t)
	r.start("auto-ask", "--permission-mode", "auto")
	r.ready()
	r.push(task("t-1", "run: echo auto-$((1+1))"))
	r.status("waiting", "dialog open")
	r.keys("\x1b[B\r")
	args := r.count("rpc tools/call", 1).in["arguments"].(object)
	if args["content"] != "auto-2" || strings.Contains(r.order(), "PermissionRequest") {
		t.Errorf("answered %v after %s", args, r.order())
	}
}

func TestScreen(t *testing.T) {
	r := newRig(t)
	r.start("")
	r.ready()
	r.wait("the title", func() bool { return strings.Contains(r.out, "\x1b]0;✳ backend\x07") })
	r.typed("hello there")
	r.sees("done: hello there")
	r.wait("the busy title", func() bool { return strings.Contains(r.out, "\x1b]0;◐ backend\x07") })
	r.mu.Lock()
	before := len(r.out)
	r.mu.Unlock()
	_ = pty.Setsize(r.ptmx, &pty.Winsize{Rows: 20, Cols: 60})
	_ = syscall.Kill(os.Getpid(), syscall.SIGWINCH) // the pty is not this process's own
	r.wait("a repaint", func() bool {
		return strings.Contains(r.out[before:], "\x1b[H\x1b[J") && strings.Contains(plain(r.out[before:]), "done: hello there")
	})
}

func TestOtherGlyphs(t *testing.T) {
	r := newRig(t)
	r.start("other-glyphs no-banner no-hook=Stop")
	r.ready()
	r.typed("hello there")
	r.sees("o done: hello there")
	r.status("idle", "")
	r.mu.Lock()
	defer r.mu.Unlock()
	if strings.Contains(r.out, "✳") || strings.Contains(r.out, "not claude") {
		t.Error("claude's glyphs or the banner are there")
	}
	if slices.ContainsFunc(r.log, func(c call) bool { return c.what == "hook Stop" }) {
		t.Error("the lost hook ran")
	}
}

func TestFloodKeepsKeys(t *testing.T) {
	r := newRig(t)
	r.start("flood=1")
	r.ready()
	r.sees("flood line 2000 ")
	r.typed("hello there")
	r.sees("done: hello there")
}

func TestRefusedStarts(t *testing.T) {
	for name, args := range map[string][]string{
		"no transcript": {"--resume", "22222222-2222-4333-8444-555555555555"},
		"unknown flag":  {"--no-such-flag"},
		"bad mode":      {"--permission-mode", "yolo"},
	} {
		r := newRig(t)
		r.start("", args...)
		if code := r.ended(); code != 1 {
			t.Errorf("%s: exit %d", name, code)
		}
	}
	r := newRig(t)
	r.start("exit=7")
	if code := r.ended(); code != 7 {
		t.Errorf("exit %d", code)
	}
}
