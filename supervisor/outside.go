package supervisor

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session/transcript"
)

// maxOutside is how many calls of claude's own messenger are put on record for
// one child: its transcript can be written by whatever runs in the session.
const maxOutside = 1000

// outsideCalls are those that are on record.
type outsideCalls struct {
	since time.Time       // the child began later
	known map[string]bool // by claude's id of the call
}

// outside puts on record what the session says by claude's own messenger. It
// sees the lines of the running child only: what stood in the file before was
// recorded when it was written.
func (r *run) outside(ctx context.Context, e transcript.Entry) {
	if !e.Time.IsZero() && e.Time.Before(r.past.since) {
		return // a file that was replaced is read once more from its beginning
	}
	for _, call := range e.Outside() {
		if !r.past.add(call.ID) {
			continue
		}
		to, text := sentOutside(call.Input)
		cmd := router.RecordOutside{SaidOutside: router.SaidOutside{Peer: r.peer, To: to, Text: text}}
		if _, err := r.entry.s.loop.submit(ctx, cmd); err != nil {
			r.entry.s.log.Debug("record what was said outside", "session", r.entry.label(), "err", err)
		}
	}
}

// add says whether a call is a new one, and notes it.
func (c *outsideCalls) add(id string) bool {
	if c.known[id] || len(c.known) >= maxOutside {
		return false
	}
	if c.known == nil {
		c.known = map[string]bool{}
	}
	c.known[id] = true
	return true
}

// sentOutside reads the arguments of claude's messenger: to and message, by
// other names in other versions; a message may be an object.
func sentOutside(input json.RawMessage) (to, text string) {
	var a struct {
		To, Recipient    string
		Message, Content json.RawMessage
	}
	_ = json.Unmarshal(input, &a) // what does not fit is of a version not known here
	raw := a.Message
	if len(raw) == 0 {
		raw = a.Content
	}
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	return cmp.Or(a.To, a.Recipient, "?"), text
}
