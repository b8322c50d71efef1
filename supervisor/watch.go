package supervisor

import (
	"encoding/json"
	"sync"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// listeners are functions that are told of something, until they are cancelled.
// The zero value has none.
type listeners[F any] struct {
	mu   sync.Mutex
	next int
	all  map[int]F
}

// add has f told from now on.
func (l *listeners[F]) add(f F) (cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[int]F{}
	}
	l.next++
	id := l.next
	l.all[id] = f
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.all, id)
	}
}

// each calls call with every listener; each must return at once.
func (l *listeners[F]) each(call func(F)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.all {
		call(f)
	}
}

// watchers are told, without detail, that the view may have changed.
type watchers struct{ listeners[func()] }

// tell calls every watcher; each must only set a flag.
func (w *watchers) tell() { w.each(func(f func()) { f() }) }

// maxBehind is how many events a follower of the timeline may be behind before
// it is cut off; it can ask again from where it stands.
const maxBehind = 4096

// timeline hands events to those that follow it.
type timeline struct {
	mu   sync.Mutex
	next int
	all  map[int]*follower
}

// follower is one who follows. Its channel is closed when it fell behind.
type follower struct{ events chan router.Event }

func newTimeline() *timeline { return &timeline{all: map[int]*follower{}} }

func (t *timeline) add() (f *follower, cancel func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	id := t.next
	f = &follower{events: make(chan router.Event, maxBehind)}
	t.all[id] = f
	return f, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.all, id)
	}
}

func (t *timeline) publish(events []router.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, f := range t.all {
		for _, e := range events {
			select {
			case f.events <- e:
				continue
			default:
			}
			close(f.events)
			delete(t.all, id)
			break
		}
	}
}

// wireEvent is an event as it goes over the socket.
func wireEvent(e router.Event) (wire.Event, error) {
	_, body, err := router.EncodeBody(e.Body)
	if err != nil {
		return wire.Event{}, err
	}
	return wire.Event{Seq: e.Seq, At: e.At, Type: e.Type(), Body: json.RawMessage(body)}, nil
}
