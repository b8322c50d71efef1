package channel

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/ccmux/ccmux/channel/wire"
)

// asMain in the environment makes this test program be the commands themselves.
const asMain = "CCMUX_TEST_AS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		os.Exit(Main(os.Args[1:], "test"))
	}
	goleak.VerifyTestMain(m)
}

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
	cancelled chan uint64
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
		closed: make(chan struct{}), cancelled: make(chan uint64, 10),
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
	case wire.TypeCancel:
		c.cancelled <- decode[wire.Cancel](f.t, frame).ID
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
