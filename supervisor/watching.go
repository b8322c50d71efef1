package supervisor

import (
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// withWatching is a picture with the sessions beside it that wait for mail in the
// tool watch while none is due to them.
func (s *Supervisor) withWatching(v *router.View) *router.View {
	waiting := s.posts.waiting()
	if len(waiting) == 0 {
		return v
	}
	c := *v
	for _, p := range v.Peers {
		if waiting[p.ID] && p.Class == wire.ClassSession && p.Pending == 0 {
			c.Watching = append(c.Watching, p.ID)
		}
	}
	return &c
}

// deadWatch says that sessions wait for each other: two or more watch, and no
// other one works that could write to them. Each watch has an end of its own.
func deadWatch(v *router.View) string {
	if len(v.Watching) < 2 {
		return ""
	}
	waits := map[router.PeerID]bool{}
	for _, id := range v.Watching {
		waits[id] = true
	}
	for _, p := range v.Peers {
		if p.Class == wire.ClassSession && p.Online && p.Session.State != router.Idle && !waits[p.ID] {
			return ""
		}
	}
	list := names(v, v.Watching)
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last] + " watch for mail, and no session is at work that could send any"
}
