package channel

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeCcmux plays ccmux for the processes under test.
type fakeCcmux struct {
	t    testing.TB
	pid  atomic.Int64
	deny error                            // the answer to hello, if set
	tool func(wire.ToolCall) (any, error) // answers on a goroutine of its own
	hook func(wire.HookCall) (wire.HookVerdict, error)

	conns chan *fakeConn // each that said hello
	all   sync.WaitGroup
}

// fakeConn is one connection of the fake.
type fakeConn struct {
	*wire.Conn
	hello     wire.Hello
	ready     chan wire.Ready
	delivered chan uint64
	requests  chan wire.PermRequest
	closed    chan struct{} // closed when the other side has ended

	mu    sync.Mutex
	calls []wire.ToolCall // in the order they came in
}

func newFake(t testing.TB) *fakeCcmux {
	f := &fakeCcmux{t: t, conns: make(chan *fakeConn, 100)}
	f.pid.Store(1)
	f.tool = func(c wire.ToolCall) (any, error) {
		return wire.ToolResult{Text: "did " + c.Name, Data: json.RawMessage(`{"n":12345678901234567890}`)}, nil
	}
	f.hook = func(wire.HookCall) (wire.HookVerdict, error) { return wire.HookVerdict{}, nil }
	t.Cleanup(f.all.Wait)
	return f
}

// listen serves on a real socket and returns its path.
func (f *fakeCcmux) listen() string {
	path := filepath.Join(f.t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { l.Close() })
	f.all.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			f.all.Go(func() { f.serve(nc) })
		}
	})
	return path
}

// dial connects through memory, which a bubble of synctest understands.
func (f *fakeCcmux) dial(context.Context, SessionFile) (net.Conn, error) {
	ours, theirs := net.Pipe()
	f.all.Go(func() { f.serve(theirs) })
	return ours, nil
}

// dialUnless is dial, but fails while gone is set.
func (f *fakeCcmux) dialUnless(gone *atomic.Bool) dialer {
	return func(ctx context.Context, to SessionFile) (net.Conn, error) {
		if gone.Load() {
			return nil, errors.New("nobody listens")
		}
		return f.dial(ctx, to)
	}
}

func (f *fakeCcmux) serve(nc net.Conn) {
	defer nc.Close()
	c := &fakeConn{
		Conn: wire.NewConn(nc), ready: make(chan wire.Ready, 10),
		delivered: make(chan uint64, 10000), requests: make(chan wire.PermRequest, 10),
		closed: make(chan struct{}),
	}
	defer close(c.closed)
	hello, err := c.Read()
	if err != nil {
		return
	}
	if err := hello.Decode(&c.hello); err != nil || hello.Type != wire.TypeHello {
		f.t.Errorf("first frame is %s: %v", hello.Type, err)
		return
	}
	if f.deny != nil {
		_ = c.Fail(hello.ID, f.deny)
		return
	}
	if c.Write(wire.TypeAnswer, hello.ID, wire.Welcome{Protocol: wire.Protocol, PID: int(f.pid.Load()), Peer: "frontend"}) != nil {
		return
	}
	f.conns <- c
	var answering sync.WaitGroup
	defer answering.Wait()
	for {
		frame, err := c.Read()
		if err != nil {
			return
		}
		f.frame(c, frame, &answering)
	}
}

func (f *fakeCcmux) frame(c *fakeConn, frame wire.Frame, answering *sync.WaitGroup) {
	switch frame.Type {
	case wire.TypeReady:
		f.answer(c, frame.ID, nil, nil)
		c.ready <- decode[wire.Ready](f.t, frame)
	case wire.TypeDelivered:
		c.delivered <- decode[wire.Delivered](f.t, frame).Seq
	case wire.TypePermRequest:
		c.requests <- decode[wire.PermRequest](f.t, frame)
	case wire.TypeTool:
		call := decode[wire.ToolCall](f.t, frame)
		call.Arguments = append(json.RawMessage(nil), call.Arguments...)
		c.mu.Lock()
		c.calls = append(c.calls, call)
		c.mu.Unlock()
		answering.Go(func() {
			res, err := f.tool(call)
			f.answer(c, frame.ID, res, err)
		})
	case wire.TypeHook:
		call := decode[wire.HookCall](f.t, frame)
		answering.Go(func() {
			v, err := f.hook(call)
			f.answer(c, frame.ID, v, err)
		})
	default:
		f.t.Errorf("frame of type %q", frame.Type)
	}
}

// errSilence makes the fake give no answer at all.
var errSilence = errors.New("no answer")

func (f *fakeCcmux) answer(c *fakeConn, id uint64, body any, err error) {
	switch {
	case errors.Is(err, errSilence):
	case err != nil:
		_ = c.Fail(id, err)
	default:
		_ = c.Write(wire.TypeAnswer, id, body)
	}
}

func (c *fakeConn) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, call := range c.calls {
		out = append(out, call.Name+string(call.Arguments))
	}
	return out
}

func (c *fakeConn) deliver(t testing.TB, seq uint64, content string, meta map[string]string) {
	t.Helper()
	if err := c.Write(wire.TypeDeliver, 0, wire.Deliver{Seq: seq, Content: content, Meta: meta}); err != nil {
		t.Errorf("push %d: %v", seq, err)
	}
}

func decode[T any](t testing.TB, f wire.Frame) (v T) {
	if err := f.Decode(&v); err != nil {
		t.Error(err)
	}
	return v
}

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
