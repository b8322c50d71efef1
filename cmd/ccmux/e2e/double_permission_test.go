//go:build e2e

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
)

var permissionRows = []behaviour{
	{name: "hook and dialog at once", check: doubleAtOnce},
	{name: "yes on the screen", check: doubleYes},
	{name: "no on the screen", check: func(d *double) { doubleNo(d, d.chooseNo) }},
	{name: "esc in the dialog", check: func(d *double) { doubleNo(d, func() { d.screen.Answer("Escape") }) }},
	{name: "hook denies", check: doubleHookDenies},
	{name: "relay", script: "relay=on", check: doubleRelay},
	{name: "relay and hook", script: "relay=on", check: doubleRelayTooLate},
	{name: "auto mode's own dialog", only: newest, script: "auto-notice", options: []Option{WithoutFlags()}, check: doubleAuto},
	{name: "auto mode, no on the screen", only: newest, script: "auto-notice", options: []Option{WithoutFlags()}, check: doubleAutoNo},
}

// asks brings up the dialog with the hook held.
func (d *double) asks() {
	d.T.Helper()
	d.hooks.hold("PermissionRequest")
	d.screen.Submit("run: touch made.txt")
	d.screen.Wait("Bash command", "touch made.txt", "Do you want to proceed?", "❯ 1. Yes", ". No", "Esc to cancel")
	d.hooks.wait("PermissionRequest", 1)
	d.WaitsFor(d.dir, "permission prompt")
	if made(d.dir) {
		d.T.Error("the command ran before anyone said yes")
	}
}

func doubleAtOnce(d *double) {
	d.plain()
	d.hooks.answer("PermissionRequest", allowHook)
	d.asks()
	if call := d.calls("PermissionRequest")[0]; call["tool_name"] != "Bash" || call["tool_input"].(map[string]any)["command"] != "touch made.txt" {
		d.T.Errorf("the hook was given %v", call)
	}
	d.hooks.release("PermissionRequest")
	d.screen.WaitGone("Do you want to proceed?")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	if !made(d.dir) {
		d.T.Error("the approved command did not run")
	}
	d.logs(notTurn, "hook/UserPromptSubmit", "hook/PreToolUse", "hook/PermissionRequest", "hook/PostToolUse", "hook/Stop")
}

// The hook is not told, and what it says later does nothing.
func doubleYes(d *double) {
	d.plain()
	d.hooks.answer("PermissionRequest", denyHook)
	d.asks()
	d.screen.Answer("Enter")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	if n := d.hooks.terminated("PermissionRequest"); n != 0 || !made(d.dir) {
		d.T.Errorf("the hook was ended %d times; ran: %v", n, made(d.dir))
	}
	d.hooks.release("PermissionRequest")
	d.screen.Submit("hello there")
	d.called("Stop", 2)
	d.tells("human run: touch made.txt", "uses Bash", "result of it", "human hello there")
}

// chooseNo goes down to the last row, reads each, and presses Enter there.
func (d *double) chooseNo() {
	d.T.Helper()
	d.screen.settle()
	for !strings.HasSuffix(highlighted(d.screen), ". No") {
		was := highlighted(d.screen)
		d.screen.Keys("Down")
		d.Eventually("another row highlighted", func() bool { return highlighted(d.screen) != was })
	}
	d.screen.Keys("Enter")
}

func doubleNo(d *double, answer func()) {
	d.plain()
	d.asks()
	answer()
	d.screen.WaitGone("Do you want to proceed?")
	d.screen.Wait("Interrupted")
	d.WaitStatus(d.dir, "idle")
	d.Eventually("SIGTERM at the hook", func() bool { return d.hooks.terminated("PermissionRequest") == 1 })
	d.tells("human run: touch made.txt", "uses Bash", "result of it", "[Request interrupted by user for tool use]")
	d.logs(notTurn, "hook/UserPromptSubmit", "hook/PreToolUse", "hook/PermissionRequest")
	if got := d.results(); made(d.dir) || !strings.HasPrefix(got[0], "The user doesn't want to proceed with this tool use.") {
		d.T.Errorf("ran: %v; the model was told %q", made(d.dir), got)
	}
}

func doubleHookDenies(d *double) {
	d.plain()
	d.hooks.answer("PermissionRequest", denyHook)
	d.asks()
	d.hooks.release("PermissionRequest")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	d.logs(notTurn, "hook/UserPromptSubmit", "hook/PreToolUse", "hook/PermissionRequest", "hook/Stop")
	if got := d.results(); made(d.dir) || !slices.Equal(got, []string{"not today"}) {
		d.T.Errorf("ran: %v; the model was told %q", made(d.dir), got)
	}
}

// relayed waits for a request at the channel server and gives back its id.
func (d *double) relayed(n int) string {
	d.T.Helper()
	var ask struct {
		RequestID    string `json:"request_id"`
		ToolName     string `json:"tool_name"`
		Description  string `json:"description"`
		InputPreview string `json:"input_preview"`
	}
	call := d.stub.Wait("notifications/claude/channel/permission_request", n)[n-1]
	if err := json.Unmarshal(call.Params, &ask); err != nil {
		d.T.Fatal(err)
	}
	var input map[string]any
	if len(ask.RequestID) != 5 || strings.Trim(ask.RequestID, "abcdefghijkmnopqrstuvwxyz") != "" || ask.ToolName != "Bash" || ask.Description == "" ||
		json.Unmarshal([]byte(ask.InputPreview), &input) != nil || !strings.HasPrefix(str(input["command"]), "touch made.txt") {
		d.T.Errorf("the server was asked %s", call.Params)
	}
	if spaced := strings.HasPrefix(ask.InputPreview, "{ "); spaced == d.old() {
		d.T.Errorf("the preview is %q", ask.InputPreview)
	}
	return ask.RequestID
}

func (d *double) verdict(id, behavior string) {
	d.T.Helper()
	d.stub.Send(map[string]any{
		"method": "notifications/claude/channel/permission",
		"params": map[string]string{"request_id": id, "behavior": behavior},
	})
}

func doubleRelay(d *double) {
	d.channel()
	d.screen.Submit("run: touch made.txt")
	id := d.relayed(1)
	d.screen.Wait("Do you want to proceed?")
	d.verdict("abcde", "allow") // nobody asked that
	d.verdict(id, "deny")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	d.Eventually("the result in the transcript", func() bool { return len(d.results()) == 1 })
	if got := d.results(); made(d.dir) || !strings.HasSuffix(got[0], "To tell you how to proceed, the user said:\nDenied via channel plugin:ccmux:peers") {
		d.T.Errorf("ran: %v; the model was told %q", made(d.dir), got)
	}
	d.screen.Submit("run: touch made.txt again")
	d.verdict(d.relayed(2), "allow")
	d.called("Stop", 2)
	if !made(d.dir) {
		d.T.Error("the allowed command did not run")
	}
}

// With both ways open the first answer wins, and the other one is not told.
func doubleRelayTooLate(d *double) {
	d.channel()
	d.hooks.answer("PermissionRequest", allowHook)
	d.asks()
	id := d.relayed(1)
	d.hooks.release("PermissionRequest")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	d.verdict(id, "deny")
	d.screen.Submit("hello there")
	d.called("Stop", 2)
	if !made(d.dir) {
		d.T.Error("the approved command did not run")
	}
	for _, name := range d.log() {
		if strings.HasPrefix(name, "notifications/claude/channel/permission") && name != "notifications/claude/channel/permission_request" {
			d.T.Errorf("the server was told %s", name)
		}
	}
}

// autoAsks goes as far as the question auto mode cannot answer.
func (d *double) autoAsks() {
	d.T.Helper()
	d.run("--permission-mode", "auto")
	d.ready(d.dir, d.screen)
	d.screen.Submit("run: " + risky)
	d.screen.Wait("Auto mode can't check actions in this session", "Enter to stay in auto mode")
	d.WaitsFor(d.dir, "dialog open")
	d.screen.Answer("Enter")
	d.screen.Wait("so this one needs your approval", "❯ No", "Yes")
	d.WaitsFor(d.dir, "permission prompt")
}

func doubleAuto(d *double) {
	d.autoAsks()
	d.screen.Answer("Down")
	d.screen.Wait("❯ Yes")
	d.screen.Answer("Enter")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	calls := slices.DeleteFunc(d.log(), notTurn)
	if !slices.Equal(calls[:2], []string{"hook/UserPromptSubmit", "hook/PreToolUse"}) || slices.Contains(calls, "hook/PermissionRequest") {
		d.T.Errorf("the hooks were %q", calls)
	}
	if pre := d.calls("PreToolUse")[0]; pre["permission_mode"] != "auto" || pre["tool_input"].(map[string]any)["command"] != risky {
		d.T.Errorf("PreToolUse was given %v", pre)
	}
}

func doubleAutoNo(d *double) {
	d.autoAsks()
	d.screen.Answer("Enter")
	d.screen.Wait("Interrupted")
	d.WaitStatus(d.dir, "idle")
	d.logs(notTurn, "hook/UserPromptSubmit", "hook/PreToolUse")
	d.tells("human run: "+risky, "uses Bash", "result of it", "[Request interrupted by user for tool use]")
}
