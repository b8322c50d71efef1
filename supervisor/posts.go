package supervisor

import (
	"sync"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// posts tells those that wait for a message: for the reply to one of theirs, or
// for any mail to them.
type posts struct {
	mu      sync.Mutex
	next    int
	replies map[router.MessageID]chan router.Message
	mail    map[int]mailWaiter
}

type mailWaiter struct {
	peer router.PeerID
	wake chan struct{}
}

func newPosts() *posts {
	return &posts{replies: map[router.MessageID]chan router.Message{}, mail: map[int]mailWaiter{}}
}

// repliesTo hands over the replies to a message, as many as it may have
// recipients; it must be called before the message is posted.
func (p *posts) repliesTo(id router.MessageID) (<-chan router.Message, func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ch := make(chan router.Message, wire.MaxTargets)
	p.replies[id] = ch
	return ch, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.replies, id)
	}
}

// mailTo wakes the caller when something is posted to peer.
func (p *posts) mailTo(peer router.PeerID) (<-chan struct{}, func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	id := p.next
	w := mailWaiter{peer: peer, wake: make(chan struct{}, 1)}
	p.mail[id] = w
	return w.wake, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.mail, id)
	}
}

// waiting says who waits for mail at this moment.
func (p *posts) waiting() map[router.PeerID]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[router.PeerID]bool{}
	for _, w := range p.mail {
		out[w.peer] = true
	}
	return out
}

// saw runs on the loop's goroutine for every durable event.
func (p *posts) saw(e router.Event) {
	b, ok := e.Body.(router.Posted)
	if !ok {
		p.due(e.Body)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if ch := p.replies[b.Message.InReplyTo]; ch != nil && b.Message.Kind == wire.KindReply && !b.Message.Reminder {
		select {
		case ch <- b.Message:
		default:
		}
	}
	for _, to := range b.Message.To {
		p.wake(to)
	}
}

// due wakes for mail that was posted before and can be had again: it was held, or
// on another way.
func (p *posts) due(b router.Body) {
	var to router.PeerID
	switch b := b.(type) {
	case router.Released:
		to = b.Peer
	case router.Waiting:
		to = b.Peer
	default:
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake(to)
}

// poke wakes who waits for mail to peer.
func (p *posts) poke(peer router.PeerID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake(peer)
}

func (p *posts) wake(peer router.PeerID) {
	for _, w := range p.mail {
		if w.peer != peer {
			continue
		}
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}
