package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
)

// Type names what a frame carries. Requests have an ID, and are answered by a
// frame of type Answer or Failure with the same ID; pushes have none.
type Type string

// Frame types. The comment gives the direction, the body, and the answer's body.
const (
	TypeHello   Type = "hello"   // client → ccmux: Hello → Welcome; always first
	TypeAnswer  Type = "answer"  // the good end of a request
	TypeFailure Type = "failure" // the bad end of a request: Failure

	TypeTool   Type = "tool"   // client → ccmux: ToolCall → ToolResult
	TypeCancel Type = "cancel" // client → ccmux, push: Cancel

	TypeReady       Type = "ready"        // channel → ccmux: Ready → nothing; pushes may begin
	TypeDeliver     Type = "deliver"      // ccmux → channel, push: Deliver
	TypeDelivered   Type = "delivered"    // channel → ccmux, push: Delivered
	TypePermRequest Type = "perm-request" // channel → ccmux, push: PermRequest (the relay of claude)
	TypePermVerdict Type = "perm-verdict" // ccmux → channel, push: PermVerdict

	TypeHook Type = "hook" // hook → ccmux: HookCall → HookVerdict

	TypeAttach    Type = "attach"    // terminal → ccmux with three descriptors: Attach → nothing
	TypeResize    Type = "resize"    // terminal → ccmux, push: Size
	TypeSuspend   Type = "suspend"   // terminal → ccmux: nothing → nothing once the screen is released
	TypeResume    Type = "resume"    // terminal → ccmux: nothing → nothing
	TypeBye       Type = "bye"       // ccmux → terminal, push: Bye; the screen ended in order
	TypeUp        Type = "up"        // human → ccmux: Up → UpResult
	TypeDown      Type = "down"      // human → ccmux: Names → Names
	TypeRestart   Type = "restart"   // human → ccmux: Names → Names
	TypeForget    Type = "forget"    // human → ccmux: Names → Names
	TypeList      Type = "list"      // human → ccmux: nothing → List
	TypeApprovals Type = "approvals" // human → ccmux: nothing → Approvals
	TypeVerdict   Type = "verdict"   // human → ccmux: Verdict → nothing
	TypeTail      Type = "tail"      // human → ccmux: Tail → nothing, then pushes of TypeEvent
	TypeEvent     Type = "event"     // ccmux → human, push: Event
	TypeTrust     Type = "trust"     // human → ccmux: Trust → Trusted
	TypeRules     Type = "rules"     // human → ccmux: nothing → Rules
	TypeRuleTest  Type = "rule-test" // human → ccmux: RuleTest → RuleVerdict
	TypeRuleAdd   Type = "rule-add"  // human → ccmux: RuleInfo → RuleInfo with its id
	TypeRuleDrop  Type = "rule-drop" // human → ccmux: RuleInfo (its id) → nothing
	TypeHold      Type = "hold"      // human → ccmux: Intervene → HeldList; without a target only the list
	TypeRelease   Type = "release"   // human → ccmux: Intervene → Intervened
	TypeWithdraw  Type = "withdraw"  // human → ccmux: Intervene → Intervened
	TypePrune     Type = "prune"     // human → ccmux: Prune → Pruned
	TypeStorage   Type = "storage"   // human → ccmux: nothing → Storage
	TypeStop      Type = "stop"      // human → ccmux: nothing → nothing; ends ccmux itself
)

// Frame is one line on the socket.
type Frame struct {
	Type Type            `json:"type"`
	ID   uint64          `json:"id,omitempty"`
	Body json.RawMessage `json:"body,omitempty"`
}

// Decode reads the body into v. A missing body leaves v as it is. Unknown
// fields are ignored, so that a newer side may say more.
func (f Frame) Decode(v any) error {
	if len(f.Body) == 0 {
		return nil
	}
	if err := json.Unmarshal(f.Body, v); err != nil {
		return fmt.Errorf("read %s frame: %w", CleanLine(string(f.Type), 32), err)
	}
	return nil
}

// Failure is the bad end of a request, in words for the one who asked.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error makes a Failure an error.
func (f *Failure) Error() string { return f.Message }

// Codes of failures that a caller may branch on. The empty code means that the
// request was wrong and the message says how.
const (
	CodeVersion  = "version"  // the other side speaks another protocol
	CodeDenied   = "denied"   // the connection may not do that
	CodeUnknown  = "unknown"  // no such peer, room, task or request
	CodeStorage  = "storage"  // the journal could not write; nothing was done
	CodeStopping = "stopping" // ccmux is going down
)

// ErrFrameTooLong is returned for a line over MaxFrame; the connection is of no
// use afterwards.
var ErrFrameTooLong = fmt.Errorf("frame longer than %d bytes", MaxFrame)

// Conn reads and writes frames on a stream. One goroutine may read, any number
// may write.
type Conn struct {
	rw  io.ReadWriteCloser
	r   *bufio.Reader
	mu  sync.Mutex // keeps lines whole
	buf []byte
}

// NewConn makes a Conn of a stream.
func NewConn(rw io.ReadWriteCloser) *Conn {
	return &Conn{rw: rw, r: bufio.NewReaderSize(rw, 16<<10)}
}

// NetConn returns the connection beneath, or nil when it is not a network one.
func (c *Conn) NetConn() net.Conn {
	n, _ := c.rw.(net.Conn)
	return n
}

// Close closes the stream; a Read under way returns.
func (c *Conn) Close() error { return c.rw.Close() }

// Read returns the next frame. io.EOF is the end of the stream between frames.
func (c *Conn) Read() (Frame, error) {
	line, err := c.readLine()
	if err != nil {
		return Frame{}, err
	}
	f, plain := cut(line)
	if plain {
		return f, nil
	}
	if err := json.Unmarshal(line, &f); err != nil {
		return Frame{}, fmt.Errorf("malformed frame: %w", err)
	}
	if f.Type == "" {
		return Frame{}, errors.New("malformed frame: it has no type")
	}
	return f, nil
}

// cut reads a line that is put together as Write does it, without going through
// its body more than once. Any other is left to the decoder.
func cut(line []byte) (f Frame, plain bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	typ, rest, found := bytes.Cut(rest, []byte(`"`))
	if !ok || !found || !isWord(typ) {
		return f, false
	}
	if digits, ok := bytes.CutPrefix(rest, []byte(`,"id":`)); ok {
		n := 0
		for n < len(digits) && '0' <= digits[n] && digits[n] <= '9' {
			n++
		}
		id, err := strconv.ParseUint(string(digits[:n]), 10, 64)
		if err != nil || digits[0] == '0' {
			return f, false
		}
		f.ID, rest = id, digits[n:]
	}
	body, ok := bytes.CutPrefix(rest, []byte(`,"body":`))
	body, end := bytes.CutSuffix(body, []byte("}\n"))
	if !ok || !end || !json.Valid(body) {
		return Frame{}, false
	}
	f.Type, f.Body = Type(typ), bytes.Clone(body)
	return f, true
}

// isWord says whether a type is one that means itself: nothing in it is escaped.
func isWord(typ []byte) bool {
	for _, b := range typ {
		if b != '-' && (b < 'a' || b > 'z') {
			return false
		}
	}
	return len(typ) > 0
}

func (c *Conn) readLine() ([]byte, error) {
	c.buf = c.buf[:0]
	for {
		part, err := c.r.ReadSlice('\n')
		if len(c.buf)+len(part) > MaxFrame {
			return nil, ErrFrameTooLong
		}
		if err == nil && len(c.buf) == 0 {
			return part, nil // the common case: no copy
		}
		c.buf = append(c.buf, part...)
		switch {
		case err == nil:
			return c.buf, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(c.buf) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// Write sends one frame whole. It may block as long as the other side does not
// read: set a deadline on the connection where that matters.
func (c *Conn) Write(t Type, id uint64, body any) error {
	// A Frame would have the body encoded, and then read through once more.
	line, err := json.Marshal(struct {
		Type Type   `json:"type"`
		ID   uint64 `json:"id,omitempty"`
		Body any    `json:"body,omitempty"`
	}{t, id, body})
	if err != nil {
		return fmt.Errorf("write %s frame: %w", t, err)
	}
	if len(line) >= MaxFrame {
		return ErrFrameTooLong
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.rw.Write(append(line, '\n'))
	return err
}

// Fail answers request id with err.
func (c *Conn) Fail(id uint64, err error) error {
	var f *Failure
	if !errors.As(err, &f) {
		f = &Failure{Message: err.Error()}
	}
	return c.Write(TypeFailure, id, f)
}
