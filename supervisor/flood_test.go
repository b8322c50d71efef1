package supervisor_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// TestAFloodOfRubbishHurtsNobody: ten thousand malformed frames, and bodies as
// long as a frame may hold and longer, while a sender works beside them. Each is
// refused, every message of the sender is taken, and memory stays bounded.
func TestAFloodOfRubbishHurtsNobody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "ignore"})
	h.proven("api")
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var flood sync.WaitGroup
	flood.Go(func() { rubbish(t, h.socket, 10_000) })
	flood.Go(func() { huge(t, h.human()) })
	over := make(chan struct{})
	go func() { flood.Wait(); close(over) }()
	sent, c := 0, h.human()
	for going := true; going || sent < 20; {
		raw, err := json.Marshal(wire.SendToPeerArgs{To: "api", MessageArgs: wire.MessageArgs{Content: fmt.Sprint("note ", sent)}})
		if err != nil {
			t.Fatal(err)
		}
		var res wire.ToolResult
		if err := c.Call(t.Context(), wire.TypeTool, wire.ToolCall{Name: wire.ToolSendToPeer, Arguments: raw}, &res); err != nil {
			t.Fatalf("message %d beside the flood: %v", sent, err)
		}
		sent++
		select {
		case <-over:
			going = false
		default:
		}
	}
	const room = 64 << 20
	if after := heap(); after > before+room {
		t.Errorf("the heap grew by %d MB", (after-before)>>20)
	}
}

// rubbish sends malformed frames, a new connection whenever one is closed for it,
// and requests with bodies that do not fit.
func rubbish(t *testing.T, socket string, n int) {
	ends := []string{"{", "[]", `{"type":5}`, "\x00\x01"}
	refused := []string{`{"type":"up"}`, `{"type":"tool","id":7,"body":{"name":[]}}`, `{"type":"nonsense","id":1,"body":{}}`}
	for n > 0 {
		conn, err := (&netDialer{}).dial(socket)
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Write(wire.TypeHello, 1, wire.Hello{Protocol: wire.Protocol, Role: wire.RoleHuman})
		batch := min(n, 50)
		var b strings.Builder
		for i := range batch {
			b.WriteString(refused[i%len(refused)] + "\n")
		}
		b.WriteString(ends[n/50%len(ends)] + "\n")
		_, _ = conn.NetConn().Write([]byte(b.String()))
		_ = conn.NetConn().SetReadDeadline(time.Now().Add(patience))
		for {
			if _, err := conn.Read(); err != nil {
				break
			}
		}
		conn.Close()
		n -= batch
	}
}

// huge sends bodies that are as long as may be, and longer.
func huge(t *testing.T, c *wire.Client) {
	for i := range 4 {
		raw, err := json.Marshal(wire.SendToPeerArgs{To: "nobody", MessageArgs: wire.MessageArgs{Content: strings.Repeat("x", wire.MaxBody+i%2)}})
		if err != nil {
			t.Error(err)
			return
		}
		var res wire.ToolResult
		err = c.Call(t.Context(), wire.TypeTool, wire.ToolCall{Name: wire.ToolSendToPeer, Arguments: raw}, &res)
		if err == nil && !res.IsError {
			t.Errorf("a body of %d bytes for nobody was taken: %s", len(raw), res.Text)
		}
	}
}
