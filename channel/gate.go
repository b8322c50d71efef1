package channel

import (
	"context"
	"sync"
	"time"
)

// deaf is how long claude is given after the reply to tools/list. It drops what
// comes before it has its handler, without a word; measured about 50 ms.
const deaf = time.Second

// gate keeps pushes back until claude listens: it has said that it is
// initialized, has read the list of tools, and the deaf time is over.
type gate struct {
	open chan struct{} // closed once

	mu                  sync.Mutex
	initialized, listed bool
	version             string // of claude
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

// sawVersion notes claude's version.
func (g *gate) sawVersion(v string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.version = v
}

// clientVersion is claude's version, empty before it said so.
func (g *gate) clientVersion() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.version
}

// sawInitialized notes the notification.
func (g *gate) sawInitialized(ctx context.Context) { g.step(ctx, &g.initialized) }

// sawListed notes that the reply to tools/list was written.
func (g *gate) sawListed(ctx context.Context) { g.step(ctx, &g.listed) }

func (g *gate) step(ctx context.Context, what *bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.initialized && g.listed
	*what = true
	if was || !g.initialized || !g.listed {
		return
	}
	timer := time.AfterFunc(deaf, func() { close(g.open) })
	context.AfterFunc(ctx, func() { timer.Stop() })
}
