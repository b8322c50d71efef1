//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// What is sent to a session in the middle of a turn waits for its end, with the
// reason, and is then a task like any other.
func TestATaskForABusySessionWaitsForTheEndOfTheTurn(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		gate := modelapi.NewGate()
		r.Agent("backend").
			When(modelapi.Says("work on"), holds(gate, "worked on.")).
			When(modelapi.Gets("task", "and then this"), answer("this too"), say("told."))
		m := r.Up("backend")
		m.Prompt(0, "work on it")
		<-gate.Reached()
		r.Eventually("backend busy", func() bool { return r.listed("backend").State == "busy" })
		if out := r.ccmux("send", "backend", "--kind", "task", "and then this"); !strings.Contains(out, "waiting") || !strings.Contains(out, "busy") {
			t.Errorf("the sender was told %q", out)
		}
		waits := r.Fact("that it waits", of("Posted", "").with("message.content", "and then this"))
		if n := len(r.Facts(of("Seen", "backend"))); n != 0 {
			t.Errorf("seen %d times in a running turn", n)
		}
		gate.Open()
		turn := r.Turn("backend", modelapi.Gets("task", "and then this"))
		if e := turn.Events()[0]; e.Background || e.Attr["task_id"] != waits.Thread {
			t.Errorf("it came as %+v", e)
		}
		r.Fact("its answer", of("Posted", "backend").with("message.content", "this too"))
	})
}

// Without channels the end of the human's own turn brings the mail along: the
// task is handed over by the Stop hook, proven, and answered.
func TestWithoutChannelsATaskComesAtTheEndOfATurn(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v, WithoutFlags())
		r.Mode(v.Manual)
		var thread string
		mail := func(req *modelapi.Request) bool {
			return strings.Contains(req.UserText()+req.NoteText(), "report by the hook") && len(req.ToolResults()) == 0
		}
		r.Agent("backend").
			When(modelapi.Says("good morning"), say("good morning to you")).
			When(mail, use("respond_to_peer", func(*Turn) map[string]any {
				return map[string]any{"task_id": thread, "content": "reported"}
			}), say("I answered."))
		m := r.UpWithoutChannels("backend")
		r.withoutSocket()
		r.Fact("that there is no channel", of("RouteLost", "backend").with("route", "channel"))
		r.ccmux("send", "backend", "--kind", "task", "report by the hook")
		thread = r.Fact("the task", of("Posted", "").with("message.content", "report by the hook")).Thread
		m.Prompt(0, "good morning")
		m.Wait("I answered.")
		r.Fact("its answer", of("Posted", "backend").with("message.content", "reported"))
		seen := r.Fact("the proof", of("Seen", "backend"))
		if route := seen.Text("route"); route != "hook" {
			t.Errorf("seen by the route %q", route)
		}
		if n := len(r.Facts(of("Seen", "backend"))); n != 1 {
			t.Errorf("seen %d times", n)
		}
	})
}
