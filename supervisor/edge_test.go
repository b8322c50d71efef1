package supervisor

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
	"github.com/ccmux/ccmux/supervisor/session/transcript"
)

// TestWhatClaudeTookIsNotHandedOver: an old claude takes a note in the middle of
// a tool, without a hook, and its channel process dies before anything told of
// it. What claude wrote is read before the note goes another way.
func TestWhatClaudeTookIsNotHandedOver(t *testing.T) {
	const tag = `"<channel source=\"plugin:ccmux:peers\" kind=\"note\" task_id=\"t\" message_id=\"%s\">\nhello\n</channel>"`
	const (
		enqueue = `{"type":"queue-operation","operation":"enqueue","content":` + tag + "}\n"
		given   = `{"type":"attachment","attachment":{"type":"queued_command","prompt":` + tag + `,"origin":{"kind":"channel"}}}` + "\n"
		blocked = `{"type":"system","subtype":"informational","content":"UserPromptSubmit operation blocked by hook: no\n\nOriginal prompt: %s"}` + "\n"
	)
	for name, c := range map[string]struct {
		wrote string
		want  wire.HookAction
		mail  int // once the session is idle
	}{
		"nothing is known of it":      {"", wire.HookBlock, 1},
		"it is in the conversation":   {given, "", 0},
		"it waits in claude's queue":  {enqueue, "", 1},
		"it went through the queue":   {enqueue + given, "", 0},
		"a hook kept it from a model": {enqueue + strings.Replace(blocked, "%s", strings.Trim(tag, `"`), 1), wire.HookBlock, 1},
	} {
		t.Run(name, func(t *testing.T) {
			hook, id := lostOffer(t)
			wrote := strings.ReplaceAll(c.wrote, "%s", string(id))
			if err := os.WriteFile(filepath.Join(hook.s.cfg.StateDir, "t.jsonl"), []byte(wrote), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := hook.handOver(session.Stop, hookInput{}); got.Action != c.want {
				t.Errorf("the end of the turn says %q: %s; want %q", got.Action, got.Reason, c.want)
			}
			hook.run.queueEmpty()
			if mail, err := hook.waitingMail(9); err != nil || len(mail) != c.mail {
				t.Errorf("an idle session has %d messages waiting, %v; want %d", len(mail), err, c.mail)
			}
		})
	}
}

// leaving is a caller that goes away just after it was looked for.
type leaving struct {
	context.Context
	looked bool
}

func (l *leaving) Err() error {
	if !l.looked {
		l.looked = true
		return nil
	}
	return l.Context.Err()
}

// TestWhatWasReadIsRecorded: a line of the transcript is told of once, so that who
// reads it records what it proves, also when its own caller has gone meanwhile.
func TestWhatWasReadIsRecorded(t *testing.T) {
	hook, _ := lostOffer(t)
	from := readyPeer(t, hook.s.loop, 2)
	var wrote strings.Builder
	for range 16 { // each may be lost, by chance
		id := newID()
		mustSubmit(t, hook.s.loop, router.Send{ID: id, From: from, To: []string{name(0)}, Kind: wire.KindNote, Content: "hello"})
		fmt.Fprintf(&wrote, `{"type":"user","isMeta":true,"origin":{"kind":"channel","server":"plugin:ccmux:peers"},"message":{"role":"user",`+
			`"content":"<channel source=\"plugin:ccmux:peers\" kind=\"note\" task_id=\"t\" message_id=\"%s\">\nhello\n</channel>"}}`+"\n", id)
	}
	if err := os.WriteFile(filepath.Join(hook.s.cfg.StateDir, "t.jsonl"), []byte(wrote.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, gone := context.WithCancel(t.Context())
	gone()
	hook.run.catchUp(&leaving{Context: ctx})
	hook.s.loop.read(func(s *router.State) {
		if due := len(s.Mail(hook.peer)); due != 1 { // the lost offer itself
			t.Errorf("%d messages would be given once more; want 1", due)
		}
	})
}

// TestNothingOvertakesWhatClaudeQueued: what its sender sent later waits as well.
func TestNothingOvertakesWhatClaudeQueued(t *testing.T) {
	r := run{peer: "p-9", unasked: true, queued: map[router.MessageID]bool{"m-2": true}}
	var got []string
	for _, m := range r.notPushed(router.NewState(), []router.Message{{ID: "m-1", From: "a"}, {ID: "m-2", From: "a"}, {ID: "m-3", From: "b"}, {ID: "m-4", From: "a"}}) {
		got = append(got, string(m.ID))
	}
	if strings.Join(got, " ") != "m-1 m-3" {
		t.Errorf("%v may go another way; want m-1 and m-3", got)
	}
}

// lostOffer is a session that was pushed a note, and whose channel is gone.
func lostOffer(t *testing.T) (*conn, router.MessageID) {
	t.Helper()
	s := &Supervisor{log: slog.New(slog.DiscardHandler)}
	s.cfg.StateDir = t.TempDir()
	s.loop = startLoop(t, newMemory())
	peer, from := readyPeer(t, s.loop, 0), readyPeer(t, s.loop, 1)
	s.sessions, s.posts = newSessions(s), newPosts()
	r, err := newRun(&entry{s: s, peer: peer, name: name(0)})
	if err != nil {
		t.Fatal(err)
	}
	r.tail = transcript.NewTailer(filepath.Join(s.cfg.StateDir, "t.jsonl"), transcript.Position{})
	r.unasked = true
	close(r.started)
	id := newID()
	for _, cmd := range []router.Command{
		router.Send{ID: id, From: from, To: []string{name(0)}, Kind: wire.KindNote, Content: "hello"},
		router.Offer{Peer: peer, Messages: []router.MessageID{id}, Route: wire.RouteChannel},
		router.LoseRoute{RouteLost: router.RouteLost{Peer: peer, Route: wire.RouteChannel, Why: "it died"}},
		router.ProveRoute{RouteProven: router.RouteProven{Peer: peer, Route: wire.RouteHook, How: "a test"}},
	} {
		mustSubmit(t, s.loop, cmd)
	}
	return &conn{s: s, peer: peer, run: r, ctx: t.Context()}, id
}

// TestASendThatDoesNotWaitLeavesNothing: no call for replies is kept of a send that
// was refused; and one that waits is known for it however its arguments are written.
func TestASendThatDoesNotWaitLeavesNothing(t *testing.T) {
	hook, _ := lostOffer(t)
	for _, arguments := range []string{
		`{"to":"nobody","kind":"task","content":"do it","await_reply":5}`,
		`{"to":"nobody","content":"a note","await_reply":5}`,
		`{"to":"nobody","kind":"task","content":"do it","Await_Reply":5}`,
		`{"to":"nobody","kind":"task","content":"do it","await\u005freply":5}`,
	} {
		call := wire.ToolCall{Name: wire.ToolSendToPeer, Arguments: []byte(arguments)}
		p := hook.pullOf(1, call)
		if p == nil {
			t.Errorf("%s is not taken for a send that waits", arguments)
			continue
		}
		if res, err := hook.tool(p, call, nil); err != nil || !res.(wire.ToolResult).IsError {
			t.Errorf("%s: %v, %v; want it refused", arguments, res, err)
		}
		if p.ctx.Err() == nil || len(hook.run.pulls) > 0 {
			t.Errorf("%s goes on: %v, with %d calls", arguments, p.ctx.Err(), len(hook.run.pulls))
			hook.run.pulls = nil
		}
	}
}
