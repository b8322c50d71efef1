package supervisor

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session/proc"
)

// guard tells who stands at the door: the human, or something that descends
// from a session.
type guard struct {
	sessions  *sessions
	self      proc.Identity
	subreaper bool
	log       *slog.Logger
}

func newGuard(table *sessions, log *slog.Logger) (*guard, error) {
	self, err := proc.Self()
	if err != nil {
		return nil, fmt.Errorf("read our own process: %w", err)
	}
	on, err := proc.SubreaperOn()
	if err != nil {
		log.Warn("daemonised children of sessions cannot be told from the human's processes", "err", err)
	}
	return &guard{sessions: table, self: self, subreaper: on, log: log}, nil
}

// caller is the process at the other end of a connection.
type caller struct {
	id  proc.Identity
	exe string
	tty string // its controlling terminal, "" for none
}

// actor is the caller as an audit names it.
func (c caller) actor() router.Actor {
	return router.Actor{Kind: router.ByHuman, PID: c.id.PID, Exe: c.exe, TTY: c.tty}
}

// terminalOf names the controlling terminal of a process, as people know it
// where that can be told from its number.
func terminalOf(pid int) string {
	p, err := proc.Stat(pid)
	if err != nil || p.TTY == 0 {
		return ""
	}
	major, minor := unix.Major(p.TTY), unix.Minor(p.TTY)
	switch {
	case runtime.GOOS != "linux":
	case major >= 136 && major < 144:
		return fmt.Sprintf("pts/%d", (major-136)<<8|minor)
	case major == 4 && minor < 64:
		return fmt.Sprintf("tty%d", minor)
	}
	return fmt.Sprintf("terminal %d:%d", major, minor)
}

// human checks that the caller may use the human's verbs. What cannot be told
// is refused.
func (g *guard) human(c caller) error {
	if c.id == g.self {
		return nil // ccmux up --foreground: the terminal's process is ccmux itself
	}
	inside, err := g.check().FromSession(c.id)
	switch {
	case err != nil:
		return denied("refused: it cannot be told whether process %d belongs to a session (%v)", c.id.PID, err)
	case inside:
		return denied("refused: process %d was started from a session; only you can do that, from a terminal of your own", c.id.PID)
	}
	return nil
}

// member checks that the caller belongs to the process tree of a session.
func (g *guard) member(c caller, root proc.Identity) error {
	check := proc.Check{Roots: []proc.Identity{root}, Subreaper: true}
	inside, err := check.FromSession(c.id)
	if err != nil {
		return denied("refused: it cannot be told whether process %d belongs to the session (%v)", c.id.PID, err)
	}
	if !inside {
		return denied("refused: process %d has a session's credential but was not started from that session", c.id.PID)
	}
	return nil
}

// check names ccmux itself as a root: what a session left behind as a daemon is
// adopted by ccmux, and everything else below it was started for a session too.
func (g *guard) check() proc.Check {
	roots, ttys := g.sessions.roots()
	if g.subreaper {
		roots = append(roots, g.self)
	}
	return proc.Check{Roots: roots, Terminals: ttys, Subreaper: g.subreaper}
}

// reapEvery is how long the dead children of dead sessions wait at most for being
// collected. The look is at every process of the machine, so that it is taken
// only after a child has died, and twice: a Reaper collects what it sees dead for
// the second time.
const reapEvery = 5 * time.Second

// reap collects what sessions left behind and the subreaper inherited, until ctx
// ends. The sessions' own processes are waited for by their owners.
func (g *guard) reap(ctx context.Context) {
	if !g.subreaper {
		return
	}
	var reaper proc.Reaper
	died := make(chan os.Signal, 1)
	signal.Notify(died, syscall.SIGCHLD)
	defer signal.Stop(died)
	tick := time.NewTicker(reapEvery)
	defer tick.Stop()
	for looks := 2; ; {
		select {
		case <-died:
			looks = 2
			continue
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if looks == 0 {
			continue
		}
		looks--
		roots, _ := g.sessions.roots()
		_, err := reaper.Sweep(func(pid int) bool {
			return slices.ContainsFunc(roots, func(id proc.Identity) bool { return id.PID == pid })
		})
		if err != nil {
			g.log.Debug("collect dead children", "err", err)
		}
	}
}

func denied(format string, args ...any) error {
	return &wire.Failure{Code: wire.CodeDenied, Message: fmt.Sprintf(format, args...)}
}
