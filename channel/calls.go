package channel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/ccmux/ccmux/channel/wire"
)

// maxCalls is how many tool calls may be under way at once.
const maxCalls = 64

// toolParams is what tools/call carries. The arguments go to ccmux byte for byte.
type toolParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      json.RawMessage `json:"_meta"`
}

// toolUse is claude's own id of the call, by which hooks know it; "" where it
// says none.
func (p toolParams) toolUse() string {
	var meta struct {
		ToolUse string `json:"claudecode/toolUseId"`
	}
	if json.Unmarshal(p.Meta, &meta) != nil {
		return ""
	}
	return wire.CleanLine(meta.ToolUse, wire.MaxMeta)
}

// call starts a tool call: checked here, then on a goroutine of its own. Its
// place in the order is taken before this returns.
func (s *session) call(ctx context.Context, req request) {
	var p toolParams
	if err := json.Unmarshal(req.Params, &p); err != nil {
		s.reply(req.ID, nil, &rpcError{mcp.INVALID_PARAMS, "tools/call without readable parameters"})
		return
	}
	t, ok := s.protocol.tools[p.Name]
	if !ok {
		s.reply(req.ID, nil, &rpcError{mcp.INVALID_PARAMS, fmt.Sprintf("there is no tool %q", wire.CleanLine(p.Name, 64))})
		return
	}
	if err := checkArgs(t, p.Arguments); err != nil {
		s.reply(req.ID, mcp.NewToolResultError(err.Error()), nil)
		return
	}
	// A watch blocks and changes no order; all other calls keep theirs.
	c, err := s.calls.enter(ctx, req.ID, p.Name != wire.ToolWatch)
	if err != nil {
		s.reply(req.ID, nil, err)
		return
	}
	s.calls.all.Go(func() {
		defer s.calls.leave(c)
		res, err := s.link.tool(c, p)
		if s.calls.dropped(c) {
			if c.pending != nil {
				c.pending.Cancel() // mail in it was not read
			}
			return // claude cancelled it and wants no answer
		}
		s.reply(req.ID, res, err)
	})
}

// checkArgs says what is wrong with the arguments, in words for the model.
func checkArgs(t tool, raw json.RawMessage) error {
	v, err := decodeArgs(raw)
	if err != nil {
		return fmt.Errorf("%s was not called: %w", t.name, err)
	}
	if wrong := t.schema().check("", v); len(wrong) > 0 {
		return fmt.Errorf("%s was not called. %s", t.name, strings.Join(wrong, "; "))
	}
	return nil
}

// calls are the tool calls under way, side by side. The ordered ones reach ccmux
// as claude made them: each waits until the one before has gone out, not until
// it was answered.
type calls struct {
	all sync.WaitGroup

	mu      sync.Mutex
	running map[string]*call
	last    <-chan struct{} // closed when the latest ordered call has gone out
}

type call struct {
	id     string
	ctx    context.Context
	cancel context.CancelFunc
	before <-chan struct{} // nil for the first, and for one outside the order
	gone   chan struct{}   // nil outside the order
	once   sync.Once

	pending *wire.Pending // once it went out; of the call's own goroutine

	cancelled, answered bool // guarded by the mutex of calls; the first one counts
}

// enter notes a call, and its place when it is ordered.
func (cs *calls) enter(ctx context.Context, id json.RawMessage, ordered bool) (*call, error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if len(cs.running) >= maxCalls {
		return nil, errTooMany
	}
	if cs.running[string(id)] != nil {
		return nil, &rpcError{mcp.INVALID_REQUEST, "a call with this id is under way"}
	}
	c := &call{id: string(id)}
	c.ctx, c.cancel = context.WithCancel(ctx)
	if ordered {
		c.before, c.gone = cs.last, make(chan struct{})
		cs.last = c.gone
	}
	if cs.running == nil {
		cs.running = map[string]*call{}
	}
	cs.running[c.id] = c
	return c, nil
}

// leave ends a call; one that did not go out gives its place up, but not before
// those in front of it have gone.
func (cs *calls) leave(c *call) {
	if c.gone != nil {
		select {
		case <-c.gone:
		default:
			if c.before != nil {
				<-c.before // each call before goes out or ends in bounded time
			}
			c.sent()
		}
	}
	c.cancel()
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.running, c.id)
}

// cancel ends the waiting of a call. What ccmux already does is not undone.
func (cs *calls) cancel(id json.RawMessage) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c := cs.running[string(id)]; c != nil && !c.answered {
		c.cancelled = true
		c.cancel()
	}
}

// dropped says whether claude cancelled the call before it was answered; from
// then on it cannot.
func (cs *calls) dropped(c *call) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.answered = !c.cancelled
	return c.cancelled
}

// flush waits until every ordered call has gone out, at most for limit.
func (cs *calls) flush(ctx context.Context, limit time.Duration) {
	cs.mu.Lock()
	last := cs.last
	cs.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_ = (&call{ctx: ctx, before: last}).turn() // out of time is an answer too
}

// turn waits for the call's place in the order.
func (c *call) turn() error {
	if c.before == nil {
		return nil
	}
	select {
	case <-c.before:
		return nil
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}

// sent lets the next call go out.
func (c *call) sent() {
	if c.gone != nil {
		c.once.Do(func() { close(c.gone) })
	}
}

// tool takes one call to ccmux. What goes wrong comes back as the result of the
// tool, because the model is to read it.
func (l *link) tool(c *call, p toolParams) (*mcp.CallToolResult, error) {
	pending, err := l.begin(c, p)
	c.pending = pending
	switch {
	case errors.Is(err, wire.ErrFrameTooLong):
		return mcp.NewToolResultError(fmt.Sprintf("The arguments are too long: content has at most %d bytes. Send a file's path instead.", wire.MaxBody)), nil
	case err != nil:
		return mcp.NewToolResultError(fmt.Sprintf("ccmux cannot be reached (%v). Nothing was sent or changed. Tell the user if it stays so.", err)), nil
	}
	var res toolResult
	err = pending.Wait(c.ctx, &res)
	var refused *wire.Failure
	switch {
	case err == nil:
		return res.render()
	case errors.As(err, &refused):
		return mcp.NewToolResultError(refused.Message), nil
	case errors.Is(err, wire.ErrGone):
		return mcp.NewToolResultError("The connection to ccmux ended before its answer came, so this may or may not have been done. Look with history or inbox before you repeat it."), nil
	default:
		return nil, fmt.Errorf("call %s: %w", p.Name, err)
	}
}

// begin hands the call to ccmux, in its turn.
func (l *link) begin(c *call, p toolParams) (*wire.Pending, error) {
	limited, cancel := context.WithTimeout(c.ctx, connWait)
	defer cancel()
	if err := c.turn(); err != nil {
		return nil, err
	}
	defer c.sent()
	var client *wire.Client
	for {
		var err error
		if client, err = l.get(limited, client); err != nil {
			return nil, err
		}
		pending, err := client.Begin(wire.TypeTool, wire.ToolCall{Name: p.Name, Arguments: p.Arguments, ToolUse: p.toolUse()})
		if !errors.Is(err, wire.ErrGone) {
			return pending, err
		}
		// It ended unnoticed and nothing was sent: the next one will do.
	}
}

// toolResult is wire.ToolResult with the structure as ccmux wrote it.
type toolResult struct {
	Text    string          `json:"text"`
	Data    json.RawMessage `json:"data"`
	IsError bool            `json:"is_error"`
}

// render makes the result claude reads. Where there is structure claude shows the
// model nothing else, so the words go into it, first.
func (r toolResult) render() (*mcp.CallToolResult, error) {
	out := mcp.NewToolResultText(r.Text)
	out.IsError = r.IsError
	var fields map[string]json.RawMessage
	if len(r.Data) == 0 || r.Data[0] != '{' { // MCP allows nothing but an object
		return out, nil
	}
	if err := json.Unmarshal(r.Data, &fields); err != nil {
		return nil, fmt.Errorf("read the result: %w", err)
	}
	if len(fields) == 0 {
		return out, nil
	}
	if _, ok := fields["text"]; ok {
		out.StructuredContent = r.Data
		return out, nil
	}
	text, err := json.Marshal(r.Text)
	if err != nil {
		return nil, fmt.Errorf("write the result: %w", err)
	}
	out.StructuredContent = slices.Concat(json.RawMessage(`{"text":`), text, []byte(","), bytes.TrimSpace(r.Data)[1:])
	return out, nil
}
