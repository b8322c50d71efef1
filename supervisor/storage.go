package supervisor

import (
	"context"
	"os"
	"sync/atomic"
	"time"
)

// storage is what is wrong with where the journal is, for the view. It may be set
// from any goroutine.
type storage struct {
	commit atomic.Pointer[string] // the last commit failed
	folder atomic.Pointer[string] // the journal's folder is not there any more
	tell   func()                 // has the screens look; may be nil
}

// words is the worst of it, "" when all is well.
func (s *storage) words() string {
	for _, p := range []*atomic.Pointer[string]{&s.folder, &s.commit} {
		if text := textOf(p); text != "" {
			return text
		}
	}
	return ""
}

func textOf(p *atomic.Pointer[string]) string {
	if text := p.Load(); text != nil {
		return *text
	}
	return ""
}

// ill notes what is wrong with the storage, "" for nothing, and has a change shown.
func (l *loop) ill(what *atomic.Pointer[string], text string) {
	old := what.Swap(&text)
	if (old == nil && text == "") || (old != nil && *old == text) {
		return
	}
	l.stale.Store(true)
	if l.storage.tell != nil {
		l.storage.tell()
	}
}

// whole says whether there is a state to work on; one that could not be rebuilt
// is tried once more.
func (l *loop) whole(ctx context.Context) bool {
	if l.broken != nil {
		l.broken = l.load(ctx)
	}
	return l.broken == nil
}

// tryAgain finds out, while nothing else is to be recorded, whether what could not
// be written can be by now, so that no screen goes on telling of a full disk.
func (l *loop) tryAgain(ctx context.Context) {
	if textOf(&l.storage.commit) == "" || l.flying != nil || len(l.pending) > 0 || !l.whole(ctx) {
		return
	}
	l.state.Touch()
	l.events = nil
	l.commit(ctx, []*call{})
}

// folderCheck is how often ccmux looks whether its folder is still there.
const folderCheck = 5 * time.Second

// mindFolder watches the folder of the journal: files that were removed can be
// written for long, and everything is lost with the process.
func (s *Supervisor) mindFolder(ctx context.Context) {
	tick := time.NewTicker(folderCheck)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.checkFolder()
		case <-ctx.Done():
			return
		}
	}
}

// checkFolder compares the folder of the state with the one that was opened.
func (s *Supervisor) checkFolder() {
	now, err := os.Stat(s.cfg.StateDir)
	text := ""
	if err != nil || !os.SameFile(s.folder, now) {
		text = "the state folder " + s.cfg.StateDir + " was removed: what is said now is lost when ccmux ends; ccmux down --all, then ccmux up"
		if s.loop.storage.folder.Load() == nil {
			s.log.Error("the state folder is gone", "folder", s.cfg.StateDir, "err", err)
		}
	}
	s.loop.ill(&s.loop.storage.folder, text)
}
