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

// The methods of claude that are ours to handle, beside those of the library.
const (
	methodDiscover    = "server/discover"
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodToolsList   = "tools/list"
	methodToolsCall   = "tools/call"
	methodPermRequest = "notifications/claude/channel/permission_request"
	methodPermVerdict = "notifications/claude/channel/permission"
	methodPush        = "notifications/claude/channel"
)

// request is the part of a JSON-RPC message that decides where it goes.
type request struct {
	Method string          `json:"method"`
	ID     json.RawMessage `json:"id"`
	Params json.RawMessage `json:"params"`
}

// read takes claude's lines until they end. It returns errEnded after the last.
func (s *session) read(ctx context.Context) error {
	r := bufio.NewReaderSize(s.cfg.In, 32<<10)
	for {
		line, err := readLine(r)
		switch {
		case errors.Is(err, errLineTooLong):
			s.fail(idAtEnd(line), mcp.INVALID_REQUEST, fmt.Sprintf("request longer than %d bytes", maxLine))
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
		s.answer(ctx, line) // the library words the refusal
		return
	}
	switch req.Method {
	case methodDiscover:
		// An answer would put the session into an era without channels, and
		// silence would cost three seconds.
		s.fail(req.ID, mcp.METHOD_NOT_FOUND, "Method not found")
	case methodToolsCall:
		s.calls.start(ctx, s, line, req)
	case methodPermRequest:
		s.relayRequest(req.Params)
	case methodInitialize:
		s.noteVersion(req.Params)
		s.answer(ctx, line)
	case methodInitialized:
		s.answer(ctx, line)
		s.gate.sawInitialized(ctx)
	case methodToolsList:
		if s.answer(ctx, line) {
			s.gate.sawListed(ctx)
		}
	default:
		s.answer(ctx, line)
	}
}

// answer lets the library handle line and writes its answer, if it has one. It
// says whether one was written.
func (s *session) answer(ctx context.Context, line []byte) bool {
	reply := s.mcp.HandleMessage(ctx, line)
	return reply != nil && s.out.write(reply) == nil
}

func (s *session) fail(id json.RawMessage, code int, message string) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	reply := struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{mcp.JSONRPC_VERSION, id, map[string]any{"code": code, "message": message}}
	if err := s.out.write(reply); err != nil {
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
