package supervisor

import (
	"context"
	"sync"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
	"github.com/ccmux/ccmux/supervisor/session/proc"
)

// leftovers are the children of a ccmux that died without ending them. Their
// terminals went with it, so they end; but until they have, they write on in
// conversations of which nobody else may be in the middle. Nothing is resumed
// before its leftover is gone.
type leftovers struct {
	mu   sync.Mutex
	ends map[router.PeerID]chan struct{} // closed when it is gone
}

// clear begins to end what the last ccmux left of a session, if it runs still
// and is surely that: its birth and its environment say so.
func (l *leftovers) clear(s *Supervisor, p router.PeerView) {
	id := proc.Identity{PID: p.Session.PID, Start: p.Session.Birth}
	if id.PID <= 1 || id.Start == 0 || !id.Alive() {
		return
	}
	if ours, err := proc.HasEnv(id.PID, "CCMUX_SESSION="+p.Name); err != nil || !ours {
		return
	}
	s.log.Info("end what an earlier ccmux left", "session", p.Name, "process", id.PID)
	gone := make(chan struct{})
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ends == nil {
		l.ends = map[router.PeerID]chan struct{}{}
	}
	l.ends[p.ID] = gone
	go func() {
		defer close(gone)
		if e := session.Clear(context.Background(), id, session.Grace{}); e.Incomplete {
			s.log.Error("what an earlier ccmux left does not end", "session", p.Name, "process", id.PID)
		}
	}()
}

// await returns when nothing is left of a peer's earlier child. It takes as
// long as a stop at most.
func (l *leftovers) await(p router.PeerID) {
	l.mu.Lock()
	gone := l.ends[p]
	l.mu.Unlock()
	if gone != nil {
		<-gone
	}
}

// wait returns when none is left.
func (l *leftovers) wait() {
	l.mu.Lock()
	ends := make([]chan struct{}, 0, len(l.ends))
	for _, gone := range l.ends {
		ends = append(ends, gone)
	}
	l.mu.Unlock()
	for _, gone := range ends {
		<-gone
	}
}
