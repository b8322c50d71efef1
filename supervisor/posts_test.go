package supervisor

import (
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// TestOnlyAReplyIsWaitedFor: not what ccmux says of the message, and not a
// reminder of it.
func TestOnlyAReplyIsWaitedFor(t *testing.T) {
	p := newPosts()
	replies, cancel := p.repliesTo("m-1")
	defer cancel()
	for _, m := range []router.Message{
		{ID: "m-2", Kind: wire.KindNote, InReplyTo: "m-1"},
		{ID: "m-3", Kind: wire.KindTask, InReplyTo: "m-1", Reminder: true},
		{ID: "m-4", Kind: wire.KindReply, InReplyTo: "m-1"},
	} {
		p.saw(router.Event{Body: router.Posted{Message: m}})
	}
	if got := (<-replies).ID; got != "m-4" || len(replies) != 0 {
		t.Errorf("waited for is %s, with %d more; want the reply", got, len(replies))
	}
}
