package tui

import (
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
)

// justStarted is how long after its start a session's word about it is news to a
// screen that opens.
const justStarted = 15 * time.Second

// tellStarts says at the bottom what the human should know of a start: that a
// conversation could not be resumed, say.
func (m *model) tellStarts(before *router.View) {
	for _, p := range m.sessions {
		if p.Session.Said == "" || m.now.Sub(p.Session.Started) > justStarted {
			continue
		}
		if old, ok := before.Peer(p.ID); ok && old.Session.Started.Equal(p.Session.Started) {
			continue
		}
		m.warn(cells.Line(p.Name + ": " + p.Session.Said))
	}
}
