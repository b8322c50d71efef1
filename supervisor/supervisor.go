package supervisor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/journal"
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/supervisor/router"
)

// lingering is how long ccmux stays after the last session and the last screen.
const lingering = 10 * time.Minute

// ErrOwned says that another ccmux holds the project.
var ErrOwned = journal.ErrInUse

// Config is what a Supervisor is made of.
type Config struct {
	Project  project.Project
	StateDir string
	Socket   string
	Binary   string // this program, absolute: channel and hook processes are started from it
	Build    string
	// ProofTime is how long a start probe, and an offer to an idle session, may
	// stay without proof; 10 s when 0.
	ProofTime time.Duration
	Log       *slog.Logger
	// Show runs a screen on a terminal until it is detached, and returns the
	// last words for the human.
	Show func(ctx context.Context, s *Supervisor, t *Terminal) (string, error)
	// Plugin writes the plugin of a session into dir; its processes are started
	// from binary and find ccmux through sessionFile.
	Plugin func(dir, binary, sessionFile string) error
	// Prompt is what is appended to the system prompt of the session called name.
	Prompt func(name string, peers ...string) string
}

// Supervisor is one project's ccmux.
type Supervisor struct {
	cfg       Config
	log       *slog.Logger
	loop      *loop
	journal   *journal.Journal
	sessions  *sessions
	watchers  watchers
	timeline  *timeline
	requests  *requests
	rules     rulebook
	denials   denials
	team      atomic.Pointer[project.File] // as it was read last: at the start, or when it was trusted
	news      news
	retention atomic.Int64 // days; 0: for ever
	posts     *posts
	screens   *screens
	callers   listeners[func(Call)]
	listener  *net.UnixListener
	guard     *guard
	wg        sync.WaitGroup
	followers sync.WaitGroup // readers of transcripts
	leftovers leftovers
	stop      context.CancelCauseFunc
	folder    os.FileInfo // of the state, as it was opened
}

// New takes the project: its lock, its journal, its socket. Close or Run must
// follow.
func New(ctx context.Context, cfg Config) (*Supervisor, error) {
	j, err := journal.Open(ctx, cfg.StateDir, journal.Options{Build: cfg.Build, Warn: func(w journal.Warning) { cfg.Log.Warn(w.String()) }})
	if err != nil {
		return nil, err
	}
	s := &Supervisor{cfg: cfg, log: cfg.Log, journal: j}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return s, nil
}

func (s *Supervisor) open(ctx context.Context) (err error) {
	s.team.Store(s.cfg.Project.Config)
	s.loop = newLoop(s.journal, s.log, time.Now)
	s.loop.limits = s.limits(project.Limits{})
	if err = s.loop.load(ctx); err != nil {
		return err
	}
	s.timeline = newTimeline()
	s.requests, s.posts, s.screens = newRequests(), newPosts(), newScreens()
	s.sessions = newSessions(s)
	s.loop.ahead = offers
	s.loop.settled, s.loop.storage.tell = s.settled, s.watchers.tell
	if s.folder, err = os.Stat(s.cfg.StateDir); err != nil {
		return fmt.Errorf("look at the state folder: %w", err)
	}
	if s.guard, err = newGuard(s.sessions, s.log); err != nil {
		return err
	}
	return s.listen()
}

// listen takes the socket's path. Only the holder of the project's lock comes
// here, so what is in the way is a dead one's.
func (s *Supervisor) listen() error {
	if err := os.Remove(s.cfg.Socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("clear the socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.cfg.Socket, Net: "unix"})
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if err := os.Chmod(s.cfg.Socket, 0o600); err != nil {
		return errors.Join(fmt.Errorf("listen: %w", err), l.Close())
	}
	s.listener = l
	return nil
}

// Run works until ctx ends, the human stops it, or nothing has been left to do
// for ten minutes. Sessions are ended and the journal is closed when it returns.
func (s *Supervisor) Run(ctx context.Context, ready func()) error {
	ctx, s.stop = context.WithCancelCause(ctx)
	defer s.stop(nil)
	// The loop outlives the rest, so that endings are on record.
	loopCtx, endLoop := context.WithCancel(context.WithoutCancel(ctx))
	s.wg.Go(func() { s.loop.run(loopCtx) })
	if err := s.begin(ctx); err != nil {
		endLoop()
		s.wg.Wait()
		return errors.Join(err, s.close())
	}
	var front sync.WaitGroup
	front.Go(func() { s.accept(ctx) })
	front.Go(func() { s.linger(ctx) })
	front.Go(func() { s.guard.reap(ctx) })
	front.Go(func() { s.mindFolder(ctx) })
	front.Go(func() { s.mindTeamFile(ctx) })
	front.Go(func() { s.mindRetention(ctx) })
	front.Go(func() { s.mindDenials(ctx) })
	ready()
	<-ctx.Done()
	s.listener.Close()
	s.sessions.stopAll(context.WithoutCancel(ctx))
	s.followers.Wait()
	s.leftovers.wait()
	front.Wait()
	s.tellDenials(context.WithoutCancel(ctx))
	endLoop()
	s.wg.Wait()
	err := context.Cause(ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, errDone) {
		err = nil
	}
	return errors.Join(err, s.close())
}

// errDone is the cause of an end in order.
var errDone = errors.New("done")

func (s *Supervisor) close() error {
	err := os.Remove(s.cfg.Socket)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, s.journal.Close())
}

// begin puts the state in order after whatever ended the last run: the human is
// a peer, no session runs, open requests are void.
func (s *Supervisor) begin(ctx context.Context) error {
	v := s.loop.look()
	if _, known := v.Peer(router.Human); !known {
		if _, err := s.loop.submit(ctx, router.AddPeer{Name: wire.You, Class: wire.ClassHuman, Dir: s.cfg.Project.Root}); err != nil {
			return fmt.Errorf("make the human a peer: %w", err)
		}
	}
	if _, err := s.loop.submit(ctx, router.VoidPermissions{Why: "ccmux ended before they were answered"}); err != nil {
		return fmt.Errorf("void the requests of the last run: %w", err)
	}
	s.tellVoid(len(v.Permissions))
	s.loop.read(s.takeRules)
	if err := s.teamFile(ctx); err != nil {
		s.log.Error("apply the team file", "err", err)
	}
	for _, p := range v.Peers {
		if !p.Session.State.Running() {
			continue
		}
		s.leftovers.clear(s, p)
		end := router.SessionEnded{Peer: p.ID, State: router.Exited, Detail: "ccmux ended"}
		if _, err := s.loop.submit(ctx, router.EndSession{SessionEnded: end}); err != nil {
			return fmt.Errorf("close the sessions of the last run: %w", err)
		}
	}
	return nil
}

// linger ends ccmux when it has had neither session nor screen for ten minutes.
func (s *Supervisor) linger(ctx context.Context) {
	tick := time.NewTicker(15 * time.Second)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if s.sessions.running() > 0 || s.screens.count() > 0 {
			last = time.Now()
		} else if time.Since(last) >= lingering {
			s.stop(errDone)
			return
		}
	}
}

// Stop ends ccmux in order: Run returns once every session has ended.
func (s *Supervisor) Stop() { s.stop(errDone) }

// newID makes a message id that is unique everywhere and sorts by time.
func newID() router.MessageID { return router.MessageID(uuid.Must(uuid.NewV7()).String()) }

// LogPath is where the log of a project's background process is.
func LogPath(stateDir string) string { return filepath.Clean(stateDir) + ".log" }

// TeamFile is the project's ccmux.toml as it was when ccmux began, or when the
// human trusted it last; nil when there is none.
func (s *Supervisor) TeamFile() *project.File { return s.team.Load() }

// Log is where failures go.
func (s *Supervisor) Log() *slog.Logger { return s.log }
