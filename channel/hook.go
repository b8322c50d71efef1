package channel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// How long a hook waits for ccmux, connecting included. A PermissionRequest
// waits as long as ccmux holds the connection.
const (
	gateWait    = 5 * time.Second        // a channel event at the gate
	promptWait  = 500 * time.Millisecond // the human's own prompt, which must not be delayed
	toolWait    = 2 * time.Second        // PreToolUse
	reportWait  = 2 * time.Second        // events that are reports
	connectWait = 5 * time.Second        // PermissionRequest, until it is asked
)

// maxHookInput is the most a hook reads of claude's JSON.
const maxHookInput = 64 << 20

// maxHookFrame is the most of it that is passed on; the rest of a frame's room
// is for the frame itself.
const maxHookFrame = wire.MaxFrame - 64<<10

// HookConfig is what one run of `ccmux hook` needs.
type HookConfig struct {
	// SessionFile is the file that names socket and credential; beside it lies
	// the mark of rules that deny.
	SessionFile string
	// Socket and Credential, when set, are used in place of the file's.
	Socket, Credential string
	Build              string
	Event              string    // claude's name of the hook event
	In                 io.Reader // claude's JSON
	Out                io.Writer // claude reads the answer here

	dial dialer // for tests; nil: the socket
}

// RunHook reports one hook event to ccmux and writes ccmux's answer as claude
// wants it. It fails open: whatever goes wrong, it writes nothing and returns 0,
// except that an unanswered PreToolUse becomes `ask` while rules deny. It never
// returns 2. When ctx ends it returns at once and writes nothing.
func RunHook(ctx context.Context, cfg HookConfig) (exit int) {
	defer func() {
		if recover() != nil { // a panic would exit with 2, a veto for claude
			exit = 1
		}
	}()
	out := cfg.run(ctx)
	if ctx.Err() != nil || len(out) == 0 {
		return 0
	}
	if _, err := cfg.Out.Write(append(out, '\n')); err != nil {
		return 1
	}
	return 0
}

// run returns what to print.
func (cfg HookConfig) run(ctx context.Context) []byte {
	input, err := readHookInput(cfg.Event, cfg.In)
	if err != nil {
		return cfg.unanswered()
	}
	call := wire.HookCall{Event: cfg.Event, Input: input}
	verdict, err := cfg.ask(ctx, call)
	if err != nil {
		return cfg.unanswered()
	}
	return renderVerdict(cfg.Event, verdict)
}

// unanswered is what the hook says without ccmux.
func (cfg HookConfig) unanswered() []byte {
	if cfg.Event != "PreToolUse" || !wire.HasDenyRules(cfg.SessionFile) {
		return nil
	}
	return renderVerdict(cfg.Event, wire.HookVerdict{
		Action: wire.HookAsk,
		Reason: "ccmux has rules that deny and did not answer in time, so this one needs the human",
	})
}

// ask makes the one call. It uses no goroutine that could panic on its own.
func (cfg HookConfig) ask(ctx context.Context, call wire.HookCall) (wire.HookVerdict, error) {
	wait, forever := hookWait(call)
	deadline := time.Now().Add(wait)
	nc, err := cfg.connect(ctx, deadline)
	if err != nil {
		return wire.HookVerdict{}, err
	}
	defer nc.Close()
	defer context.AfterFunc(ctx, func() { nc.Close() })()
	conn := wire.NewConn(nc)
	hello := wire.Hello{Protocol: wire.Protocol, Build: cfg.Build, Role: wire.RoleHook, Credential: cfg.Credential}
	if err := roundTrip(conn, 1, wire.TypeHello, hello, nil); err != nil {
		return wire.HookVerdict{}, err
	}
	if err := conn.Write(wire.TypeHook, 2, call); err != nil {
		return wire.HookVerdict{}, fmt.Errorf("report %s: %w", call.Event, err)
	}
	if forever {
		if err := nc.SetDeadline(time.Time{}); err != nil {
			return wire.HookVerdict{}, fmt.Errorf("lift deadline: %w", err)
		}
	}
	var v wire.HookVerdict
	err = readAnswer(conn, 2, &v)
	return v, err
}

// connect dials and sets the deadline for all that follows.
func (cfg *HookConfig) connect(ctx context.Context, deadline time.Time) (net.Conn, error) {
	to := SessionFile{Socket: cfg.Socket, Credential: cfg.Credential}
	if to.Socket == "" {
		var err error
		if to, err = wire.ReadSessionFile(cfg.SessionFile); err != nil {
			return nil, err
		}
		cfg.Credential = to.Credential
	}
	dial := cfg.dial
	if dial == nil {
		dial = dialSocket
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	nc, err := dial(ctx, to)
	if err != nil {
		return nil, err
	}
	if err := nc.SetDeadline(deadline); err != nil {
		nc.Close()
		return nil, fmt.Errorf("set deadline: %w", err)
	}
	return nc, nil
}

func roundTrip(conn *wire.Conn, id uint64, t wire.Type, body, out any) error {
	if err := conn.Write(t, id, body); err != nil {
		return fmt.Errorf("send %s: %w", t, err)
	}
	return readAnswer(conn, id, out)
}

// readAnswer reads until the answer to id; other frames are not for a hook.
func readAnswer(conn *wire.Conn, id uint64, out any) error {
	for {
		f, err := conn.Read()
		if err != nil {
			return fmt.Errorf("wait for ccmux: %w", err)
		}
		switch {
		case f.ID != id:
		case f.Type == wire.TypeFailure:
			var fail wire.Failure
			if err := f.Decode(&fail); err != nil {
				return err
			}
			return &fail
		case f.Type == wire.TypeAnswer && out == nil:
			return nil
		case f.Type == wire.TypeAnswer:
			return f.Decode(out)
		}
	}
}

// hookWait says how long the answer to call may take, and whether that is only
// the time until it is asked.
func hookWait(call wire.HookCall) (wait time.Duration, forever bool) {
	switch call.Event {
	case "PermissionRequest":
		return connectWait, true
	case "PreToolUse":
		return toolWait, false
	case "UserPromptSubmit":
		if isChannelPrompt(call.Input) {
			return gateWait, false
		}
		return promptWait, false
	default:
		return reportWait, false
	}
}

// isChannelPrompt says whether the submitted prompt is one of our own events.
func isChannelPrompt(input json.RawMessage) bool {
	var in struct {
		Prompt string `json:"prompt"`
	}
	return json.Unmarshal(input, &in) == nil && strings.HasPrefix(in.Prompt, wire.TagPrefix)
}

var errInputTooLong = errors.New("the hook's input is too long")

// readHookInput reads claude's JSON. What does not fit in a frame is cut down to
// the fields that do, for events that are reports; a request to run a tool is
// never judged by half of its input, so there it is an error.
func readHookInput(event string, in io.Reader) (json.RawMessage, error) {
	raw, err := io.ReadAll(io.LimitReader(in, maxHookInput+1))
	if err != nil {
		return nil, fmt.Errorf("read hook input: %w", err)
	}
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) > maxHookInput:
		return nil, errInputTooLong
	case len(raw) == 0:
		return json.RawMessage("{}"), nil
	case !json.Valid(raw):
		return nil, errors.New("the hook's input is not JSON")
	case len(raw) <= maxHookFrame/6: // the frame may write "<" as \u003c, and nothing longer
		return raw, nil
	case event == "PreToolUse" || event == "PermissionRequest" || event == "UserPromptSubmit":
		return whole(raw)
	}
	return shorten(raw)
}

// whole passes raw on if a frame can hold it.
func whole(raw []byte) (json.RawMessage, error) {
	framed, err := json.Marshal(json.RawMessage(raw))
	if err != nil || len(framed) > maxHookFrame {
		return nil, errInputTooLong
	}
	return framed, nil
}

// shorten drops the longest fields of the object raw until a frame can hold it,
// and names them in the field ccmux_dropped.
func shorten(raw []byte) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("read hook input: %w", err)
	}
	var dropped []string
	for {
		out, err := json.Marshal(fields)
		if err != nil {
			return nil, fmt.Errorf("shorten hook input: %w", err)
		}
		if len(out) <= maxHookFrame {
			return out, nil
		}
		long := ""
		for name, value := range fields {
			if long == "" || len(value) > len(fields[long]) {
				long = name
			}
		}
		delete(fields, long)
		dropped = append(dropped, long)
		if fields["ccmux_dropped"], err = json.Marshal(dropped); err != nil {
			return nil, fmt.Errorf("shorten hook input: %w", err)
		}
	}
}
