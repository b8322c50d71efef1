package router

import (
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestADeafSessionIsNeverSeen(t *testing.T) {
	w := newWorld(t)
	w.do(AddPeer{Name: "deaf", Dir: "/d"})
	w.do(StartSession{SessionStarted{Peer: w.id("deaf"), PID: 1, Started: w.at}})
	w.do(LoseRoute{RouteLost{Peer: w.id("deaf"), Route: wire.RouteChannel, Why: "channels are off"}})
	w.set("deaf", Idle)
	m := w.send("you", wire.KindTask, "deaf")
	if d := w.wantState("deaf", m.ID, wire.Waiting); d.Reason != "deaf has no proven route: channels are off" {
		t.Fatal(d.Reason)
	}
	w.wantDue("deaf")
	w.refused(Offer{Peer: w.id("deaf"), Messages: []MessageID{m.ID}, Route: wire.RouteChannel}, "", "not proven")
	if edge := w.s.DueAtEdge(w.id("deaf"), w.at); len(edge) != 1 { // the next path
		t.Fatalf("%v", edge)
	}
	if mail := w.s.Mail(w.id("deaf")); len(mail) != 1 || mail[0].ID != m.ID { // and the one it pulls
		t.Fatalf("%v", mail)
	}
	w.do(Offer{Peer: w.id("deaf"), Messages: []MessageID{m.ID}, Route: wire.RouteInbox})
	w.wantState("deaf", m.ID, wire.Offered)
	w.do(Read{Peer: w.id("deaf"), Messages: []MessageID{m.ID}, Proof: "tool"})
	if d := w.wantState("deaf", m.ID, wire.Seen); d.Route != wire.RouteInbox || d.Proof != "tool" {
		t.Fatalf("%+v", d)
	}
}

func TestAPushNobodyShowsIsOfferedAgainThenTheRouteIsLost(t *testing.T) {
	w := team(t, "a", "b")
	m := w.send("a", wire.KindTask, "b")
	second := w.send("a", wire.KindTask, "b")
	w.offer("b", m.ID)
	w.wantDue("b")
	w.do(Tick{})
	w.wantState("b", m.ID, wire.Offered) // too early to say
	if next := w.s.NextTick(); !next.Equal(w.at.Add(10 * time.Second)) {
		t.Fatalf("next tick %s", next)
	}
	w.at = w.at.Add(10 * time.Second)
	w.do(Tick{})
	w.wantState("b", m.ID, wire.Waiting)
	w.wantDue("b", m.ID)
	w.offer("b", m.ID)
	w.at = w.at.Add(10 * time.Second)
	w.do(Tick{})
	d := w.wantState("b", m.ID, wire.Waiting)
	if want := "b has no proven route: lost twice: the offer was not seen within 10s"; d.Reason != want || d.Offers != 2 {
		t.Fatalf("%+v", d)
	}
	w.wantState("b", second.ID, wire.Waiting)
	if w.s.Route(w.id("b")) != "" {
		t.Fatal("the route is still trusted")
	}
	w.do(ProveRoute{RouteProven{Peer: w.id("b"), Route: wire.RouteSocket, How: "probe"}})
	w.wantDue("b", m.ID)
	if r := w.admit("b", m.ID, false); !r.Admitted { // the first push came late after all
		t.Fatal(r.Reason)
	}
	if r := w.admit("b", m.ID, false); r.Admitted || r.Reason != "already seen" {
		t.Fatalf("%+v", r)
	}
	w.wantDue("b")
}

func TestAPushLostWhileBusyIsSeenOnce(t *testing.T) {
	w := team(t, "a", "b")
	w.set("b", Busy)
	m := w.send("a", wire.KindNote, "b")
	w.offer("b", m.ID)
	w.wantDue("b")
	w.at = w.at.Add(time.Minute)
	w.do(Tick{})
	w.wantState("b", m.ID, wire.Offered) // a busy session shows it when its turn ends
	w.set("b", Idle)
	w.do(Unoffer{Peer: w.id("b"), Why: "its turn ended without it"})
	w.deliver("b", m.ID)
	w.wantDue("b")
}

func TestAKilledReceiverGetsItsMailOnce(t *testing.T) {
	w := team(t, "a", "b")
	seen, lost := w.send("a", wire.KindNote, "b"), w.send("a", wire.KindNote, "b")
	w.offer("b", seen.ID, lost.ID)
	w.admit("b", seen.ID, false)
	w.do(EndSession{SessionEnded{Peer: w.id("b"), State: Failed, Detail: "signal: killed"}})
	if d := w.wantState("b", lost.ID, wire.Waiting); d.Reason != "b has failed" {
		t.Fatal(d.Reason)
	}
	w.restart()
	w.start("b")
	w.deliver("b", lost.ID)
	if r := w.admit("b", seen.ID, false); r.Admitted || r.Reason != "already seen" {
		t.Fatalf("%+v", r)
	}
}

func TestWaitingKeepsItsReasonAndSince(t *testing.T) {
	w := team(t, "a", "b")
	w.set("b", Busy)
	m := w.send("a", wire.KindTask, "b")
	since := w.at
	for range 60 { // a long turn changes nothing
		w.at = w.at.Add(10 * time.Second)
		n := len(w.events)
		w.do(Tick{})
		if len(w.events) != n {
			t.Fatalf("a tick made %+v", w.events[n:])
		}
	}
	if d := w.wantState("b", m.ID, wire.Waiting); d.Reason != "b is busy" || !d.Since.Equal(since) || d.Offers != 0 {
		t.Fatalf("%+v", d)
	}
	n := len(w.events)
	w.do(SetSession{SessionStateChanged{Peer: w.id("b"), State: NeedsYou, Detail: "trust"}})
	if len(w.events) != n+2 { // the state and one new reason
		t.Fatalf("%+v", w.events[n:])
	}
	if got := w.s.WaitingFor(w.id("b"), m.ID); got != "b needs you: trust" {
		t.Fatal(got)
	}
	w.set("b", Idle)
	w.set("b", Busy)
	w.set("b", Idle)
	w.deliver("b", m.ID)
}

func TestMailToAStoppedSessionIsReleasedAtItsStart(t *testing.T) {
	w := team(t, "a", "b")
	w.do(EndSession{SessionEnded{Peer: w.id("b"), State: Stopped}})
	res := w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Kind: wire.KindTask, Content: "x"})
	if d := res.Recipients[0]; d.State != wire.Waiting || d.Reason != "b is stopped" {
		t.Fatalf("%+v", d)
	}
	if v, _ := w.s.View().Peer(w.id("b")); v.Pending != 1 || v.Unread != 1 || v.Owes != 1 || v.Online {
		t.Fatalf("%+v", v)
	}
	w.start("b")
	w.deliver("b", res.Message.ID)
}

func TestATaskBlockedInARunningTurnComesAgain(t *testing.T) {
	w := team(t, "a", "b")
	for range 200 { // the receiver goes busy between the look and the push
		m := w.send("you", wire.KindTask, "b")
		w.wantDue("b", m.ID)
		w.offer("b", m.ID)
		if r := w.admit("b", m.ID, true); r.Admitted || r.Reason != "b is busy" {
			t.Fatalf("%+v", r)
		}
		w.wantState("b", m.ID, wire.Waiting)
		w.wantDue("b")
		w.set("b", Idle)
		w.deliver("b", m.ID)
		w.set("b", Idle)
		w.do(Respond{ID: w.newID(), From: w.id("b"), TaskID: m.Thread, Content: "done"})
		w.wantState("b", m.ID, wire.Answered)
	}
	if v, _ := w.s.View().Peer(w.id("b")); v.Owes != 0 || v.Pending != 0 {
		t.Fatalf("%+v", v)
	}
}

func TestATaskSeenAsBackgroundIsHandedOverAgain(t *testing.T) {
	w := team(t, "a", "b")
	m := w.send("a", wire.KindTask, "b")
	w.offer("b", m.ID)
	w.set("b", Busy)
	w.do(Observe{Peer: w.id("b"), Message: m.ID, Proof: "transcript", Background: true})
	if d := w.wantState("b", m.ID, wire.Seen); !d.Background {
		t.Fatalf("%+v", d)
	}
	w.wantDue("b")
	if edge := w.s.DueAtEdge(w.id("b"), w.at); len(edge) != 1 || edge[0].ID != m.ID {
		t.Fatalf("%v", edge)
	}
	w.do(Offer{Peer: w.id("b"), Messages: []MessageID{m.ID}, Route: wire.RouteHook})
	if edge := w.s.DueAtEdge(w.id("b"), w.at); len(edge) != 0 {
		t.Fatalf("%v", edge)
	}
	w.do(Observe{Peer: w.id("b"), Message: m.ID, Proof: "transcript"})
	w.set("b", Idle)
	w.wantDue("b")
	if edge := w.s.DueAtEdge(w.id("b"), w.at); len(edge) != 0 {
		t.Fatalf("%v", edge)
	}
	w.do(Respond{ID: w.newID(), From: w.id("b"), TaskID: m.Thread, Content: "done"})
}

func TestNotesGoAtOnceButNotIntoDialogs(t *testing.T) {
	w := team(t, "a", "b")
	for _, s := range []SessionState{Starting, NeedsYou, Asks} {
		w.set("b", s)
		m := w.send("a", wire.KindNote, "b")
		w.wantDue("b")
		w.wantState("b", m.ID, wire.Waiting)
		w.set("b", Busy)
		w.wantDue("b", m.ID)
		w.offer("b", m.ID)
		if r := w.admit("b", m.ID, true); !r.Admitted {
			t.Fatal(r.Reason)
		}
	}
}

func TestOrderOfASenderIsKept(t *testing.T) {
	w := team(t, "a", "b", "c")
	w.set("c", Busy)
	task, note := w.send("a", wire.KindTask, "c"), w.send("a", wire.KindNote, "c")
	if d := w.wantState("c", note.ID, wire.Waiting); d.Reason != "c is busy" {
		t.Fatalf("%+v", d) // it waits for what is before it
	}
	other := w.send("b", wire.KindNote, "c")
	w.wantDue("c", other.ID)
	w.offer("c", other.ID)
	w.admit("c", other.ID, true)
	w.set("c", Idle)
	w.wantDue("c", task.ID, note.ID)
	w.offer("c", task.ID, note.ID)
	if r := w.admit("c", note.ID, false); r.Admitted { // the first push was lost
		t.Fatal("the note overtook the task")
	}
	w.wantDue("c") // not pushed over and over behind it
	w.at = w.at.Add(11 * time.Second)
	w.do(Tick{})
	w.wantDue("c", task.ID) // the note follows once the task was seen
	w.offer("c", task.ID)
	w.admit("c", task.ID, false)
	w.wantDue("c", note.ID)
}

func TestMoreThanABatchGoesAsOneEvent(t *testing.T) {
	w := team(t, "a", "b")
	w.set("b", Busy)
	var ids []MessageID
	for range 25 {
		ids = append(ids, w.send("you", wire.KindTask, "b").ID)
	}
	w.set("b", Idle)
	w.wantDue("b", ids...)
	w.offer("b", ids...)
	w.wantDue("b")
	if r := w.do(AdmitAll{Peer: w.id("b"), Messages: ids, MidTurn: true}); r.Admitted {
		t.Fatal("25 tasks entered a running turn")
	}
	w.set("b", Idle)
	w.wantDue("b", ids...)
	w.offer("b", ids...)
	w.do(Withdraw{Message: ids[7], By: Actor{Kind: ByHuman}})
	if r := w.do(AdmitAll{Peer: w.id("b"), Messages: ids}); r.Admitted || r.Reason != "one of the messages is withdrawn already" {
		t.Fatalf("%+v", r)
	}
	ids = append(ids[:7:7], ids[8:]...)
	w.wantDue("b", ids...)
	w.offer("b", ids...)
	if r := w.do(AdmitAll{Peer: w.id("b"), Messages: ids}); !r.Admitted {
		t.Fatal(r.Reason)
	}
	if v, _ := w.s.View().Peer(w.id("b")); v.Owes != 24 || v.Pending != 0 {
		t.Fatalf("%+v", v)
	}
}

func TestOneTaskATurnBelowABatch(t *testing.T) {
	w := team(t, "a", "b")
	w.set("b", Busy)
	one, two := w.send("a", wire.KindTask, "b"), w.send("you", wire.KindTask, "b")
	w.set("b", Idle)
	w.wantDue("b", one.ID)
	w.offer("b", one.ID)
	w.wantDue("b")
	if got := w.s.WaitingFor(w.id("b"), two.ID); got != "b was offered a message it has not seen yet" {
		t.Fatal(got)
	}
	w.admit("b", one.ID, false)
	w.set("b", Idle)
	w.wantDue("b", two.ID)
}

func TestANeverIdleSessionGetsItsMailAtTheEdge(t *testing.T) {
	w := team(t, "a", "b")
	w.set("b", Busy)
	m := w.send("a", wire.KindTask, "b")
	if edge := w.s.DueAtEdge(w.id("b"), w.at.Add(4*time.Minute)); len(edge) != 0 {
		t.Fatalf("%v", edge)
	}
	w.set("b", Asks) // the turn goes on
	w.set("b", Busy)
	if edge := w.s.DueAtEdge(w.id("b"), w.at.Add(5*time.Minute)); len(edge) != 1 || edge[0].ID != m.ID {
		t.Fatalf("%v", edge)
	}
}

func TestTheEdgeDoesNotOvertakeWhatIsOnItsWay(t *testing.T) {
	w := team(t, "a", "b")
	w.set("b", Busy)
	first := w.send("a", wire.KindNote, "b")
	w.offer("b", first.ID)
	w.send("a", wire.KindTask, "b")
	other := w.send("you", wire.KindTask, "b")
	edge := w.s.DueAtEdge(w.id("b"), w.at.Add(time.Hour))
	if len(edge) != 1 || edge[0].ID != other.ID {
		t.Fatalf("%v", edge)
	}
}
