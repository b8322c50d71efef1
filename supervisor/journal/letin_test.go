package journal

import (
	"slices"
	"testing"

	"github.com/ccmux/ccmux/supervisor/router"
)

func TestWhatTheGateLetInSinceTheLastStart(t *testing.T) {
	j, tl := mustOpen(t, newDir(t), Options{}), &timeline{at: day}
	seen := func(n int, peer router.PeerID, proof string) router.Event {
		return tl.event(router.Seen{Message: messageID(n), Peer: peer, Proof: proof})
	}
	if ids, err := j.LetIn(t.Context(), "p-2"); err != nil || len(ids) > 0 {
		t.Fatalf("an empty journal gives %v, %v", ids, err)
	}
	mustCommit(t, j, nil,
		seen(1, "p-2", "gate"),
		tl.event(router.SessionStarted{Peer: "p-2"}),
		seen(2, "p-2", "gate"),
		seen(3, "p-2", "tool"),
		tl.event(router.SessionStarted{Peer: "p-3"}),
		seen(4, "p-3", "gate"),
		tl.event(router.SessionEnded{Peer: "p-2"}),
		seen(5, "p-2", "gate"),
	)
	want := []router.MessageID{messageID(5), messageID(2)}
	if ids, err := j.LetIn(t.Context(), "p-2"); err != nil || !slices.Equal(ids, want) {
		t.Errorf("let in: %v, %v; want %v", ids, err, want)
	}
}
