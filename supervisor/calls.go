package supervisor

import (
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

// Calls has f called, on a session's goroutine, with what programs in panes want
// of the human; f must return at once.
func (s *Supervisor) Calls(f func(Call)) (cancel func()) { return s.callers.add(f) }
