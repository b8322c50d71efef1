//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// Where channels are off the new version's own messaging socket takes their
// place: proven without a model call, a task begins a turn by itself and is
// answered, and a burst of notes is all there.
func TestWithoutChannelsClaudesOwnSocketDelivers(t *testing.T) {
	t.Parallel()
	r := newRig(t, newest, WithoutFlags())
	r.Mode(newest.Manual)
	r.Agent("backend").
		When(modelapi.Gets("task", "report over the socket"), answer("reported"), say("told.")).
		Whenever(40, modelapi.Gets("note", ""), say("noted."))
	m := r.UpWithoutChannels("backend")
	r.Fact("the proof", of("RouteProven", "backend").with("route", "socket"))
	if n := len(r.API.Requests("backend")); n != 0 {
		t.Errorf("the proof took %d model calls", n)
	}
	r.ccmux("send", "backend", "--kind", "task", "report over the socket & <b> 'now'")
	turn := r.Turn("backend", modelapi.Gets("task", "report over the socket"))
	if e := turn.Events()[0]; e.Attr["sender"] != "you" || e.Background {
		t.Errorf("it came as %+v", e)
	}
	r.Fact("its answer", of("Posted", "backend").with("message.content", "reported"))
	if seen := r.Fact("the receipt", of("Seen", "backend")); seen.Text("route") != "socket" || seen.Text("proof") != "gate" {
		t.Errorf("seen as %v", seen)
	}
	m.Wait("told.")
	const burst = 40
	for range burst {
		r.ccmux("send", "backend", "one of many")
	}
	r.Eventually("all of a burst seen", func() bool { return len(r.Facts(of("Seen", "backend"))) == burst+1 })
	if n := len(r.Facts(of("RouteLost", "backend").with("route", "socket"))); n != 0 {
		t.Errorf("the route was lost %d times", n)
	}
}

// withoutSocket takes claude's own sockets away, before ccmux tries them.
func (r *Rig) withoutSocket() {
	r.T.Helper()
	r.Eventually("the sockets to be gone", func() bool {
		paths, err := filepath.Glob(filepath.Join(r.root, "run", "cc-socks", "*.sock"))
		for _, path := range paths {
			_ = os.Remove(path) // the next look tells
		}
		return err == nil && (len(paths) > 0 || r.Version == oldest)
	})
}

// What a note says in the middle of a turn over the socket does not begin another,
// and is on record as background.
func TestANoteOverTheSocketInARunningTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t, newest, WithoutFlags())
	r.Mode("acceptEdits")
	gate := modelapi.NewGate()
	r.Agent("backend").When(modelapi.Says("work on"), func(*Turn) []modelapi.Part {
		return append([]modelapi.Part{modelapi.Hold(gate)}, bash("touch made.txt")(nil)...)
	}, say("worked on."))
	m := r.UpWithoutChannels("backend")
	r.Fact("the proof", of("RouteProven", "backend").with("route", "socket"))
	m.Prompt(0, "work on it")
	<-gate.Reached()
	r.ccmux("send", "backend", "by the way")
	r.Fact("the offer", of("Offered", "backend"))
	gate.Open()
	seen := r.Fact("the receipt", of("Seen", "backend"))
	m.Wait("worked on.")
	var with []string
	for _, q := range r.API.Requests("backend") {
		if text := q.UserText() + q.NoteText(); strings.Contains(text, "by the way") {
			with = append(with, text)
		}
	}
	if len(with) == 0 {
		t.Errorf("the model never saw it; the receipt is %v\n%s", seen, r.API.Digest())
	}
}
