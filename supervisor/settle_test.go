package supervisor

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
)

// TestARequestTheSessionHasNotHeardOfStaysOpen: two subagents ask at once. The
// dialog of the first, and its end, say nothing of the second, whose hook the
// session is told of a moment later.
func TestARequestTheSessionHasNotHeardOfStaysOpen(t *testing.T) {
	s := &Supervisor{log: slog.New(slog.DiscardHandler)}
	s.loop = startLoop(t, newMemory())
	peer := readyPeer(t, s.loop, 0)
	s.sessions, s.requests = newSessions(s), newRequests()
	cat := session.Spec{Name: name(0), Argv: []string{"/bin/cat"}, Dir: t.TempDir()}
	slot := session.NewSlot(session.SlotConfig{Build: func(session.Attempt) (session.Spec, error) { return cat, nil }})
	t.Cleanup(func() { _ = slot.Close(context.Background()) })
	if err := slot.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := newRun(&entry{s: s, peer: peer, name: name(0), slot: slot})
	if err != nil {
		t.Fatal(err)
	}
	r.sess = slot.Session()
	close(r.started)

	asks := func(command string) string {
		return mustSubmit(t, s.loop, router.AskPermission{Notice: newID(), Permission: router.Permission{
			Peer: peer, Tool: "Bash", Input: []byte(`{"command":"` + command + `"}`), Source: router.SourceHook,
		}}).Permission
	}
	first, second := asks("first"), asks("second")
	heard := session.HookSign{Event: session.PermissionRequest, At: time.Now(), Tool: "Bash", RequestID: first}
	r.sess.Hook(heard)
	r.arm(first, asker{agent: "sub"})
	r.settleRequests()
	heard.Event = session.RequestReturned
	r.sess.Hook(heard)
	r.settleRequests()
	if open := r.openRequests(); len(open) != 1 || open[0].ID != second {
		t.Errorf("open are %+v; want the second", open)
	}
}
