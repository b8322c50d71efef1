package supervisor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

// deniedIn records n denials of one session as its hooks would, and returns what
// is on the timeline once the connection and the loop have ended in order.
func deniedIn(t *testing.T, n int, in hookInput) []router.ToolDenied {
	t.Helper()
	s := &Supervisor{log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	var out []router.ToolDenied
	s.loop = newLoop(newMemory(), s.log, time.Now)
	s.loop.settled = func(_ *router.State, events []router.Event) {
		for _, e := range events {
			if d, ok := e.Body.(router.ToolDenied); ok {
				out = append(out, d)
			}
		}
	}
	if err := s.loop.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	s.wg.Go(func() { s.loop.run(ctx) })
	res, err := s.loop.submit(t.Context(), router.AddPeer{Name: "api", Dir: "/api"})
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	c := &conn{s: s, peer: res.Peer, ctx: gone}
	cancel() // a hook that has its answer goes at once
	for range n {
		s.denials.record(c, in, "rule-1", "rule-1: deny Bash rm *")
	}
	c.wg.Wait()
	s.tellDenials(t.Context())
	end()
	s.wg.Wait()
	return out
}

func TestAFloodOfDenialsIsCounted(t *testing.T) {
	t.Parallel()
	got := deniedIn(t, 1000, hookInput{ToolName: "Bash", ToolInput: json.RawMessage(`{"command":"rm x"}`)})
	if len(got) != maxDenials+1 {
		t.Fatalf("%d events; want %d, and one that counts the rest", len(got), maxDenials)
	}
	all := 0
	for _, d := range got {
		all += max(d.Times, 1)
	}
	if all != 1000 || got[0].What != "rm x" || got[0].By.Rule != "rule-1" {
		t.Errorf("%d denials are on record, the first as %+v; want 1000", all, got[0])
	}
}

func TestWhatWasDeniedIsOneCleanLine(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"control characters": `{"command":"rm \u001b[2J\u202e\nsecond"}`,
		"long":               fmt.Sprintf(`{"command":%q}`, strings.Repeat("x", 1<<16)),
		"no known field":     `{"query":"a"}`,
		"no object":          `"text"`,
	} {
		got := deniedIn(t, 1, hookInput{ToolName: "To\x1bol", ToolInput: json.RawMessage(in)})
		if len(got) != 1 {
			t.Fatalf("%s: %d events", name, len(got))
		}
		if d := got[0]; d.What == "" || len(d.What) > maxDenied || strings.ContainsAny(d.What+d.Tool, "\x1b\n\u202e") {
			t.Errorf("%s: tool %q, %q", name, d.Tool, d.What)
		}
	}
}
