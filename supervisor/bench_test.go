package supervisor_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// quantiles reports p50 and p99 of durations, in microseconds.
func quantiles(b *testing.B, name string, d []time.Duration) {
	b.Helper()
	if len(d) == 0 {
		return
	}
	slices.Sort(d)
	at := func(q float64) float64 { return float64(d[int(q*float64(len(d)-1))].Nanoseconds()) / 1000 }
	b.ReportMetric(at(0.50), name+"-p50-µs")
	b.ReportMetric(at(0.99), name+"-p99-µs")
}

// mailbox is a house with peers that do not run, so that only sending is measured.
func mailbox(b *testing.B, peers int) *house {
	b.Helper()
	h := newHouse(b)
	scripts := map[string]string{}
	for i := range peers {
		scripts[fmt.Sprintf("peer%d", i)] = "ignore"
	}
	h.up(scripts)
	if err := h.human().Call(b.Context(), wire.TypeDown, wire.Names{}, nil); err != nil {
		b.Fatal(err)
	}
	return h
}

func sendOne(b *testing.B, c *wire.Client, to, content string) {
	raw, err := json.Marshal(wire.SendToPeerArgs{To: to, MessageArgs: wire.MessageArgs{Content: content}})
	if err != nil {
		b.Error(err)
		return
	}
	var res wire.ToolResult
	if err := c.Call(b.Context(), wire.TypeTool, wire.ToolCall{Name: wire.ToolSendToPeer, Arguments: raw}, &res); err != nil || res.IsError {
		b.Errorf("send: %v %s", err, res.Text)
	}
}

// kilobyte is a message's usual size.
var kilobyte = string(make1k())

func make1k() []byte {
	text := make([]byte, 1000)
	for i := range text {
		text[i] = "the quick brown fox jumps over the lazy dog "[i%44]
	}
	return text
}

// BenchmarkSendDurable is one sender, one message of 1 KB after the other, from
// the socket to the disk and back; beside it a bare socket round trip and a
// bare append with fsync. The aim: p50 ≤ 1 ms, p99 ≤ 5 ms.
func BenchmarkSendDurable(b *testing.B) {
	h := mailbox(b, 1)
	c := h.human()
	var took, floor []time.Duration
	fsync := appender(b, filepath.Join(h.root, "floor"))
	trip := roundTrip(b)
	var trips []time.Duration
	for b.Loop() {
		start := time.Now()
		sendOne(b, c, "peer0", kilobyte)
		took = append(took, time.Since(start))
		start = time.Now()
		fsync()
		floor = append(floor, time.Since(start))
		start = time.Now()
		trip()
		trips = append(trips, time.Since(start))
	}
	quantiles(b, "send", took)
	b.ReportMetric(1, "aim-send-p50-ms")
	b.ReportMetric(5, "aim-send-p99-ms")
	quantiles(b, "fsync", floor)
	quantiles(b, "socket", trips)
}

// BenchmarkSend16 is 16 senders at once. The aim: ≥ 5,000 sends a second.
func BenchmarkSend16(b *testing.B) {
	h := mailbox(b, 16)
	clients := make([]*wire.Client, 16)
	for i := range clients {
		clients[i] = h.human()
	}
	work := make(chan struct{})
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() {
			for range work {
				sendOne(b, c, fmt.Sprintf("peer%d", i), kilobyte)
			}
		})
	}
	start := time.Now()
	for b.Loop() {
		work <- struct{}{}
	}
	close(work)
	wg.Wait()
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "sends/s")
	b.ReportMetric(5000, "aim-sends/s")
}

// BenchmarkFanOut is one message to fifteen peers, durable for each, beside one
// to a single peer.
func BenchmarkFanOut(b *testing.B) {
	h := mailbox(b, 15)
	c := h.human()
	var many, single []time.Duration
	for b.Loop() {
		start := time.Now()
		sendOne(b, c, "peer0", kilobyte)
		single = append(single, time.Since(start))
		raw, err := json.Marshal(wire.SendToPeersArgs{To: wire.Targets{wire.Everyone}, MessageArgs: wire.MessageArgs{Content: kilobyte}})
		if err != nil {
			b.Fatal(err)
		}
		var res wire.ToolResult
		start = time.Now()
		if err := c.Call(b.Context(), wire.TypeTool, wire.ToolCall{Name: wire.ToolSendToPeers, Arguments: raw}, &res); err != nil || res.IsError {
			b.Fatalf("fan-out: %v %s", err, res.Text)
		}
		many = append(many, time.Since(start))
	}
	quantiles(b, "fan-out", many)
	quantiles(b, "single", single)
}

// BenchmarkToReceiver is a note for an idle session, from the sender's call to
// the receiver having read it from its channel process, whose standard output it
// came over: durable as written and as offered, and pushed. Then, with the real
// hook process in between, to its being seen. The aim for the first: p50 ≤ 2 ms.
func BenchmarkToReceiver(b *testing.B) {
	h := newHouse(b)
	h.up(map[string]string{"api": "ignore"})
	h.proven("api")
	c := h.human()
	sendOne(b, c, "api", "begins the transcript")
	quiet := func(v *router.View) bool {
		p, _ := v.Named("api")
		return p.Pending == 0 && p.Session.State == router.Idle
	}
	h.await("the first note seen", quiet)
	p, _ := h.View().Named("api")
	written := h.transcript(p)
	var read, seen []time.Duration
	for b.Loop() {
		from := written()
		start := time.Now()
		sendOne(b, c, "api", "note")
		for written() == from { // the agent writes down at once what it reads
			runtime.Gosched()
		}
		read = append(read, time.Since(start))
		h.await("the note seen", func(v *router.View) bool {
			p, _ := v.Named("api")
			return p.Pending == 0
		})
		seen = append(seen, time.Since(start))
		h.await("idle again", quiet)
	}
	quantiles(b, "read", read)
	quantiles(b, "seen", seen)
}

// transcript returns how many bytes a session has written down.
func (h *house) transcript(p router.PeerView) func() int64 {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.root, "home", ".claude", "projects", "*", p.Session.Conversation+".jsonl"))
	if err != nil || len(files) != 1 {
		h.t.Fatalf("transcripts of %s: %v, %v; want one", p.Name, files, err)
	}
	return func() int64 {
		info, err := os.Stat(files[0])
		if err != nil {
			h.t.Error(err)
			return -1
		}
		return info.Size()
	}
}

// BenchmarkView is one picture of 1,000 open threads.
func BenchmarkView(b *testing.B) {
	h := mailbox(b, 1)
	c := h.human()
	for range 1000 {
		sendOne(b, c, "peer0", "note")
	}
	var v *router.View
	for b.Loop() {
		sendOne(b, c, "peer0", "note")
		v = h.View()
	}
	b.ReportMetric(float64(len(v.Threads)), "threads")
}

// appender appends a kilobyte to a file and waits for the disk.
func appender(b *testing.B, path string) func() {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return func() {
		if _, err := f.WriteString(kilobyte); err != nil {
			b.Error(err)
		}
		if err := f.Sync(); err != nil {
			b.Error(err)
		}
	}
}

// roundTrip sends a kilobyte over a unix socket and waits for a byte.
func roundTrip(b *testing.B) func() {
	dir, err := os.MkdirTemp("", "ccmux-floor-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		buf := make([]byte, 4096)
		for {
			if _, err := c.Read(buf); err != nil {
				return
			}
			if _, err := c.Write(buf[:1]); err != nil {
				return
			}
		}
	}()
	c, err := net.Dial("unix", filepath.Join(dir, "s"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	buf := make([]byte, 16)
	return func() {
		if _, err := c.Write([]byte(kilobyte)); err != nil {
			b.Error(err)
		}
		if _, err := c.Read(buf); err != nil {
			b.Error(err)
		}
	}
}
