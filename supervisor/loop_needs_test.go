package supervisor

import (
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// TestALoadedMessageBringsItsThread: what has ended is not in memory after a
// start; a command about it loads the message, and then the thread it is in.
func TestALoadedMessageBringsItsThread(t *testing.T) {
	st := newMemory()
	l := startLoop(t, st)
	mustSubmit(t, l, router.AddPeer{Name: wire.You, Class: wire.ClassHuman})
	api := mustSubmit(t, l, router.AddPeer{Name: "api"}).Peer
	mustSubmit(t, l, router.StartSession{SessionStarted: router.SessionStarted{Peer: api, PID: 1, Started: time.Now()}})
	mustSubmit(t, l, router.ProveRoute{RouteProven: router.RouteProven{Peer: api, Route: wire.RouteChannel}})
	mustSubmit(t, l, router.SetSession{SessionStateChanged: router.SessionStateChanged{Peer: api, State: router.Idle}})
	note := mustSubmit(t, l, router.Send{ID: newID(), From: router.Human, To: []string{"api"}, Kind: wire.KindNote, Content: "hello"}).Message
	mustSubmit(t, l, router.Offer{Peer: api, Messages: []router.MessageID{note.ID}, Route: wire.RouteChannel})
	mustSubmit(t, l, router.Admit{Peer: api, Message: note.ID})

	again := startLoop(t, st)
	mustSubmit(t, again, router.Unsee{Peer: api, Messages: []router.MessageID{note.ID}})
	for _, th := range again.look().Threads {
		if th.ID == note.Thread && th.Messages[0].Deliveries[0].State == wire.Waiting {
			return
		}
	}
	t.Errorf("the threads are %+v; want %s with a note that waits", again.look().Threads, note.Thread)
}
