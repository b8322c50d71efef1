//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// The first thing a fresh session hears may be a task. Its tools are put away
// then; the words of the system prompt are enough to find them.
func TestFirstTaskOfAFreshSessionWithToolSearch(t *testing.T) {
	t.Parallel()
	r := newRig(t, newest)
	r.Agent("backend").When(modelapi.Gets("task", "first words"), answer("heard"), say("I answered you."))
	m := r.Up("backend")
	r.ccmux("send", "backend", "--kind", "task", "first words")
	first := r.Turn("backend", modelapi.Gets("task", "first words"))
	if e := first.Events()[0]; e.Attr["sender"] != "you" {
		t.Errorf("the task came as %+v", e)
	}
	if first.HasTool(peerTool("respond_to_peer")) {
		t.Error("the tools are listed from the start: nothing was searched for")
	}
	if query := "select:" + peerTool("send_to_peer"); !strings.Contains(first.System, query) || !strings.Contains(first.System, peerTool("respond_to_peer")) {
		t.Error("the system prompt does not say how to load the tools")
	}
	m.Wait("I answered you.")
	r.Fact("the answer to you", of("Posted", "backend").with("message.content", "heard"))
}

// One request to three, one thread, three answers.
func TestFanOutMergesInOneThread(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		peers := []string{"api", "docs", "web"}
		lead := r.Agent("lead").When(modelapi.Says("ask all"), use("send_to_peers", func(*Turn) map[string]any {
			return map[string]any{"to": peers, "content": "report your version", "kind": "task"}
		}), say("I asked three."))
		lead.Whenever(3, modelapi.Gets("reply", "version of"), tell(whatCame))
		for _, peer := range peers {
			r.Agent(peer).When(modelapi.Gets("task", "report your version"), answer("version of "+peer+" is 1"), say("told."))
		}
		m := r.Up(append([]string{"lead"}, peers...)...)
		m.Prompt(0, "ask all of them")

		var ids []string
		for _, peer := range peers {
			ids = append(ids, r.Turn(peer, modelapi.Gets("task", "report your version")).Events()[0].Attr["task_id"])
		}
		if ids[0] == "" || ids[0] != ids[1] || ids[1] != ids[2] {
			t.Errorf("task ids %v, want one for all", ids)
		}
		r.NthFact("the answers", 3, of("Answered", ""))
		var senders []string
		r.Eventually("three replies before lead's model", func() bool {
			senders = nil
			for _, turn := range r.API.Requests("lead") {
				for _, e := range turn.Events() {
					if e.Attr["kind"] == "reply" && e.Attr["task_id"] == ids[0] && !slices.Contains(senders, e.Attr["sender"]) {
						senders = append(senders, e.Attr["sender"])
					}
				}
			}
			return len(senders) == 3
		})
		slices.Sort(senders)
		if !slices.Equal(senders, peers) {
			t.Errorf("replies from %v", senders)
		}
		m.Wait(ids[0])
	})
}

// Each names the task its own serves: the tree is three deep.
func TestSubDelegationThreeDeep(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		chain := []string{"a", "b", "c", "d"}
		r.Agent("a").
			When(modelapi.Says("begin"), sendTask("b", "level 1"), say("begun.")).
			When(modelapi.Gets("reply", ""), tell(whatCame))
		r.Agent("b").When(modelapi.Gets("task", "level 1"), subTask("c", "level 2"), say("passed on."))
		r.Agent("c").When(modelapi.Gets("task", "level 2"), subTask("d", "level 3"), say("passed on."))
		r.Agent("d").When(modelapi.Gets("task", "level 3"), answer("the bottom"), say("done."))
		m := r.Up(chain...)
		m.Prompt(0, "begin at the top")

		parent := ""
		for i, name := range chain[1:] {
			content := "level " + string(rune('1'+i))
			e := r.Turn(name, modelapi.Gets("task", content)).Events()[0]
			if e.Attr["parent_task_id"] != parent {
				t.Errorf("%s serves %q, want %q", content, e.Attr["parent_task_id"], parent)
			}
			posted := r.Fact(content, of("Posted", chain[i]).with("message.content", content))
			if posted.Text("message.parent") != parent || posted.Thread != e.Attr["task_id"] {
				t.Errorf("%s is posted as %v", content, posted)
			}
			parent = e.Attr["task_id"]
			m.Wait(parent)
		}
		reply := r.Turn("c", modelapi.Gets("reply", "the bottom")).Events()[0]
		if reply.Attr["sender"] != "d" || reply.Attr["task_id"] != parent {
			t.Errorf("c was answered with %+v", reply)
		}
	})
}

// A member that is not there gets its mail when it is back, and the poster is
// told that it is away.
func TestRoomPostReachesAnAbsentMember(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.Agent("frontend").
			When(modelapi.Says("make the room"), use("create_room", func(*Turn) map[string]any {
				return map[string]any{"name": "ui", "members": []string{"backend", "you"}}
			}), say("the room is made.")).
			When(modelapi.Says("post it"), use("send_to_room", func(*Turn) map[string]any {
				return map[string]any{"room": "ui", "content": "freeze at five", "kind": "note"}
			}), tell(func(turn *Turn) string { return "posted, " + turn.Now.ToolResults()[0].Text }))
		r.Agent("backend").Whenever(2, modelapi.Gets("note", ""), tell(whatCame))
		m := r.Up("frontend", "backend")
		m.Prompt(0, "make the room")
		m.Wait("the room is made.", "#ui")

		r.ccmux("down", "backend")
		r.Fact("backend's end", of("SessionEnded", "backend"))
		m.Prompt(0, "post it now")
		result := r.Turn("frontend", modelapi.After(peerTool("send_to_room"), "")).ToolResults()[0].Text
		if !strings.Contains(result, "backend") || !strings.Contains(result, "stopped") && !strings.Contains(result, "offline") {
			t.Errorf("the poster was told %q", result)
		}
		posted := r.Fact("the post", of("Posted", "frontend").with("message.content", "freeze at five"))
		if seen := r.Facts(of("Seen", "backend")); len(seen) != 0 {
			t.Errorf("seen by a stopped session: %v", seen)
		}
		m.back("backend")
		e := r.Turn("backend", modelapi.Gets("note", "freeze at five")).Events()[0]
		if e.Attr["room"] != "ui" || e.Attr["sender"] != "frontend" {
			t.Errorf("it came as %+v", e)
		}
		if n := len(r.Facts(of("Seen", "backend").with("message", posted.Message))); n != 1 {
			t.Errorf("seen %d times on record", n)
		}
		m.Wait("note from frontend: freeze at five.")
	})
}
