package router

import (
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestExpiry(t *testing.T) {
	w := team(t, "a", "b")
	w.set("b", Busy)
	send := func(kind wire.Kind) Message {
		return *w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Kind: kind, Content: "x", ExpiresAt: w.at.Add(time.Minute)}).Message
	}
	late, gone := send(wire.KindTask), send(wire.KindTask)
	after := w.send("a", wire.KindTask, "b")
	if next := w.s.NextTick(); !next.Equal(w.at.Add(time.Minute)) {
		t.Fatal(next)
	}
	w.at = w.at.Add(2 * time.Minute)
	if r := w.admit("b", late.ID, false); r.Admitted || r.Reason != "expired" {
		t.Fatalf("%+v", r)
	}
	w.set("b", Idle)
	w.wantDue("b", after.ID) // what is over stands aside before any tick
	w.do(Tick{})
	w.wantState("b", gone.ID, wire.Expired)
	if !w.s.NextTick().IsZero() {
		t.Fatal(w.s.NextTick())
	}
	w.refused(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Content: "x", ExpiresAt: w.at}, "", "expired already")
	w.do(Observe{Peer: w.id("b"), Message: gone.ID, Proof: "transcript"})
	w.wantState("b", gone.ID, wire.Seen) // the gate failed open: what was seen was seen
}

func TestWithdraw(t *testing.T) {
	w := team(t, "a", "b", "c")
	m := w.send("a", wire.KindTask, "b", "c")
	w.deliver("b", m.ID)
	w.offer("c", m.ID)
	w.refused(Withdraw{Message: m.ID, By: Actor{Kind: ByPeer, Peer: w.id("b")}}, wire.CodeDenied, "only a or the human")
	w.do(Withdraw{Message: m.ID, By: Actor{Kind: ByPeer, Peer: w.id("a")}})
	w.wantState("b", m.ID, wire.Seen)
	w.wantState("c", m.ID, wire.Withdrawn)
	if r := w.admit("c", m.ID, false); r.Admitted || r.Reason != "withdrawn" {
		t.Fatalf("%+v", r)
	}
	w.refused(Withdraw{Message: m.ID, By: Actor{Kind: ByHuman}}, "", "nothing to withdraw")
}

func TestTheHumanIsAPeer(t *testing.T) {
	w := team(t, "a")
	m := w.send("a", wire.KindTask, "you")
	if d := w.wantState("you", m.ID, wire.Offered); d.Route != wire.RouteScreen {
		t.Fatalf("%+v", d)
	}
	w.refused(Read{Peer: w.id("a"), Messages: []MessageID{m.ID}, Proof: "tool"}, wire.CodeUnknown, "no message")
	w.do(Read{Peer: Human, Messages: []MessageID{m.ID}, Proof: "screen"})
	w.wantState("you", m.ID, wire.Seen)
	if v, _ := w.s.View().Peer(Human); v.Owes != 1 || v.Unread != 0 || !v.Online {
		t.Fatalf("%+v", v)
	}
	r := w.do(Respond{ID: w.newID(), From: Human, TaskID: m.Thread, Content: "yes"})
	w.deliver("a", r.Message.ID)
	if w.admit("you", m.ID, false).Admitted {
		t.Fatal("the human has no gate")
	}
}

func TestHoldAndRelease(t *testing.T) {
	w := team(t, "a", "b")
	human := Actor{Kind: ByHuman}
	early := w.send("a", wire.KindNote, "b")
	w.do(Hold{Peer: w.id("b"), By: human, Why: "wait for me"})
	late := *w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Content: "x"}).Message
	w.wantDue("b")
	if d := w.wantState("b", late.ID, wire.Held); d.Reason != "everything to b is held: wait for me" {
		t.Fatal(d.Reason)
	}
	w.restart()
	if v := w.s.View(); v.Held != 2 {
		t.Fatal(v.Held)
	}
	if r := w.admit("b", early.ID, false); r.Admitted {
		t.Fatal("a held message was admitted")
	}
	w.refused(Release{Peer: w.id("b"), By: Actor{Kind: ByPeer, Peer: w.id("a")}}, wire.CodeDenied, "only the human")
	w.do(Release{Message: late.ID, By: human})
	w.wantDue("b", late.ID)
	w.do(Release{Peer: w.id("b"), By: human})
	w.wantDue("b", early.ID, late.ID)
	w.refused(Release{Peer: w.id("b"), By: human}, "", "nothing of that is held")
	w.do(JoinRoom{Peer: w.id("a"), Room: "x"})
	w.do(JoinRoom{Peer: w.id("b"), Room: "x"})
	w.do(Hold{Room: "#x", By: human})
	m := *w.do(Send{ID: w.newID(), From: w.id("a"), Room: "x", Content: "x"}).Message
	w.wantState("b", m.ID, wire.Held)
	w.do(Release{Room: "x", By: human})
	w.wantDue("b", early.ID, late.ID, m.ID)
}

func TestAProofThatSaysMoreReplacesOneThatSaysLess(t *testing.T) {
	w := team(t, "a", "b")
	m := w.send("a", wire.KindTask, "b")
	see := func(background bool) {
		w.do(Observe{Peer: w.id("b"), Message: m.ID, Proof: "transcript", Background: background})
	}
	see(true)
	n := len(w.events)
	see(true)
	if len(w.events) != n {
		t.Fatal("the same proof was recorded twice")
	}
	w.wantDue("b", m.ID)
	see(false)
	w.wantDue("b")
	see(true) // what was seen as a turn of its own stays so
	if d := w.wantState("b", m.ID, wire.Seen); d.Background {
		t.Fatalf("%+v", d)
	}
	w.refused(Observe{Peer: w.id("b"), Message: m.ID, Proof: "hope"}, "", "is not a proof")
	w.refused(Observe{Peer: w.id("a"), Message: m.ID, Proof: "tool"}, wire.CodeUnknown, "no message")
	w.refused(Read{Peer: w.id("b"), Messages: []MessageID{m.ID}, Proof: "screen"}, "", "is not a proof")
}

func TestSessionsAndRoutes(t *testing.T) {
	w := team(t, "a")
	a := w.id("a")
	n := len(w.events)
	w.set("a", Idle)
	w.do(ProveRoute{RouteProven{Peer: a, Route: wire.RouteChannel, How: "probe"}})
	w.do(StartSession{SessionStarted{Peer: a, PID: w.s.Session(a).PID, Started: w.s.Session(a).Started}})
	if len(w.events) != n {
		t.Fatalf("what was known was recorded again: %+v", w.events[n:])
	}
	if v := w.s.Session(a); v.Route != wire.RouteChannel || v.RouteWhy != "probe" || v.State != Idle {
		t.Fatalf("%+v", v)
	}
	w.do(LoseRoute{RouteLost{Peer: a, Route: wire.RouteChannel, Why: "channels are off"}})
	w.do(ProveRoute{RouteProven{Peer: a, Route: wire.RouteHook, How: "it ran"}})
	if v := w.s.Session(a); v.Route != wire.RouteHook || v.RouteWhy != "channels are off" || w.s.Route(a) != "" {
		t.Fatalf("%+v", v)
	}
	w.refused(SetSession{SessionStateChanged{Peer: a, State: Exited}}, "", "not a state of a running session")
	w.refused(EndSession{SessionEnded{Peer: a, State: Busy}}, "", "not a way for a session to end")
	w.refused(ProveRoute{RouteProven{Peer: a, Route: wire.RouteScreen}}, "", "not a route")
	w.refused(LoseRoute{RouteLost{Peer: a, Route: "pigeon"}}, "", "not a route")
	w.refused(StartSession{SessionStarted{Peer: Human, PID: 1}}, "", "has no session")
	w.refused(StartSession{SessionStarted{Peer: "p-9", PID: 1}}, wire.CodeUnknown, "no peer")
	w.do(StartSession{SessionStarted{Peer: a, PID: 7, Started: w.at}}) // the end of the one before went by unseen
	if v := w.s.Session(a); v.PID != 7 || v.State != Starting || v.Route != "" {
		t.Fatalf("%+v", v)
	}
	w.do(EndSession{SessionEnded{Peer: a, State: Stopped}})
	for _, c := range []Command{
		SetSession{SessionStateChanged{Peer: a, State: Idle}},
		EndSession{SessionEnded{Peer: a, State: Exited}},
		ProveRoute{RouteProven{Peer: a, Route: wire.RouteChannel}},
		LoseRoute{RouteLost{Peer: a, Route: wire.RouteChannel}},
	} {
		w.refused(c, "", "no session of a runs")
	}
}

func TestTrust(t *testing.T) {
	w := newWorld(t)
	trust := TrustConfig{ConfigTrusted{Path: "/p/ccmux.toml", Hash: "ab", By: human}}
	w.refused(TrustConfig{ConfigTrusted{Path: "/p", Hash: "ab", By: Actor{Kind: ByPeer}}}, wire.CodeDenied, "only the human")
	w.refused(TrustConfig{ConfigTrusted{By: human}}, "", "the path of the team file")
	w.do(trust)
	w.do(trust)
	w.restart()
	if w.s.Trusted("/p/ccmux.toml") != "ab" || w.s.Trusted("/q") != "" {
		t.Fatal("forgotten")
	}
	if v, ok := w.s.View().Named("you"); !ok || v.ID != Human {
		t.Fatal(v)
	}
}
