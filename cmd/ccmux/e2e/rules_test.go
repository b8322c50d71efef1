//go:build e2e

package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// modes are the permission modes of a version in which tools are decided about.
func (v *Version) modes() []string {
	if v.Auto {
		return []string{v.Manual, "acceptEdits", "auto"}
	}
	return []string{v.Manual, "acceptEdits"}
}

// A deny rule holds in every mode, also where claude itself would not ask: the
// command does not run, the model reads which rule it was, nobody is asked.
func TestADenyRuleHoldsInEveryMode(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		for _, mode := range v.modes() {
			r := newRig(t, v)
			r.Mode(mode)
			r.Agent("backend").When(modelapi.Says("make it"), bash("touch made.txt"), say("the model goes on"))
			m := r.Up("backend")
			r.ccmux("rules", "add", "deny", "Bash", "touch *")
			m.Prompt(0, "make it")
			got := r.Turn("backend", modelapi.After("Bash", "")).ToolResults()[0]
			if !got.IsError || !strings.Contains(got.Text, "touch *") || made(r.dir("backend")) {
				t.Errorf("mode %s: the model was told %+v; ran: %v", mode, got, made(r.dir("backend")))
			}
			m.Wait("the model goes on")
			if n := len(r.Facts(of("PermissionAsked", ""))); n != 0 {
				t.Errorf("mode %s: the human was asked %d times", mode, n)
			}
		}
	})
}

// A ccmux that does not answer cannot say which rule holds: where there are deny
// rules claude then asks, also for what its mode lets through.
func TestASilentCcmuxMakesClaudeAsk(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.Mode("acceptEdits")
		gate := modelapi.NewGate()
		r.Agent("backend").When(modelapi.Says("make it"), func(*Turn) []modelapi.Part {
			return append([]modelapi.Part{modelapi.Hold(gate)}, bash("touch made.txt")(nil)...)
		}, say("the model goes on"))
		m := r.Up("backend")
		r.ccmux("rules", "add", "deny", "Bash", "rm *")
		m.Prompt(0, "make it")
		r.Eventually("the turn", func() bool { return r.listed("backend").State == "busy" })
		server := r.server()
		r.Signal(server, syscall.SIGSTOP)
		gate.Open()
		r.Eventually("claude to ask", func() bool {
			s, ok := r.StatusOf(r.dir("backend"))
			return ok && s.Status == "waiting"
		})
		if made(r.dir("backend")) {
			t.Error("it ran without an answer")
		}
		r.Signal(server, syscall.SIGCONT)
		m.Card("backend", "touch made.txt")
		m.Keys("a")
		m.Wait("the model goes on")
		if !made(r.dir("backend")) {
			t.Error("the approved command did not run")
		}
	})
}

// In auto mode claude has its own model check what it does. What that refuses
// does not run, and is no request of anybody's.
func TestAutoModeWithItsClassifier(t *testing.T) {
	t.Parallel()
	r := newRig(t, newest)
	r.Agent("backend").When(modelapi.Says("fetch"), bash(risky), say("the model goes on"))
	r.API.AnswerSide(modelapi.SideClassifier, modelapi.Text("<severity>95</severity><category>Data Exfiltration</category>"))
	m := r.Up("backend")
	m.Prompt(0, "fetch it")
	m.Card("We're changing auto mode", "Enter to continue")
	m.Enter(0)
	m.Answer("Enter")
	m.Leave()
	m.Wait("the model goes on")
	if n := len(r.Facts(of("PermissionAsked", ""))); n != 0 {
		t.Errorf("%d requests", n)
	}
	r.Eventually("backend idle", func() bool { return r.listed("backend").State == "idle" })
}
