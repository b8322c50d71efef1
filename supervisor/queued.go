package supervisor

import (
	"maps"
	"slices"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session/transcript"
)

// An old claude gives the model what comes over the channel in the middle of a
// tool without asking the prompt hook. Nothing can keep it back then, and what
// went another way meanwhile is there twice. So with such a claude a message that
// was pushed goes no other way while it may still arrive: until it was seen, or
// the channel is lost and claude did not note in its transcript that it took it,
// or the session is idle and so has nothing left in its queue.

// queue keeps in mind what waits in claude's own queue.
func (r *run) queue(e transcript.Entry) {
	waits := e.Kind == transcript.Enqueued
	if !waits && e.Kind != transcript.User && e.Kind != transcript.Background && e.Kind != transcript.Blocked {
		return
	}
	for _, tag := range e.Tags {
		if tag.Source != wire.ChannelSource {
			continue
		}
		for _, id := range r.inEvent(tag) {
			r.inQueue(id, waits)
		}
	}
}

func (r *run) inQueue(id router.MessageID, waits bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !waits:
		delete(r.queued, id)
	case r.unasked:
		r.queued[id] = true
		r.entry.s.posts.poke(r.peer) // who watches has to end for it to arrive
	}
}

// queueEmpty forgets the queue: an idle claude has none.
func (r *run) queueEmpty() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.queued)
}

// queues says whether something waits in claude's own queue.
func (r *run) queues() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.queued) > 0
}

// notPushed is what of list may go another way than over the channel, in order:
// nothing that may still arrive by itself, and nothing that the same sender sent
// after that.
func (r *run) notPushed(s *router.State, list []router.Message) []router.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.unasked {
		return list
	}
	onWay := maps.Clone(r.queued)
	for _, m := range s.Due(r.peer, time.Now()) { // it is pushed in a moment
		onWay[m.ID] = true
	}
	behind := map[router.PeerID]bool{}
	return slices.DeleteFunc(list, func(m router.Message) bool {
		d, _ := s.Delivery(m.ID, r.peer)
		pushed := d.State == wire.Offered && d.Route == wire.RouteChannel
		behind[m.From] = behind[m.From] || pushed || onWay[m.ID]
		return behind[m.From]
	})
}
