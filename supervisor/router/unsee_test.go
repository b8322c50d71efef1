package router

import (
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestWhatTheGateLetInAndNobodyReadIsDueAgain(t *testing.T) {
	w := team(t, "api")
	note := w.send("you", wire.KindNote, "api").ID
	w.deliver("api", note)
	w.set("api", Idle)
	task := w.send("you", wire.KindTask, "api").ID
	w.deliver("api", task)
	w.do(EndSession{SessionEnded{Peer: w.id("api"), State: Exited}})
	w.restart() // the note has ended and is no longer in memory
	w.do(Unsee{Peer: w.id("api"), Messages: []MessageID{note, task}})
	for _, id := range []MessageID{note, task} {
		if d := w.wantState("api", id, wire.Waiting); d.Proof != "" || d.Reason == "" {
			t.Errorf("%s is %+v; want it waiting with a reason and without a proof", id, d)
		}
	}
	w.restart()
	w.start("api")
	if r := w.do(Remind{Peer: w.id("api"), NewID: w.newID}); len(r.Reminders) > 0 {
		t.Errorf("reminded of %v; want none, because the task itself comes again", r.Reminders)
	}
	w.deliver("api", note)
	w.set("api", Idle)
	w.deliver("api", task)
}

func TestWhatIsProvenStaysSeen(t *testing.T) {
	w := team(t, "api")
	read := w.send("you", wire.KindNote, "api").ID
	w.do(Read{Peer: w.id("api"), Messages: []MessageID{read}, Proof: "tool"})
	written := w.send("you", wire.KindNote, "api").ID
	w.do(Observe{Peer: w.id("api"), Message: written, Proof: "transcript"})
	task := w.send("you", wire.KindTask, "api")
	w.deliver("api", task.ID)
	w.do(Respond{ID: w.newID(), From: w.id("api"), TaskID: task.Thread, Content: "done"})
	seq := w.s.Seq()
	w.do(Unsee{Peer: w.id("api"), Messages: []MessageID{read, written, task.ID}})
	if w.s.Seq() != seq {
		t.Error("a message with another proof than the gate's, or an answered task, was taken for unseen")
	}
}
