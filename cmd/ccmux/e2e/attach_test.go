//go:build e2e

package e2e

import (
	"syscall"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// q leaves the screen, everything goes on, and attach shows it again.
func TestDetachAndAttach(t *testing.T) {
	t.Parallel()
	r := newRig(t, newest)
	r.Agent("backend").When(modelapi.Says("work on"), say("worked on."))
	m := r.upInShell("backend")
	before := r.listed("backend").PID
	m.Keys("q")
	m.usableShell()
	if after := r.listed("backend").PID; after != before {
		t.Errorf("pid %d, was %d", after, before)
	}
	m.Type("ccmux attach")
	m.Keys("Enter")
	m.Wait("watching", "backend")
	m.Prompt(0, "work on it")
	m.Wait("worked on.")
}

// The attach process may die, be stopped and go on: the sessions do not care,
// and the terminal is usable each time.
func TestAttachProcessKilledAndStopped(t *testing.T) {
	t.Parallel()
	r := newRig(t, newest)
	r.Agent("backend").When(modelapi.Says("work on"), say("worked on."))
	m := r.upInShell("backend")
	before := r.listed("backend").PID

	r.Signal(r.attached(), syscall.SIGKILL)
	m.WaitGone("watching")
	m.Keys("Enter")
	m.usableShell()

	m.Type("ccmux attach")
	m.Keys("Enter")
	m.Wait("watching")
	r.Signal(r.attached(), syscall.SIGTSTP)
	m.Wait("Stopped")
	m.usableShell()
	m.Type("fg")
	m.Keys("Enter")
	m.Wait("watching")

	r.Signal(r.attached(), syscall.SIGSTOP)
	r.Eventually("ccmux to answer others meanwhile", func() bool { return r.listed("backend").State == "idle" })
	m.WaitGone("watching") // nobody says goodbye for a frozen process: ccmux finds out
	m.usableShell()
	m.Type("fg")
	m.Keys("Enter")
	m.WaitGone("Stopped")
	m.Wait("watching")
	m.Prompt(0, "work on it")
	m.Wait("worked on.")
	if after := r.listed("backend").PID; after != before {
		t.Errorf("pid %d, was %d", after, before)
	}
}

// A terminal that takes nothing does not slow the one beside it.
func TestTerminalNobodyReads(t *testing.T) {
	t.Parallel()
	r := newRig(t, newest)
	r.Agent("backend").Whenever(20, modelapi.Says("say it"), say("said so."))
	m := r.Up("backend")
	r.deafTerminal("attach")
	r.Eventually("two screens", func() bool { return r.screensAttached() == 2 })
	m.Prompt(0, "say it now")
	m.Wait("said so.")
	m.WaitGone("esc to interrupt")
	// Whole frames fill the deaf terminal; then it is let go.
	width := 160
	r.Eventually("the deaf terminal to be let go", func() bool {
		width = 310 - width // 150, 160, 150, …
		m.Resize(width, 45)
		return r.screensAttached() == 1
	})
	m.Resize(160, 45)
	m.Prompt(0, "say it again")
	r.Turn("backend", modelapi.Says("say it again"))
	m.Wait("watching")
}
