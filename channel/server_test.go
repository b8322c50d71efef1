package channel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestHandshakeSaysWhatClaudeNeeds(t *testing.T) {
	f := newFake(t)
	c := startServer(t, ServerConfig{Socket: f.listen(), Credential: "secret", Build: "1.2.3"})
	init, list := c.handshake()
	r := init.Result
	if r.ProtocolVersion != "2025-11-25" || r.ServerInfo.Name != "ccmux" || r.ServerInfo.Version != "1.2.3" || r.Capabilities.Tools == nil {
		t.Errorf("initialize: %+v", r)
	}
	for _, need := range []string{"claude/channel", "claude/channel/permission"} {
		if _, ok := r.Capabilities.Experimental[need]; !ok {
			t.Errorf("no capability %s in %v", need, r.Capabilities.Experimental)
		}
	}
	if !strings.Contains(r.Instructions, "respond_to_peer") {
		t.Errorf("instructions: %q", r.Instructions)
	}
	var names []string
	for _, tool := range list.Result.Tools {
		names = append(names, tool.Name)
		if n := len(tool.Description); n == 0 || n > 200 {
			t.Errorf("%s is described in %d bytes", tool.Name, n)
		}
	}
	if !slices.Equal(names, wire.Tools) {
		t.Errorf("tools are %v; want %v", names, wire.Tools)
	}
	if m := c.answer(c.send("ping", nil)); m.Error != nil {
		t.Errorf("ping: %+v", m.Error)
	}
	if h := (<-f.conns).hello; h.Role != wire.RoleChannel || h.Credential != "secret" || h.Protocol != wire.Protocol || h.Build != "1.2.3" {
		t.Errorf("hello: %+v", h)
	}
}

func TestWhatClaudeMayNotSayIsRefusedInWords(t *testing.T) {
	f := newFake(t)
	c := startServer(t, ServerConfig{Socket: f.listen()})
	c.handshake()
	for _, tt := range []struct {
		line, id string
		code     int
	}{
		{`nonsense`, `null`, -32700},
		{`{"method":"resources/list","jsonrpc":"2.0","id":900}`, `900`, -32601},
		{`{"method":"ping","jsonrpc":"1.0","id":901}`, `901`, -32600},
		{`{"method":"tools/call","params":{"name":"nope"},"jsonrpc":"2.0","id":902}`, `902`, -32602},
		{`{"method":"tools/call","params":7,"jsonrpc":"2.0","id":903}`, `903`, -32602},
		{`{"method":"tools/call","params":{"name":"send_to_peer","arguments":{"to":"x","content":"` + strings.Repeat("x", maxLine) + `"}},"jsonrpc":"2.0","id":904}`, `904`, -32600},
	} {
		c.say(tt.line)
		if m := c.answer(tt.id); m.Error == nil || m.Error.Code != tt.code || m.Error.Message == "" {
			t.Errorf("%.80s: %+v; want error %d", tt.line, m.Error, tt.code)
		}
	}
	c.say(`{"method":"notifications/unheard-of","jsonrpc":"2.0"}`)
	c.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if m := c.answer(c.call("whoami", `{}`)); m.text() != "did whoami" {
		t.Errorf("after all that: %+v", m)
	}
}

func TestCallIsForwardedByteForByteAndComesBack(t *testing.T) {
	f := newFake(t)
	c := startServer(t, ServerConfig{Socket: f.listen()})
	c.handshake()
	args := `{"to":"backend","content":"a < b & \u003c ü","data":{"big":12345678901234567890}}`
	m := c.answer(c.call("send_to_peer", args))
	if m.text() != "did send_to_peer" || m.Result.IsError || string(m.Result.StructuredContent) != `{"text":"did send_to_peer","n":12345678901234567890}` {
		t.Errorf("result: %+v %s", m.Result, m.Result.StructuredContent)
	}
	var got, want any
	call := (<-f.conns).calls[0]
	if err := errors.Join(json.Unmarshal(call.Arguments, &got), json.Unmarshal([]byte(args), &want)); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || !strings.Contains(string(call.Arguments), "12345678901234567890") {
		t.Errorf("ccmux got %s", call.Arguments)
	}
}

func TestRefusalsAndErrorsAreForTheModel(t *testing.T) {
	f := newFake(t)
	f.tool = func(c wire.ToolCall) (any, error) {
		switch c.Name {
		case wire.ToolJoinRoom:
			return nil, &wire.Failure{Code: wire.CodeUnknown, Message: "there is no such room"}
		case wire.ToolListRooms:
			return wire.ToolResult{Text: "one, two", Data: []string{"one", "two"}}, nil
		default:
			return wire.ToolResult{Text: "that went wrong", IsError: true}, nil
		}
	}
	c := startServer(t, ServerConfig{Socket: f.listen()})
	c.handshake()
	if m := c.answer(c.call("join_room", `{"room":"x"}`)); !m.Result.IsError || m.text() != "there is no such room" {
		t.Errorf("a refusal: %+v %+v", m.Result, m.Error)
	}
	if m := c.answer(c.call("whoami", `{}`)); !m.Result.IsError || m.text() != "that went wrong" {
		t.Errorf("an error result: %+v", m.Result)
	}
	if m := c.answer(c.call("send_to_peer", `{"to":"b","content":"`+strings.Repeat("<", 2*wire.MaxBody)+`"}`)); !m.Result.IsError || !strings.Contains(m.text(), "too long") {
		t.Errorf("more than a frame holds: %+v", m.Result)
	}
	if m := c.answer(c.call("list_rooms", `{}`)); m.text() != "one, two" || m.Result.StructuredContent != nil {
		t.Errorf("structure that is no object: %+v", m.Result)
	}
}

func TestWrongArgumentsNeverReachCcmux(t *testing.T) {
	f := newFake(t)
	c := startServer(t, ServerConfig{Socket: f.listen()})
	c.handshake()
	conn := <-f.conns
	for _, tt := range []struct{ tool, args, want string }{
		{"send_to_peer", `{"to":"x"}`, "content: is missing"},
		{"send_to_peer", `null`, "to: is missing; content: is missing"},
		{"send_to_peer", `{"to":"x","content":""}`, "content: is empty"},
		{"send_to_peer", `{"to":["x"],"content":"a"}`, "to: want a string, have an array"},
		{"send_to_peer", `{"to":"x","content":"a","kind":"reply"}`, "kind: want one of task, note"},
		{"send_to_peer", `{"to":"x","content":"a","await_reply":121}`, "await_reply: is 121, the most is 120"},
		{"send_to_peer", `{"to":"x","content":"a","await_reply":1.5}`, "await_reply: want a whole number, have a number"},
		{"send_to_peer", `{"to":"x","content":"a","await_reply":99999999999999999999}`, "await_reply: is too large"},
		{"send_to_peer", `{"to":"x","content":"a","data":"{}"}`, "data: want an object or an array, have a string"},
		{"send_to_peer", `{"to":"x","content":"a","sender":"you"}`, "sender: there is no such argument"},
		{"send_to_peers", `{"to":[],"content":"a"}`, "to: has 0 entries, the least is 1"},
		{"send_to_peers", `{"to":["a",1],"content":"a"}`, "to[1]: want a string, have a whole number"},
		{"send_to_peers", `{"to":true,"content":"a"}`, "to: want an array or a string, have true or false"},
		{"respond_permission", `{"peer":"x","request_id":"r","behavior":"maybe"}`, "behavior: want one of allow, deny"},
		{"watch", `{"timeout":301}`, "timeout: is 301, the most is 300"},
		{"watch", `[]`, "the arguments: want an object, have an array"},
		{"inbox", `{"limit":0}`, "limit: is 0, the least is 1"},
		{"register", `{"name":"` + strings.Repeat("n", 65) + `"}`, "name: has 65 characters, the most is 64"},
	} {
		m := c.answer(c.call(tt.tool, tt.args))
		if want := tt.tool + " was not called. " + tt.want; !m.Result.IsError || m.text() != want {
			t.Errorf("%s %s: %q; want %q", tt.tool, tt.args, m.text(), want)
		}
	}
	if got := conn.names(); len(got) > 0 {
		t.Errorf("ccmux got %v", got)
	}
	for _, ok := range []string{`{"to":"*","content":"a"}`, `{"to":["a","b"],"content":"a","task_id":null,"data":[1]}`} {
		if m := c.answer(c.call("send_to_peers", ok)); m.Result.IsError {
			t.Errorf("%s was refused: %s", ok, m.text())
		}
	}
}

func TestCallsReachCcmuxInOrderWhileAnswersTakeTheirTime(t *testing.T) {
	f := newFake(t)
	hold := make(chan struct{})
	f.tool = func(c wire.ToolCall) (any, error) {
		if c.Name == wire.ToolWatch {
			<-hold
		}
		return wire.ToolResult{Text: "ok"}, nil
	}
	c := startServer(t, ServerConfig{Socket: f.listen()})
	c.handshake()
	conn := <-f.conns
	watch := c.call("watch", `{}`)
	var want, ids []string
	for i := range 300 {
		args := fmt.Sprintf(`{"to":"b","content":"%d"}`, i)
		want = append(want, "send_to_peer"+args)
		ids = append(ids, c.call("send_to_peer", args))
		if len(ids) >= maxCalls/2 { // claude does not have more than some calls open either
			c.answer(ids[len(ids)-maxCalls/2])
		}
	}
	for _, id := range ids {
		if m := c.answer(id); m.text() != "ok" {
			t.Fatalf("call %s: %+v %+v", id, m.Result, m.Error)
		}
	}
	got := slices.DeleteFunc(conn.names(), func(s string) bool { return strings.HasPrefix(s, "watch") })
	if !slices.Equal(got, want) {
		t.Errorf("%d calls came in another order", len(got))
	}
	close(hold)
	if m := c.answer(watch); m.text() != "ok" {
		t.Errorf("watch: %+v", m)
	}
}

func TestTooManyCallsAtOnceAreRefusedAndTheRestGoesOn(t *testing.T) {
	f := newFake(t)
	hold := make(chan struct{})
	f.tool = func(wire.ToolCall) (any, error) {
		<-hold
		return wire.ToolResult{Text: "ok"}, nil
	}
	c := startServer(t, ServerConfig{Socket: f.listen()})
	c.handshake()
	var ids []string
	for range maxCalls {
		ids = append(ids, c.call("watch", `{}`))
	}
	if m := c.answer(c.call("whoami", `{}`)); m.Error == nil {
		t.Errorf("call %d was taken: %+v", maxCalls+1, m.Result)
	}
	close(hold)
	for _, id := range ids {
		c.answer(id)
	}
	if m := c.answer(c.call("whoami", `{}`)); m.text() != "ok" {
		t.Errorf("afterwards: %+v", m)
	}
}

func TestCancelledCallIsNotAnsweredAndHoldsNothingUp(t *testing.T) {
	f := newFake(t)
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	f.tool = func(c wire.ToolCall) (any, error) {
		if c.Name == wire.ToolWatch {
			<-hold
		}
		return wire.ToolResult{Text: "ok"}, nil
	}
	c := startServer(t, ServerConfig{Socket: f.listen()})
	c.handshake()
	id := c.call("watch", `{}`)
	c.say(`{"method":"notifications/cancelled","params":{"requestId":` + id + `},"jsonrpc":"2.0"}`)
	// The same id can be used again once the call is over.
	for {
		c.say(`{"method":"tools/call","params":{"name":"whoami"},"jsonrpc":"2.0","id":` + id + `}`)
		if m := c.answer(id); m.Error == nil {
			if m.text() != "ok" {
				t.Errorf("the cancelled call was answered: %+v", m)
			}
			return
		}
		c.forget()
	}
}

func TestNothingIsPushedBeforeClaudeListens(t *testing.T) {
	for _, listFirst := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t)
			c := startServer(t, ServerConfig{dial: f.dial})
			conn := <-f.conns
			conn.deliver(t, 1, "too early", nil)
			steps := []func(){
				func() { c.say(`{"method":"notifications/initialized","jsonrpc":"2.0"}`) },
				func() { c.answer(c.send("tools/list", nil)) },
			}
			if listFirst {
				slices.Reverse(steps)
			}
			steps[0]()
			time.Sleep(time.Hour)
			steps[1]()
			time.Sleep(deaf - time.Nanosecond)
			synctest.Wait()
			if n := len(conn.ready); n != 0 || len(c.lines(isPush)) != 0 {
				t.Fatalf("before the deaf time was over: %d announcements, pushes %v", n, c.lines(isPush))
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if len(conn.ready) != 1 || len(c.lines(isPush)) != 1 || <-conn.delivered != 1 {
				t.Errorf("after it: %d announcements, pushes %v", len(conn.ready), c.lines(isPush))
			}
			c.send("tools/list", nil)
			time.Sleep(time.Hour)
			if len(conn.ready) != 1 {
				t.Error("announced twice")
			}
		})
	}
}

// open gives a server that is past its gate, in a bubble.
func open(t *testing.T, f *fakeCcmux) (*fakeClaude, *fakeConn) {
	c := startServer(t, ServerConfig{dial: f.dial})
	c.handshake()
	conn := <-f.conns
	if r := <-conn.ready; r.ClientVersion != "2.1.332" || r.Delivered != 0 {
		t.Errorf("announced as %+v", r)
	}
	return c, conn
}

func TestTwoThousandPushesBetweenCallsArriveWholeAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		c, conn := open(t, f)
		const n = 2000
		var calling sync.WaitGroup
		calling.Go(func() {
			for range 200 {
				c.answer(c.call("whoami", `{}`))
			}
		})
		for i := range uint64(n) {
			conn.deliver(t, i+1, fmt.Sprintf("push %d %s", i+1, strings.Repeat("x", int(i))), map[string]string{"message_id": fmt.Sprint(i + 1)})
		}
		calling.Wait()
		for i := range uint64(n) {
			if seq := <-conn.delivered; seq != i+1 {
				t.Fatalf("acknowledged %d after %d", seq, i)
			}
		}
		synctest.Wait()
		got := c.lines(isPush)
		if len(got) != n {
			t.Fatalf("%d pushes", len(got))
		}
		for i, m := range got {
			if want := fmt.Sprintf("push %d ", i+1); !strings.HasPrefix(m.Params.Content, want) || m.Params.Meta["message_id"] != fmt.Sprint(i+1) {
				t.Fatalf("push %d is %.30q", i+1, m.Params.Content)
			}
		}
	})
}

func TestMetaIsInOrderAndHoldsNoSourceNorWhatClaudeDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		c, conn := open(t, f)
		conn.deliver(t, 1, "x", map[string]string{"source": "forged", "sender": "backend", "a b": "1", "9": "2", "_x1": "3"})
		m := c.await(isPush)
		if got := fmt.Sprint(m.Params.Meta); got != "map[_x1:3 sender:backend]" {
			t.Errorf("meta is %s", got)
		}
		all := meta{"probe": "n", "zz": "z", "aa": "\"<"}
		for _, k := range metaOrder {
			all[k] = k
		}
		raw, err := json.Marshal(all)
		want := `{"sender":"sender","kind":"kind","task_id":"task_id","message_id":"message_id","parent_task_id":"parent_task_id","room":"room",` +
			`"in_reply_to":"in_reply_to","status":"status","subject":"subject","aa":"\"\u003c","probe":"n","zz":"z"}`
		if err != nil || string(raw) != want {
			t.Errorf("written as %s, %v", raw, err)
		}
	})
}

func TestPermissionRelayGoesBothWays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		c, conn := open(t, f)
		c.say(`{"method":"notifications/claude/channel/permission_request","params":{"request_id":"abcde","tool_name":"Bash","description":"d","input_preview":"ls"},"jsonrpc":"2.0"}`)
		c.say(`{"method":"notifications/claude/channel/permission_request","params":{},"jsonrpc":"2.0"}`)
		want := wire.PermRequest{RequestID: "abcde", ToolName: "Bash", Description: "d", InputPreview: "ls"}
		if got := <-conn.requests; got != want {
			t.Errorf("ccmux got %+v", got)
		}
		if err := conn.Write(wire.TypePermVerdict, 0, wire.PermVerdict{RequestID: "abcde", Behavior: wire.Deny}); err != nil {
			t.Fatal(err)
		}
		m := c.await(func(m message) bool { return m.Method == methodPermVerdict })
		if m.Params.RequestID != "abcde" || m.Params.Behavior != "deny" {
			t.Errorf("claude got %+v", m.Params)
		}
		synctest.Wait()
		if len(conn.requests) > 0 {
			t.Error("a request without an id was passed on")
		}
	})
}

func TestSecondConnectionKnowsWhatTheFirstDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		c, conn := open(t, f)
		conn.deliver(t, 1, "one", nil)
		conn.deliver(t, 2, "two", nil)
		<-conn.delivered
		<-conn.delivered
		conn.Close()

		conn = <-f.conns
		if r := <-conn.ready; r.Delivered != 2 {
			t.Errorf("announced with %d delivered; want 2", r.Delivered)
		}
		conn.deliver(t, 2, "two", nil) // ccmux was not sure
		conn.deliver(t, 3, "three", nil)
		if a, b := <-conn.delivered, <-conn.delivered; a != 2 || b != 3 {
			t.Errorf("acknowledged %d, %d", a, b)
		}

		f.pid.Store(2) // another ccmux counts anew
		conn.Close()
		conn = <-f.conns
		if r := <-conn.ready; r.Delivered != 0 {
			t.Errorf("told another ccmux of %d delivered", r.Delivered)
		}
		conn.deliver(t, 1, "new one", nil)
		<-conn.delivered
		var got []string
		for _, m := range c.lines(isPush) {
			got = append(got, m.Params.Content)
		}
		if want := []string{"one", "two", "three", "new one"}; !slices.Equal(got, want) {
			t.Errorf("claude got %q; want %q", got, want)
		}
	})
}

func TestLostConnectionIsSaidAndEndsTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.tool = func(wire.ToolCall) (any, error) { return nil, errSilence }
		var gone atomic.Bool
		c := startServer(t, ServerConfig{dial: f.dialUnless(&gone)})
		c.handshake()
		conn := <-f.conns
		open := c.call("whoami", `{}`)
		synctest.Wait()
		gone.Store(true)
		conn.Close()
		if m := c.answer(open); !m.Result.IsError || !strings.Contains(m.text(), "may or may not have been done") {
			t.Errorf("the open call: %q", m.text())
		}
		start := time.Now()
		if m := c.answer(c.call("whoami", `{}`)); !m.Result.IsError || !strings.Contains(m.text(), "Nothing was sent") || !strings.Contains(m.text(), "nobody listens") {
			t.Errorf("a later call: %q", m.text())
		}
		if d := time.Since(start); d != connWait {
			t.Errorf("it was answered after %v; want %v", d, connWait)
		}
		if err := <-c.err; !errors.Is(err, ErrLost) {
			t.Errorf("RunServer returned %v", err)
		}
		if d := time.Since(start); d < Patience-time.Second || d > Patience+lastPause {
			t.Errorf("it ended after %v; want about %v", d, Patience)
		}
	})
}

func TestCallWaitsForAConnectionThatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		var gone atomic.Bool
		c := startServer(t, ServerConfig{dial: f.dialUnless(&gone)})
		c.handshake()
		gone.Store(true)
		(<-f.conns).Close()
		synctest.Wait()
		id := c.call("whoami", `{}`)
		time.Sleep(connWait / 2)
		gone.Store(false)
		if m := c.answer(id); m.text() != "did whoami" {
			t.Errorf("the call: %q", m.text())
		}
	})
}

func TestServerThatNeverReachedCcmuxStaysAndSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startServer(t, ServerConfig{SessionFile: filepath.Join(t.TempDir(), "none")})
		_, list := c.handshake()
		if len(list.Result.Tools) != len(wire.Tools) {
			t.Errorf("%d tools", len(list.Result.Tools))
		}
		time.Sleep(24 * time.Hour)
		if m := c.answer(c.call("whoami", `{}`)); !m.Result.IsError || !strings.Contains(m.text(), "open session file") {
			t.Errorf("a call: %q", m.text())
		}
		c.in.Close()
		if err := <-c.err; err != nil {
			t.Errorf("RunServer returned %v", err)
		}
	})
}

func TestRefusedCredentialIsToldToTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.deny = &wire.Failure{Code: wire.CodeDenied, Message: "this session is not known"}
		c := startServer(t, ServerConfig{dial: f.dial})
		c.handshake()
		if m := c.answer(c.call("whoami", `{}`)); !m.Result.IsError || !strings.Contains(m.text(), "this session is not known") {
			t.Errorf("a call: %q", m.text())
		}
	})
}

func TestEndOfInputHandsOutWhatWasReadAndEnds(t *testing.T) {
	f := newFake(t)
	f.tool = func(wire.ToolCall) (any, error) { return nil, errSilence }
	c := startServer(t, ServerConfig{Socket: f.listen()})
	c.handshake()
	conn := <-f.conns
	for i := range 20 {
		c.call("send_to_peer", fmt.Sprintf(`{"to":"b","content":"%d"}`, i))
	}
	c.in.Close()
	if err := <-c.err; err != nil {
		t.Errorf("RunServer returned %v", err)
	}
	<-conn.closed
	if n := len(conn.names()); n != 20 {
		t.Errorf("ccmux got %d of 20", n)
	}
}

func TestClaudeThatReadsNoMoreEndsTheProcess(t *testing.T) {
	f := newFake(t)
	c := startServer(t, ServerConfig{Socket: f.listen()})
	c.handshake()
	c.out.Close()
	c.say(`{"method":"ping","jsonrpc":"2.0","id":77}`)
	if err := <-c.err; err == nil || !strings.Contains(err.Error(), "write to claude") {
		t.Errorf("RunServer returned %v", err)
	}
}

func TestSignalEndsTheProcess(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(context.Background())
	in, _ := net.Pipe()
	done := make(chan error)
	go func() {
		done <- RunServer(ctx, ServerConfig{Socket: f.listen(), In: in, Out: in})
	}()
	<-f.conns
	cancel()
	if err := <-done; err != nil {
		t.Errorf("RunServer returned %v", err)
	}
}
