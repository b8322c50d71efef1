package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/supervisor/router"
)

// topic is what a piece of news is about; a newer one replaces it.
type topic int

const (
	aboutTeamFile topic = iota
	aboutVoid
	topics
)

// newsTime is how long a screen that comes is told of what happened at the start.
const newsTime = 10 * time.Minute

// news is what the human should know of ccmux itself; it is no fact of the
// timeline and goes with the process.
type news struct {
	mu   sync.Mutex
	text [topics]string
	end  [topics]time.Time // zero: until it is replaced
}

// set replaces what is said of t, and reports whether that changed; "" says
// nothing.
func (n *news) set(t topic, text string, end time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	changed := n.text[t] != text
	n.text[t], n.end[t] = text, end
	return changed
}

// of returns what there is to say of the topics.
func (n *news) of(list ...topic) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []string
	for _, t := range list {
		if n.text[t] != "" && (n.end[t].IsZero() || time.Now().Before(n.end[t])) {
			out = append(out, n.text[t])
		}
	}
	return out
}

// withNews is a picture with what the human should know beside it.
func (s *Supervisor) withNews(v *router.View) *router.View {
	list := s.news.of(aboutTeamFile, aboutVoid)
	if words := deadWatch(v); words != "" {
		list = append(list, words)
	}
	if len(list) == 0 {
		return v
	}
	c := *v
	c.News = list
	return &c
}

// tellVoid says how many requests the end of the last ccmux made void.
func (s *Supervisor) tellVoid(n int) {
	switch {
	case n == 1:
		s.news.set(aboutVoid, "1 request became void when ccmux ended: its session asks again if it still wants to", time.Now().Add(newsTime))
	case n > 1:
		s.news.set(aboutVoid, fmt.Sprintf("%d requests became void when ccmux ended: their sessions ask again if they still want to", n), time.Now().Add(newsTime))
	}
}

// teamFileEvery is how often the team file is looked at.
const teamFileEvery = 2 * time.Second

// mindTeamFile tells the human when the team file says something else than what
// is in force, until ctx ends. It applies nothing.
func (s *Supervisor) mindTeamFile(ctx context.Context) {
	tick := time.NewTicker(teamFileEvery)
	defer tick.Stop()
	path := filepath.Join(s.cfg.Project.Root, project.FileName)
	var last os.FileInfo
	var of *project.File
	for first := true; ; first = false {
		now, err := os.Stat(path)
		team := s.TeamFile()
		if first || of != team || !sameFile(last, now) {
			if s.news.set(aboutTeamFile, s.teamFileNews(path, team, err), time.Time{}) {
				s.watchers.tell()
			}
		}
		last, of = now, team
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// teamFileNews says in what the file at path differs from what is in force.
func (s *Supervisor) teamFileNews(path string, team *project.File, err error) string {
	name := filepath.Base(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && team == nil:
		return ""
	case errors.Is(err, fs.ErrNotExist):
		return name + " is gone: what it said stays in force until ccmux starts again"
	}
	f, err := project.ReadConfig(path)
	switch {
	case err != nil:
		return wire.CleanLine(name+" cannot be read, and what it said before stays in force: "+err.Error(), wire.MaxMeta)
	case team != nil && f.Hash == team.Hash && !s.trusted(f) && len(f.NeedsTrust()) > 0:
		return name + " is not trusted, so its rules are not in force: ccmux trust shows what it asks for"
	case team != nil && f.Hash == team.Hash:
		return ""
	case team == nil:
		return name + " is new and not in force: ccmux trust shows what it asks for"
	}
	return name + " has changed, and the change is not in force: ccmux trust shows what it asks for"
}

func (s *Supervisor) trusted(f *project.File) bool {
	yes := false
	s.loop.read(func(st *router.State) { yes = st.Trusted(f.Path) == f.Hash })
	return yes
}
