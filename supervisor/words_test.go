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
	if !strings.Contains(got, "join it first (tool join_room)") {
		t.Errorf("api was told %q; want what a model and a person can do about it", got)
	}
	for room, want := range map[string]string{"ui": "", "nope": "join it to make it (ccmux rooms join nope); ccmux rooms shows what there is"} {
		res := h.tool(wire.ToolSendToRoom, wire.SendToRoomArgs{Room: room, MessageArgs: wire.MessageArgs{Content: "hello"}})
		if !res.IsError || !strings.Contains(res.Text, want) || strings.Contains(res.Text, "tool ") {
			t.Errorf("you were told %q; want what a person can do about it: %s", res.Text, want)
		}
	}
	if n := h.count("AccessRefused"); n != 0 {
		t.Errorf("%d refusals at the door are on the timeline; want none for a wrong argument", n)
	}
}

func TestHistoryOfWhatThereIsNotIsAnError(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.tool(wire.ToolCreateRoom, wire.CreateRoomArgs{Name: "ui"})
	for args, want := range map[wire.HistoryArgs]string{
		{Room: "nope"}:   `there is no room "#nope"; there are: #ui`,
		{TaskID: "t-99"}: `there is no thread "t-99"`,
		{TaskID: "r-1"}:  "r-1 names a permission request",
		{Peer: "nobody"}: `there is no peer "nobody"`,
	} {
		if res := h.tool(wire.ToolHistory, args); !res.IsError || !strings.Contains(res.Text, want) {
			t.Errorf("%+v: %q; want %q", args, res.Text, want)
		}
	}
	if res := h.tool(wire.ToolHistory, wire.HistoryArgs{Room: "#ui"}); res.IsError || res.Text != "nothing found" {
		t.Errorf("a room where nothing was said: %q", res.Text)
	}
	if got := h.asked("api", `tool history {"task_id":"t-99"}`); !strings.Contains(got, "there is no thread") {
		t.Errorf("a model was told %q", got)
	}
}
