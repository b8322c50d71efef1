//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// makeScript asks for one file to be made.
func makeScript(r *Rig) {
	p := r.API.Persona("frontend")
	p.On(modelapi.Says("make it"), modelapi.Use("Bash", map[string]string{"command": "touch made.txt", "description": "make a file"}))
	p.On(modelapi.After("Bash", ""), modelapi.Text("the model goes on"))
	p.On(modelapi.Says("what now"), modelapi.Text("still here"))
}

func made(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "made.txt"))
	return err == nil
}

const (
	allowHook = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`
	denyHook  = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"not today","interrupt":false}}}`
)

// The approval cards live on this: the hook sees the whole input while the
// dialog is open, and its answer decides. It needs no feature flag.
func TestFactPermissionHookDecides(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		for answer, want := range map[string]bool{allowHook: true, denyHook: false} {
			r := newRig(t, v, WithoutFlags())
			makeScript(r)
			dir := r.Folder("frontend")
			hooks := r.hooks("PermissionRequest", "PreToolUse", "PostToolUse", "Stop")
			hooks.hold("PermissionRequest")
			hooks.answer("PermissionRequest", answer)
			s := r.claude(dir, "frontend", "--permission-mode", v.Manual, "--settings", hooks.settings)
			r.ready(dir, s)
			s.Submit("make it")
			s.Wait("Do you want to proceed?")
			call := hooks.wait("PermissionRequest", 1)[0]
			if call.Tool != "Bash" || call.ToolInput.Command != "touch made.txt" || call.Mode != "default" {
				t.Errorf("the hook was given %+v", call)
			}
			hooks.release("PermissionRequest")
			s.Wait("the model goes on")
			r.WaitStatus(dir, "idle")
			if made(dir) != want {
				t.Errorf("ran: %v, want %v", made(dir), want)
			}
			turn := r.Turn("frontend", modelapi.After("Bash", ""))
			if !want && !strings.Contains(turn.ToolResults()[0].Text, "not today") {
				t.Errorf("the model was told %q", turn.ToolResults()[0].Text)
			}
			hooks.wait("Stop", 1)
			if got := len(hooks.calls("PostToolUse")) == 1; got != want {
				t.Errorf("PostToolUse fired: %v, want %v", got, want)
			}
		}
	})
}

// A card must close by other signs than the hook's end: an answer in the pane
// is not told to the hook, and its late verdict has to be harmless.
func TestFactHookIsNotToldOfAnAnswerInThePane(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		makeScript(r)
		dir := r.Folder("frontend")
		hooks := r.hooks("PermissionRequest", "Stop")
		hooks.hold("PermissionRequest")
		hooks.answer("PermissionRequest", denyHook)
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual, "--settings", hooks.settings)
		r.ready(dir, s)
		s.Submit("make it")
		s.Wait("Do you want to proceed?")
		hooks.wait("PermissionRequest", 1)
		r.WaitsFor(dir, "permission prompt")
		s.Answer("Enter")
		s.Wait("the model goes on")
		r.WaitStatus(dir, "idle")
		hooks.wait("Stop", 1)
		if n := hooks.terminated("PermissionRequest"); n != 0 {
			t.Errorf("the hook was ended %d times", n)
		}
		hooks.release("PermissionRequest")
		s.Submit("what now")
		s.Wait("still here")
		if !made(dir) {
			t.Error("the approved command did not run")
		}
	})
}

// Interrupting the dialog ends the hook at once.
func TestFactEscapeEndsTheHook(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		makeScript(r)
		dir := r.Folder("frontend")
		hooks := r.hooks("PermissionRequest")
		hooks.hold("PermissionRequest")
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual, "--settings", hooks.settings)
		r.ready(dir, s)
		s.Submit("make it")
		s.Wait("Do you want to proceed?")
		hooks.wait("PermissionRequest", 1)
		s.Answer("Escape")
		s.WaitGone("Do you want to proceed?")
		r.Eventually("SIGTERM at the hook", func() bool { return hooks.terminated("PermissionRequest") == 1 })
	})
}

// The gate: a blocked prompt costs no model call and is never seen.
func TestFactPromptHookBlocks(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		makeScript(r)
		dir := r.Folder("frontend")
		hooks := r.hooks("UserPromptSubmit", "Stop")
		hooks.answer("UserPromptSubmit", `{"decision":"block","reason":"kept out by the gate"}`)
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual, "--settings", hooks.settings)
		r.ready(dir, s)
		s.Submit("secret words")
		s.Wait("UserPromptSubmit operation blocked by hook", "kept out by the gate")
		if call := hooks.wait("UserPromptSubmit", 1)[0]; call.Prompt != "secret words" {
			t.Errorf("the hook was given prompt %q", call.Prompt)
		}
		hooks.answer("UserPromptSubmit", "")
		if v != oldest {
			// The new version puts what was typed back into the line.
			s.Wait("❯ secret words")
			s.Keys("C-u")
			s.WaitGone("❯ secret words")
		}
		s.Submit("what now")
		s.Wait("still here")
		for _, req := range r.API.Requests("frontend") {
			if strings.Contains(string(req.Raw), "secret words") {
				t.Errorf("request %d holds the blocked prompt", req.Seq)
			}
		}
		if stop := hooks.wait("Stop", 1)[0]; stop.LastMessage != "still here" {
			t.Errorf("Stop said %q", stop.LastMessage)
		}
	})
}

// Deny rules stand on this: PreToolUse says no in every permission mode.
func TestFactPreToolUseDenies(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		modes := []string{v.Manual, "acceptEdits"}
		if v.Auto {
			modes = append(modes, "auto")
		}
		for _, mode := range modes {
			r := newRig(t, v)
			makeScript(r)
			dir := r.Folder("frontend")
			hooks := r.hooks("PreToolUse", "PermissionRequest")
			hooks.answer("PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"ruled out"}}`)
			s := r.claude(dir, "frontend", "--permission-mode", mode, "--settings", hooks.settings)
			r.ready(dir, s)
			s.Submit("make it")
			s.Wait("the model goes on")
			turn := r.Turn("frontend", modelapi.After("Bash", ""))
			if got := turn.ToolResults()[0]; !strings.Contains(got.Text, "ruled out") || made(dir) {
				t.Errorf("mode %s: the model was told %q, ran %v", mode, got.Text, made(dir))
			}
			if n := len(hooks.calls("PermissionRequest")); n != 0 {
				t.Errorf("mode %s: asked %d times all the same", mode, n)
			}
		}
	})
}

// A Stop hook may hand over mail at the turn's edge. The old version gives it to
// the model as the user's word, the new one as a system message.
func TestFactStopHookGoesOn(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		p := r.API.Persona("frontend")
		mail := func(req *modelapi.Request) bool {
			text := req.NoteText()
			if v == oldest {
				text = req.UserText()
			}
			return strings.Contains(text, "mail for you")
		}
		p.On(mail, modelapi.Text("I read the mail"))
		p.On(modelapi.Says("hello"), modelapi.Text("hello, human"))
		dir := r.Folder("frontend")
		hooks := r.hooks("Stop")
		hooks.answer("Stop", `{"decision":"block","reason":"mail for you: one task"}`)
		hooks.hold("Stop")
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual, "--settings", hooks.settings)
		r.ready(dir, s)
		s.Submit("hello")
		hooks.wait("Stop", 1)
		hooks.release("Stop")
		s.Wait("I read the mail")
		hooks.answer("Stop", "")
		r.WaitStatus(dir, "idle")
	})
}

// The order in which a session's signs of life come.
func TestFactHookOrder(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		makeScript(r)
		dir := r.Folder("frontend")
		hooks := r.hooks("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SessionEnd")
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual, "--settings", hooks.settings)
		r.ready(dir, s)
		s.Submit("make it")
		s.Wait("Do you want to proceed?")
		s.Answer("Enter")
		s.Wait("the model goes on")
		hooks.wait("Stop", 1)
		s.Submit("/exit")
		if code := s.WaitExit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		want := []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SessionEnd"}
		if got := hooks.events(); !slices.Equal(got, want) {
			t.Errorf("hooks came as %v", got)
		}
	})
}
