package channel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// Patience is how long the channel process tries to reach ccmux again after the
// connection was lost. Then it ends: a ccmux that died took its sessions with
// it, and one that comes back starts channel processes of its own. A process
// that never reached ccmux stays as long as claude does, so that the model reads
// why its tools do not work instead of finding a broken plugin.
const Patience = 30 * time.Second

// ErrLost is returned by RunServer when ccmux was gone for longer than Patience.
var ErrLost = errors.New("the connection to ccmux was lost")

// ServerConfig is what one run of `ccmux channel` needs.
type ServerConfig struct {
	// SessionFile, when set, is read before each connection, so that a new ccmux
	// can name a new socket or credential.
	SessionFile string
	// Socket and Credential are used when SessionFile is empty.
	Socket, Credential string
	In                 io.Reader // what claude says; closed at the end if it can be
	Out                io.Writer // what claude reads; a blocked write must end when it is closed
	Build              string
	Log                *slog.Logger // nil: no log. Never stdout.

	dial dialer // for tests; nil: the socket
}

// dialer opens a connection to ccmux.
type dialer func(ctx context.Context, to SessionFile) (net.Conn, error)

func dialSocket(ctx context.Context, to SessionFile) (net.Conn, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", to.Socket)
	if err != nil {
		return nil, fmt.Errorf("connect to ccmux: %w", err)
	}
	return nc, nil
}

// target is where to connect to, and with what.
func (cfg ServerConfig) target() (SessionFile, error) {
	if cfg.SessionFile == "" {
		return SessionFile{Socket: cfg.Socket, Credential: cfg.Credential}, nil
	}
	return wire.ReadSessionFile(cfg.SessionFile)
}

// RunServer speaks MCP with claude and frames with ccmux until one of them ends:
// nil after the end of In or of ctx, ErrLost after the end of ccmux, an error of
// In or Out otherwise. It leaves signals to the caller.
func RunServer(ctx context.Context, cfg ServerConfig) error {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.dial == nil {
		cfg.dial = dialSocket
	}
	parent := ctx
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	s, err := newSession(cfg, end)
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Go(func() {
		end(s.read(ctx))
		s.calls.all.Wait()
	})
	running.Go(func() { end(s.outbox.run(ctx)) })
	running.Go(func() { end(s.link.run(ctx)) })
	<-ctx.Done()
	s.closeStreams()
	waitFor(&running, grace)
	if err := context.Cause(ctx); parent.Err() == nil && !errors.Is(err, errEnded) {
		return err
	}
	return nil
}

// errEnded is the cause of an end in order.
var errEnded = errors.New("claude ended")

// grace is how long the end waits for a read or write that cannot be broken off,
// such as one on an inherited descriptor. claude kills after a second anyway.
const grace = 300 * time.Millisecond

func waitFor(running *sync.WaitGroup, limit time.Duration) {
	done := make(chan struct{})
	go func() {
		running.Wait()
		close(done)
	}()
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
}

// session is the state of one RunServer.
type session struct {
	cfg      ServerConfig
	out      *lineWriter
	protocol *protocol
	gate     *gate
	link     *link
	outbox   *outbox
	calls    calls
}

func newSession(cfg ServerConfig, end context.CancelCauseFunc) (*session, error) {
	p, err := newProtocol(cfg.Build)
	if err != nil {
		return nil, err
	}
	s := &session{cfg: cfg, protocol: p, gate: newGate()}
	s.out = &lineWriter{w: cfg.Out, failed: func(err error) { end(fmt.Errorf("write to claude: %w", err)) }}
	s.outbox = newOutbox(s.out, s.gate, cfg.Log)
	s.link = newLink(cfg, s.gate, s.outbox)
	return s, nil
}

func (s *session) closeStreams() {
	for _, stream := range []any{s.cfg.In, s.cfg.Out} {
		if c, ok := stream.(io.Closer); ok {
			c.Close()
		}
	}
}
