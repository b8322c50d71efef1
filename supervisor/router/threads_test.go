package router

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

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
