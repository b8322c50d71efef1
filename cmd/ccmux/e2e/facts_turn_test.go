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

// claude runs claude by itself as the session of that name.
func (r *Rig) claude(dir, name string, flags ...string) *Screen {
	r.T.Helper()
	argv := []string{"claude", "-n", name, "--append-system-prompt", "e2e session name: " + name}
	return r.Start(dir, append(argv, flags...)...)
}

// ready waits for the prompt of a session that nothing holds up.
func (r *Rig) ready(dir string, s *Screen) {
	r.T.Helper()
	s.Wait("❯")
	r.WaitStatus(dir, "idle")
}

func TestFactTurn(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		dir := r.Folder("frontend")
		gate := modelapi.NewGate()
		r.API.Persona("frontend").On(modelapi.Says("hello"), modelapi.Text("one moment "), modelapi.Hold(gate), modelapi.Text("hello, human"))
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual)
		r.ready(dir, s)
		s.Submit("hello")
		r.Reached(gate)

		if st := r.WaitStatus(dir, "busy"); st.Version != v.Name || st.Name != "frontend" {
			t.Errorf("status file %+v", st)
		}
		s.Wait("esc to interrupt")
		r.Eventually("a busy title", func() bool { return busyTitle(v, s.Title()) })
		gate.Open()
		s.Wait("hello, human")
		r.WaitStatus(dir, "idle")
		r.Eventually("an idle title", func() bool { return strings.HasPrefix(s.Title(), "✳ ") })

		turn := r.Turn("frontend", modelapi.Says("hello"))
		if !turn.Stream || !turn.HasTool("Bash") {
			t.Errorf("stream %v, tools %v", turn.Stream, turn.ToolNames())
		}
		if n := len(r.API.Unmatched()); n != 0 {
			t.Errorf("%d turns beside the script\n%s", n, r.API.Digest())
		}
	})
}

func busyTitle(v *Version, title string) bool {
	marks := []string{"◐ ", "◑ "}
	if v == oldest {
		marks = []string{"⠂ ", "⠐ "}
	}
	return slices.ContainsFunc(marks, func(m string) bool { return strings.HasPrefix(title, m) })
}

// The approval card's answer "in the pane", and that ccmux types nothing while
// a dialog is open, rest on these.
func TestFactPermissionInThePane(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		dir := r.Folder("frontend")
		p := r.API.Persona("frontend")
		p.On(modelapi.Says("make it"), modelapi.Text("I make it"), modelapi.Use("Bash", map[string]string{"command": "touch made.txt", "description": "make a file"}))
		p.On(modelapi.After("Bash", ""), modelapi.Text("it is made"))
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual)
		r.ready(dir, s)
		s.Submit("make it")

		s.Wait("touch made.txt", "Do you want to proceed?", "❯ 1. Yes", ". No", "Esc to cancel")
		r.WaitsFor(dir, "permission prompt")
		// tmux takes claude's question about graphics (APC G) for a title.
		r.Eventually("a title that says not working while a dialog is open", func() bool {
			return strings.HasPrefix(s.Title(), "✳ ") || strings.HasPrefix(s.Title(), "Gi=")
		})
		if _, err := os.Stat(filepath.Join(dir, "made.txt")); err == nil {
			t.Error("the command ran before anyone said yes")
		}
		s.Answer("Enter")
		s.Wait("it is made")
		r.WaitStatus(dir, "idle")
		if _, err := os.Stat(filepath.Join(dir, "made.txt")); err != nil {
			t.Errorf("the command did not run: %v", err)
		}
	})
}

// Denying ends the turn; the model is not asked again by itself.
func TestFactDeniedInThePane(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		dir := r.Folder("frontend")
		p := r.API.Persona("frontend")
		p.On(modelapi.Says("make it"), modelapi.Use("Bash", map[string]string{"command": "touch made.txt", "description": "make a file"}))
		p.On(modelapi.Says("what now"), modelapi.Text("nothing was made"))
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual)
		r.ready(dir, s)
		s.Submit("make it")
		s.Wait("Do you want to proceed?")
		s.Answer("Escape")
		s.WaitGone("Do you want to proceed?")
		r.WaitStatus(dir, "idle")
		s.Submit("what now")
		s.Wait("nothing was made")
		if n := len(r.API.Requests("frontend")); n != 2 {
			t.Errorf("%d turns, want 2\n%s", n, r.API.Digest())
		}
		if _, err := os.Stat(filepath.Join(dir, "made.txt")); err == nil {
			t.Error("the denied command ran")
		}
	})
}
