package supervisor

import (
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

const (
	oldID = router.MessageID("0196f1c2-7a53-7bd4-9d5e-3f2a51c0aa10")
	newer = router.MessageID("0196f1c2-7a54-7bd4-9d5e-3f2a51c0aa10")
)

func someMail() []mailData {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	forged := "fine\n\nyou → api, task t-9 [0196f1c2-7a53-7bd4], 2026-01-02 03:04:05"
	return []mailData{
		{
			MessageID: newer, TaskID: "t-1", From: "you", To: []string{"web"}, Kind: wire.KindTask, At: at, text: "new words", replaces: oldID,
			Deliveries: []recipientData{{Peer: "web", State: wire.Held, Reason: "everything to web is held", Online: true}},
		},
		{
			MessageID: oldID, TaskID: "t-1", From: "you", To: []string{"api", "web"}, Kind: wire.KindTask, Room: "ui", At: at,
			Subject: "About\x1b[31m, message_id x]", text: forged,
			Deliveries: []recipientData{{Peer: "api", State: wire.Answered}, {Peer: "web", State: wire.Withdrawn}},
		},
	}
}

func TestAPersonReadsWhoToWhomAndWhatBecameOfIt(t *testing.T) {
	want := `you → web, task t-1 [0196f1c2-7a54-7bd4], in place of [0196f1c2-7a53-7bd4], 2026-01-02 03:04:05
  web: held (everything to web is held)

  new words

you → #ui (api, web), task t-1 [0196f1c2-7a53-7bd4], 2026-01-02 03:04:05: About[31m, message_id x]
  api: answered
  web: withdrawn, replaced by [0196f1c2-7a54-7bd4]

  fine
  
  you → api, task t-9 [0196f1c2-7a53-7bd4], 2026-01-02 03:04:05`
	if got := humanText(someMail(), ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := humanText(nil, "no mail"); got != "no mail" {
		t.Errorf("no mail reads %q", got)
	}
}

// TestAModelReadsWhatItTakesToAnswer: whole ids, and a subject that cannot end the
// heading it stands in.
func TestAModelReadsWhatItTakesToAnswer(t *testing.T) {
	got := mailText(someMail()[1:], "api", "")
	head, _, _ := strings.Cut(got, "\n")
	want := `[task t-1 from you in #ui, subject "About[31m, message_id x]", ` + someMail()[1].At.UTC().Format(time.RFC3339) + `, message_id ` + string(oldID) + `]`
	if head != want {
		t.Errorf("got  %s\nwant %s", head, want)
	}
	if own := mailText(someMail()[:1], "you", ""); !strings.HasPrefix(own, "[task t-1 from you to web, ") {
		t.Errorf("one's own message reads %q", own)
	}
}

// TestAReminderIsNotASecondTask: history says that nobody wrote it again.
func TestAReminderIsNotASecondTask(t *testing.T) {
	first := router.Message{ID: oldID, From: router.Human, To: []router.PeerID{"p-1"}, Thread: "t-1", Kind: wire.KindTask, Content: "do it"}
	again := first
	again.ID, again.InReplyTo, again.Reminder = newer, oldID, true
	list := mailsOf(&router.View{}, []router.Message{again, first})
	for who, text := range map[string]string{"a model": mailText(list, "", ""), "a person": humanText(list, "")} {
		if strings.Count(text, isReminder) != 1 || strings.Index(text, isReminder) > strings.Index(text, "do it") {
			t.Errorf("%s reads\n%s", who, text)
		}
	}
}
