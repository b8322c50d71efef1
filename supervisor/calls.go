package supervisor

import (
	"sync"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
)

// Call is what the program in a pane wants of the human: its bell, a desktop
// notification, text for the clipboard. Its text is as hostile as the program.
type Call struct {
	Peer  router.PeerID
	Kind  session.EventKind // BellRang, Notified or Copied
	Title string
	Text  string
}

// callers are told of calls.
type callers struct {
	mu   sync.Mutex
	next int
	all  map[int]func(Call)
}

func newCallers() *callers { return &callers{all: map[int]func(Call){}} }

func (c *callers) tell(call Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.all {
		f(call)
	}
}

// Calls has f called, on a session's goroutine, with what programs in panes want
// of the human; f must return at once.
func (s *Supervisor) Calls(f func(Call)) (cancel func()) {
	c := s.callers
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	id := c.next
	c.all[id] = f
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.all, id)
	}
}
