package supervisor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// typed submits a line in a session's pane.
func (h *house) typed(name, line string) {
	h.t.Helper()
	p, _ := h.View().Named(name)
	pane := h.Pane(p.ID)
	for _, keys := range [][]byte{pane.Terminal().EncodePaste(line), []byte("\r")} {
		if err := pane.Type(keys); err != nil {
			h.t.Fatal(err)
		}
	}
}

// watching has a session wait for mail.
func (h *house) watching(name string) router.PeerView {
	h.t.Helper()
	h.typed(name, `tool watch {"timeout":300}`)
	v := h.await("the watch", func(v *router.View) bool {
		p, _ := v.Named(name)
		return p.Session.State == router.Busy && strings.HasSuffix(p.Session.Detail, wire.ToolWatch)
	})
	p, _ := v.Named(name)
	return p
}

// seen waits until the one message that holds content was seen by its receiver.
func (h *house) seen(content string) router.Delivery {
	h.t.Helper()
	var d router.Delivery
	h.await(content+" seen", func(v *router.View) bool {
		th, ok := thread(v, content)
		if ok {
			d = th.Messages[0].Deliveries[0]
		}
		return ok && d.State == wire.Seen
	})
	return d
}

// heard says whether the session's conversation holds a text.
func (h *house) heard(p router.PeerView, text string) {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.root, "home", ".claude", "projects", "*", p.Session.Conversation+".jsonl"))
	if err != nil || len(files) != 1 {
		h.t.Fatalf("transcripts of %s: %v, %v; want one", p.Name, files, err)
	}
	h.await(text+" in the conversation", func(*router.View) bool {
		raw, err := os.ReadFile(files[0])
		return err == nil && strings.Contains(string(raw), text)
	})
}

func (h *house) note(to, content string) {
	h.t.Helper()
	if res := h.tool(wire.ToolSendToPeer, wire.SendToPeerArgs{To: to, MessageArgs: wire.MessageArgs{Content: content}}); res.IsError {
		h.t.Fatal(res.Text)
	}
}

func TestWhatAToolGivesIsSeenWhenTheToolHasEnded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.watching("api")
	h.note("api", "by the tool")
	if d := h.seen("by the tool"); d.Proof != "tool" || d.Route != wire.RouteInbox || !d.Read {
		t.Errorf("the delivery is %+v; want it seen by the inbox route, with the tool as proof, and read", d)
	}
}

// TestAnOldClaudeIsGivenNothingTwice: it takes what is pushed during a watch as
// the watch ends, and cannot be asked not to. So the watch ends for it, empty.
func TestAnOldClaudeIsGivenNothingTwice(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker version=old"})
	h.proven("api")
	p := h.watching("api")
	h.note("api", "pushed during a watch")
	if d := h.seen("pushed during a watch"); d.Route != wire.RouteChannel || d.Proof != "transcript" {
		t.Errorf("the delivery is %+v; want it seen by the channel, with the transcript as proof", d)
	}
	h.heard(p, "mail arrived: it comes into this conversation right after this answer")
}

// TestAnAwaitedReplyComesOnce: in the answer of the send, and not as an event too.
func TestAnAwaitedReplyComesOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker", "web": "worker"})
	h.proven("api", "web")
	h.typed("api", `tool send_to_peer {"to":"web","kind":"task","content":"say: here it is","await_reply":60}`)
	var d router.Delivery
	h.await("the reply seen", func(v *router.View) bool {
		th, ok := thread(v, "here it is")
		if ok && len(th.Messages) > 1 {
			d = th.Messages[1].Deliveries[0]
		}
		return d.State == wire.Seen
	})
	if d.Route != wire.RouteInbox || d.Proof != "tool" {
		t.Errorf("the reply is %+v; want it given by the tool", d)
	}
	p, _ := h.View().Named("api")
	h.heard(p, "Reply from web (complete)")
}

func TestAnInterruptedWatchTakesNoMail(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	p := h.watching("api")
	if err := h.Pane(p.ID).Type([]byte("\x1b")); err != nil {
		t.Fatal(err)
	}
	h.await("the end of the turn", func(v *router.View) bool {
		p, _ := v.Named("api")
		return p.Session.State == router.Idle
	})
	h.note("api", "after the interrupt")
	if d := h.seen("after the interrupt"); d.Proof != "gate" {
		t.Errorf("the delivery is %+v; want it to have come in through the gate", d)
	}
	h.heard(p, "after the interrupt")
}

func TestMailInAToolsAnswerSurvivesTheAgent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker crash-after=watch"})
	h.proven("api")
	before := h.watching("api")
	h.note("api", "not yet read")
	h.await("the next run", func(v *router.View) bool {
		p, _ := v.Named("api")
		return p.Session.State.Running() && p.Session.PID != before.Session.PID
	})
	if d := h.seen("not yet read"); d.Proof != "gate" {
		t.Errorf("the delivery is %+v; want it to have come again, through the gate", d)
	}
}

func TestDataReachesTheConversation(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "ignore"})
	h.proven("api")
	p, _ := h.View().Named("api")
	res := h.tool(wire.ToolSendToPeer, wire.SendToPeerArgs{To: "api", MessageArgs: wire.MessageArgs{Content: "with data", Data: json.RawMessage(`{"port": 8080}`)}})
	if res.IsError {
		t.Fatal(res.Text)
	}
	h.seen("with data")
	h.heard(p, `{\"port\":8080}`)
}

// asked has a session call a tool and returns what it was told.
func (h *house) asked(name, tool string) string {
	h.t.Helper()
	h.task(name, tool)
	v := h.await("the answer to "+tool, answered(tool))
	th, _ := thread(v, tool)
	return th.Messages[1].Content
}

func TestASessionsHistoryIsFullOfWhatItMayRead(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker", "web": "ignore"})
	h.proven("api", "web")
	h.note("api", "for api alone")
	h.seen("for api alone")
	for i := range 3 {
		h.note("web", fmt.Sprintf("for web alone %d", i))
	}
	h.seen("for web alone 2")
	got := h.asked("api", `tool history {"text":"alone","limit":2}`)
	if !strings.Contains(got, "for api alone") || strings.Contains(got, "for web") || strings.Contains(got, "There is more") {
		t.Errorf("api reads %q; want its one message, and nothing of what others were sent", got)
	}
}
