package supervisor

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/journal"
	"github.com/ccmux/ccmux/supervisor/router"
)

// BenchmarkAllStates is tasks through every state, each durable on disk: written,
// offered, seen, answered, and the reply written, offered and seen. What claude
// and its processes do in between is left out: sixteen senders and as many
// receivers that answer at once. Beside it a bare append with fsync, of which a
// task waits for six or so, one after the other. A message is a task or a reply. The aim:
// ≥ 1,500 messages a second.
func BenchmarkAllStates(b *testing.B) {
	j, err := journal.Open(b.Context(), filepath.Join(b.TempDir(), "journal"), journal.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	l := newLoop(j, slog.New(slog.DiscardHandler), time.Now)
	if err := l.load(b.Context()); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer func() { cancel(); <-l.done }()
	done := make(chan struct{}, 1024)
	l.ahead = offers
	l.settled = (&ready{l: l, done: done}).settled
	go l.run(ctx)
	const pairs = 16
	peers := make([]router.PeerID, 2*pairs)
	for i := range peers {
		peers[i] = readyPeer(b, l, i)
	}
	work := make(chan int)
	var wg sync.WaitGroup
	for range pairs {
		wg.Go(func() {
			for i := range work {
				to := name(pairs + i%pairs)
				_, err := l.submit(ctx, router.Send{ID: newID(), From: peers[i%pairs], To: []string{to}, Kind: wire.KindTask, Content: "what is the port?"})
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	start, n := time.Now(), 0
	feed, answered := 0, 0
	for b.Loop() {
		n++
		for sent := false; !sent; {
			select {
			case work <- feed:
				feed, sent = feed+1, true
			case <-done:
				answered++
			}
		}
		for feed-answered >= 8*pairs { // what is not answered yet stays bounded
			<-done
			answered++
		}
	}
	close(work)
	for ; answered < feed; answered++ {
		<-done
	}
	wg.Wait()
	b.ReportMetric(float64(2*n)/time.Since(start).Seconds(), "messages/s")
	b.ReportMetric(1500, "aim-messages/s")
	b.ReportMetric(fsyncFloor(b), "fsync-p50-µs")
}

// fsyncFloor is what a bare append that waits for the disk takes now.
func fsyncFloor(b *testing.B) float64 {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	took := make([]time.Duration, 50)
	for i := range took {
		start := time.Now()
		if _, err = f.Write(make([]byte, 4096)); err == nil {
			err = f.Sync()
		}
		if err != nil {
			b.Fatal(err)
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return float64(took[len(took)/2].Nanoseconds()) / 1000
}

func name(i int) string { return "peer" + string(rune('A'+i/26)) + string(rune('A'+i%26)) }

// readyPeer is a session that runs, is idle, and has its channel proven.
func readyPeer(b testing.TB, l *loop, i int) router.PeerID {
	b.Helper()
	res, err := l.submit(b.Context(), router.AddPeer{Name: name(i)})
	if err != nil {
		b.Fatal(err)
	}
	id := res.Peer
	for _, c := range []router.Command{
		router.StartSession{SessionStarted: router.SessionStarted{Peer: id, PID: 100 + i, Started: time.Now()}},
		router.ProveRoute{RouteProven: router.RouteProven{Peer: id, Route: wire.RouteChannel, How: "bench"}},
		router.SetSession{SessionStateChanged: router.SessionStateChanged{Peer: id, State: router.Idle}},
	} {
		if _, err := l.submit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	return id
}

// ready plays sessions that see what they are offered, answer tasks at once, and
// are idle again.
type ready struct {
	l    *loop
	done chan struct{}
}

func (r *ready) settled(s *router.State, events []router.Event) {
	for _, e := range events {
		switch b := e.Body.(type) {
		case router.Offered:
			r.l.follow(router.Admit{Peer: b.Peer, Message: b.Message})
		case router.Seen:
			r.saw(s, b)
		}
	}
}

func (r *ready) saw(s *router.State, b router.Seen) {
	m, ok := s.Message(b.Message)
	if ok && m.Kind == wire.KindTask {
		r.l.follow(router.Respond{ID: newID(), From: b.Peer, TaskID: m.Thread, InReplyTo: m.ID, Content: "8080"})
	}
	r.l.follow(router.SetSession{SessionStateChanged: router.SessionStateChanged{Peer: b.Peer, State: router.Idle}})
	if ok && m.Kind == wire.KindReply {
		r.done <- struct{}{}
	}
}
