package router

import (
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

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
