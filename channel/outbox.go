package channel

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/ccmux/ccmux/channel/wire"
)

// maxQueued is how many bytes of pushes may wait for a claude that does not
// read. Over it the connection is closed, so that ccmux knows that they did not
// arrive.
const maxQueued = 64 << 20

// outbox writes what ccmux pushes to claude: verdicts at once, events in order
// once the gate is open.
type outbox struct {
	out  *lineWriter
	gate *gate
	log  *slog.Logger

	mu       sync.Mutex
	verdicts []wire.PermVerdict
	events   []event
	queued   int           // bytes of events
	wake     chan struct{} // holds one token when something was added
	conn     *inbound      // the connection of today
	ccmux    int           // process id of the ccmux that last counts for
	last     uint64        // Seq of the last event written
}

type event struct {
	wire.Deliver
	from *inbound
}

func newOutbox(out *lineWriter, g *gate, log *slog.Logger) *outbox {
	return &outbox{out: out, gate: g, log: log, wake: make(chan struct{}, 1)}
}

// inbound is the receiving side of one connection.
type inbound struct {
	box    *outbox
	ready  chan struct{} // closed when the fields below are set, or never will be
	client *wire.Client  // nil when the connection came to nothing
	ccmux  int           // process id of the other side
}

// connected begins a connection: what the one before left unwritten is dropped,
// because ccmux sends it again.
func (o *outbox) connected() *inbound {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.conn = &inbound{box: o, ready: make(chan struct{})}
	o.events, o.verdicts, o.queued = nil, nil, 0
	return o.conn
}

// from says whose connection it is. Another ccmux counts from the beginning.
func (in *inbound) from(client *wire.Client, w wire.Welcome) {
	in.box.mu.Lock()
	defer in.box.mu.Unlock()
	if in.box.ccmux != w.PID {
		in.box.ccmux, in.box.last = w.PID, 0
	}
	in.client, in.ccmux = client, w.PID
	close(in.ready)
}

// failed says that the connection came to nothing.
func (in *inbound) failed() { close(in.ready) }

// take gets each frame of ccmux that is no answer. It runs on the client's
// reading goroutine and does not block.
func (in *inbound) take(f wire.Frame) {
	o := in.box
	var err error
	switch f.Type {
	case wire.TypeDeliver:
		e := event{from: in}
		if err = f.Decode(&e.Deliver); err == nil {
			err = o.add(e)
		}
	case wire.TypePermVerdict:
		var v wire.PermVerdict
		if err = f.Decode(&v); err == nil {
			o.addVerdict(v)
		}
	default: // a newer ccmux may say more
	}
	if err != nil {
		o.log.Error("push of ccmux refused", "err", err)
		in.drop()
	}
}

// drop ends the connection, at the earliest when it is known.
func (in *inbound) drop() {
	select {
	case <-in.ready:
		if in.client != nil {
			in.client.Conn().Close()
		}
	default: // nothing is pushed before the announcement, and that comes later
	}
}

func (o *outbox) add(e event) error {
	size := len(e.Content)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.queued+size > maxQueued {
		return fmt.Errorf("more than %d bytes wait for claude to read", maxQueued)
	}
	o.queued += size
	o.events = append(o.events, e)
	o.signal()
	return nil
}

func (o *outbox) addVerdict(v wire.PermVerdict) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.verdicts = append(o.verdicts, v)
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// delivered is the last event of this ccmux that was written.
func (o *outbox) delivered() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last
}

// run writes until ctx ends or claude can no longer be written to.
func (o *outbox) run(ctx context.Context) error {
	open := o.gate.open
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-o.wake:
		case <-open:
			open = nil // once is enough
		}
		for open == nil || o.hasVerdict() {
			more, err := o.writeNext(open == nil)
			if err != nil {
				return err
			}
			if !more {
				break
			}
		}
	}
}

func (o *outbox) hasVerdict() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.verdicts) > 0
}

// writeNext writes the next verdict or, with events true, the next event.
func (o *outbox) writeNext(events bool) (more bool, err error) {
	o.mu.Lock()
	if len(o.verdicts) > 0 {
		v := o.verdicts[0]
		o.verdicts = o.verdicts[1:]
		o.mu.Unlock()
		return true, o.notify(methodPermVerdict, v)
	}
	if !events || len(o.events) == 0 {
		o.mu.Unlock()
		return false, nil
	}
	e := o.events[0]
	o.events[0] = event{} // let go of the content
	o.events = o.events[1:]
	o.queued -= len(e.Content)
	o.mu.Unlock()
	return true, o.writeEvent(e)
}

// writeEvent writes e, if it was not written before, and acknowledges it. An
// acknowledgement that does not get out is made good by the next announcement.
func (o *outbox) writeEvent(e event) error {
	<-e.from.ready
	if e.from.client == nil {
		return nil
	}
	if last, ok := o.lastOf(e.from); ok && e.Seq > last {
		if err := o.notify(methodPush, pushParams{e.Content, e.Meta}); err != nil {
			return err
		}
		o.wrote(e)
	}
	last, ok := o.lastOf(e.from)
	if !ok {
		return nil
	}
	if err := e.from.client.Conn().Write(wire.TypeDelivered, 0, wire.Delivered{Seq: last}); err != nil {
		o.log.Debug("delivery not acknowledged", "seq", last, "err", err)
	}
	return nil
}

// lastOf is the last event written, if it was of the same run of ccmux as in.
func (o *outbox) lastOf(in *inbound) (uint64, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last, o.ccmux == in.ccmux
}

func (o *outbox) wrote(e event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ccmux == e.from.ccmux {
		o.last = max(o.last, e.Seq)
	}
}

type pushParams struct {
	Content string `json:"content"`
	Meta    meta   `json:"meta"`
}

func (o *outbox) notify(method string, params any) error {
	return o.out.write(struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{mcp.JSONRPC_VERSION, method, params})
}
