package threads

import (
	"fmt"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
	"github.com/ccmux/ccmux/tui/markdown"
)

// Talk is one thread opened to its conversation.
type Talk struct {
	ID    router.ThreadID
	at    int // the chosen message
	above int // rows scrolled up from the end
	past  *router.ThreadView
}

// OpenAt opens a thread at its newest message.
func OpenAt(id router.ThreadID) Talk { return Talk{ID: id, at: -1} }

// Find returns the thread.
func (m *Talk) Find(v *router.View) (router.ThreadView, bool) {
	for _, t := range v.Threads {
		if t.ID == m.ID {
			return t, true
		}
	}
	if m.past != nil {
		return *m.past, true
	}
	return router.ThreadView{}, false
}

// Message is the chosen one, the newest when none was chosen.
func (m *Talk) Message(v *router.View) (router.MessageView, bool) {
	t, ok := m.Find(v)
	if !ok || len(t.Messages) == 0 {
		return router.MessageView{}, false
	}
	return t.Messages[m.index(t)], true
}

func (m *Talk) index(t router.ThreadView) int {
	if m.at < 0 || m.at >= len(t.Messages) {
		return len(t.Messages) - 1
	}
	return m.at
}

// Key moves in a conversation by an action of the table; body is its height.
func (m *Talk) Key(id keys.ID, c draw.Context, w, h int) {
	t, ok := m.Find(c.View)
	if !ok {
		return
	}
	rows, starts := m.rows(c, t, w)
	most := max(len(rows)-h, 0)
	switch id {
	case keys.Up:
		m.choose(t, m.index(t)-1, starts, len(rows), h)
	case keys.Down:
		m.choose(t, m.index(t)+1, starts, len(rows), h)
	case keys.PageUp:
		m.above += h - 1
	case keys.PageDown:
		m.above -= h - 1
	case keys.First:
		m.above = most
		m.at = 0
	case keys.Last:
		m.above = 0
		m.at = -1
	default:
	}
	m.above = min(max(m.above, 0), most)
}

// choose goes to a message and scrolls so that its beginning shows.
func (m *Talk) choose(t router.ThreadView, i int, starts []int, rows, h int) {
	i = min(max(i, 0), len(t.Messages)-1)
	if i < 0 {
		return
	}
	m.at = i
	first := rows - m.above - h // the first row on screen
	switch at := starts[i]; {
	case at < first:
		m.above = rows - h - at
	case at >= first+h:
		m.above = max(rows-at-h, 0)
	}
}

// Lines draws the conversation in h rows of w columns.
func (m *Talk) Lines(c draw.Context, w, h int) []string {
	t, ok := m.Find(c.View)
	if !ok {
		return draw.Fit([]string{"", "  " + c.Dim.On("this thread is no longer among the recent ones; search finds its messages")}, w, h)
	}
	rows, _ := m.rows(c, t, w)
	first := max(len(rows)-h-min(m.above, max(len(rows)-h, 0)), 0)
	return draw.Fit(rows[first:], w, h)
}

// rows is the whole conversation, and where each message begins.
func (m *Talk) rows(c draw.Context, t router.ThreadView, w int) (out []string, starts []int) {
	at := m.index(t)
	for i, msg := range t.Messages {
		if i > 0 {
			out = append(out, "")
		}
		starts = append(starts, len(out))
		out = append(out, Message(c, msg, i == at, w)...)
	}
	if len(t.Owes) > 0 {
		out = append(out, "", "  "+owes(c, t, w-2))
	}
	return out, starts
}

func owes(c draw.Context, t router.ThreadView, w int) string {
	var parts []string
	for _, o := range t.Owes {
		s := c.Bold.On(c.Name(o.By)) + " owes " + c.Bold.On(c.Name(o.To)) + " an answer"
		if o.Waiting {
			s = c.Bold.On(c.Name(o.By)) + " waits for " + c.Bold.On(c.Name(o.To)) + " to say more"
		}
		parts = append(parts, s+c.Dim.On(" since "+c.Age(o.Since)))
	}
	return cells.Cut(strings.Join(parts, "; "), w)
}

// Message draws one message in rows of at most w columns: who to whom, what
// kind, its body, and what became of it for each recipient.
func Message(c draw.Context, msg router.MessageView, chosen bool, w int) []string {
	bar := "  "
	if chosen {
		bar = c.Key.On(c.Heavy.Left) + " "
	}
	to := c.Names(msg.To, 30)
	if msg.Room != "" {
		to = "#" + cells.Line(msg.Room)
	}
	head := c.Bold.On(c.Name(msg.From)) + c.Arrow + c.Bold.On(to) + "  " + kind(c, msg)
	if msg.Subject != "" {
		head += "  " + cells.Line(msg.Subject)
	}
	out := []string{cells.Cut(bar+cells.Sides(head, c.Dim.On(c.Age(msg.At)+" ago"), w-3), w)}
	for _, l := range markdown.Render(c.Theme, msg.Content, w-4) {
		out = append(out, bar+"  "+l)
	}
	if len(msg.Data) > 0 {
		out = append(out, cells.Cut(bar+"  "+c.Dim.On("data: "+cells.Line(string(msg.Data))), w))
	}
	for _, d := range msg.Deliveries {
		out = append(out, cells.Cut(bar+"  "+delivery(c, msg, d), w))
	}
	return out
}

func kind(c draw.Context, msg router.MessageView) string {
	switch {
	case msg.Reminder:
		return c.Styles.Asks.On("task, once more")
	case msg.Kind == wire.KindTask:
		return c.Styles.Busy.On("task")
	case msg.Kind == wire.KindReply && msg.Status == wire.StatusNeedsContext:
		return c.Styles.Asks.On("asks back")
	case msg.Kind == wire.KindReply && msg.Status == wire.StatusFailed:
		return c.Bad.On("reply: failed")
	case msg.Kind == wire.KindReply:
		return c.Good.On("reply")
	}
	return c.Dim.On(cells.Line(string(msg.Kind)))
}

// delivery says what became of a message for one recipient, with the proof.
func delivery(c draw.Context, msg router.MessageView, d router.Delivery) string {
	text := string(d.State)
	look := c.Dim
	switch d.State {
	case wire.Seen:
		look = c.Styles.Busy
		if d.Proof != "" {
			text += " (" + proof(d.Proof) + ")"
		}
		if d.Background {
			text += ", in the background"
		}
	case wire.Answered:
		text, look = c.Done+" "+text, c.Good
		if c.Failed(msg, d.Peer) {
			text, look = c.Ended+" answered: failed", c.Bad
		}
	case wire.Offered:
		text += " by " + string(d.Route) + ", no proof yet"
	case wire.Waiting, wire.Held, wire.Refused:
		if d.Reason != "" {
			text += ": " + cells.Line(d.Reason)
		}
		if d.State != wire.Waiting {
			look = c.Styles.Asks
		}
	default:
	}
	if len(msg.Deliveries) > 1 {
		text = c.Name(d.Peer) + " " + text
	}
	return look.On(text) + c.Dim.On(fmt.Sprintf(" %s %s", c.Dot, c.Age(d.Since)))
}

// Past gives the talk its messages, newest first, when its thread is no longer
// among those of the view.
func (m *Talk) Past(newestFirst []router.MessageView) {
	t := router.ThreadView{ID: m.ID}
	for i := len(newestFirst) - 1; i >= 0; i-- {
		t.Messages = append(t.Messages, newestFirst[i])
	}
	if len(t.Messages) > 0 {
		first := t.Messages[0]
		t.From, t.To, t.Room, t.Updated = first.From, first.To, first.Room, t.Messages[len(t.Messages)-1].At
		t.Title = cells.Line(cells.Cut(first.Content, 60))
	}
	m.past = &t
}

// proof says in words by what a message is known to have been seen.
func proof(p string) string {
	switch p {
	case "gate":
		return "it entered the conversation"
	case "hook":
		return "handed over at the end of a turn"
	case "transcript":
		return "it stands in the transcript"
	case "tool":
		return "read with a tool"
	case "screen":
		return "read on the screen"
	}
	return cells.Line(p)
}
