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

// twoSubagents has a session start two subagents at once. Each makes a file of
// the name of its job and ends.
func twoSubagents(r *Rig, session string, background bool) {
	job := func(name string) modelapi.Part {
		return modelapi.Use("Agent", map[string]any{
			"description": "job " + name, "prompt": "do job " + name, "subagent_type": "general-purpose", "run_in_background": background,
		})
	}
	r.Agent(session).When(modelapi.Says("split"), func(*Turn) []modelapi.Part {
		return []modelapi.Part{job("one"), job("two")}
	}, say("the model goes on"))
	p := r.API.Persona(session + modelapi.Subagents)
	for _, name := range []string{"one", "two"} {
		p.On(modelapi.Says("do job "+name), bash("touch "+name+".txt")(nil)...).Times(1)
	}
}

// told is the result of the tool of the subagent with that job.
func (r *Rig) told(session, job string) modelapi.ToolResult {
	r.T.Helper()
	turn := r.Turn(session+modelapi.Subagents, func(req *modelapi.Request) bool {
		return modelapi.After("Bash", "")(req) && strings.Contains(string(req.Raw), "do job "+job)
	})
	return turn.ToolResults()[0]
}

// requests are the ids of all permission requests so far, in order.
func (r *Rig) requests() []string {
	r.T.Helper()
	var ids []string
	for _, f := range r.Facts(of("PermissionAsked", "")) {
		if id := f.Text("permission.id"); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// endOf waits for the end of a request and gives back how it ended.
func (r *Rig) endOf(id string) string {
	r.T.Helper()
	return r.Fact("the end of request "+id, of("PermissionClosed", "").with("id", id)).Text("how")
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// Two subagents ask at once: a card for each, and each answer is about its own.
// Those in the background ask before any dialog, and go on asking when the turn
// that started them has ended.
func TestTwoSubagentsAskAtOnce(t *testing.T) {
	for name, background := range map[string]bool{"in the turn": false, "in the background": true} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, v *Version) {
				if v == newest && !background {
					t.Skip("all its subagents work in the background")
				}
				r := newRig(t, v)
				r.Mode(v.Manual)
				twoSubagents(r, "backend", background)
				m := r.Up("backend")
				m.Prompt(0, "split it")
				asks := func(command string) string {
					return r.Fact(command, of("PermissionAsked", "backend").with("permission.source", "hook").with("permission.input.command", command)).Text("permission.id")
				}
				one, two := asks("touch one.txt"), asks("touch two.txt")
				m.Card("backend's general-purpose agent asks to run a command", "1 of 2", "a allow")
				if background {
					m.Wait("the model goes on")
				}
				r.ccmux("deny", two, "--reason", "one is enough")
				if got := r.told("backend", "two"); !got.IsError || !strings.Contains(got.Text, "one is enough") {
					t.Errorf("the second was told %+v", got)
				}
				if how := r.endOf(two); how != "deny, seen to take effect" {
					t.Errorf("the second request ended as %q", how)
				}
				m.Card("touch one.txt", "a allow")
				m.Keys("a")
				if got := r.told("backend", "one"); got.IsError {
					t.Errorf("the first was told %+v", got)
				}
				if how := r.endOf(one); how != "allow, seen to take effect" {
					t.Errorf("the first request ended as %q", how)
				}
				m.WaitGone("a allow")
				r.Eventually("backend idle", func() bool { return r.listed("backend").State == "idle" })
				if dir := r.dir("backend"); !exists(dir, "one.txt") || exists(dir, "two.txt") {
					t.Error("what was allowed did not run, or what was denied did")
				}
				if ids := r.requests(); len(ids) != 2 {
					t.Errorf("two requests, and the cards %v", ids)
				}
			})
		})
	}
}
