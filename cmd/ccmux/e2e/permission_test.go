//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// asking is a task whose work needs the human's yes.
func asking(r *Rig) {
	r.Agent("frontend").
		When(modelapi.Says("ask backend"), sendTask("backend", "make the file"), say("asked.")).
		When(modelapi.Gets("reply", ""), tell(whatCame))
	r.Agent("backend").
		When(modelapi.Gets("task", "make the file"), bash("touch made.txt"), answer("it is made"), say("told."))
}

// A card on the screen, one key, and the work goes on. It names whose work it
// serves. The same in every mode in which claude asks, and by the hook alone:
// the flags for channels have nothing to do with it.
func TestPermissionAllowedByOneKey(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		for _, mode := range []string{v.Manual, "acceptEdits"} {
			r := newRig(t, v)
			r.Mode(mode)
			r.Agent("backend").When(modelapi.Says("fetch"), bash(risky), say("the model goes on"))
			m := r.Up("backend")
			m.Prompt(0, "fetch it")
			asked := r.Fact("the request", of("PermissionAsked", "backend").with("permission.source", "hook"))
			if got := asked.Text("permission.input.command"); got != risky {
				t.Errorf("mode %s: asked for %q", mode, got)
			}
			m.Card("backend", "curl -s http://127.0.0.1:9/x", "a allow")
			m.Keys("a")
			m.Wait("the model goes on")
			answered := r.Fact("the answer", of("PermissionAnswered", "").with("id", asked.Text("permission.id")))
			if answered.Text("behavior") != "allow" || answered.Text("by.kind") != "human" {
				t.Errorf("mode %s: answered %v", mode, answered)
			}
			r.Fact("the end of the request", of("PermissionClosed", "").with("id", asked.Text("permission.id")))
			m.WaitGone("a allow")
			for _, f := range r.Facts(of("PermissionAsked", "")) {
				if f.Text("permission.id") != asked.Text("permission.id") {
					t.Errorf("mode %s: a second card for one dialog: %v", mode, f)
				}
			}
		}
	})
}

// A card shows the thread of work, and a denial with a reason reaches the model.
func TestPermissionDeniedWithAReason(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.Mode(v.Manual)
		asking(r)
		m := r.Up("frontend", "backend")
		m.Prompt(0, "ask backend for a file")
		asked := r.Fact("the request", of("PermissionAsked", "backend").with("permission.source", "hook"))
		thread := r.Fact("the task", of("Posted", "frontend").with("message.content", "make the file")).Thread
		if !strings.Contains(asked.Text("permission.threads"), thread) {
			t.Errorf("asked for %q, the work is %s", asked.Text("permission.threads"), thread)
		}
		m.Card("touch made.txt", thread, "asked by frontend")
		m.Keys("D")
		m.Type("not on a friday")
		m.Wait("not on a friday")
		m.Keys("Enter")
		turn := r.Turn("backend", modelapi.After("Bash", ""))
		if got := turn.ToolResults()[0]; !got.IsError || !strings.Contains(got.Text, "not on a friday") {
			t.Errorf("the model was told %+v", got)
		}
		answered := r.Fact("the answer", of("PermissionAnswered", "").with("behavior", "deny"))
		if answered.Text("why") != "not on a friday" {
			t.Errorf("answered %v", answered)
		}
		if made(r.dir("backend")) {
			t.Error("the denied command ran")
		}
	})
}

// Answered in the pane: the card goes within moments, and nothing is said to
// have been answered by ccmux.
func TestPermissionAnsweredInThePane(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.Mode(v.Manual)
		asking(r)
		m := r.Up("frontend", "backend")
		m.Prompt(0, "ask backend for a file")
		asked := r.Fact("the request", of("PermissionAsked", "backend").with("permission.source", "hook"))
		m.Card("touch made.txt")
		m.Enter(1)
		m.Answer("Enter")
		closed := r.Fact("the end of the request", of("PermissionClosed", "").with("id", asked.Text("permission.id")))
		if how := closed.Text("how"); !strings.Contains(how, "pane") {
			t.Errorf("closed %q", how)
		}
		m.Leave()
		r.Turn("frontend", modelapi.Gets("reply", "it is made"))
		if n := len(r.Facts(of("PermissionAnswered", ""))); n != 0 {
			t.Errorf("%d answers on record", n)
		}
		if !made(r.dir("backend")) {
			t.Error("the approved command did not run")
		}
		m.WaitGone("a allow")
	})
}

// Auto mode's own dialog fires no hook: the card says where to answer it, and
// what it is about.
func TestAutoModesOwnDialogAsksInItsPane(t *testing.T) {
	t.Parallel()
	r := newRig(t, newest, WithoutFlags())
	r.Agent("backend").When(modelapi.Says("fetch"), bash(risky), say("the model goes on"))
	m := r.UpWithoutChannels("backend")
	m.Prompt(0, "fetch it")
	m.Wait("Auto mode can't check actions in this session")
	m.Enter(0)
	m.Answer("Enter")
	m.Wait("so this one needs your approval")
	m.Leave()
	asked := r.Fact("the request", of("PermissionAsked", "backend").holding("permission.input", "curl"))
	if asked.Text("permission.in_pane") != "true" {
		t.Errorf("asked as %v", asked)
	}
	m.Card("asks in its pane", "curl -s http://127.0.0.1:9/x")
	m.Enter(0)
	m.Answer("Down")
	m.Wait("❯ Yes")
	m.Keys("Enter")
	m.Wait("the model goes on")
	r.Fact("the end of the request", of("PermissionClosed", "").with("id", asked.Text("permission.id")))
	if _, err := os.Stat(filepath.Join(r.dir("backend"), "ran.txt")); err != nil {
		t.Error("the approved command did not run")
	}
}

// Without the flags there is no channel. The permission hook works all the
// same, and a message waits where it can be seen.
func TestWithoutFlagsPermissionWorksAndMessagesWait(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v, WithoutFlags())
		r.Mode(v.Manual)
		r.Agent("backend").When(modelapi.Says("make it"), bash("touch made.txt"), say("the model goes on"))
		m := r.UpWithoutChannels("backend")
		r.withoutSocket()
		m.Prompt(0, "make it now")
		m.Card("touch made.txt", "a allow")
		m.Keys("a")
		m.Wait("the model goes on")
		if !made(r.dir("backend")) {
			t.Error("the approved command did not run")
		}
		r.Fact("that there is no channel", of("RouteLost", "backend").with("route", "channel"))
		r.Eventually("backend idle", func() bool { return r.listed("backend").State == "idle" })
		out := r.ccmux("send", "backend", "--kind", "task", "are you there")
		if strings.Contains(out, "seen") || !strings.Contains(out, "waiting") {
			t.Errorf("the sender was told %q", out)
		}
		r.Fact("that it waits", of("Waiting", "backend"))
		if n := r.listed("backend").Unread; n != 1 {
			t.Errorf("%d unread, want 1", n)
		}
		m.Wait("1 to deliver")
		if n := len(r.Facts(of("Seen", "backend"))); n != 0 {
			t.Error("seen without a proof")
		}
	})
}
