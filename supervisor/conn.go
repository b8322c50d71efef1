package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session/proc"
)

const (
	// helloTimeout bounds how long a connection may stay without saying hello.
	helloTimeout = 5 * time.Second
	// writeTimeout bounds one write to a client that does not read; the
	// connection is then closed.
	writeTimeout = 10 * time.Second
	// maxRequests is how many requests of one connection are worked on at once.
	maxRequests = 64
)

// conn is one connection, from its hello to its end.
type conn struct {
	s      *Supervisor
	wire   *wire.Conn
	rights *rightsConn
	caller caller
	role   wire.Role
	peer   router.PeerID // whom it speaks as
	run    *run          // of a session: the child it belongs to
	ctx    context.Context
	slots  chan struct{}
	tools  chan queuedTool
	term   atomic.Pointer[Terminal] // the one it lent, while a screen is on it
	gave   string                   // the request that this hook took a verdict of
	wg     sync.WaitGroup
}

func (s *Supervisor) accept(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		nc, err := s.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors, say: the others must go on
			s.log.Warn("accept", "err", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return
			}
			continue
		}
		wg.Go(func() { s.serve(ctx, nc) })
	}
}

// serve works on one connection until it ends. A panic ends this connection only.
func (s *Supervisor) serve(ctx context.Context, nc *net.UnixConn) {
	ctx, cancel := context.WithCancel(ctx)
	rights := newRightsConn(nc)
	c := &conn{
		s: s, rights: rights, wire: wire.NewConn(deadlineConn{rights}), ctx: ctx,
		slots: make(chan struct{}, maxRequests), tools: make(chan queuedTool, maxQueued),
	}
	stop := context.AfterFunc(ctx, func() {
		c.bye()
		_ = rights.Close()
	})
	defer func() {
		cancel()
		stop()
		_ = rights.Close()
		c.wg.Wait()
		c.ended()
	}()
	defer s.survive("connection")
	if err := c.hello(); err != nil {
		return
	}
	if c.role != wire.RoleHook {
		c.wg.Go(c.runTools)
	}
	for {
		f, err := c.wire.Read()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
				s.log.Debug("connection ended", "role", c.role, "err", err)
			}
			return
		}
		c.handle(f)
	}
}

// survive turns a panic of the calling goroutine into a line of the log.
func (s *Supervisor) survive(what string) {
	if p := recover(); p != nil {
		s.log.Error("panic", "in", what, "panic", p, "stack", string(debug.Stack()))
	}
}

// deadlineConn gives every write a deadline.
type deadlineConn struct{ *rightsConn }

func (c deadlineConn) Write(p []byte) (int, error) {
	_ = c.SetWriteDeadline(time.Now().Add(writeTimeout)) // a closed connection shows in the write
	n, err := c.rightsConn.Write(p)
	if err != nil {
		_ = c.UnixConn.Close() // the reader sees it and ends the connection
	}
	return n, err
}

// hello reads the first frame and decides who this is.
func (c *conn) hello() error {
	_ = c.rights.SetReadDeadline(time.Now().Add(helloTimeout))
	f, err := c.wire.Read()
	if err != nil {
		return err
	}
	var h wire.Hello
	if f.Type != wire.TypeHello {
		err = fmt.Errorf("the first frame must be hello, not %s", wire.CleanLine(string(f.Type), 32))
	} else if err = f.Decode(&h); err == nil {
		err = c.identify(h)
	}
	if err != nil {
		c.refused("hello", err)
		_ = c.wire.Fail(f.ID, err) // it is going away
		return err
	}
	_ = c.rights.SetReadDeadline(time.Time{})
	name := c.s.nameOf(c.peer)
	return c.wire.Write(wire.TypeAnswer, f.ID, wire.Welcome{
		Protocol: wire.Protocol, Build: c.s.cfg.Build, PID: c.s.guard.self.PID, Peer: name, Project: c.s.cfg.Project.Root,
	})
}

func (c *conn) identify(h wire.Hello) error {
	if h.Protocol != wire.Protocol {
		return &wire.Failure{Code: wire.CodeVersion, Message: fmt.Sprintf(
			"the running ccmux (build %s, process %d) speaks protocol %d, this one (build %s) speaks %d",
			c.s.cfg.Build, c.s.guard.self.PID, wire.Protocol, wire.CleanLine(h.Build, 40), h.Protocol)}
	}
	pid, err := peerPID(c.rights.UnixConn)
	if err != nil {
		return denied("refused: %v", err)
	}
	if c.caller.id, err = proc.Identify(pid); err != nil {
		return denied("refused: process %d cannot be identified (%v)", pid, err)
	}
	c.caller.exe, _ = proc.Exe(pid) // these two only for the audit
	c.caller.tty = terminalOf(pid)
	c.role = h.Role
	switch h.Role {
	case wire.RoleHuman:
		c.peer = router.Human
		return c.s.guard.human(c.caller)
	case wire.RoleChannel, wire.RoleHook:
		r := c.s.sessions.byCredential(h.Credential)
		if r == nil {
			return denied("refused: no session has this credential")
		}
		c.peer, c.run = r.peer, r
		return c.s.guard.member(c.caller, r.root())
	}
	return denied("refused: unknown role %q", wire.CleanLine(string(h.Role), 32))
}

// refused puts a refusal at the door on the timeline.
func (c *conn) refused(verb string, err error) {
	var fail *wire.Failure
	if !errors.As(err, &fail) || fail.Code != wire.CodeDenied {
		return
	}
	who := c.caller.actor()
	who.Kind, who.Peer = router.ByPeer, c.peer
	cmd := router.RefuseAccess{AccessRefused: router.AccessRefused{Who: who, Verb: verb, Why: fail.Message}}
	if _, err := c.s.loop.submit(c.ctx, cmd); err != nil {
		c.s.log.Warn("record a refusal", "err", err)
	}
}

// request works on f in a goroutine of its own and answers it.
func (c *conn) request(f wire.Frame, work func() (any, error)) {
	select {
	case c.slots <- struct{}{}:
	case <-c.ctx.Done():
		return
	}
	c.wg.Go(func() {
		defer func() { <-c.slots }()
		defer c.s.survive("request " + string(f.Type))
		body, err := work()
		if err != nil {
			c.refused(string(f.Type), err)
			_ = c.wire.Fail(f.ID, err) // a client that is gone needs no answer
			return
		}
		_ = c.wire.Write(wire.TypeAnswer, f.ID, body)
	})
}

// ended undoes what the connection stood for.
func (c *conn) ended() {
	if c.role == wire.RoleChannel && c.run != nil {
		c.run.channelGone(c)
	}
	if c.gave != "" {
		c.run.verdictTaken(c.gave)
	}
}
