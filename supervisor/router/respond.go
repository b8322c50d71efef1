package router

import (
	"fmt"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

func (c Respond) decide(d *decision) error {
	from, err := d.s.peer(c.From)
	if err != nil {
		return err
	}
	if c.Status == "" {
		c.Status = wire.StatusComplete
	}
	if !c.Status.Known() {
		return wrong("status %s is not known: use complete, needs_context or failed", shown(string(c.Status)))
	}
	if err := d.checkMessage(c.ID, c.Content, "", c.Data); err != nil {
		return err
	}
	if c.TaskID == "" {
		return wrong("respond_to_peer needs the task_id of the task you answer")
	}
	th := d.s.threads[c.TaskID]
	if th == nil {
		return unknown("there is no task %s: check the task_id of the event you answer", shown(string(c.TaskID)))
	}
	if !th.has(from.ID) {
		return denied("you do not take part in task %s: check the task_id of the event you answer", th.ID)
	}
	task, err := c.choose(d, th, from)
	if err != nil {
		return err
	}
	m := &Message{
		ID: c.ID, From: from.ID, Thread: th.ID, Parent: th.Parent, Kind: wire.KindReply, To: []PeerID{task.m.From},
		Content: c.Content, Data: stored(c.Data), InReplyTo: task.m.ID, Status: c.Status, At: d.at,
	}
	d.post(m, th)
	if c.Status != wire.StatusNeedsContext {
		d.answered(task, m.ID)
	}
	return nil
}

// choose finds the task that is answered.
func (c Respond) choose(d *decision, th *thread, from *peer) (*delivery, error) {
	owed := th.owedBy(from.ID)
	if c.InReplyTo != "" {
		want := c.InReplyTo
		if m := d.s.messages[want]; m != nil && m.Reminder {
			want = m.InReplyTo
		}
		for _, del := range owed {
			if del.m.ID == want {
				return del, nil
			}
		}
		return nil, c.notOwed(d, th, from, want)
	}
	switch len(owed) {
	case 1:
		return owed[0], nil
	case 0:
		return nil, wrong("you owe no answer in task %s: it was answered already, or nobody asked you for one; to say more, send a note with task_id %s", th.ID, th.ID)
	}
	return nil, wrong("you owe %d answers in task %s: choose one with in_reply_to: %s", len(owed), th.ID, d.listTasks(owed))
}

func (c Respond) notOwed(d *decision, th *thread, from *peer, want MessageID) error {
	m := d.s.messages[want]
	switch {
	case m == nil || m.Thread != th.ID:
		return unknown("there is no message %s in task %s", shown(string(c.InReplyTo)), th.ID)
	case m.to(from.ID) == nil:
		return denied("message %s was not sent to you", shown(string(want)))
	case m.to(from.ID).State == wire.Answered:
		return wrong("message %s was answered already", shown(string(want)))
	}
	return wrong("message %s asks for no answer: send a note with task_id %s", shown(string(want)), th.ID)
}

// listTasks names the first few of several obligations.
func (d *decision) listTasks(owed []*delivery) string {
	const most = 5
	var parts []string
	for _, del := range owed[:min(len(owed), most)] {
		title := del.m.Subject
		if title == "" {
			title, _, _ = strings.Cut(del.m.Content, "\n")
		}
		parts = append(parts, fmt.Sprintf("%s from %s (%s)", del.m.ID, d.s.Name(del.m.From), wire.CleanLine(title, 60)))
	}
	if len(owed) > most {
		parts = append(parts, fmt.Sprintf("and %d more", len(owed)-most))
	}
	return strings.Join(parts, "; ")
}

func (c Remind) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	if err != nil {
		return err
	}
	if c.NewID == nil {
		return wrong("a reminder needs ids")
	}
	for _, del := range p.open() {
		if !d.s.needsReminder(del) {
			continue
		}
		m := &Message{
			ID: c.NewID(), From: del.m.From, Thread: del.m.Thread, Parent: del.m.Parent, Kind: wire.KindTask,
			To: []PeerID{p.ID}, Content: del.m.Content, Subject: del.m.Subject, Data: del.m.Data,
			InReplyTo: del.m.ID, Reminder: true, At: d.at,
		}
		if err := d.checkMessage(m.ID, m.Content, m.Subject, m.Data); err != nil {
			return err
		}
		d.emit(Posted{Message: *m})
		d.dispatch(m, p, "")
		d.res.Reminders = append(d.res.Reminders, m.ID)
	}
	return nil
}

// needsReminder says whether a restarted session has to be told of a task
// again: it saw it, owes the answer and is not the one who waits for it.
func (s *State) needsReminder(del *delivery) bool {
	if del.State != wire.Seen || del.again() || !del.owes() || del.Context != "" {
		return false
	}
	if r := s.messages[del.Reminder]; r != nil {
		if rd := r.to(del.Peer); rd != nil && rd.unseen() {
			return false
		}
	}
	return true
}
