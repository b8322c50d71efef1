//go:build e2e

package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// A session that dies in the middle of a task comes back in its conversation,
// is reminded, and its answer reaches the one who asked.
func TestKilledMidTaskIsRemindedAndAnswers(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		gate := modelapi.NewGate()
		r.Agent("frontend").
			When(modelapi.Says("ask backend"), sendTask("backend", "build the index"), say("asked.")).
			When(modelapi.Gets("reply", ""), tell(whatCame))
		r.Agent("backend").
			When(modelapi.Gets("task", "build the index"), holds(gate, "never said")).
			When(modelapi.Gets("task", "build the index"), answer("the index is built"), say("told."))
		m := r.Up("frontend", "backend")
		m.Prompt(0, "ask backend for an index")
		r.Reached(gate)
		task := r.Fact("the task", of("Posted", "frontend").with("message.content", "build the index"))
		r.Fact("the proof that backend saw it", of("Seen", "backend").with("message", task.Message))
		r.inTranscript("build the index")
		before := r.listed("backend")
		r.Signal(before.PID, syscall.SIGKILL)
		m.confirmAgain("backend", 1)
		if after := r.listed("backend"); after.Conversation != before.Conversation || after.PID == before.PID {
			t.Errorf("it came back as %+v, was %+v", after, before)
		}

		reminder := r.Fact("the reminder", of("Posted", "").with("message.in_reply_to", task.Message).with("message.reminder", "true"))
		if reminder.Thread != task.Thread || reminder.Message == task.Message {
			t.Errorf("reminded with %v of %v", reminder, task)
		}
		turn := r.Turn("backend", func(req *modelapi.Request) bool {
			e, ok := req.Event("task", "")
			return ok && e.Attr["message_id"] == reminder.Message
		})
		if e, _ := turn.Event("task", ""); e.Attr["task_id"] != task.Thread || !strings.Contains(e.Body, "build the index") {
			t.Errorf("the reminder came as %+v", e)
		}
		r.Turn("frontend", modelapi.Gets("reply", "the index is built"))
		r.Fact("the answer on record", of("Answered", "backend").with("message", task.Message))
	})
}

// kill -9 of ccmux: the terminal is the human's again, nothing is left running,
// and the next up resumes the conversations.
func TestKilledCcmuxLeavesAUsableTerminalAndResumes(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.Agent("backend").
			When(modelapi.Says("remember this"), say("I will.")).
			When(modelapi.Says("what was it"), say("You said it before."))
		m := r.upInShell("backend")
		m.Prompt(0, "remember this")
		m.Wait("I will.")
		r.Eventually("backend idle", func() bool { return r.listed("backend").State == "idle" })
		before := r.listed("backend")
		r.Signal(r.server(), syscall.SIGKILL)
		m.usableShell()
		r.Eventually("the session to end with ccmux", func() bool { return syscall.Kill(before.PID, 0) != nil })
		r.Eventually("nothing left running but the shell", func() bool { return len(r.claudes()) == 0 })

		m.Type("ccmux up backend")
		m.Keys("Enter")
		m.confirmAgain("backend", 1)
		if after := r.listed("backend"); after.Conversation != before.Conversation {
			t.Errorf("resumed %q, was %q", after.Conversation, before.Conversation)
		}
		m.Prompt(0, "what was it")
		m.Wait("You said it before.")
		turn := r.Turn("backend", modelapi.Says("what was it"))
		if !strings.Contains(string(turn.Raw), "remember this") {
			t.Error("the conversation lost its past")
		}
	})
}
