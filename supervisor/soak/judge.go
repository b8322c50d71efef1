package soak

import (
	"fmt"
	"sort"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// judge compares what was sent with what was seen. acks are the ids that the
// human's sends were told.
func judge(rec *record, all []conversation, acks []string) (Counts, []string) {
	j := &judgement{rec: rec, at: map[router.MessageID]int{}, agents: map[string]router.PeerID{}}
	for i, m := range rec.posts {
		j.at[m.ID] = i
	}
	for id, name := range rec.names {
		j.agents[name] = id
	}
	j.n.Messages = len(rec.posts)
	j.acked("you", acks)
	seen := map[delivery]bool{}
	for _, c := range all {
		j.acked(c.agent, c.acked)
		j.conversation(c, seen)
	}
	for _, m := range rec.posts {
		j.post(m, seen)
	}
	sort.Strings(j.wrong)
	return j.n, j.wrong
}

type judgement struct {
	rec    *record
	at     map[router.MessageID]int // place in the timeline
	agents map[string]router.PeerID
	n      Counts
	wrong  []string
}

func (j *judgement) say(format string, args ...any) {
	j.wrong = append(j.wrong, fmt.Sprintf(format, args...))
}

// acked: what ccmux acknowledged is on record.
func (j *judgement) acked(who string, ids []string) {
	for _, id := range ids {
		if id == "" {
			continue
		}
		j.n.Acked++
		if _, known := j.at[router.MessageID(id)]; !known {
			j.say("lost: %s was told that %s is written, and the journal does not have it", who, id)
		}
	}
}

// conversation: nothing stands twice in it, and what one sender sent stands in
// the order in which it was sent. A task that slipped into a running turn, as
// text that is no instruction, is handed over again on purpose.
func (j *judgement) conversation(c conversation, seen map[delivery]bool) {
	type times struct{ turn, background int }
	count := map[router.MessageID]*times{}
	last := map[router.PeerID]int{}
	me := j.agents[c.agent]
	for _, s := range c.sights {
		at, known := j.at[s.message]
		if !known {
			j.say("forged: %s saw %s, which nobody sent", c.agent, s.message)
			continue
		}
		m := j.rec.posts[at]
		j.n.Sights++
		n := count[s.message]
		if n == nil {
			n = &times{}
			count[s.message] = n
			if at < last[m.From] {
				j.say("order: %s saw %s after a later message of %s", c.agent, j.name(m), j.rec.names[m.From])
			}
			last[m.From] = max(last[m.From], at)
		}
		if s.background {
			n.background++
		} else {
			n.turn++
		}
		if !s.background || m.Kind != wire.KindTask {
			seen[delivery{s.message, me}] = true
			if m.Reminder {
				seen[delivery{m.InReplyTo, me}] = true
			}
		}
	}
	for id, n := range count {
		m := j.rec.posts[j.at[id]]
		if n.turn > 1 || m.Kind != wire.KindTask && n.turn+n.background > 1 {
			j.say("twice: %s saw %s %d times, and %d times as background", c.agent, j.name(m), n.turn, n.background)
		}
	}
}

// post: a message reached each agent it was for, and a task was answered. A
// reminder says again what a task said; it is of no use once that is answered.
func (j *judgement) post(m router.Message, seen map[delivery]bool) {
	for _, p := range m.To {
		if p == router.Human {
			continue
		}
		d := delivery{m.ID, p}
		j.n.Deliveries++
		if m.Reminder {
			j.n.Reminders++
			continue
		}
		switch why, ended := j.rec.ended[d]; {
		case ended:
			j.say("lost: %s for %s was %s", j.name(m), j.rec.names[p], why)
		case !seen[d] && j.rec.held[d] != "":
			j.say("held: %s for %s: %s", j.name(m), j.rec.names[p], j.rec.held[d])
		case !seen[d]:
			j.say("lost: %s never saw %s", j.rec.names[p], j.name(m))
		}
		if m.Kind != wire.KindTask {
			continue
		}
		j.n.Tasks++
		if !j.rec.answered[d] {
			j.say("unanswered: %s for %s", j.name(m), j.rec.names[p])
		}
	}
}

func (j *judgement) name(m router.Message) string {
	return fmt.Sprintf("%s %s of %s (%s)", m.Kind, m.ID, j.rec.names[m.From], m.Thread)
}
