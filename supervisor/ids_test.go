package supervisor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// heldNote sends a note to a session that is held, and returns its id.
func (h *house) heldNote(to, content string) string {
	h.t.Helper()
	res := h.tool(wire.ToolSendToPeer, wire.SendToPeerArgs{To: to, MessageArgs: wire.MessageArgs{Content: content}})
	var data struct {
		MessageID string `json:"message_id"`
	}
	raw, err := json.Marshal(res.Data)
	if err == nil {
		err = json.Unmarshal(raw, &data)
	}
	if err != nil || len(data.MessageID) != 36 {
		h.t.Fatalf("sent: %s, %v", raw, err)
	}
	return data.MessageID
}

func TestABeginningNamesAMessage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	human := func(verb wire.Type, target string) error {
		return h.human().Call(t.Context(), verb, wire.Intervene{Target: target}, nil)
	}
	if err := human(wire.TypeHold, "api"); err != nil {
		t.Fatal(err)
	}
	first, second := h.heldNote("api", "one"), h.heldNote("api", "two")
	if first[:8] != second[:8] {
		t.Skip("a minute ended between the two")
	}
	if err := human(wire.TypeWithdraw, first[:8]); err == nil || !strings.Contains(err.Error(), first) || !strings.Contains(err.Error(), second) {
		t.Errorf("what both begin with: %v; want an error that lists them", err)
	}
	for _, c := range []struct{ target, want string }{
		{"t-1", "t-1 names a thread"},
		{"r-1", "r-1 names a permission request"},
		{first[:7], "at least 8 characters"},
		{"00000000-0000", "there is no message"},
	} {
		if err := human(wire.TypeWithdraw, c.target); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("withdraw %s: %v; want %q", c.target, err, c.want)
		}
	}
	if err := human(wire.TypeHold, "t-1"); err == nil || !strings.Contains(err.Error(), "a message (message_id) is wanted") {
		t.Errorf("hold t-1: %v", err)
	}
	if err := h.human().Call(t.Context(), wire.TypeVerdict, wire.Verdict{ID: "t-1", Behavior: wire.Allow}, nil); err == nil || !strings.Contains(err.Error(), "a permission request (such as r-12) is wanted") {
		t.Errorf("approve t-1: %v", err)
	}
	for _, args := range []wire.MessageArgs{{TaskID: first, Content: "x"}, {ParentTaskID: "r-1", Content: "x"}} {
		if res := h.tool(wire.ToolSendToPeer, wire.SendToPeerArgs{To: "api", MessageArgs: args}); !res.IsError || !strings.Contains(res.Text, "a thread (task_id, such as t-12) is wanted") {
			t.Errorf("send with %+v: %s", args, res.Text)
		}
	}
	if err := human(wire.TypeWithdraw, strings.ToUpper(first[:18])); err != nil {
		t.Errorf("withdraw by its beginning: %v", err)
	}
	if err := human(wire.TypeRelease, second[:18]); err != nil {
		t.Errorf("release by its beginning: %v", err)
	}
	h.seen("two")
	if res := h.tool(wire.ToolHistory, wire.HistoryArgs{Before: second[:18]}); res.IsError || !strings.Contains(res.Text, "one") || strings.Contains(res.Text, "two") {
		t.Errorf("before %s: %s", second[:18], res.Text)
	}
}

// TestAReplyMayNameTheMessage: the id that stands before one's eyes.
func TestAReplyMayNameTheMessage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.task("api", "ask you: which port")
	v := h.await("the question", func(v *router.View) bool { _, ok := thread(v, "which port"); return ok && len(v.Threads) > 1 })
	var question router.MessageView
	for _, th := range v.Threads {
		for _, m := range th.Messages {
			if m.Kind == wire.KindTask && m.From != router.Human {
				question = m
			}
		}
	}
	if res := h.tool(wire.ToolAck, wire.MessageIDs{IDs: []string{question.ID.Short()}}); res.IsError {
		t.Errorf("ack by its beginning: %s", res.Text)
	}
	if res := h.tool(wire.ToolRespondToPeer, wire.RespondArgs{TaskID: "r-1", Content: "x"}); !res.IsError || !strings.Contains(res.Text, "a thread (task_id, such as t-12) is wanted") {
		t.Errorf("a reply to r-1: %s", res.Text)
	}
	res := h.tool(wire.ToolRespondToPeer, wire.RespondArgs{TaskID: strings.ToUpper(question.ID.Short()), Content: "8080"})
	if res.IsError || !strings.Contains(res.Text, "reply "+string(question.Thread)) {
		t.Errorf("a reply by the message's id: %s", res.Text)
	}
}
