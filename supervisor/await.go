package supervisor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// awaitReplies waits a while for the answers to what was just sent, one from each
// recipient, and says what became of it by then. An answer that the result holds
// comes no other way as well.
func (c *conn) awaitReplies(p *pull, out wire.ToolResult, replies <-chan router.Message, limit time.Duration) wire.ToolResult {
	defer p.end()
	data, _ := out.Data.(postedData)
	came, err := c.give(p, gather(p.ctx, replies, unanswered(data), limit))
	if err != nil {
		came = nil // they come as events, and stand in the inbox
	}
	if now, known := c.posted(data.MessageID); known {
		data = now
	}
	out = withReplies(c.s.loop.look(), data, came)
	if len(came) < len(data.Recipients) && c.role == wire.RoleChannel {
		out.Text += fmt.Sprintf("\nNot all replied within %v. What comes later comes as an event; go on meanwhile.", limit)
	}
	return out
}

// gather takes replies until so many peers sent one, or the time is over.
func gather(ctx context.Context, replies <-chan router.Message, peers int, limit time.Duration) (came []router.Message) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for peers > 0 {
		select {
		case m := <-replies:
			if !slices.ContainsFunc(came, func(o router.Message) bool { return o.From == m.From }) {
				peers--
			}
			came = append(came, m)
		case <-ctx.Done():
			return came
		}
	}
	return came
}

// unanswered is how many recipients may still answer.
func unanswered(data postedData) (n int) {
	for _, r := range data.Recipients {
		if !r.State.Ended() {
			n++
		}
	}
	return n
}

// withReplies is what became of a message, with the replies that came while its
// sender waited.
func withReplies(v *router.View, data postedData, came []router.Message) wire.ToolResult {
	var b strings.Builder
	b.WriteString(data.String())
	for _, m := range came {
		reply := mailOf(v, m)
		data.Replies = append(data.Replies, reply)
		fmt.Fprintf(&b, "\n\nReply from %s (%s):\n%s", reply.From, reply.Status, reply.text)
	}
	return wire.ToolResult{Text: b.String(), Data: data}
}
