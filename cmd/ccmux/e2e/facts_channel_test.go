//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

const echoTool = "mcp__plugin_ccmux_peers__echo"

// withChannel runs claude with a proven channel: the human's key on the
// warning is pressed, the handshake is over, and the deaf time after it too.
func withChannel(r *Rig, dir string, hooks *Hooks, flags ...string) (*Screen, *Stub) {
	r.T.Helper()
	stub := r.stub()
	flags = append(flags, "--permission-mode", r.Version.Manual, "--settings", hooks.settings)
	return r.listens(dir, stub, flags...), stub
}

// listens starts claude with the channel server, presses the human's key, and
// waits until claude says in its log that it takes what the server pushes. That
// is some time after tools/list, on a busy machine more than a second.
func (r *Rig) listens(dir string, stub *Stub, flags ...string) *Screen {
	r.T.Helper()
	log := filepath.Join(r.root, fmt.Sprintf("claude-%d.log", len(r.screens)))
	flags = append(flags, "--debug-file", log)
	s := r.claude(dir, "frontend", append(flags, stub.flags...)...)
	s.Wait("WARNING: Loading development channels")
	s.Answer("Enter")
	r.Eventually("claude to listen to the channel server", func() bool {
		raw, _ := os.ReadFile(log)
		return strings.Contains(string(raw), "Channel notifications registered")
	})
	r.ready(dir, s)
	return s
}

// queued waits until claude has n channel messages on record as queued.
func (r *Rig) queued(n int) {
	r.T.Helper()
	r.Eventually(fmt.Sprintf("%d queued events in the transcript", n), func() bool {
		paths, _ := filepath.Glob(filepath.Join(r.Home, ".claude", "projects", "*", "*.jsonl"))
		found := 0
		for _, path := range paths {
			raw, _ := os.ReadFile(path)
			found += strings.Count(string(raw), `"operation":"enqueue"`)
		}
		return found >= n
	})
}

// deaf waits out the time in which claude usually drops what a server pushes.
func deaf() {
	<-time.After(time.Second)
}

// What the channel process must answer, and what it must not.
func TestFactHandshake(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		_, stub := withChannel(r, r.Folder("frontend"), r.hooks("Stop"))
		if n := len(stub.Received("server/discover")); (n == 1) == (v == oldest) {
			t.Errorf("server/discover asked %d times", n)
		}
		var init struct {
			ProtocolVersion string
			ClientInfo      struct{ Name, Version string }
		}
		if err := json.Unmarshal(stub.Wait("initialize", 1)[0].Params, &init); err != nil {
			t.Fatal(err)
		}
		if init.ProtocolVersion != "2025-11-25" || init.ClientInfo.Name != "claude-code" || init.ClientInfo.Version != v.Name {
			t.Errorf("initialize %+v", init)
		}
		stub.Wait("notifications/initialized", 1)
	})
}

// The start probe: a push the hook blocks proves the way to the session and
// costs no model call. It must leave nothing behind in the human's line.
func TestFactProbeIsProofWithoutAModelCall(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		hooks := r.hooks("UserPromptSubmit")
		hooks.answer("UserPromptSubmit", `{"decision":"block","reason":"the channel works"}`)
		s, stub := withChannel(r, r.Folder("frontend"), hooks)
		stub.Send(pushed("probe", "nonce-1"))
		s.Wait("the channel works")
		prompt := hooks.wait("UserPromptSubmit", 1)[0].Prompt
		if want := "<channel source=\"plugin:ccmux:peers\" kind=\"probe\">\nnonce-1\n</channel>"; prompt != want {
			t.Errorf("the hook was given %q, want %q", prompt, want)
		}
		s.settle()
		if row := highlighted(s); strings.Contains(row, "nonce-1") || strings.Contains(row, "channel") {
			t.Errorf("the line of the human holds %q", row)
		}
		if n := len(r.API.Requests("frontend")); n != 0 {
			t.Errorf("%d model calls\n%s", n, r.API.Digest())
		}
	})
}

// A task to an idle session starts a turn, and the tools can be had in it.
func TestFactEventStartsATurn(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		p := r.API.Persona("frontend")
		p.On(modelapi.All(modelapi.Gets("task", "build it"), modelapi.Not(modelapi.Offers(echoTool))),
			modelapi.Use("ToolSearch", map[string]string{"query": "select:" + echoTool}))
		p.On(modelapi.Offers(echoTool), modelapi.Use(echoTool, map[string]string{"words": "x"})).Times(1)
		p.On(modelapi.After(echoTool, "echoed"), modelapi.Text("built and told"))
		hooks := r.hooks("UserPromptSubmit")
		s, stub := withChannel(r, r.Folder("frontend"), hooks, "--allowedTools", "mcp__plugin_ccmux_peers__*")
		stub.Send(pushed("task", "build it"))
		s.Wait("← peers: build it", "built and told")
		first := r.API.Requests("frontend")[0]
		if e := first.Events(); len(e) != 1 || e[0].Background || e[0].Attr["source"] != "plugin:ccmux:peers" || e[0].Body != "build it" {
			t.Errorf("the model was sent %+v", e)
		}
		if got := first.HasTool(echoTool); got != (v == oldest) {
			t.Errorf("the tool is listed in the first turn: %v", got)
		}
		if n := len(stub.Received("tools/call")); n != 1 {
			t.Errorf("the tool was called %d times", n)
		}
	})
}

// Events that come while the model speaks wait, then come as one user message.
func TestFactEventsWhileTheModelSpeaks(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		gate := modelapi.NewGate()
		p := r.API.Persona("frontend")
		p.On(modelapi.Says("hello"), modelapi.Text("one moment "), modelapi.Hold(gate), modelapi.Text("done"))
		p.On(modelapi.Gets("note", "third"), modelapi.Text("read all three"))
		dir := r.Folder("frontend")
		hooks := r.hooks("UserPromptSubmit", "Stop")
		s, stub := withChannel(r, dir, hooks)
		s.Submit("hello")
		r.Reached(gate)
		stub.Send(pushed("note", "first"), pushed("note", "second"), pushed("note", "third"))
		r.queued(3)
		gate.Open()
		s.Wait("read all three")
		turn := r.Turn("frontend", modelapi.Gets("note", "third"))
		var got []string
		for _, e := range turn.Events() {
			got = append(got, fmt.Sprintf("%s %v", e.Body, e.Background))
		}
		if strings.Join(got, ", ") != "first false, second false, third false" {
			t.Errorf("the model was sent %v", got)
		}
		prompts := hooks.wait("UserPromptSubmit", 4)
		for i, body := range []string{"first", "second", "third"} {
			if !strings.Contains(prompts[i+1].Prompt, "\n"+body+"\n") {
				t.Errorf("hook %d was given %q", i+1, prompts[i+1].Prompt)
			}
		}
	})
}

// The reason why a task waits until its session is idle: in the middle of a
// turn it would be background the model is told not to act upon.
func TestFactEventWhileAToolRunsIsBackground(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		p := r.API.Persona("frontend")
		p.On(modelapi.Says("make it"), modelapi.Use("Bash", map[string]string{"command": "touch made.txt", "description": "make a file"}))
		p.On(modelapi.After("Bash", ""), modelapi.Text("the model goes on"))
		dir := r.Folder("frontend")
		hooks := r.hooks("UserPromptSubmit", "Stop")
		s, stub := withChannel(r, dir, hooks)
		s.Submit("make it")
		s.Wait("Do you want to proceed?")
		stub.Send(pushed("task", "while you work"))
		r.queued(1)
		s.Answer("Enter")
		s.Wait("the model goes on")
		hooks.wait("Stop", 1)
		turn := r.Turn("frontend", modelapi.After("Bash", ""))
		e := turn.Events()
		if len(e) != 1 || !e[0].Background || e[0].Body != "while you work" || !strings.Contains(turn.NoteText(), "NOT from your user") {
			t.Errorf("the model was sent %+v in %q", e, turn.NoteText())
		}
		prompts := hooks.calls("UserPromptSubmit")
		if v == oldest {
			if len(prompts) != 1 {
				t.Errorf("the hook fired for it: %+v", prompts)
			}
			return
		}
		if len(prompts) != 2 || prompts[1].PromptID != prompts[0].PromptID {
			t.Errorf("the hook's prompt ids do not tell that the turn was running: %+v", prompts)
		}
	})
}

// The other way for permission, where a second flag allows it.
func TestFactPermissionRelay(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		makeScript(r)
		dir := r.Folder("frontend")
		s, stub := withChannel(r, dir, r.hooks("Stop"))
		s.Submit("make it")
		var ask struct {
			RequestID    string `json:"request_id"`
			ToolName     string `json:"tool_name"`
			InputPreview string `json:"input_preview"`
		}
		call := stub.Wait("notifications/claude/channel/permission_request", 1)[0]
		if err := json.Unmarshal(call.Params, &ask); err != nil {
			t.Fatal(err)
		}
		if len(ask.RequestID) != 5 || ask.ToolName != "Bash" || !strings.Contains(ask.InputPreview, "touch made.txt") {
			t.Errorf("asked %s", call.Params)
		}
		stub.Send(map[string]any{
			"method": "notifications/claude/channel/permission",
			"params": map[string]string{"request_id": ask.RequestID, "behavior": "deny"},
		})
		s.WaitGone("Do you want to proceed?")
		r.WaitStatus(dir, "idle")
		if made(dir) {
			t.Error("the denied command ran")
		}
	})
}

// A trap for the gate: the first event of a batch decides whether a turn begins.
// When it is blocked, the others get into the conversation (the hook fired, the
// pane shows them), but the model hears of them only in the next turn, and no
// Stop hook tells. So nothing may be pushed behind what may be blocked.
func TestFactABlockedFirstEventSilencesItsBatch(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		for _, order := range [][]string{{"BLOCKED", "wanted"}, {"wanted", "BLOCKED"}} {
			wantTurns := 1 // the human's
			if order[0] == "wanted" {
				wantTurns = 2
			}
			r := newRig(t, v)
			gate := modelapi.NewGate()
			p := r.API.Persona("frontend")
			p.On(modelapi.Says("hello"), modelapi.Text("one moment "), modelapi.Hold(gate), modelapi.Text("done"))
			p.On(modelapi.Says("anything new"), modelapi.Text("now I see it"))
			p.On(modelapi.Gets("note", "wanted"), modelapi.Text("seen by itself"))
			dir := r.Folder("frontend")
			hooks := r.hooks("UserPromptSubmit", "Stop")
			hooks.only("UserPromptSubmit", "BLOCKED")
			hooks.answer("UserPromptSubmit", `{"decision":"block","reason":"kept out"}`)
			s, stub := withChannel(r, dir, hooks)
			s.Submit("hello")
			r.Reached(gate)
			stub.Send(pushed("note", order[0]), pushed("note", order[1]))
			r.queued(2)
			gate.Open()
			hooks.wait("UserPromptSubmit", 3)
			s.Wait("kept out", "← peers: wanted")
			r.WaitStatus(dir, "idle")
			s.settle()
			if n := len(r.API.Requests("frontend")); n != wantTurns {
				t.Errorf("%v: %d turns, want %d\n%s", order, n, wantTurns, r.API.Digest())
			}
			if n := len(hooks.calls("Stop")); n != wantTurns {
				t.Errorf("%v: Stop fired %d times, want %d", order, n, wantTurns)
			}
			s.Submit("anything new")
			s.Wait("now I see it")
			last := r.Turn("frontend", modelapi.Says("anything new"))
			if e := last.AllEvents(); len(e) != 1 || e[0].Body != "wanted" {
				t.Errorf("%v: the conversation holds %+v", order, e)
			}
		}
	})
}
