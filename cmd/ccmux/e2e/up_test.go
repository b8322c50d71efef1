//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// The way to each session is proven at the start, and no model is asked.
func TestUpProvesTheChannelWithoutAModelCall(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		m := r.Up("frontend", "backend")
		if n := len(r.API.All()); n != 0 {
			t.Errorf("%d requests to the model\n%s", n, r.API.Digest())
		}
		for _, name := range m.names {
			if got := r.listed(name); got.Route != "channel" || got.Dir != r.dir(name) {
				t.Errorf("%s is listed as %+v", name, got)
			}
		}
		m.Wait("frontend", "backend", "idle")
	})
}

// The main job: one session gives another a task, which does it and answers.
func TestTaskWorkReply(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.Agent("frontend").
			When(modelapi.Says("ask backend"), sendTask("backend", "add a health endpoint"), say("I asked backend.")).
			When(modelapi.Gets("reply", ""), tell(whatCame))
		r.Agent("backend").
			When(modelapi.Gets("task", "health endpoint"), answer("GET /health answers 200"), say("I told frontend."))
		m := r.Up("frontend", "backend")
		m.Prompt(0, "ask backend for it")

		// What the models were sent.
		task := r.Turn("backend", modelapi.Gets("task", "add a health endpoint"))
		e := task.Events()[0]
		id := e.Attr["task_id"]
		if e.Attr["sender"] != "frontend" || id == "" || e.Attr["message_id"] == "" || e.Attr["source"] != "plugin:ccmux:peers" {
			t.Errorf("backend was sent the task as %+v", e)
		}
		if !strings.Contains(task.System, "You are the session `backend` of a ccmux project") {
			t.Error("backend's system prompt does not say who it is")
		}
		reply := r.Turn("frontend", modelapi.Gets("reply", "GET /health answers 200")).Events()[0]
		if reply.Attr["sender"] != "backend" || reply.Attr["task_id"] != id || reply.Attr["in_reply_to"] != e.Attr["message_id"] {
			t.Errorf("frontend was sent the reply as %+v, the task was %+v", reply, e)
		}

		// What the journal holds.
		posted := r.Fact("the task", of("Posted", "").with("message.content", "add a health endpoint"))
		if posted.Message != e.Attr["message_id"] || posted.Thread != id {
			t.Errorf("posted as %v", posted)
		}
		r.Fact("the proof that backend saw it", of("Seen", "backend").with("message", posted.Message))
		r.Fact("the answer on record", of("Answered", "backend").with("message", posted.Message))
		r.Fact("the proof that frontend saw the reply", of("Seen", "frontend").with("message", reply.Attr["message_id"]))

		// What the human sees.
		m.Wait("I asked backend.", "I told frontend.", "reply from backend: GET /health answers 200.", id)
	})
}
