package channel

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"
)

// message is a line that claude reads.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Content   string
		Meta      map[string]string
		RequestID string `json:"request_id"`
		Behavior  string
	}
	Result struct {
		ProtocolVersion, Instructions string
		ServerInfo                    struct{ Name, Version string }
		Capabilities                  struct {
			Experimental map[string]any
			Tools        *struct{}
		}
		Tools             []struct{ Name, Description string }
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	Error *struct {
		Code    int
		Message string
	}
}

// text is what the model reads of a tool result.
func (m message) text() string {
	if len(m.Result.Content) != 1 {
		return fmt.Sprintf("(%d parts)", len(m.Result.Content))
	}
	return m.Result.Content[0].Text
}

// fakeClaude plays claude for the server under test.
type fakeClaude struct {
	t   testing.TB
	in  *io.PipeWriter
	out *io.PipeReader
	err chan error // what RunServer returned

	mu      sync.Mutex
	got     []message
	changed chan struct{}
	next    int
}

// startServer runs a server against the fake, or against nothing.
func startServer(t testing.TB, cfg ServerConfig) *fakeClaude {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &fakeClaude{t: t, in: inW, out: outR, err: make(chan error, 1), changed: make(chan struct{})}
	cfg.In, cfg.Out = inR, outW
	ctx, cancel := context.WithCancel(context.Background())
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read(outR)
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.err <- RunServer(ctx, cfg)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		outW.Close()
		<-read
	})
	return c
}

// connected gives a server on a real socket that has its connection and has
// been through the handshake.
func connected(t *testing.T, f *fakeCcmux) (*fakeClaude, *fakeConn) {
	c := startServer(t, ServerConfig{Socket: f.listen()})
	conn := <-f.conns
	c.handshake()
	return c, conn
}

func (c *fakeClaude) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			c.t.Errorf("torn line %.100q: %v", lines.Text(), err)
		}
		c.mu.Lock()
		c.got = append(c.got, m)
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
	}
}

// say writes one line.
func (c *fakeClaude) say(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Errorf("write to the server: %v", err)
	}
}

// send writes a request as claude does, the id last, and returns the id.
func (c *fakeClaude) send(method string, params any) string {
	c.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		c.t.Fatal(err)
	}
	c.next++
	c.say(fmt.Sprintf(`{"method":%q,"params":%s,"jsonrpc":"2.0","id":%d}`, method, raw, c.next))
	return fmt.Sprint(c.next)
}

func (c *fakeClaude) call(tool, args string) string {
	c.t.Helper()
	return c.send("tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(args)})
}

// await returns the first line that fits, past or to come.
func (c *fakeClaude) await(fits func(message) bool) message {
	c.t.Helper()
	for from := 0; ; {
		c.mu.Lock()
		got, changed := c.got, c.changed
		c.mu.Unlock()
		for _, m := range got[from:] {
			if fits(m) {
				return m
			}
		}
		from = len(got)
		<-changed
	}
}

func (c *fakeClaude) answer(id string) message {
	c.t.Helper()
	return c.await(func(m message) bool { return string(m.ID) == id })
}

// forget drops what came so far.
func (c *fakeClaude) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = nil
}

// lines returns what came so far that fits.
func (c *fakeClaude) lines(fits func(message) bool) (out []message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.got {
		if fits(m) {
			out = append(out, m)
		}
	}
	return out
}

// handshake does what claude does at start, up to the list of tools.
func (c *fakeClaude) handshake() (initialize, tools message) {
	c.t.Helper()
	c.say(`{"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}},"jsonrpc":"2.0","id":"server-discover-probe-1"}`)
	if m := c.answer(`"server-discover-probe-1"`); m.Error == nil || m.Error.Code != -32601 {
		c.t.Errorf("server/discover: %+v; want error -32601", m.Error)
	}
	initialize = c.answer(c.send("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]string{"name": "claude-code", "version": "2.1.332"},
	}))
	c.say(`{"method":"notifications/initialized","jsonrpc":"2.0"}`)
	return initialize, c.answer(c.send("tools/list", nil))
}

func isPush(m message) bool { return m.Method == methodPush }
