package supervisor

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
)

// hookInput is what ccmux reads of claude's hook JSON; the rest is ignored.
type hookInput struct {
	SessionID      string          `json:"session_id"`
	PromptID       string          `json:"prompt_id"`
	PermissionMode string          `json:"permission_mode"`
	Prompt         string          `json:"prompt"`
	ToolName       string          `json:"tool_name"`
	ToolInput      json.RawMessage `json:"tool_input"`
	ToolUseID      string          `json:"tool_use_id"`
	AgentID        string          `json:"agent_id"`
	AgentType      string          `json:"agent_type"`
	CWD            string          `json:"cwd"`
	Source         string          `json:"source"`
	Reason         string          `json:"reason"`
	Notification   string          `json:"notification_type"`
	Suggestions    json.RawMessage `json:"permission_suggestions"`
	ToolResponse   json.RawMessage `json:"tool_response"`
}

// background is the subagent that the tool has started to work by itself, if any.
func (in hookInput) background() string {
	var r struct {
		IsAsync bool   `json:"isAsync"`
		AgentID string `json:"agentId"`
	}
	if json.Unmarshal(in.ToolResponse, &r) != nil || !r.IsAsync { // most tools answer otherwise
		return ""
	}
	return r.AgentID
}

// hook answers one hook of a session.
func (c *conn) hook(f wire.Frame) (any, error) {
	call, err := decode[wire.HookCall](f)
	if err != nil {
		return nil, err
	}
	var in hookInput
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return nil, fmt.Errorf("hook input: %w", err)
	}
	event := session.HookEvent(call.Event)
	verdict, err := c.judge(event, in)
	if err != nil {
		return nil, err
	}
	verdict.DenyRules = c.s.rules.denies()
	return verdict, nil
}

// judge tells the session's state machine of the hook and decides the answer. A
// prompt is told of after the gate's decision, because a blocked one starts no
// turn; a permission request is told of with its card.
func (c *conn) judge(event session.HookEvent, in hookInput) (wire.HookVerdict, error) {
	sign := signOf(event, in)
	c.confirm(event, in)
	switch event {
	case session.UserPromptSubmit:
		v, err := c.gate(in)
		if err != nil {
			return v, err
		}
		sign.Blocked = v.Action == wire.HookBlock
		c.run.hook(sign)
		if sign.Blocked {
			c.run.again()
		}
		return v, nil
	case session.PermissionRequest:
		return c.permission(sign, in)
	case session.PreToolUse:
		c.run.toolBegan(in)
		c.run.hook(sign)
		return c.before(in), nil
	case session.PostToolUse, session.PostToolUseFailure, session.PermissionDenied:
		c.run.toolEnded(in.ToolUseID)
		c.run.hook(sign)
		c.run.requestEnded(c.ctx, in)
		return wire.HookVerdict{}, nil
	case session.Stop:
		v := c.handOver(event, in)
		sign.Blocked = v.Action == wire.HookBlock
		c.run.hook(sign)
		return v, nil
	default:
		c.run.hook(sign)
		return wire.HookVerdict{}, nil
	}
}

func signOf(event session.HookEvent, in hookInput) session.HookSign {
	detail := in.Source
	for _, d := range []string{in.Reason, in.Notification} {
		if detail == "" {
			detail = d
		}
	}
	return session.HookSign{
		Event: event, At: time.Now(), ConversationID: in.SessionID, PromptID: in.PromptID,
		PermissionMode: in.PermissionMode, Tool: in.ToolName, ToolUseID: in.ToolUseID, AgentID: in.AgentID, Detail: detail,
		Background: in.background(),
	}
}

// gate decides whether a prompt may enter the conversation, before the model is
// called. Only a prompt that begins with our own tag is gated.
func (c *conn) gate(in hookInput) (wire.HookVerdict, error) {
	if !strings.HasPrefix(in.Prompt, wire.TagPrefix) {
		return c.handOver(session.UserPromptSubmit, in), nil
	}
	if nonce := tagValue(in.Prompt, wire.MetaProbe); nonce != "" {
		return c.probed(nonce)
	}
	id := router.MessageID(tagValue(in.Prompt, wire.MetaMessageID))
	if id == "" {
		return block("ccmux: an event without a message_id is none of ours"), nil
	}
	res, err := c.admit(id, c.run.midTurn(in.PromptID))
	switch {
	case err != nil:
		return wire.HookVerdict{}, err // the hook fails open, the transcript repairs the record
	case res.Admitted:
		return wire.HookVerdict{}, nil
	}
	return block("ccmux: " + res.Reason), nil
}

func (c *conn) admit(id router.MessageID, midTurn bool) (router.Result, error) {
	if ids := c.run.bundled(id); len(ids) > 1 {
		// When the hook is killed claude lets the prompt in. What is refused here is
		// due at once, so that the transcript must have its say before.
		c.run.catchUp(c.ctx)
		return c.s.loop.submit(c.ctx, router.AdmitAll{Peer: c.peer, Messages: ids, MidTurn: midTurn})
	}
	return c.s.loop.submit(c.ctx, router.Admit{Peer: c.peer, Message: id, MidTurn: midTurn})
}

func block(reason string) wire.HookVerdict {
	return wire.HookVerdict{Action: wire.HookBlock, Reason: reason}
}

// probed takes the start probe as the proof of the channel, and blocks it.
func (c *conn) probed(nonce string) (wire.HookVerdict, error) {
	if c.run.socket.probed(nonce) {
		return c.run.socketProven(c.ctx)
	}
	mine, last := c.run.probeArrived(nonce)
	if !mine {
		return block("ccmux: an old probe"), nil
	}
	if !last {
		return block("ccmux: channel works"), nil
	}
	proven := router.RouteProven{Peer: c.peer, Route: wire.RouteChannel, How: "the start probe came back through the prompt hook"}
	if _, err := c.s.loop.submit(c.ctx, router.ProveRoute{RouteProven: proven}); err != nil {
		return wire.HookVerdict{}, err
	}
	return block("ccmux: channel works"), nil
}
