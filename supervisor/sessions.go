package supervisor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
	"github.com/ccmux/ccmux/supervisor/session/proc"
)

// sessions is the table of what runs: one entry a peer, kept until ccmux ends.
type sessions struct {
	s  *Supervisor
	mu sync.Mutex // the maps
	// upping lets one `up` at a time decide what is new.
	upping  sync.Mutex
	entries map[router.PeerID]*entry
	creds   map[string]*run
}

// entry is one peer's place in the table, over all its children.
type entry struct {
	s    *Supervisor
	peer router.PeerID
	slot *session.Slot
	pane *Pane

	mu    sync.Mutex
	name  string
	spec  wire.SessionSpec
	env   []string // of the up that started it; in memory only
	fresh bool     // the next start begins a new conversation
	run   *run     // the child, or the last one
	next  *run     // built, not yet running
}

func newSessions(s *Supervisor) *sessions {
	return &sessions{s: s, entries: map[router.PeerID]*entry{}, creds: map[string]*run{}}
}

// up has every session of u running. Everything that can be wrong is found out
// before the first one starts.
func (t *sessions) up(ctx context.Context, u wire.Up) (wire.UpResult, error) {
	t.upping.Lock()
	defer t.upping.Unlock()
	var res wire.UpResult
	if u.Known {
		if u.Sessions = t.known(); len(u.Sessions) == 0 {
			return res, fmt.Errorf("no session to start: name folders (ccmux up frontend backend), or list sessions in ccmux.toml")
		}
	}
	plan, err := t.plan(u)
	if err != nil {
		return res, err
	}
	if err := t.checkPrograms(ctx, plan, u.Env); err != nil {
		return res, err
	}
	var begun []*entry
	for _, p := range plan {
		if p.running {
			res.Running = append(res.Running, p.spec.Name)
			continue
		}
		e, err := t.entryFor(ctx, p, u)
		if err != nil {
			return res, err
		}
		if err := e.slot.Start(ctx); err != nil {
			return res, fmt.Errorf("session %s: %w", p.spec.Name, err)
		}
		begun = append(begun, e)
		resumed, said := e.start()
		if resumed {
			res.Resumed = append(res.Resumed, p.spec.Name)
		} else {
			res.Started = append(res.Started, p.spec.Name)
		}
		if said != "" {
			res.Notes = append(res.Notes, p.spec.Name+": "+said)
		}
	}
	res.Ended = endedAtOnce(ctx, begun)
	return res, t.s.teamFileAgain(ctx)
}

func (t *sessions) entry(id router.PeerID) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entries[id]
}

func (t *sessions) all() []*entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]*entry, 0, len(t.entries))
	for _, e := range t.entries {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *entry) int { return strings.Compare(string(a.peer), string(b.peer)) })
	return list
}

// current is the running child of a peer, nil when there is none.
func (t *sessions) current(id router.PeerID) *run {
	e := t.entry(id)
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.run
}

// byCredential finds the child a connection claims to belong to.
func (t *sessions) byCredential(credential string) *run {
	t.mu.Lock()
	defer t.mu.Unlock()
	if credential == "" {
		return nil
	}
	return t.creds[credential]
}

func (t *sessions) issue(credential string, r *run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.creds[credential] = r
}

func (t *sessions) revoke(credential string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.creds, credential)
}

func (t *sessions) renamed(id router.PeerID, name string) {
	if e := t.entry(id); e != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.name = name
	}
}

// roots are the processes of the running sessions, and their terminals.
func (t *sessions) roots() (ids []proc.Identity, ttys []uint64) {
	for _, e := range t.all() {
		if s := e.slot.Session(); s != nil {
			ids = append(ids, s.Identity())
			ttys = append(ttys, s.TTY())
		}
	}
	return ids, ttys
}

// home is what ~ means to a peer's session.
func (t *sessions) home(id router.PeerID) string {
	e := t.entry(id)
	if e == nil {
		return ""
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, kv := range e.env {
		if home, ok := strings.CutPrefix(kv, "HOME="); ok {
			return home
		}
	}
	return ""
}

func (t *sessions) running() int {
	n := 0
	for _, e := range t.all() {
		if e.alive() {
			n++
		}
	}
	return n
}

// each runs f for the named sessions, or for all; every name is checked first.
func (t *sessions) each(ctx context.Context, wanted []string, f func(context.Context, *entry) error) (wire.Names, error) {
	var list []*entry
	if len(wanted) == 0 {
		for _, e := range t.all() {
			if e.alive() {
				list = append(list, e)
			}
		}
	}
	for _, name := range wanted {
		e, err := t.named(name)
		if err != nil {
			return wire.Names{}, err
		}
		list = append(list, e)
	}
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	for i, e := range list {
		wg.Go(func() { errs[i] = f(ctx, e) })
	}
	wg.Wait()
	var done wire.Names
	for i, e := range list {
		if errs[i] == nil {
			done.Names = append(done.Names, e.label())
		}
	}
	return done, errors.Join(errs...)
}

func (t *sessions) named(name string) (*entry, error) {
	for _, e := range t.all() {
		if e.label() == name {
			return e, nil
		}
	}
	v := t.s.loop.look()
	if p, ok := v.Named(name); ok && p.Class == wire.ClassSession {
		return nil, fmt.Errorf("%s was not started since ccmux began: start it with ccmux up %s=%s", name, name, p.Dir)
	}
	return nil, unknownPeer(v, name)
}

func (t *sessions) stop(ctx context.Context, e *entry) error {
	ending, err := e.slot.Stop(ctx)
	if err == nil && len(ending.Survivors) > 0 {
		t.s.log.Warn("processes outlived their session", "session", e.label(), "survivors", len(ending.Survivors))
	}
	return err
}

func (t *sessions) restart(ctx context.Context, e *entry) error { return e.slot.Restart(ctx) }

// stopAll ends every session and the table with it.
func (t *sessions) stopAll(ctx context.Context) {
	var wg sync.WaitGroup
	for _, e := range t.all() {
		wg.Go(func() { e.slot.Close(ctx) })
	}
	wg.Wait()
}

// Start starts a session that was stopped, by name.
func (s *Supervisor) Start(ctx context.Context, name string) error {
	e, err := s.sessions.named(name)
	if err != nil {
		return err
	}
	return e.slot.Start(ctx)
}

// StopSession ends a session by name; its conversation stays.
func (s *Supervisor) StopSession(ctx context.Context, name string) error {
	_, err := s.sessions.each(ctx, []string{name}, s.sessions.stop)
	return err
}

// Restart ends a session and starts it again in its conversation.
func (s *Supervisor) Restart(ctx context.Context, name string) error {
	_, err := s.sessions.each(ctx, []string{name}, s.sessions.restart)
	return err
}
