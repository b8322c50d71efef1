//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// asksFor is a session that was told to run a command and asks for it: the
// request as its hook told it.
func (r *Rig) asksFor(m *Mux, session, command string) Fact {
	r.T.Helper()
	m.Prompt(0, "run it")
	return r.Fact("the request", of("PermissionAsked", session).with("permission.source", "hook").with("permission.input.command", command))
}

// runs is the script of a session that runs a command when it is told to.
func (r *Rig) runs(session, command string) {
	r.Agent(session).Whenever(9, modelapi.Says("run it"), bash(command), say("the model goes on"))
}

// hooksLeft are the hooks that still wait for an answer.
func (r *Rig) hooksLeft() (left []Process) {
	for _, p := range r.Processes() {
		if strings.Contains(p.Command, "hook PermissionRequest") {
			left = append(left, p)
		}
	}
	return left
}

// Where the channel relays requests too, hook and relay are one card; the answer
// is given once, the other way ends without a word, and the next request is a
// card of its own.
func TestHookAndRelayAreOneCard(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.Mode(v.Manual)
		r.runs("backend", "touch made.txt")
		m := r.Up("backend")
		first := r.asksFor(m, "backend", "touch made.txt").Text("permission.id")
		r.toldByBoth(first)
		m.Card("backend", "touch made.txt", "d deny")
		m.Keys("d")
		if got := r.Turn("backend", modelapi.After("Bash", "")).ToolResults()[0]; !got.IsError || made(r.dir("backend")) {
			t.Errorf("the model was told %+v; ran: %v", got, made(r.dir("backend")))
		}
		if how := r.endOf(first); how != "deny, seen to take effect" {
			t.Errorf("the first request ended as %q", how)
		}
		r.Eventually("the end of the hook", func() bool { return len(r.hooksLeft()) == 0 })

		second := r.asksAgain(m, "backend", first)
		r.toldByBoth(second)
		m.Card("backend", "touch made.txt", "a allow")
		m.Keys("a")
		r.Eventually("the command to run", func() bool { return made(r.dir("backend")) })
		if how := r.endOf(second); how != "allow, seen to take effect" {
			t.Errorf("the second request ended as %q", how)
		}
		r.Eventually("backend idle", func() bool { return r.listed("backend").State == "idle" })
		if ids, n := r.requests(), len(r.Facts(of("PermissionAnswered", ""))); len(ids) != 2 || n != 2 || len(r.hooksLeft()) != 0 {
			t.Errorf("two requests: the cards %v, %d answers, hooks left %v", ids, n, r.hooksLeft())
		}
	})
}

// toldByBoth waits until hook and relay have told of the request.
func (r *Rig) toldByBoth(id string) {
	r.T.Helper()
	r.Fact("both sources of "+id, of("PermissionAsked", "").with("permission.id", id).with("permission.source", "hook").with("permission.also", "[relay]"))
}

// shortHooks has claude give up on its hooks after that many seconds, as the
// plugin's own file asks for 86400: claude is started by a script that changes
// the copy which ccmux wrote for it.
func (r *Rig) shortHooks(seconds int) {
	r.T.Helper()
	path := filepath.Join(r.bin(), "claude")
	if err := os.Remove(path); err != nil {
		r.T.Fatal(err)
	}
	r.Write(path, fmt.Sprintf(`#!/bin/bash
for arg; do
  [ -f "$arg/hooks/hooks.json" ] && sed -i 's/"timeout": 86400/"timeout": %d/' "$arg/hooks/hooks.json"
done
exec %s "$@"
`, seconds, r.Version.path), 0o755)
}

// claude's own time for a hook is over: the card says that only the pane can
// answer now, and an answer there works.
func TestATimedOutHookGivesTheQuestionBackToThePane(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.Mode(v.Manual)
		r.shortHooks(4)
		r.runs("backend", "touch made.txt")
		m := r.Up("backend")
		id := r.asksFor(m, "backend", "touch made.txt").Text("permission.id")
		moved := r.Fact("the question back in the pane", of("PermissionMoved", "").with("id", id))
		if why := moved.Text("why"); !strings.Contains(why, "its time was over") {
			t.Errorf("moved because %q", why)
		}
		if left := r.hooksLeft(); len(left) != 0 {
			t.Errorf("hooks are left: %v", left)
		}
		m.Wait("asks in its pane", "touch made.txt")
		if out, err := r.command("approve", id); err == nil || !strings.Contains(out, "in its pane only") {
			t.Errorf("approve said %q, %v", out, err)
		}
		if made(r.dir("backend")) {
			t.Error("it ran before anybody said yes")
		}
		m.Enter(0)
		m.Answer("Enter")
		m.Leave()
		m.Wait("the model goes on")
		if how := r.endOf(id); how != "answered in the pane" {
			t.Errorf("the request ended as %q", how)
		}
		m.WaitGone("asks in its pane")
		if ids := r.requests(); !made(r.dir("backend")) || len(ids) != 1 {
			t.Errorf("ran: %v; the cards were %v", made(r.dir("backend")), ids)
		}
	})
}

// A subagent in the background asks in no pane until the time of its hook is over.
func TestATimedOutHookOfASubagentGivesTheQuestionBackToThePane(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.Mode(v.Manual)
		r.shortHooks(6)
		twoSubagents(r, "backend", true)
		m := r.Up("backend")
		m.Prompt(0, "split it")
		moved := of("PermissionMoved", "")
		r.NthFact("both questions back in the pane", 2, moved)
		m.Enter(0)
		for range 2 {
			m.Wait("Do you want to proceed?")
			m.Answer("Enter")
		}
		m.Leave()
		_, _ = r.told("backend", "one"), r.told("backend", "two")
		for _, f := range r.Facts(moved) {
			if how := r.endOf(f.Text("id")); how != "answered in the pane" {
				t.Errorf("request %s ended as %q", f.Text("id"), how)
			}
		}
		r.Eventually("backend idle", func() bool { return r.listed("backend").State == "idle" })
		if dir := r.dir("backend"); !exists(dir, "one.txt") || !exists(dir, "two.txt") || len(r.requests()) != 2 {
			t.Errorf("both were allowed; the cards were %v", r.requests())
		}
	})
}

// kill -9 of ccmux while a request is open: it is void afterwards and said to be
// so, nothing was approved by it, and the conversation goes on.
func TestKilledCcmuxApprovesNothing(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.Mode(v.Manual)
		r.runs("backend", "touch made.txt")
		m := r.upInShell("backend")
		before := r.listed("backend")
		id := r.asksFor(m, "backend", "touch made.txt").Text("permission.id")
		m.Card("backend", "touch made.txt", "a allow")
		r.Signal(r.server(), syscall.SIGKILL)
		m.usableShell()
		r.Eventually("nothing left running but the shell", func() bool { return len(r.claudes())+len(r.hooksLeft()) == 0 })
		if made(r.dir("backend")) {
			t.Error("the command ran")
		}

		m.Type("ccmux up backend")
		m.Keys("Enter")
		m.confirmAgain("backend", 1)
		if how := r.endOf(id); !strings.HasPrefix(how, "void") {
			t.Errorf("the request ended as %q", how)
		}
		if out := r.ccmux("approvals"); !strings.Contains(out, "nobody asks") {
			t.Errorf("open: %s", out)
		}
		if out := r.ccmux("audit"); !strings.Contains(out, id+" void") || strings.Contains(out, "PermissionAnswered") {
			t.Errorf("on record: %s", out)
		}
		if out, err := r.command("approve", id); err == nil || !strings.Contains(out, "void") {
			t.Errorf("a late approval said %q, %v", out, err)
		}
		if after := r.listed("backend"); after.Conversation != before.Conversation {
			t.Errorf("resumed %q, was %q", after.Conversation, before.Conversation)
		}

		again := r.asksAgain(m, "backend", id)
		m.Card("backend", "touch made.txt", "a allow")
		if made(r.dir("backend")) {
			t.Error("the void request was allowed")
		}
		m.Keys("a")
		m.Wait("the model goes on")
		if how := r.endOf(again); how != "allow, seen to take effect" || !made(r.dir("backend")) {
			t.Errorf("the new request ended as %q", how)
		}
	})
}

// asksAgain has a session ask once more and gives back the new request.
func (r *Rig) asksAgain(m *Mux, session, first string) string {
	r.T.Helper()
	m.Prompt(0, "now run it again")
	asked := r.Fact("another request", func(f Fact) bool {
		return of("PermissionAsked", session).with("permission.source", "hook")(f) && f.Text("permission.id") != first
	})
	return asked.Text("permission.id")
}

// Answered in the pane: the card goes as soon as the command begins, however
// long that runs.
func TestACardDoesNotWaitForTheEndOfTheCommand(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		const slow = "touch made.txt; until [ -e go.txt ]; do sleep 0.1; done"
		r := newRig(t, v)
		r.Mode(v.Manual)
		r.runs("backend", slow)
		m := r.Up("backend")
		id := r.asksFor(m, "backend", slow).Text("permission.id")
		m.Card("backend", "touch made.txt", "a allow")
		m.Enter(0)
		m.Answer("Enter")
		r.Eventually("the command to run", func() bool { return made(r.dir("backend")) })
		began := time.Now()
		r.endOf(id)
		m.WaitGone("a allow")
		if late := time.Since(began); late > 2*time.Second {
			t.Errorf("the card was there for %s more", late)
		}
		if out := r.ccmux("approvals"); !strings.Contains(out, "nobody asks") {
			t.Errorf("open: %s", out)
		}
		r.Write(filepath.Join(r.dir("backend"), "go.txt"), "", 0o600)
		m.Leave()
		m.Wait("the model goes on")
		if n := len(r.requests()); n != 1 {
			t.Errorf("%d cards for one dialog", n)
		}
	})
}
