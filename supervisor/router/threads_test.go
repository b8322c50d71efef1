package router

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestAThreadBelongsToThoseWhoTakePart(t *testing.T) {
	w := team(t, "a", "b", "mallory")
	m := w.send("a", wire.KindTask, "b")
	w.refused(Send{ID: w.newID(), From: w.id("mallory"), To: []string{"b"}, Kind: wire.KindTask, Content: "x", TaskID: m.Thread},
		wire.CodeDenied, "you do not take part in task t-1")
	w.refused(Respond{ID: w.newID(), From: w.id("mallory"), TaskID: m.Thread, Content: "x"}, wire.CodeDenied, "you do not take part")
	w.refused(Send{ID: w.newID(), From: w.id("mallory"), To: []string{"b"}, Content: "x", ParentTaskID: m.Thread}, wire.CodeDenied, "you do not take part")
	w.refused(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Content: "x", TaskID: "t-99"}, wire.CodeUnknown, "there is no task \"t-99\"")
	w.refused(Respond{ID: w.newID(), From: w.id("a"), TaskID: "t-99", Content: "x"}, wire.CodeUnknown, "there is no task")
	w.refused(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Content: "x", TaskID: m.Thread, ParentTaskID: "t-7"}, "", "has another parent")
	note := *w.do(Send{ID: w.newID(), From: w.id("b"), To: []string{"a", "mallory"}, Content: "look", TaskID: m.Thread}).Message
	if note.Thread != m.Thread || note.Opens {
		t.Fatalf("%+v", note)
	}
	// who was drawn in may speak, but owes and is owed nothing by that
	w.refused(Respond{ID: w.newID(), From: w.id("mallory"), TaskID: m.Thread, Content: "x"}, "", "you owe no answer in task t-1")
	r := w.do(Respond{ID: w.newID(), From: w.id("b"), TaskID: m.Thread, Content: "done"})
	if !slices.Equal(r.Message.To, []PeerID{w.id("a")}) || r.Message.InReplyTo != m.ID {
		t.Fatalf("%+v", r.Message)
	}
}

func TestSeveralObligationsAreChosenBetween(t *testing.T) {
	w := team(t, "a", "b", "c")
	one := *w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Kind: wire.KindTask, Content: "build it\nnow", Subject: "build"}).Message
	two := *w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Kind: wire.KindTask, Content: "test it", TaskID: one.Thread}).Message
	answer := func(to MessageID) Respond {
		return Respond{ID: w.newID(), From: w.id("b"), TaskID: one.Thread, Content: "done", InReplyTo: to}
	}
	w.refused(answer(""), "", "choose one with in_reply_to: m-0001 from a (build); m-0002 from a (test it)")
	w.refused(answer("m-none"), wire.CodeUnknown, "there is no message")
	w.do(answer(two.ID))
	w.refused(answer(two.ID), "", "was answered already")
	w.restart()
	w.do(answer(""))
	w.wantState("b", one.ID, wire.Answered)
	w.refused(answer(two.ID), "", "was answered already") // also when it was forgotten
}

func TestFanOutSharesAThread(t *testing.T) {
	w := team(t, "a", "b", "c", "d")
	w.do(EndSession{SessionEnded{Peer: w.id("d"), State: Stopped}})
	res := w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"*"}, Kind: wire.KindTask, Content: "report"})
	if len(res.Recipients) != 3 || res.Recipients[2].Reason != "d is stopped" {
		t.Fatalf("%+v", res.Recipients)
	}
	for _, n := range []string{"b", "c"} {
		w.deliver(n, res.Message.ID)
		w.do(Respond{ID: w.newID(), From: w.id(n), TaskID: res.Message.Thread, Content: "ok from " + n})
	}
	th := w.s.View().Threads[0]
	if len(th.Messages) != 3 || len(th.Owes) != 1 || th.Owes[0].By != w.id("d") || th.State != wire.Waiting || !th.Open {
		t.Fatalf("%+v", th)
	}
}

func TestEveryoneIsNobody(t *testing.T) {
	w := team(t, "a")
	w.refused(Send{ID: w.newID(), From: w.id("a"), To: []string{"*"}, Content: "x"}, "", "there is nobody else")
	w.refused(Send{ID: w.newID(), From: w.id("a"), To: []string{"a"}, Content: "x"}, "", "cannot send to yourself")
	w.refused(Send{ID: w.newID(), From: w.id("a"), To: []string{"you", "*"}, Content: "x"}, "", "stands alone")
	w.refused(Send{ID: w.newID(), From: w.id("a"), To: nil, Content: "x"}, "", "names no recipient")
	w.refused(Send{ID: w.newID(), From: w.id("a"), To: []string{"bob"}, Content: "x"}, wire.CodeUnknown, "the peers are you, a")
}

func TestNeedsContextGoesBackAndForth(t *testing.T) {
	w := team(t, "a", "b")
	m := w.send("a", wire.KindTask, "b")
	w.deliver("b", m.ID)
	ask := w.do(Respond{ID: w.newID(), From: w.id("b"), TaskID: m.Thread, Content: "which one?", Status: wire.StatusNeedsContext}).Message
	w.wantState("b", m.ID, wire.Seen)
	if o := w.s.View().Threads[0].Owes; len(o) != 1 || !o[0].Waiting {
		t.Fatalf("%+v", o)
	}
	w.restart()
	if r := w.do(Remind{Peer: w.id("b"), NewID: w.newID}); len(r.Reminders) != 0 {
		t.Fatal("reminded although the asker is to speak")
	}
	w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Content: "the blue one", TaskID: m.Thread, Kind: wire.KindNote})
	if o := w.s.View().Threads[0].Owes; len(o) != 1 || o[0].Waiting || o[0].Message != m.ID {
		t.Fatalf("%+v", o)
	}
	w.do(Respond{ID: w.newID(), From: w.id("b"), TaskID: m.Thread, Content: "size?", Status: wire.StatusNeedsContext})
	again := w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Content: "size 3", TaskID: m.Thread, Kind: wire.KindTask}).Message
	if o := w.s.View().Threads[0].Owes; len(o) != 1 || o[0].Waiting || o[0].Message != again.ID {
		t.Fatalf("%+v", o) // the new task takes the place of the old one
	}
	w.do(Respond{ID: w.newID(), From: w.id("b"), TaskID: m.Thread, Content: "done"})
	w.wantState("b", again.ID, wire.Answered)
	if ask.Status != wire.StatusNeedsContext {
		t.Fatalf("%+v", ask)
	}
}

func TestARestartedSessionIsReminded(t *testing.T) {
	w := team(t, "a", "b")
	m := w.send("a", wire.KindTask, "b")
	w.deliver("b", m.ID)
	w.do(EndSession{SessionEnded{Peer: w.id("b"), State: Exited}})
	w.restart()
	w.start("b")
	r := w.do(Remind{Peer: w.id("b"), NewID: w.newID})
	if len(r.Reminders) != 1 {
		t.Fatalf("%+v", r)
	}
	if more := w.do(Remind{Peer: w.id("b"), NewID: w.newID}); len(more.Reminders) != 0 {
		t.Fatal("reminded twice")
	}
	rem, _ := w.s.Message(r.Reminders[0])
	if rem.Thread != m.Thread || rem.InReplyTo != m.ID || rem.From != m.From || !rem.Reminder || rem.Content != m.Content {
		t.Fatalf("%+v", rem)
	}
	w.wantDue("b", rem.ID)
	if o := w.s.Owed(w.id("b")); len(o) != 1 || o[0].ID != m.ID {
		t.Fatalf("%+v", o)
	}
	w.do(Respond{ID: w.newID(), From: w.id("b"), TaskID: m.Thread, Content: "done", InReplyTo: rem.ID})
	w.wantState("b", m.ID, wire.Answered)
	w.wantState("b", rem.ID, wire.Withdrawn) // nobody is reminded of what is done
	w.wantDue("b")
}

func TestSubTasks(t *testing.T) {
	w := team(t, "a", "b", "c", "d")
	parent := ThreadID("")
	for i, hop := range [][2]string{{"a", "b"}, {"b", "c"}, {"c", "d"}} {
		m := w.do(Send{ID: w.newID(), From: w.id(hop[0]), To: []string{hop[1]}, Kind: wire.KindTask, Content: "x", ParentTaskID: parent}).Message
		if m.Parent != parent || m.Thread != ThreadID(fmt.Sprintf("t-%d", i+1)) {
			t.Fatalf("%+v", m)
		}
		w.restart()
		parent = m.Thread
	}
	v := w.s.View()
	if len(v.Threads) != 3 || v.Threads[0].ID != "t-1" || v.Threads[2].Depth != 2 || !slices.Equal(v.Threads[1].Children, []ThreadID{"t-3"}) {
		t.Fatalf("%+v", v.Threads)
	}
}

func TestSizes(t *testing.T) {
	w := team(t, "a", "b")
	send := Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Content: "x"}
	for _, c := range []struct {
		edit  func(*Send)
		words string
	}{
		{func(s *Send) { s.Content = " \n" }, "the message is empty"},
		{func(s *Send) { s.Content = strings.Repeat("x", wire.MaxBody+1) }, "the limit is 1048576"},
		{func(s *Send) { s.Subject = strings.Repeat("x", wire.MaxMeta+1) }, "the limit is 256"},
		{func(s *Send) { s.Data = json.RawMessage(`"` + strings.Repeat("x", wire.MaxData) + `"`) }, "the limit is 65536"},
		{func(s *Send) { s.Data = json.RawMessage(`{`) }, "not valid JSON"},
		{func(s *Send) { s.Kind = wire.KindReply }, "use task or note"},
		{func(s *Send) { s.ID = "" }, "no usable id"},
		{func(s *Send) { s.Room = "x" }, "not both"},
	} {
		s := send
		c.edit(&s)
		w.refused(s, "", c.words)
	}
	w.do(send)
	w.refused(send, "", "already")
	w.refused(Respond{ID: w.newID(), From: w.id("b"), TaskID: "t-1", Content: "x", Status: "done"}, "", "use complete, needs_context or failed")
}

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

func TestEchoersAreHeld(t *testing.T) {
	w := team(t, "a", "b", "c")
	next := map[string]string{"a": "b", "b": "c", "c": "a"}
	echo := func(parent, task ThreadID, from string, kind wire.Kind) Result {
		w.at = w.at.Add(10 * time.Second)
		return w.do(Send{ID: w.newID(), From: w.id(from), To: []string{next[from]}, Kind: kind, Content: "ack", ParentTaskID: parent, TaskID: task})
	}
	for _, chain := range []bool{true, false} { // by sub-tasks, and in one thread
		var parent, task ThreadID
		from, held := "a", 0
		for i := range 40 {
			res := echo(parent, task, from, wire.KindTask)
			if res.Recipients[0].State == wire.Held {
				if !strings.Contains(res.Recipients[0].Reason, "in a circle: ") {
					t.Fatal(res.Recipients[0].Reason)
				}
				held = i + 1
				break
			}
			if chain {
				parent = res.Message.Thread
			} else {
				task = res.Message.Thread
			}
			from = next[from]
		}
		if held == 0 || held > 10 {
			t.Fatalf("chain %v: held at %d", chain, held)
		}
	}
	if v := w.s.View(); v.Held != 2 {
		t.Fatal(v.Held)
	}
}

func TestAcknowledgementsToAndFroAreHeld(t *testing.T) {
	w := team(t, "a", "b")
	names := []string{"a", "b"}
	var task ThreadID
	n := 0
	for ; n < 50; n++ {
		w.at = w.at.Add(10 * time.Second)
		res := w.do(Send{ID: w.newID(), From: w.id(names[n%2]), To: []string{names[(n+1)%2]}, Content: "thanks!", TaskID: task})
		task = res.Message.Thread
		if res.Recipients[0].State == wire.Held {
			if res.Recipients[0].Reason != "11 notes went to and fro without a task" {
				t.Fatal(res.Recipients[0].Reason)
			}
			break
		}
	}
	if n != 10 {
		t.Fatalf("held after %d", n)
	}
	w.restart()
	again := w.send("b", wire.KindNote, "a") // another thread is not concerned
	w.wantState("a", again.ID, wire.Written)
	w.do(Release{Message: "m-0011", Peer: w.id("b"), By: Actor{Kind: ByHuman}})
	res := w.do(Send{ID: w.newID(), From: w.id("b"), To: []string{"a"}, Content: "ok", TaskID: task})
	if res.Recipients[0].State == wire.Held {
		t.Fatal("the human let it go on")
	}
}

func TestFloodsAndDepthAreHeld(t *testing.T) {
	w := team(t, "a", "b", "c", "d", "e")
	first := w.send("a", wire.KindTask, "b")
	for i := range 35 {
		res := w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Content: "x", TaskID: first.Thread})
		if held := res.Recipients[0].State == wire.Held; held != (i >= 29) {
			t.Fatalf("message %d: held %v", i+2, held)
		}
	}
	w.at = w.at.Add(time.Minute)
	if res := w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Content: "x", TaskID: first.Thread}); res.Recipients[0].State == wire.Held {
		t.Fatal("held in the next minute")
	}
	names := []string{"a", "b", "c", "d", "e"}
	var parent ThreadID
	for i := range 10 {
		res := w.do(Send{ID: w.newID(), From: w.id(names[i%5]), To: []string{names[(i+1)%5]}, Kind: wire.KindTask, Content: "x", ParentTaskID: parent})
		if held := res.Recipients[0].State == wire.Held; held != (i == 9) {
			t.Fatalf("depth %d: %+v", i, res.Recipients[0])
		}
		parent = res.Message.Thread
	}
}

func TestTheHumanIsNotHeld(t *testing.T) {
	w := team(t, "a")
	first := w.send("you", wire.KindTask, "a")
	for range 100 {
		res := w.do(Send{ID: w.newID(), From: Human, To: []string{"a"}, Content: "x", TaskID: first.Thread})
		if res.Recipients[0].State == wire.Held {
			t.Fatal("held")
		}
	}
}

func TestTheHumanEndsAnEcho(t *testing.T) {
	w := team(t, "a", "b")
	names := []string{"a", "b"}
	task := ThreadID("")
	echo := func(n int) (held bool) {
		for i := range n {
			w.at = w.at.Add(10 * time.Second)
			res := w.do(Send{ID: w.newID(), From: w.id(names[i%2]), To: []string{names[(i+1)%2]}, Content: "thanks!", TaskID: task})
			task = res.Message.Thread
			held = held || res.Recipients[0].State == wire.Held
		}
		return held
	}
	if echo(10) {
		t.Fatal("held too soon")
	}
	w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"you"}, Content: "well?", TaskID: task}) // draws the human in
	w.do(Send{ID: w.newID(), From: Human, To: []string{"a", "b"}, Content: "go on", TaskID: task})
	if echo(10) {
		t.Fatal("the human spoke: the guards count anew")
	}
	if !echo(4) {
		t.Fatal("not held")
	}
}

func TestLimitsCanBeSet(t *testing.T) {
	w := team(t, "a", "b")
	w.s.SetLimits(Limits{PerMinute: 2})
	first := w.send("a", wire.KindTask, "b")
	for i := range 3 {
		res := w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Content: "x", TaskID: first.Thread})
		if held := res.Recipients[0].State == wire.Held; held != (i > 0) {
			t.Fatalf("%d: %+v", i, res.Recipients)
		}
	}
	if w.s.limits.Depth != DefaultLimits().Depth || w.s.limits.Proof != DefaultLimits().Proof {
		t.Fatalf("%+v", w.s.limits)
	}
}

func TestTheGuardsCountAnewAfterTheHuman(t *testing.T) {
	w := team(t, "a", "b")
	first := w.send("you", wire.KindTask, "a", "b")
	flood := func(n int) (held bool) {
		for range n {
			res := w.do(Send{ID: w.newID(), From: w.id("a"), To: []string{"b"}, Content: "x", TaskID: first.Thread})
			held = held || res.Recipients[0].State == wire.Held
		}
		return held
	}
	if flood(30) {
		t.Fatal("held too soon")
	}
	w.do(Send{ID: w.newID(), From: Human, To: []string{"a"}, Content: "go on", TaskID: first.Thread})
	if flood(30) || !flood(1) {
		t.Fatal("the human's word did not count")
	}
}

func TestAHeldTaskIsNotOwedYet(t *testing.T) {
	w := team(t, "a", "b")
	m := w.send("a", wire.KindTask, "b")
	w.do(Hold{Message: m.ID, By: human, Why: "look first"})
	w.refused(Respond{ID: w.newID(), From: w.id("b"), TaskID: m.Thread, Content: "x"}, "", "you owe no answer")
	if v, _ := w.s.View().Peer(w.id("b")); v.Owes != 0 || v.Unread != 0 || v.Pending != 0 {
		t.Fatalf("%+v", v)
	}
	w.refused(Read{Peer: w.id("b"), Messages: []MessageID{m.ID}, Proof: "tool"}, wire.CodeUnknown, "no message")
	w.do(Release{Message: m.ID, By: human})
	w.deliver("b", m.ID)
	w.do(Respond{ID: w.newID(), From: w.id("b"), TaskID: m.Thread, Content: "x"})
}
