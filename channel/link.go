package channel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// How the link tries again.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
	idlePause  = 5 * time.Second // as long as ccmux was never reached, after Patience
	dialLimit  = 5 * time.Second
	// connWait is how long a tool call waits for a connection that is not there.
	connWait = 2 * time.Second
)

// link is the connection to ccmux: made, announced, lost and made again.
type link struct {
	cfg    ServerConfig
	gate   *gate
	outbox *outbox

	mu      sync.Mutex
	client  *wire.Client  // nil when there is no connection
	changed chan struct{} // closed and replaced when client or err change
	err     error         // why there is no connection
}

func newLink(cfg ServerConfig, g *gate, o *outbox) *link {
	return &link{cfg: cfg, gate: g, outbox: o, changed: make(chan struct{}), err: errors.New("still connecting")}
}

// run keeps the connection until ctx ends, or ccmux was lost for Patience.
func (l *link) run(ctx context.Context) error {
	since, pause, reached := time.Now(), firstPause, false
	for {
		client, err := l.dial(ctx)
		if err == nil {
			l.hold(ctx, client)
			since, pause, reached = time.Now(), firstPause, true
			err = wire.ErrGone
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.set(nil, err)
		gone := time.Since(since)
		if reached && gone >= Patience {
			return fmt.Errorf("%w: %w", ErrLost, err)
		}
		if !reached && gone >= Patience {
			pause = idlePause
		}
		l.cfg.Log.Debug("no connection to ccmux", "err", err, "again_in", pause)
		if !sleep(ctx, pause) {
			return ctx.Err()
		}
		pause = min(2*pause, lastPause)
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (l *link) dial(ctx context.Context) (*wire.Client, error) {
	to, err := l.cfg.target()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	hello := wire.Hello{Build: l.cfg.Build, Role: wire.RoleChannel, Credential: to.Credential}
	nc, err := l.cfg.dial(ctx, to)
	if err != nil {
		return nil, err
	}
	in := l.outbox.connected()
	client, welcome, err := wire.Open(ctx, nc, hello, in.take)
	if err != nil {
		in.failed()
		return nil, err
	}
	in.from(client, welcome)
	return client, nil
}

// hold announces the connection when the gate opens and returns when it ends.
func (l *link) hold(ctx context.Context, client *wire.Client) {
	defer client.Close()
	defer context.AfterFunc(ctx, func() { client.Conn().Close() })()
	l.set(client, nil)
	select {
	case <-l.gate.open:
	case <-client.Done():
		return
	}
	ready := wire.Ready{
		ClientVersion: l.gate.clientVersion(), Delivered: l.outbox.delivered(),
		MessagingSocket: os.Getenv("CLAUDE_CODE_MESSAGING_SOCKET"), MessagingToken: os.Getenv("CLAUDE_CODE_MESSAGING_TOKEN"),
	}
	if err := client.Call(ctx, wire.TypeReady, ready, nil); err != nil {
		l.cfg.Log.Warn("ccmux did not take the announcement", "err", err)
	}
	<-client.Done()
}

func (l *link) set(client *wire.Client, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.client, l.err = client, err
	close(l.changed)
	l.changed = make(chan struct{})
}

// get returns the connection, waiting until ctx ends for one that is not the
// dead one.
func (l *link) get(ctx context.Context, dead *wire.Client) (*wire.Client, error) {
	for {
		l.mu.Lock()
		client, changed, err := l.client, l.changed, l.err
		l.mu.Unlock()
		if client != nil && client != dead {
			return client, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, orErr(err, wire.ErrGone)
		}
	}
}

func orErr(err, other error) error {
	if err == nil {
		return other
	}
	return err
}

// push sends a frame that has no answer, if there is a connection.
func (l *link) push(t wire.Type, body any) error {
	l.mu.Lock()
	client, err := l.client, l.err
	l.mu.Unlock()
	if client == nil {
		return err
	}
	return client.Conn().Write(t, 0, body)
}
