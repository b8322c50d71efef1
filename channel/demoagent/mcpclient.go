package demoagent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// deafTime is how long after the tools/list reply claude still drops pushes.
const deafTime = 50 * time.Millisecond

// errServerGone is what a call gets when the server has ended.
var errServerGone = errors.New("the MCP server is not connected")

// rpc is any message of the protocol.
type rpc struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// note is a notification from the server. Early ones came before claude listens.
type note struct {
	method string
	params json.RawMessage
	early  bool
}

// mcpServer is the plugin's server and the connection to it.
type mcpServer struct {
	cmd   *exec.Cmd
	notes func(note) // called in order on the reading goroutine
	gone  chan struct{}

	mu      sync.Mutex // guards what is below, and writing
	in      io.WriteCloser
	waiting map[string]chan rpc
	next    int
	ready   time.Time // of the tools/list reply
	caps    map[string]json.RawMessage
}

// startServer starts the process. It shares claude's process group.
func startServer(c command, dir string, env []string, notes func(note)) (*mcpServer, error) {
	cmd := exec.Command(c.path, c.args...)
	cmd.Dir, cmd.Env = dir, append(env, c.env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start MCP server: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start MCP server: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start MCP server: %w", err)
	}
	s := &mcpServer{cmd: cmd, in: in, notes: notes, gone: make(chan struct{}), waiting: map[string]chan rpc{}}
	go s.read(out)
	return s, nil
}

// read ends with the server's output and reaps the process.
func (s *mcpServer) read(out io.Reader) {
	defer close(s.gone)
	r := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break
		}
		var m rpc
		if json.Unmarshal(line, &m) == nil {
			s.receive(m)
		}
	}
	_ = s.cmd.Wait() // how it ended is no news: claude does not tell either
}

func (s *mcpServer) receive(m rpc) {
	switch {
	case m.Method != "" && m.ID != nil:
		s.answer(m)
	case m.Method != "":
		s.mu.Lock()
		early := s.ready.IsZero() || time.Since(s.ready) < deafTime
		s.mu.Unlock()
		s.notes(note{m.Method, m.Params, early})
	default:
		s.mu.Lock()
		ch := s.waiting[string(m.ID)]
		delete(s.waiting, string(m.ID))
		s.mu.Unlock()
		if ch != nil {
			ch <- m
		}
	}
}

// answer answers the server's own requests.
func (s *mcpServer) answer(m rpc) {
	reply := rpc{ID: m.ID}
	switch m.Method {
	case "ping":
		reply.Result = json.RawMessage("{}")
	case "roots/list":
		reply.Result, _ = json.Marshal(map[string]any{"roots": []any{map[string]string{"uri": "file://" + s.cmd.Dir}}})
	default:
		reply.Error = &rpcError{-32601, "Method not found"}
	}
	_ = s.write(reply)
}

func (s *mcpServer) write(m rpc) error {
	m.Version = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write to MCP server: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.in.Write(append(b, '\n')); err != nil {
		return errServerGone
	}
	return nil
}

// call makes a request; with an empty id the next number is taken.
func (s *mcpServer) call(ctx context.Context, id, method string, params any) (json.RawMessage, error) {
	var p json.RawMessage
	if params != nil {
		b, err := json.Marshal(params)
		if err != nil {
			return nil, fmt.Errorf("call %s: %w", method, err)
		}
		p = b
	}
	ch := make(chan rpc, 1)
	s.mu.Lock()
	raw, _ := json.Marshal(id)
	if id == "" {
		raw, _ = json.Marshal(s.next)
		s.next++
	}
	s.waiting[string(raw)] = ch
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, string(raw))
		s.mu.Unlock()
	}()
	if err := s.write(rpc{ID: raw, Method: method, Params: p}); err != nil {
		return nil, err
	}
	select {
	case m := <-ch:
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-s.gone:
		return nil, errServerGone
	case <-ctx.Done():
		s.notify("notifications/cancelled", map[string]any{"requestId": json.RawMessage(raw), "reason": "interrupted"})
		return nil, ctx.Err()
	}
}

func (s *mcpServer) notify(method string, params any) {
	m := rpc{Method: method}
	if params != nil {
		m.Params, _ = json.Marshal(params)
	}
	_ = s.write(m)
}

// stop ends the server as claude does: SIGINT, SIGTERM 100 ms later, SIGKILL.
func (s *mcpServer) stop() {
	for _, step := range []struct {
		sig  syscall.Signal
		wait time.Duration
	}{{syscall.SIGINT, 100 * time.Millisecond}, {syscall.SIGTERM, 400 * time.Millisecond}, {syscall.SIGKILL, 5 * time.Second}} {
		if s.endedAfter(step.sig, step.wait) {
			break
		}
	}
	s.mu.Lock()
	_ = s.in.Close()
	s.mu.Unlock()
}

func (s *mcpServer) endedAfter(sig syscall.Signal, wait time.Duration) bool {
	select {
	case <-s.gone:
		return true
	default:
	}
	_ = s.cmd.Process.Signal(sig)
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-s.gone:
		return true
	case <-t.C:
		return false
	}
}
