package router

import (
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestNames(t *testing.T) {
	w := team(t, "api", "web")
	w.refused(AddPeer{Name: "api", Dir: "/elsewhere"}, "", "there is a session named \"api\" already")
	w.refused(AddPeer{Name: "you"}, "", "reserved")
	w.refused(AddPeer{Name: "a b"}, "", "use 1 to 64")
	w.refused(AddPeer{Name: "x", Class: wire.ClassRemote}, "", "cannot join yet")
	w.refused(RemovePeer{Peer: w.id("api")}, "", "still runs")
	w.refused(Rename{Peer: w.id("web"), Name: "api"}, wire.CodeDenied, "known already")
	w.refused(Rename{Peer: w.id("web"), Name: "team", Taken: []string{"team"}}, wire.CodeDenied, "known already")
	w.refused(Rename{Peer: Human, Name: "me"}, wire.CodeDenied, "always named")
	api := w.id("api")
	w.do(Rename{Peer: api, Name: "server"})
	w.restart()
	w.refused(Rename{Peer: w.id("web"), Name: "api"}, wire.CodeDenied, "known already")
	w.refused(AddPeer{Name: "api", Dir: "/api"}, "", "is now server")
	w.refused(Send{ID: w.newID(), From: Human, To: []string{"api"}, Content: "x"}, wire.CodeUnknown, "server has that mail")
	w.do(EndSession{SessionEnded{Peer: api, State: Stopped}})
	m := w.send("web", wire.KindTask, "server")
	w.do(RemovePeer{Peer: api})
	w.wantState0(api, m.ID, wire.Refused)
	w.refused(AddPeer{Name: "server", Dir: "/other"}, "", "belongs to a session in /api")
	if r := w.do(AddPeer{Name: "server", Dir: "/api"}); r.Peer != api {
		t.Fatalf("%+v", r)
	}
}

func (w *world) wantState0(id PeerID, m MessageID, want wire.Delivery) {
	w.t.Helper()
	if d, ok := w.s.Delivery(m, id); !ok || d.State != want {
		w.t.Fatalf("%+v", d)
	}
}

func TestRooms(t *testing.T) {
	w := team(t, "a", "b", "c")
	if r := w.do(JoinRoom{Peer: w.id("a"), Room: "#dev"}); r.Reason != "created" || r.Room.Name != "dev" {
		t.Fatalf("%+v", r)
	}
	post := func(from string) Send { return Send{ID: w.newID(), From: w.id(from), Room: "dev", Content: "hi"} }
	w.refused(post("a"), "", "nobody else is in the room #dev")
	w.refused(post("b"), wire.CodeDenied, "you are not in the room #dev")
	if r := w.do(JoinRoom{Peer: w.id("b"), Room: "dev"}); r.Reason != "joined" || len(r.Room.Members) != 2 {
		t.Fatalf("%+v", r)
	}
	w.refused(CreateRoom{From: w.id("c"), Room: "dev"}, "", "join it")
	w.refused(CreateRoom{From: w.id("c"), Room: "ops", Members: []string{"zed"}}, wire.CodeUnknown, "no peer is named")
	w.refused(CreateRoom{From: w.id("c"), Room: "a b"}, "", "not a usable name")
	w.refused(LeaveRoom{Peer: w.id("c"), Room: "dev"}, "", "not in the room")
	w.refused(Send{ID: w.newID(), From: w.id("a"), Room: "nope", Content: "x"}, wire.CodeUnknown, "there is no room")
	w.do(EndSession{SessionEnded{Peer: w.id("b"), State: Stopped}})
	res := w.do(post("a"))
	if len(res.Recipients) != 1 || res.Recipients[0].Reason != "b is stopped" || res.Message.Room != "dev" {
		t.Fatalf("%+v", res)
	}
	w.do(JoinRoom{Peer: w.id("c"), Room: "dev"}) // fixed at posting: c does not get it
	w.wantDue("c")
	w.start("b")
	w.deliver("b", res.Message.ID)
	for _, n := range []string{"a", "b"} {
		w.do(LeaveRoom{Peer: w.id(n), Room: "dev"})
	}
	if r := w.do(LeaveRoom{Peer: w.id("c"), Room: "dev"}); !r.Room.Archived {
		t.Fatalf("%+v", r.Room)
	}
	w.restart()
	w.refused(post("a"), wire.CodeUnknown, "there is no room")
	w.do(CreateRoom{From: w.id("a"), Room: "dev", Members: []string{"b", "a", "b"}})
	if r := w.s.View().Rooms[0]; r.Archived || len(r.Members) != 2 {
		t.Fatalf("%+v", r)
	}
}
