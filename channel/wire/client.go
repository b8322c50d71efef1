package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
)

// Client is the asking side of a connection to ccmux: it numbers requests,
// matches answers, and hands pushes to one function.
type Client struct {
	conn *Conn
	push func(Frame)
	done chan struct{} // closed when the reader has ended

	mu      sync.Mutex
	next    uint64
	waiting map[uint64]chan Frame
	err     error
}

// Dial connects to the socket at path, says hello, and returns the client with
// ccmux's welcome. push is called for every frame that answers no request, in
// order, on the reading goroutine: it must not block or call the client. Nil
// drops them. The client must be closed.
func Dial(ctx context.Context, path string, h Hello, push func(Frame)) (*Client, Welcome, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, Welcome{}, fmt.Errorf("connect to ccmux: %w", err)
	}
	return Open(ctx, nc, h, push)
}

// Open is Dial on a connection that is there already. It closes it on failure.
func Open(ctx context.Context, nc net.Conn, h Hello, push func(Frame)) (*Client, Welcome, error) {
	c := NewClient(NewConn(nc), push)
	h.Protocol = Protocol
	var w Welcome
	if err := c.Call(ctx, TypeHello, h, &w); err != nil {
		c.Close()
		return nil, Welcome{}, err
	}
	return c, w, nil
}

// NewClient makes a client of a connection and starts its one goroutine, which
// ends when the connection does.
func NewClient(conn *Conn, push func(Frame)) *Client {
	if push == nil {
		push = func(Frame) {}
	}
	c := &Client{conn: conn, push: push, done: make(chan struct{}), waiting: map[uint64]chan Frame{}}
	go c.read()
	return c
}

// Conn returns the connection, for sends that need no answer.
func (c *Client) Conn() *Conn { return c.conn }

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Close ends the connection and waits for the reader.
func (c *Client) Close() {
	c.conn.Close()
	<-c.done
}

// ErrGone is wrapped by a call whose connection ended before the answer.
var ErrGone = errors.New("the connection to ccmux ended")

// Call sends a request and reads its answer into out, which may be nil. A
// refusal comes back as *Failure. After ctx ends the answer is dropped.
func (c *Client) Call(ctx context.Context, t Type, body, out any) error {
	p, err := c.Begin(t, body)
	if err != nil {
		return err
	}
	return p.Wait(ctx, out)
}

// Pending is a request that was sent and not yet answered.
type Pending struct {
	c      *Client
	id     uint64
	answer chan Frame
}

// Begin sends a request and returns as soon as it is written, so that one
// caller can fix the order of several requests and wait for each by itself.
// After an error nothing of it counts as sent. Wait must be called once.
func (c *Client) Begin(t Type, body any) (*Pending, error) {
	id, answer, err := c.register()
	if err != nil {
		return nil, err
	}
	if err := c.conn.Write(t, id, body); err != nil {
		c.forget(id)
		if errors.Is(err, ErrFrameTooLong) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", ErrGone, err)
	}
	return &Pending{c: c, id: id, answer: answer}, nil
}

// Wait reads the answer into out, which may be nil. See [Client.Call].
func (p *Pending) Wait(ctx context.Context, out any) error {
	defer p.c.forget(p.id)
	select {
	case f := <-p.answer:
		return finish(f, out)
	case <-p.c.done:
		select { // the answer may have come just before the end
		case f := <-p.answer:
			return finish(f, out)
		default:
			return p.c.ended()
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Cancel tells ccmux that the answer of a tool call is not passed on, be it on its
// way or here already.
func (p *Pending) Cancel() {
	_ = p.c.conn.Write(TypeCancel, 0, Cancel{ID: p.id}) // a connection that is gone cancels by itself
}

func finish(f Frame, out any) error {
	if f.Type == TypeFailure {
		var fail Failure
		if err := f.Decode(&fail); err != nil {
			return err
		}
		return &fail
	}
	if out == nil {
		return nil
	}
	return f.Decode(out)
}

func (c *Client) register() (uint64, chan Frame, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, nil, c.err
	}
	c.next++
	answer := make(chan Frame, 1)
	c.waiting[c.next] = answer
	return c.next, answer, nil
}

func (c *Client) forget(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

func (c *Client) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *Client) read() {
	defer close(c.done)
	for {
		f, err := c.conn.Read()
		if err != nil {
			c.mu.Lock()
			c.err = fmt.Errorf("%w: %w", ErrGone, err)
			c.mu.Unlock()
			c.conn.Close()
			return
		}
		if f.Type != TypeAnswer && f.Type != TypeFailure {
			c.push(f)
			continue
		}
		c.mu.Lock()
		answer := c.waiting[f.ID]
		delete(c.waiting, f.ID) // one answer an id, so that the buffer always holds it
		c.mu.Unlock()
		if answer != nil {
			answer <- f
		}
	}
}
