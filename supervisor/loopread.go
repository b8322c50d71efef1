package supervisor

import (
	"github.com/ccmux/ccmux/supervisor/router"
)

// look returns the view of the last durable state. During a slow commit it is
// the one before; watchers are told again when the commit is through.
func (l *loop) look() *router.View {
	if v := l.view.Load(); v != nil && !l.stale.Load() {
		return v
	}
	r := &read{done: make(chan struct{}), view: true}
	select {
	case l.reads <- r:
		<-r.done
	case <-l.done:
	}
	return l.view.Load()
}

// read is a look at the state between two batches.
type read struct {
	f    func(*router.State)
	view bool // only the view is wanted; the one before will do
	done chan struct{}
}

// read runs f on the loop's goroutine, on durable state; f must not change it.
// False: the loop has ended and f did not run.
func (l *loop) read(f func(*router.State)) bool {
	r := &read{f: f, done: make(chan struct{})}
	select {
	case l.reads <- r:
	case <-l.done:
		return false
	}
	select {
	case <-r.done:
		return true
	case <-l.done:
		return false
	}
}

// serve answers a read now, or after the commit under way.
func (l *loop) serve(r *read) {
	switch {
	case r.view:
		l.picture()
	case l.flying != nil:
		l.readers = append(l.readers, r)
		return
	default:
		r.f(l.state)
	}
	close(r.done)
}

func (l *loop) picture() *router.View {
	if l.flying != nil && l.view.Load() != nil {
		return l.view.Load() // what is applied is not durable yet
	}
	if l.view.Load() == nil || l.stale.Load() {
		v := l.state.View()
		v.Storage = l.storage.words()
		l.view.Store(v)
		l.stale.Store(l.flying != nil)
	}
	return l.view.Load()
}
