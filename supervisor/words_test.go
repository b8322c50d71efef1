package supervisor_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

// count is how many events of a type are on the timeline.
func (h *house) count(kind string) int {
	h.t.Helper()
	var n atomic.Int64
	c, _, err := wire.Dial(h.t.Context(), h.socket, wire.Hello{Role: wire.RoleHuman}, func(f wire.Frame) {
		var e wire.Event
		if f.Decode(&e) == nil && e.Type == kind {
			n.Add(1)
		}
	})
	if err != nil {
		h.t.Fatal(err)
	}
	defer c.Close()
	if err := c.Call(h.t.Context(), wire.TypeTail, wire.Tail{From: 1, Once: true}, nil); err != nil {
		h.t.Fatal(err)
	}
	return int(n.Load())
}

func TestAToolsMistakeIsNoRefusalAtTheDoor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.tool(wire.ToolCreateRoom, wire.CreateRoomArgs{Name: "ui"})
	got := h.asked("api", `tool send_to_room {"room":"ui","content":"hello"}`)
	if !strings.Contains(got, "join it first (tool join_room, or ccmux rooms join ui)") {
		t.Errorf("api was told %q; want what a model and a person can do about it", got)
	}
	if n := h.count("AccessRefused"); n != 0 {
		t.Errorf("%d refusals at the door are on the timeline; want none for a wrong argument", n)
	}
}
