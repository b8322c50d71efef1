package channel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestCallIsForwardedByteForByteAndComesBack(t *testing.T) {
	f := newFake(t)
	c, conn := connected(t, f)
	c.answer(c.send("tools/call", map[string]any{"name": "whoami", "_meta": map[string]any{"claudecode/toolUseId": "toolu_1", "progressToken": 2}}))
	if use := conn.calls[0].ToolUse; use != "toolu_1" {
		t.Errorf("the call came as %q; want claude's own id", use)
	}
	args := `{"to":"backend","content":"a < b & \u003c ü","data":{"big":12345678901234567890}}`
	m := c.answer(c.call("send_to_peer", args))
	if m.text() != "did send_to_peer" || m.Result.IsError || string(m.Result.StructuredContent) != `{"text":"did send_to_peer","n":12345678901234567890}` {
		t.Errorf("result: %+v %s", m.Result, m.Result.StructuredContent)
	}
	var got, want any
	call := conn.calls[1]
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
	c, _ := connected(t, f)
	if m := c.answer(c.call("join_room", `{"room":"x"}`)); !m.Result.IsError || m.text() != "there is no such room" {
		t.Errorf("a refusal: %+v %+v", m.Result, m.Error)
	}
	if m := c.answer(c.call("whoami", `{}`)); !m.Result.IsError || m.text() != "that went wrong" {
		t.Errorf("an error result: %+v", m.Result)
	}
	if m := c.answer(c.call("send_to_peer", `{"to":"b","content":"`+strings.Repeat("<", wire.MaxFrame/6)+`"}`)); !m.Result.IsError || !strings.Contains(m.text(), "too long") {
		t.Errorf("more than a frame holds: %+v", m.Result)
	}
	if m := c.answer(c.call("list_rooms", `{}`)); m.text() != "one, two" || m.Result.StructuredContent != nil {
		t.Errorf("structure that is no object: %+v", m.Result)
	}
}

func TestWrongArgumentsNeverReachCcmux(t *testing.T) {
	f := newFake(t)
	c, conn := connected(t, f)
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
	c, conn := connected(t, f)
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
	c, _ := connected(t, f)
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
	c, conn := connected(t, f)
	id := c.call("watch", `{}`)
	c.answer(c.call("whoami", `{}`)) // so that watch went out
	c.say(`{"method":"notifications/cancelled","params":{"requestId":` + id + `},"jsonrpc":"2.0"}`)
	// The same id can be used again once the call is over.
	for {
		c.say(`{"method":"tools/call","params":{"name":"whoami"},"jsonrpc":"2.0","id":` + id + `}`)
		if m := c.answer(id); m.Error == nil {
			if m.text() != "ok" {
				t.Errorf("the cancelled call was answered: %+v", m)
			}
			<-conn.cancelled // ccmux knows
			return
		}
		c.forget()
	}
}
