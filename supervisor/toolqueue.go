package supervisor

import (
	"errors"
	"fmt"

	"github.com/ccmux/ccmux/channel/wire"
)

// maxQueued is how many tool calls of one connection wait for their turn; more
// hold up that connection alone.
const maxQueued = 256

// takeTool queues a tool call. The calls of one connection take effect in the
// order in which they came, because a model that sends twice means the order;
// only watch, which may last for minutes, goes beside.
func (c *conn) takeTool(f wire.Frame) {
	call, err := decode[wire.ToolCall](f)
	p := c.pullOf(f.ID, call)
	if err != nil || call.Name == wire.ToolWatch {
		c.request(f, func() (any, error) { return c.tool(p, call, err) })
		return
	}
	select {
	case c.tools <- queuedTool{id: f.ID, call: call, pull: p}:
	case <-c.ctx.Done():
	}
}

type queuedTool struct {
	id   uint64
	call wire.ToolCall
	pull *pull // of a tool that gives mail
}

// runTools works on the queued calls one by one until the connection ends.
func (c *conn) runTools() {
	for {
		select {
		case q := <-c.tools:
			c.runTool(q)
		case <-c.ctx.Done():
			return
		}
	}
}

func (c *conn) runTool(q queuedTool) {
	defer c.s.survive("tool " + q.call.Name)
	res, err := c.tool(q.pull, q.call, nil)
	if wait, later := res.(waitFunc); later { // sent; the replies are waited for beside
		c.request(wire.Frame{ID: q.id}, func() (any, error) { return wait(q.pull), nil })
		return
	}
	if err != nil {
		_ = c.wire.Fail(q.id, err) // a client that is gone needs no answer
		return
	}
	_ = c.wire.Write(wire.TypeAnswer, q.id, res)
}

// tool runs a tool. What is wrong with a call is a result that the model reads,
// not a failure of the connection. A send that awaits replies returns a
// function that waits.
func (c *conn) tool(p *pull, call wire.ToolCall, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	var res wire.ToolResult
	if run, known := toolFuncs[call.Name]; known {
		res, err = run(c, call.Arguments)
	} else if p != nil {
		res, err = pullFuncs[call.Name](c, p, call.Arguments)
	} else {
		return nil, &wire.Failure{Code: wire.CodeUnknown, Message: fmt.Sprintf("there is no tool %q", wire.CleanLine(call.Name, 64))}
	}
	var waits awaiting
	if errors.As(err, &waits) {
		return waits.wait, nil
	}
	if p != nil {
		p.end()
	}
	if err != nil {
		// Only this tool acts for the human; what other calls got wrong is between
		// the model and the tool, and no refusal at the door.
		if call.Name == wire.ToolRespondPermission {
			c.refused(call.Name, err)
		}
		return wire.ToolResult{Text: err.Error(), IsError: true}, nil
	}
	return res, nil
}

// waitFunc waits for the replies to what was sent, which it gives by a pull.
type waitFunc func(*pull) wire.ToolResult

// awaiting is the "error" of a send whose sender wants to wait for the replies.
type awaiting struct{ wait waitFunc }

func (awaiting) Error() string { return "replies are waited for" }
