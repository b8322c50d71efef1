package channel

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/ccmux/ccmux/channel/wire"
)

// maxCalls is how many tool calls may be under way at once.
const maxCalls = 64

// calls runs tool calls side by side, each on its own goroutine, and lets them
// reach ccmux in the order claude made them.
type calls struct {
	all sync.WaitGroup

	mu      sync.Mutex
	running int
	last    <-chan struct{} // closed when the latest ordered call has gone out
}

// turn is one call's place in the order. It may go out when before is closed and
// then closes gone.
type turn struct {
	before <-chan struct{}
	gone   chan struct{}
	once   sync.Once
}

// await returns when all calls before this one have gone out.
func (t *turn) await(ctx context.Context) error {
	if t.before == nil {
		return nil
	}
	select {
	case <-t.before:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *turn) done() { t.once.Do(func() { close(t.gone) }) }

// toolParams is what we read of a tools/call ourselves: the library would turn
// the arguments into Go values, and large numbers would not survive.
type toolParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	turn      *turn
}

type paramsKey struct{}

// start runs the call of line on its own goroutine.
func (c *calls) start(ctx context.Context, s *session, line []byte, req request) {
	var p toolParams
	if err := json.Unmarshal(req.Params, &p); err != nil {
		s.answer(ctx, line) // the library words the refusal
		return
	}
	if !c.enter() {
		s.fail(req.ID, mcp.INTERNAL_ERROR, "too many tool calls at once: wait for some to return")
		return
	}
	if p.Name != wire.ToolWatch {
		p.turn = c.next()
	}
	c.all.Go(func() {
		defer c.leave()
		if p.turn != nil {
			defer c.release(ctx, p.turn)
		}
		s.answer(context.WithValue(ctx, paramsKey{}, p), line)
	})
}

// release ends a turn that did not go out, after those before it.
func (c *calls) release(ctx context.Context, t *turn) {
	select {
	case <-t.gone:
	default:
		_ = t.await(ctx)
		t.done()
	}
}

func (c *calls) next() *turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &turn{before: c.last, gone: make(chan struct{})}
	c.last = t.gone
	return t
}

func (c *calls) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == maxCalls {
		return false
	}
	c.running++
	return true
}

func (c *calls) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
}

// flush waits until every ordered call has gone out, at most for limit.
func (c *calls) flush(ctx context.Context, limit time.Duration) {
	c.mu.Lock()
	last := c.last
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_ = (&turn{before: last}).await(ctx)
}
