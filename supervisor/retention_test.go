package supervisor

import (
	"log/slog"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/journal"
	"github.com/ccmux/ccmux/supervisor/router"
)

func TestWhatIsOlderThanTheRetentionIsDeleted(t *testing.T) {
	t.Parallel()
	j, err := journal.Open(t.Context(), t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	l := newLoop(j, slog.New(slog.DiscardHandler), time.Now)
	if err := l.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); l.run(t.Context()) }()
	mustSubmit(t, l, router.AddPeer{Name: wire.You, Class: wire.ClassHuman})
	api := mustSubmit(t, l, router.AddPeer{Name: "api", Class: wire.ClassSession, Dir: "/api"}).Peer
	for _, id := range []router.MessageID{"m-over", "m-open"} {
		mustSubmit(t, l, router.Send{ID: id, From: api, To: []string{wire.You}, Kind: wire.KindNote, Content: "hello"})
	}
	mustSubmit(t, l, router.Read{Peer: router.Human, Messages: []router.MessageID{"m-over"}, Proof: "screen"})
	s := &Supervisor{journal: j, loop: l, log: l.log}
	left := func() (ids []router.MessageID) {
		rows, _, err := j.History(t.Context(), journal.Query{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			ids = append(ids, r.Message.ID)
		}
		return ids
	}
	later := &loop{now: func() time.Time { return time.Now().Add(40 * day) }}
	s.loop = later
	if err := s.pruneOld(t.Context()); err != nil || len(left()) != 2 {
		t.Fatalf("without a retention %v are left, %v; want both", left(), err)
	}
	s.retention.Store(30)
	if err := s.pruneOld(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ids := left(); len(ids) != 1 || ids[0] != "m-open" {
		t.Errorf("%v are left; want the one that nobody has seen yet", ids)
	}
}
