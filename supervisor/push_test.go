package supervisor

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// pushed is a ccmux of a loop and two idle sessions, each with a channel process
// that has room for so many pushes and reads none.
func pushed(t *testing.T, room map[string]int) (*Supervisor, map[string]*run) {
	t.Helper()
	s := &Supervisor{log: slog.New(slog.DiscardHandler), loop: newLoop(newMemory(), slog.New(slog.DiscardHandler), time.Now)}
	s.sessions, s.posts, s.requests, s.timeline = newSessions(s), newPosts(), newRequests(), newTimeline()
	s.loop.ahead, s.loop.settled = offers, s.settled
	if err := s.loop.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go s.loop.run(ctx)
	t.Cleanup(func() {
		cancel()
		<-s.loop.done
	})
	mustSubmit(t, s.loop, router.AddPeer{Name: wire.You, Class: wire.ClassHuman})
	runs := map[string]*run{}
	for i, name := range []string{"api", "web"} {
		id := mustSubmit(t, s.loop, router.AddPeer{Name: name, Dir: "/" + name}).Peer
		e := &entry{s: s, peer: id, name: name}
		e.run = &run{
			entry: e, peer: id, socket: newMessaging(), heard: true, proven: true,
			channel: &link{pushes: make(chan wire.Deliver, room[name]), lost: make(chan struct{}, 1)},
		}
		s.sessions.entries[id], runs[name] = e, e.run
		mustSubmit(t, s.loop, router.StartSession{SessionStarted: router.SessionStarted{Peer: id, PID: i + 1, Started: time.Now()}})
		mustSubmit(t, s.loop, router.ProveRoute{RouteProven: router.RouteProven{Peer: id, Route: wire.RouteHook, How: "a hook came"}})
		mustSubmit(t, s.loop, router.ProveRoute{RouteProven: router.RouteProven{Peer: id, Route: wire.RouteChannel, How: "the probe"}})
		mustSubmit(t, s.loop, router.SetSession{SessionStateChanged: router.SessionStateChanged{Peer: id, State: router.Idle}})
	}
	return s, runs
}

// TestAChannelProcessThatTakesNoMore loses its route and nothing else: the mail
// goes by the next one, and other sessions have theirs.
func TestAChannelProcessThatTakesNoMore(t *testing.T) {
	const notes = 5
	s, runs := pushed(t, map[string]int{"api": 2, "web": maxPushes})
	for i := range notes {
		mustSubmit(t, s.loop, router.Send{
			ID: router.MessageID(fmt.Sprintf("m-%d", i)), From: router.Human, To: []string{"api", "web"}, Kind: wire.KindNote, Content: fmt.Sprint("note ", i),
		})
	}
	for range 3 { // each is behind what follows of what came before: the offer, the push, the loss
		mustSubmit(t, s.loop, router.Tick{})
	}
	s.loop.read(func(*router.State) {})
	if n := len(runs["api"].channel.pushes); n != 2 {
		t.Errorf("%d pushes wait for api's channel process; want the two it has room for", n)
	}
	if n := len(runs["web"].channel.pushes); n != notes {
		t.Errorf("%d pushes wait for web's; want all %d", n, notes)
	}
	v := s.loop.look()
	api, _ := v.Named("api")
	if api.Session.Route != wire.RouteHook || len(runs["api"].channel.lost) != 1 || runs["api"].proven {
		t.Errorf("api is reached by %s (%s); want it by the hook, and the channel to be proven anew", api.Session.Route, api.Session.RouteWhy)
	}
	if web, _ := v.Named("web"); web.Session.Route != wire.RouteChannel {
		t.Errorf("web is reached by %s; want it by the channel still", web.Session.Route)
	}
	s.loop.read(func(state *router.State) {
		due := idsOf(state.DueAtEdge(api.ID, time.Now()))
		if want := []router.MessageID{"m-0", "m-1", "m-2", "m-3", "m-4"}; !slices.Equal(due, want) {
			t.Errorf("%v are due to api at the edge of a turn; want %v", due, want)
		}
	})
}

// TestMailForAnIdleSessionWaitsForTheDiskOnce: the offer is in the commit that
// brings the message, and the push comes behind it.
func TestMailForAnIdleSessionWaitsForTheDiskOnce(t *testing.T) {
	s, runs := pushed(t, map[string]int{"api": maxPushes, "web": maxPushes})
	st := s.loop.store.(*memory)
	before := st.commits
	res := mustSubmit(t, s.loop, router.Send{ID: "m-1", From: router.Human, To: []string{"api", "web"}, Kind: wire.KindTask, Content: "go"})
	s.loop.read(func(state *router.State) { // behind the push
		for name, r := range runs {
			if d, _ := state.Delivery("m-1", r.peer); d.State != wire.Offered || len(r.channel.pushes) != 1 {
				t.Errorf("%s: %s, %d pushes; want it offered and pushed", name, d.State, len(r.channel.pushes))
			}
		}
	})
	if n := st.commits - before; n != 1 || res.Message == nil {
		t.Errorf("a task to two idle sessions took %d commits; want one", n)
	}
}
