package draw

import (
	"fmt"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/theme"
)

// Delivery is the state of a whole thread in a word or two: what is owed, how many
// of the answers are there and whether any is a failure, or how far its messages
// came. It never says more than the view does.
func (c Context) Delivery(t router.ThreadView, asks bool) (string, theme.Style) {
	got, failed := answers(t)
	of := got + len(t.Owes)
	switch {
	case asks:
		return "asks", c.Styles.Asks
	case failed > 0 && of > 1:
		return fmt.Sprintf("failed %d/%d", failed, of), c.Bad
	case failed > 0:
		return "failed " + c.Age(t.Updated), c.Bad
	case !t.Open && got > 0:
		return "done " + c.Age(t.Updated), c.Good
	case t.State == wire.Held:
		return "held", c.Styles.Asks
	case needsContext(t):
		return "needs answer", c.Styles.Asks
	case t.Open && got > 0:
		return fmt.Sprintf("done %d/%d", got, of), c.Styles.Busy
	}
	return c.way(t)
}

// way is how far the messages of a thread without an answer came.
func (c Context) way(t router.ThreadView) (string, theme.Style) {
	n, of := seen(t)
	switch {
	case t.State == wire.Refused || t.State == wire.Expired || t.State == wire.Withdrawn:
		return string(t.State), c.Bad
	case of > 1:
		return fmt.Sprintf("seen %d/%d", n, of), c.lively(t)
	case t.State == wire.Seen:
		return "seen " + c.Age(t.Since), c.lively(t)
	}
	return string(t.State), c.Dim
}

// lively is the look of what still waits for an answer.
func (c Context) lively(t router.ThreadView) theme.Style {
	if t.Open {
		return c.Styles.Busy
	}
	return c.Dim
}

// answers counts the final answers of a thread, the last one to each task, and
// those that say the work failed.
func answers(t router.ThreadView) (got, failed int) {
	last := map[router.MessageID]wire.Status{}
	for _, m := range t.Messages {
		if m.Kind == wire.KindReply && m.Status != wire.StatusNeedsContext {
			key := m.InReplyTo
			if key == "" {
				key = m.ID
			}
			key += router.MessageID(" " + m.From) // a task to several is answered by each
			last[key] = m.Status
		}
	}
	for _, s := range last {
		got++
		if s == wire.StatusFailed {
			failed++
		}
	}
	return got, failed
}

// Failed says whether the answer of a peer to a message was that the work failed.
func (c Context) Failed(m router.MessageView, by router.PeerID) bool {
	for _, t := range c.View.Threads {
		if t.ID != m.Thread {
			continue
		}
		for i := len(t.Messages) - 1; i >= 0; i-- {
			if r := t.Messages[i]; r.Kind == wire.KindReply && r.InReplyTo == m.ID && r.From == by {
				return r.Status == wire.StatusFailed
			}
		}
	}
	return false
}

func needsContext(t router.ThreadView) bool {
	for _, o := range t.Owes {
		if o.Waiting {
			return true
		}
	}
	return false
}

// seen counts how many recipients have seen the messages of a thread, or its
// newest task while one is open.
func seen(t router.ThreadView) (n, of int) {
	for i := len(t.Messages) - 1; i >= 0; i-- {
		m := t.Messages[i]
		if t.Open && m.Kind != wire.KindTask {
			continue
		}
		for _, d := range m.Deliveries {
			of++
			if d.State == wire.Seen || d.State == wire.Answered {
				n++
			}
		}
		if t.Open {
			break
		}
	}
	return n, of
}
