package soak

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// tracker follows the timeline and knows what is still open.
type tracker struct {
	mu      sync.Mutex
	last    uint64
	kinds   map[router.MessageID]router.Message
	unseen  map[delivery]bool
	owed    map[delivery]bool
	touched time.Time
}

// delivery is one message for one recipient.
type delivery struct {
	message router.MessageID
	peer    router.PeerID
}

func newTracker() *tracker {
	return &tracker{kinds: map[router.MessageID]router.Message{}, unseen: map[delivery]bool{}, owed: map[delivery]bool{}}
}

// run follows until ctx ends, over every death of ccmux.
func (t *tracker) run(ctx context.Context, h *house) {
	for ctx.Err() == nil {
		c, err := h.dialTo(ctx, t.frame)
		if err != nil {
			return
		}
		t.mu.Lock()
		from := t.last + 1
		t.mu.Unlock()
		// it ends with ccmux, or when we are behind: then again from where we are
		_ = c.Call(ctx, wire.TypeTail, wire.Tail{From: from}, nil)
		c.Close()
	}
}

func (t *tracker) frame(f wire.Frame) {
	var e wire.Event
	if f.Type != wire.TypeEvent || f.Decode(&e) != nil {
		return
	}
	body, err := router.DecodeBody(e.Type, 1, e.Body)
	if err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Seq <= t.last {
		return
	}
	t.last, t.touched = e.Seq, time.Now()
	t.take(body)
}

func (t *tracker) take(body router.Body) {
	switch b := body.(type) {
	case router.Posted:
		t.kinds[b.Message.ID] = b.Message
		for _, p := range b.Message.To {
			d := delivery{b.Message.ID, p}
			if p == router.Human {
				continue
			}
			t.unseen[d] = true
			if b.Message.Kind == wire.KindTask && !b.Message.Reminder {
				t.owed[d] = true
			}
		}
	case router.Offered:
		t.open(b.Message, b.Peer)
	case router.Waiting:
		t.open(b.Message, b.Peer)
	case router.Seen:
		if !b.Background || t.kinds[b.Message].Kind != wire.KindTask {
			delete(t.unseen, delivery{b.Message, b.Peer})
		}
	case router.Answered:
		t.close(b.Message, b.Peer)
	case router.Withdrawn:
		t.close(b.Message, b.Peer)
	case router.Expired:
		t.close(b.Message, b.Peer)
	case router.Refused:
		t.close(b.Message, b.Peer)
	}
}

func (t *tracker) open(m router.MessageID, p router.PeerID) {
	if p != router.Human {
		t.unseen[delivery{m, p}] = true
	}
}

func (t *tracker) close(m router.MessageID, p router.PeerID) {
	delete(t.unseen, delivery{m, p})
	delete(t.owed, delivery{m, p})
}

// still says what is open; "" when nothing is and nothing happens any more.
func (t *tracker) still() string {
	const calm = time.Second
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.unseen) > 0 || len(t.owed) > 0:
		return fmt.Sprintf("%d messages not seen, %d tasks not answered", len(t.unseen), len(t.owed))
	case time.Since(t.touched) < calm:
		return "something happened just now"
	}
	return ""
}

// quiet waits until nothing is open, and says what is after the limit.
func (t *tracker) quiet(ctx context.Context, limit time.Duration) string {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	left := ""
	every(ctx, 50*time.Millisecond, func() bool {
		left = t.still()
		return left == ""
	})
	return left
}
