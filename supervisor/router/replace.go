package router

import (
	"slices"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

// Replace takes a message back from everyone who has not seen it and puts one in
// its place, with another text or for another receiver. It stays its sender's
// message; the timeline says what it replaces, and who did it.
func (c Replace) decide(d *decision) error {
	old := d.s.messages[c.Message]
	switch {
	case c.By.Kind != ByHuman:
		return denied("only the human can put another message in the place of one")
	case old == nil:
		return unknown("there is no message %s", shown(string(c.Message)))
	case c.Content == "" && c.To == "":
		return wrong("say what is to change: the text, or the receiver")
	}
	th := d.s.threads[old.Thread]
	if th == nil {
		return unknown("there is no task %s", old.Thread)
	}
	m := old.Message
	m.ID, m.At, m.Opens, m.Parent, m.Replaces, m.By = c.ID, d.at, false, th.Parent, old.ID, &c.By
	if c.Content != "" {
		m.Content = c.Content
	}
	if err := c.receivers(d, old, &m); err != nil {
		return err
	}
	if err := d.checkMessage(m.ID, m.Content, m.Subject, m.Data); err != nil {
		return err
	}
	for _, del := range old.dels {
		if del.unseen() {
			d.emit(Withdrawn{Message: old.ID, Peer: del.Peer, By: c.By})
		}
	}
	d.emit(Posted{Message: m})
	for _, id := range m.To {
		// The human let it pass: no guard and no standing hold stops it.
		d.res.Recipients = append(d.res.Recipients, d.begin(&m, d.s.peers[id], "", Actor{}))
	}
	d.res.Message = &m
	what := "was changed by the human and goes on as message_id " + string(m.ID)
	if c.To != "" {
		what = "goes to " + d.s.Name(m.To[0]) + " instead, as the human decided"
	}
	d.intervened(slices.DeleteFunc(slices.Clone(old.dels), func(del *delivery) bool { return !del.unseen() }), c.NewID, what)
	return nil
}

// receivers decides whom the new message is for: those who did not see the old
// one, or the one it is sent to instead.
func (c Replace) receivers(d *decision, old *message, m *Message) error {
	m.To = nil
	for _, del := range old.dels {
		if del.unseen() {
			m.To = append(m.To, del.Peer)
		}
	}
	if len(m.To) == 0 {
		return wrong("nothing to change: everybody saw the message, or it ended otherwise")
	}
	if c.To == "" {
		return nil
	}
	p, err := d.s.named(c.To)
	switch {
	case err != nil:
		return err
	case p.ID == m.From:
		return wrong("%s sent the message: it cannot be its receiver", p.Name)
	case m.Kind == wire.KindReply:
		return wrong("a reply goes to the one who asked, and to nobody else")
	}
	m.To, m.Room = []PeerID{p.ID}, ""
	return nil
}

// intervened tells the sessions that sent something what the human did with it,
// each in one note of ccmux to a thread. Without newID there is none.
func (d *decision) intervened(dels []*delivery, newID func() MessageID, what string) {
	if newID == nil {
		return
	}
	type place struct {
		from   PeerID
		thread ThreadID
	}
	told := map[place]bool{}
	res := d.res
	for _, del := range dels {
		at := place{del.m.From, del.m.Thread}
		from, th := d.s.peers[at.from], d.s.threads[at.thread]
		if told[at] || th == nil || from == nil || from.Left || from.Class != wire.ClassSession {
			continue
		}
		told[at] = true
		var names []string
		for _, other := range dels {
			if other.m.From == at.from && other.m.Thread == at.thread && !slices.Contains(names, d.s.Name(other.Peer)) {
				names = append(names, d.s.Name(other.Peer))
			}
		}
		d.post(&Message{
			ID: newID(), From: Ccmux, To: []PeerID{at.from}, Thread: at.thread, Parent: th.Parent, Kind: wire.KindNote,
			InReplyTo: del.m.ID, Content: "What you sent to " + strings.Join(names, ", ") + " in " + string(at.thread) + " " + what + ".", At: d.at,
		}, th)
	}
	d.res = res
}
