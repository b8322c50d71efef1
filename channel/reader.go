package channel

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/ccmux/ccmux/channel/wire"
)

// The methods that pass between claude and us.
const (
	methodDiscover    = "server/discover"
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodCancelled   = "notifications/cancelled"
	methodPing        = "ping"
	methodToolsList   = "tools/list"
	methodToolsCall   = "tools/call"
	methodPermRequest = "notifications/claude/channel/permission_request"
	methodPermVerdict = "notifications/claude/channel/permission"
	methodPush        = "notifications/claude/channel"
)

// request is a JSON-RPC request, a notification when it has no ID, or an answer
// when it has no Method.
type request struct {
	JSONRPC string          `json:"jsonrpc"`
	Method  string          `json:"method"`
	ID      json.RawMessage `json:"id"`
	Params  json.RawMessage `json:"params"`
}

// read takes claude's lines until they end. It returns errEnded after the last.
func (s *session) read(ctx context.Context) error {
	r := bufio.NewReaderSize(s.cfg.In, 32<<10)
	for {
		line, err := readLine(r)
		switch {
		case errors.Is(err, errLineTooLong):
			s.reply(idAtEnd(line), nil, &rpcError{mcp.INVALID_REQUEST, fmt.Sprintf("request longer than %d bytes", maxLine)})
		case errors.Is(err, io.EOF):
			s.calls.flush(ctx, flushWait)
			return errEnded
		case err != nil:
			return fmt.Errorf("read from claude: %w", err)
		case len(line) > 0:
			s.take(ctx, line)
		}
	}
}

// flushWait is how long calls that were read before the end of the stream may
// take to be handed to ccmux.
const flushWait = 200 * time.Millisecond

// take handles one line. Only tool calls leave this goroutine, so that the
// handshake is answered in the order it came.
func (s *session) take(ctx context.Context, line []byte) {
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		s.reply(nil, nil, &rpcError{mcp.PARSE_ERROR, "not a JSON-RPC message"})
		return
	}
	noID := len(req.ID) == 0 || string(req.ID) == "null"
	switch {
	case req.Method == "": // an answer, but we ask nothing
	case req.JSONRPC != mcp.JSONRPC_VERSION:
		if !noID {
			s.reply(req.ID, nil, &rpcError{mcp.INVALID_REQUEST, "want jsonrpc 2.0"})
		}
	case noID:
		s.notice(ctx, req)
	case req.Method == methodToolsCall:
		s.call(ctx, req)
	default:
		s.answer(ctx, req)
	}
}

// answer handles a request that is no tool call.
func (s *session) answer(ctx context.Context, req request) {
	if req.Method == methodInitialize {
		s.noteVersion(req.Params)
	}
	result, err := s.protocol.answer(req)
	s.reply(req.ID, result, err)
	if req.Method == methodToolsList {
		s.gate.sawListed(ctx)
	}
}

// notice handles a notification. Those we do not know are not for us.
func (s *session) notice(ctx context.Context, req request) {
	switch req.Method {
	case methodInitialized:
		s.gate.sawInitialized(ctx)
	case methodCancelled:
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(req.Params, &p) == nil {
			s.calls.cancel(p.RequestID)
		}
	case methodPermRequest:
		s.relayRequest(req.Params)
	}
}

func (s *session) reply(id json.RawMessage, result any, err error) {
	if err := s.out.write(newReply(id, result, err)); err != nil {
		s.cfg.Log.Debug("answer not written", "err", err)
	}
}

func (s *session) noteVersion(params json.RawMessage) {
	var p struct {
		ClientInfo struct {
			Version string `json:"version"`
		} `json:"clientInfo"`
	}
	if json.Unmarshal(params, &p) == nil {
		s.gate.sawVersion(wire.CleanLine(p.ClientInfo.Version, 64))
	}
}

// relayRequest passes claude's own relay of a permission request on. The dialog
// stays open at the terminal, so one that is lost costs nothing.
func (s *session) relayRequest(params json.RawMessage) {
	var p wire.PermRequest
	if err := json.Unmarshal(params, &p); err != nil || p.RequestID == "" {
		s.cfg.Log.Warn("permission request of claude is not readable", "err", err)
		return
	}
	if err := s.link.push(wire.TypePermRequest, p); err != nil {
		s.cfg.Log.Warn("permission request not passed on", "err", err)
	}
}
