//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// stubCommand as first argument turns this test binary into a channel server.
const stubCommand = "stub-channel"

// runStub is the smallest channel server claude takes: it has one tool, pushes
// the lines that come over a unix socket, and writes down what it is sent.
// Arguments: socket, log.
func runStub(args []string) int {
	socket, logPath := args[0], args[1]
	log, err := os.OpenFile(logPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var mu sync.Mutex
	write := func(f *os.File, line string) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = f.WriteString(line + "\n")
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for s := range signals {
			write(log, fmt.Sprintf(`{"method":"stub/signal","params":{"name":%q}}`, s))
		}
	}()
	_ = os.Remove(socket)
	l, err := net.Listen("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			for in := bufio.NewScanner(conn); in.Scan(); {
				write(os.Stdout, in.Text())
			}
			conn.Close()
		}
	}()
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			write(log, `{"method":"stub/eof"}`)
			return 0
		}
		write(log, strings.TrimSpace(line))
		if reply := stubReply(line); reply != "" {
			write(os.Stdout, reply)
		}
	}
}

func stubReply(line string) string {
	var req struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal([]byte(line), &req) != nil || req.ID == nil || req.Method == "" {
		return ""
	}
	result := map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","serverInfo":{"name":"stub","version":"1"},"instructions":"words of the server",` +
			`"capabilities":{"tools":{},"experimental":{"claude/channel":{},"claude/channel/permission":{}}}}`,
		"tools/list": `{"tools":[{"name":"echo","description":"says it again","inputSchema":{"type":"object","properties":{"words":{"type":"string"}}}}]}`,
		"tools/call": `{"content":[{"type":"text","text":"echoed"}]}`,
		"ping":       `{}`,
	}[req.Method]
	if result == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, req.ID)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, req.ID, result)
}

// Stub is a channel server of a claude run by itself, seen from the test.
type Stub struct {
	rig         *Rig
	socket, log string
	flags       []string // for claude
}

// StubCall is a message claude sent to the server.
type StubCall struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// stub writes a plugin whose server is this test binary.
func (r *Rig) stub() *Stub {
	r.T.Helper()
	self, err := os.Executable()
	if err != nil {
		r.T.Fatal(err)
	}
	s := &Stub{rig: r, socket: filepath.Join(r.root, "run", "stub.sock"), log: filepath.Join(r.root, "stub.log")}
	s.flags = r.plugin("ccmux", self, stubCommand, s.socket, s.log)
	return s
}

// Received are claude's messages with that method so far.
func (s *Stub) Received(method string) []StubCall {
	raw, err := os.ReadFile(s.log)
	if err != nil {
		return nil // it has not started yet
	}
	var calls []StubCall
	for line := range strings.Lines(string(raw)) {
		var c StubCall
		if json.Unmarshal([]byte(line), &c) == nil && c.Method == method {
			calls = append(calls, c)
		}
	}
	return calls
}

// Wait waits until n messages with that method came.
func (s *Stub) Wait(method string, n int) []StubCall {
	s.rig.T.Helper()
	s.rig.Eventually(fmt.Sprintf("%d × %s at the channel server", n, method), func() bool { return len(s.Received(method)) >= n })
	return s.Received(method)
}

// Send writes messages to claude, in one go.
func (s *Stub) Send(messages ...map[string]any) {
	s.rig.T.Helper()
	conn, err := net.Dial("unix", s.socket)
	if err != nil {
		s.rig.T.Fatalf("reach the channel server: %v", err)
	}
	defer conn.Close()
	for _, m := range messages {
		m["jsonrpc"] = "2.0"
		if err := json.NewEncoder(conn).Encode(m); err != nil {
			s.rig.T.Fatal(err)
		}
	}
}

// pushed is a channel message.
func pushed(kind, body string) map[string]any {
	return map[string]any{"method": "notifications/claude/channel", "params": map[string]any{
		"content": body, "meta": map[string]string{"kind": kind},
	}}
}
