//go:build e2e

package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

const conversation = "7d3f2a50-1f6e-4c1c-9d55-0a4b9a4f7e10"

// How the channel process learns that it is over.
func TestFactEndOfTheChannelServer(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		s, stub := withChannel(r, r.Folder("frontend"), r.hooks("Stop"))
		s.Submit("/exit")
		if code := s.WaitExit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		if got := stub.Wait("stub/signal", 1)[0]; !strings.Contains(string(got.Params), "interrupt") {
			t.Errorf("first signal %s", got.Params)
		}
	})
}

// Nobody tells the server when claude is killed: it sees the end of its input
// and, where claude leads the session of its terminal, the kernel's SIGHUP.
func TestFactKilledClaudeLeavesEOFAndHangup(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		s, stub := withChannel(r, r.Folder("frontend"), r.hooks("Stop"))
		r.Signal(s.PID(), syscall.SIGKILL)
		stub.Wait("stub/eof", 1)
		for _, got := range stub.Received("stub/signal") {
			if !strings.Contains(string(got.Params), "hangup") {
				t.Errorf("signal %s", got.Params)
			}
		}
		if code := s.WaitExit(); code != -int(syscall.SIGKILL) {
			t.Errorf("exit %d", code)
		}
	})
}

// Only the transcript's user entry, or the hook, proves that a message was
// seen: a killed claude forgets what it had queued, and does not go on.
func TestFactKilledClaudeForgetsItsQueue(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		gate := modelapi.NewGate()
		p := r.API.Persona("frontend")
		p.On(modelapi.Says("first turn"), modelapi.Text("taken"))
		p.On(modelapi.Says("hold on"), modelapi.Hold(gate), modelapi.Text("never said"))
		p.On(modelapi.Says("are you there"), modelapi.Text("back again"))
		dir := r.Folder("frontend")
		hooks := r.hooks("UserPromptSubmit")
		s, stub := withChannel(r, dir, hooks, "--session-id", conversation)
		if st, _ := r.StatusOf(dir); st.SessionID != conversation {
			t.Errorf("session id %q", st.SessionID)
		}
		s.Submit("first turn")
		s.Wait("taken")
		r.WaitStatus(dir, "idle")
		s.Submit("hold on")
		r.Reached(gate)
		stub.Send(pushed("task", "lost in the queue"))
		r.queued(1)
		r.Signal(s.PID(), syscall.SIGKILL)
		s.WaitExit()

		s = r.listens(dir, stub, "--resume", conversation, "--permission-mode", v.Manual, "--settings", hooks.settings)
		if st := r.WaitStatus(dir, "idle"); st.SessionID != conversation {
			t.Errorf("session id after resume %q", st.SessionID)
		}
		s.Submit("are you there")
		s.Wait("back again")
		turn := r.Turn("frontend", modelapi.Says("are you there"))
		if strings.Contains(string(turn.Raw), "lost in the queue") || !strings.Contains(string(turn.Raw), "first turn") {
			t.Errorf("the resumed conversation holds the queued event, or not its past\n%s", r.API.Digest())
		}
		if n := len(hooks.calls("UserPromptSubmit")); n != 3 {
			t.Errorf("the hook fired %d times, want 3", n)
		}
	})
}

// A restart asks for a fresh conversation when there is none to resume.
func TestFactResumeOfNothingExits(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		s := r.claude(r.Folder("frontend"), "frontend", "--resume", conversation)
		if code := s.WaitExit(); code != 1 {
			t.Errorf("exit code %d", code)
		}
		if !strings.Contains(s.History(), "No conversation found") {
			t.Errorf("it says %q", s.History())
		}
	})
}

// What the human has half typed is theirs: an event neither takes it along
// nor throws it away.
func TestFactEventLeavesTheHumansLine(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.API.Persona("frontend").On(modelapi.Gets("task", "build it"), modelapi.Text("built"))
		s, stub := withChannel(r, r.Folder("frontend"), r.hooks("Stop"))
		s.Type("half a sentence")
		s.Wait("❯ half a sentence")
		stub.Send(pushed("task", "build it"))
		s.Wait("built", "❯ half a sentence")
		if turn := r.API.Requests("frontend")[0]; strings.Contains(string(turn.Raw), "half a sentence") {
			t.Error("the half sentence went to the model")
		}
	})
}

// Why nothing may be typed into a pane while its session waits.
func TestFactTypingIntoADialogApproves(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		makeScript(r)
		dir := r.Folder("frontend")
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual)
		r.ready(dir, s)
		s.Submit("make it")
		s.Wait("Do you want to proceed?")
		s.settle()
		s.paste("a message for the session")
		s.Keys("Enter")
		s.Wait("the model goes on")
		if !made(dir) {
			t.Error("the Enter did not approve")
		}
		if s.Has("a message for the session") {
			t.Error("the text was not swallowed")
		}
	})
}

// A pane may change size at any time.
func TestFactResize(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.API.Persona("frontend").On(modelapi.Says("hello"), modelapi.Text(strings.Repeat("wide words ", 20)+"END"))
		dir := r.Folder("frontend")
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual)
		r.ready(dir, s)
		s.Submit("hello")
		s.Wait("END")
		for _, size := range [][2]int{{80, 24}, {200, 60}, {60, 20}} {
			s.Resize(size[0], size[1])
			s.Wait("END", strings.Repeat("─", size[0]))
		}
	})
}

// A session that was down is reached again by a probe after its resume.
func TestFactChannelAfterResume(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		r.API.Persona("frontend").On(modelapi.Gets("note", "after"), modelapi.Text("heard again"))
		r.API.Persona("frontend").On(modelapi.Says("first turn"), modelapi.Text("taken"))
		dir := r.Folder("frontend")
		s, stub := withChannel(r, dir, r.hooks("Stop"), "--session-id", conversation)
		s.Submit("first turn")
		s.Wait("taken")
		r.WaitStatus(dir, "idle")
		s.Submit("/exit")
		s.WaitExit()
		s = r.listens(dir, stub, "--resume", conversation, "--permission-mode", v.Manual)
		stub.Send(pushed("note", "after"))
		s.Wait("heard again")
	})
}
