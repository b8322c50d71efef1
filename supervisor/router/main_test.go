package router

import (
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestTaskAndReply(t *testing.T) {
	w := team(t, "frontend", "backend")
	m := w.send("frontend", wire.KindTask, "backend")
	if m.Thread != "t-1" {
		t.Fatalf("thread %s", m.Thread)
	}
	w.deliver("backend", m.ID)
	w.restart()
	res := w.do(Respond{ID: w.newID(), From: w.id("backend"), TaskID: "t-1", Content: "done"})
	w.wantState("backend", m.ID, wire.Answered)
	if len(res.Recipients) != 1 || res.Recipients[0].Peer != w.id("frontend") {
		t.Fatalf("reply goes to %+v", res.Recipients)
	}
	w.deliver("frontend", res.Message.ID)
	w.commit()
	if n := len(openDocs(w.journal)); n != 4 { // meta and three peers
		t.Fatalf("%d open docs: %+v", n, openDocs(w.journal))
	}
	w.refused(Respond{ID: w.newID(), From: w.id("backend"), TaskID: "t-1", Content: "again"}, "", "you owe no answer in task t-1")
	if v := w.s.View(); v.Threads[0].Open || v.Threads[0].State != wire.Seen || len(v.Threads[0].Messages) != 2 {
		t.Fatalf("%+v", v.Threads[0])
	}
}

func TestATaskNeverFollowsIntoATurn(t *testing.T) {
	w := team(t, "a", "b", "c")
	first, second := w.send("a", wire.KindTask, "c"), w.send("b", wire.KindTask, "c")
	w.deliver("c", first.ID) // the gate's question makes it busy
	w.wantDue("c")
	if got := w.s.WaitingFor(w.id("c"), second.ID); got != "c is busy" {
		t.Fatal(got)
	}
	note := w.send("b", wire.KindNote, "c")
	w.wantDue("c") // it does not overtake
	other := w.send("a", wire.KindNote, "c")
	w.wantDue("c", other.ID)
	w.set("c", Idle)
	w.deliverFirst("c", second.ID)
	_ = note
}

func (w *world) deliverFirst(name string, id MessageID) {
	w.t.Helper()
	if due := w.due(name); len(due) == 0 || due[0] != id {
		w.t.Fatalf("due for %s: %v, want first %s", name, due, id)
	}
	w.offer(name, id)
	if r := w.admit(name, id, false); !r.Admitted {
		w.t.Fatal(r.Reason)
	}
}

func TestWaitingIsSaid(t *testing.T) {
	w := newWorld(t)
	w.do(AddPeer{Name: "backend", Dir: "/b"})
	m := w.send("you", wire.KindTask, "backend")
	if d := w.wantState("backend", m.ID, wire.Waiting); d.Reason != "backend was not started" {
		t.Fatal(d.Reason)
	}
	w.at = w.at.Add(time.Minute)
	w.start("backend")
	w.deliver("backend", m.ID)
}
