package router

import (
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

// told returns the last note of ccmux to a peer.
func (w *world) told(name string) string {
	w.t.Helper()
	for i := len(w.events) - 1; i >= 0; i-- {
		if p, ok := w.events[i].Body.(Posted); ok && p.Message.From == Ccmux && p.Message.To[0] == w.id(name) {
			return p.Message.Content
		}
	}
	return ""
}

func TestAHeldMessageIsReplacedByWhatTheHumanMadeOfIt(t *testing.T) {
	w := team(t, "api", "web", "ops")
	task := w.send("api", wire.KindTask, "web")
	w.do(Hold{Message: task.ID, By: human})
	res := w.do(Replace{ID: w.newID(), Message: task.ID, Content: "softly", By: human, NewID: w.newID})
	m := *res.Message
	if m.From != w.id("api") || m.Thread != task.Thread || m.Kind != wire.KindTask || m.Content != "softly" || m.Replaces != task.ID || m.By.Kind != ByHuman {
		t.Errorf("the new message is %+v; want api's task with the new text", m)
	}
	w.wantState("web", task.ID, wire.Withdrawn)
	if got := w.told("api"); !strings.Contains(got, "to web in "+string(task.Thread)+" was changed by the human") {
		t.Errorf("api was told %q", got)
	}
	w.restart()
	w.deliver("web", m.ID)
	w.do(Respond{ID: w.newID(), From: w.id("web"), TaskID: m.Thread, Content: "done"}) // one task is owed, not two
	if owed := w.s.Owed(w.id("web")); len(owed) > 0 {
		t.Errorf("web still owes %+v", owed)
	}
	w.refused(Replace{ID: w.newID(), Message: m.ID, Content: "too late", By: human}, "", "everybody saw the message")
}

func TestAMessageIsSentToAnother(t *testing.T) {
	w := team(t, "api", "web", "ops")
	task := w.send("api", wire.KindTask, "web")
	w.refused(Replace{ID: w.newID(), Message: task.ID, To: "api", By: human}, "", "cannot be its receiver")
	w.refused(Replace{ID: w.newID(), Message: task.ID, By: human}, "", "what is to change")
	w.refused(Replace{ID: w.newID(), Message: task.ID, To: "ops", By: Actor{Kind: ByPeer, Peer: w.id("api")}}, wire.CodeDenied, "only the human")
	res := w.do(Replace{ID: w.newID(), Message: task.ID, To: "ops", By: human, NewID: w.newID})
	w.wantState("web", task.ID, wire.Withdrawn)
	w.deliver("ops", res.Message.ID)
	if got := w.told("api"); !strings.Contains(got, "goes to ops instead") {
		t.Errorf("api was told %q", got)
	}
	w.do(Respond{ID: w.newID(), From: w.id("ops"), TaskID: task.Thread, Content: "done"})
}

func TestTheSenderIsToldWhatBecameOfAHeldMessage(t *testing.T) {
	w := team(t, "api", "web")
	one, two := w.send("api", wire.KindNote, "web"), w.send("api", wire.KindNote, "web")
	mine := w.send("you", wire.KindNote, "web")
	for _, id := range []MessageID{one.ID, two.ID, mine.ID} {
		w.do(Hold{Message: id, By: human})
	}
	w.do(Release{Message: one.ID, By: human, NewID: w.newID})
	if got := w.told("api"); !strings.Contains(got, "let it go on") {
		t.Errorf("api was told %q", got)
	}
	w.do(Withdraw{Message: two.ID, By: human, NewID: w.newID})
	if got := w.told("api"); !strings.Contains(got, "will not arrive") {
		t.Errorf("api was told %q", got)
	}
	seq := w.s.Seq()
	w.do(Release{Message: mine.ID, By: human, NewID: w.newID})
	if w.s.Seq() != seq+1 {
		t.Errorf("%d events; want the release alone, for the human knows what the human does", w.s.Seq()-seq)
	}
}

// TestWhatCcmuxSaysIsNobodyElses: not the human's, and not that of a peer.
func TestWhatCcmuxSaysIsNobodyElses(t *testing.T) {
	w := team(t, "api", "web")
	task := w.send("api", wire.KindTask, "web")
	w.do(Hold{Message: task.ID, By: human})
	before, _ := w.s.View().Peer(Human)
	w.do(Release{Message: task.ID, By: human, NewID: w.newID})
	w.restart()
	v := w.s.View()
	th := v.Threads[0]
	note := th.Messages[len(th.Messages)-1]
	if note.From != Ccmux || w.s.Name(note.From) != wire.Ccmux || note.Kind != wire.KindNote || !strings.HasPrefix(note.Content, "What you sent to web") {
		t.Errorf("the note is %+v; want it from ccmux", note)
	}
	if after, _ := v.Peer(Human); after.Unread != before.Unread || w.s.threads[th.ID].has(Human) || w.s.threads[th.ID].has(Ccmux) {
		t.Errorf("the human is %+v; want no mail, and neither of them in the thread", after)
	}
	if len(v.Peers) != 3 {
		t.Errorf("the peers are %+v; ccmux is none", v.Peers)
	}
	w.deliver("web", task.ID)
	w.deliver("api", note.ID)
	w.refused(Send{ID: w.newID(), From: w.id("api"), To: []string{wire.Ccmux}, Content: "who are you?"}, wire.CodeUnknown, "no peer is named")
	w.refused(Send{ID: w.newID(), From: Ccmux, To: []string{"api"}, Content: "obey"}, wire.CodeUnknown, "no peer")
	w.refused(AddPeer{Name: wire.Ccmux, Dir: "/x"}, "", "ccmux's own")
	w.refused(Rename{Peer: w.id("api"), Name: wire.Ccmux}, "", "ccmux's own")
}
