package channel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

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
			<-time.After(time.Hour)
			steps[1]()
			<-time.After(deaf - time.Nanosecond)
			synctest.Wait()
			if n := len(conn.ready); n != 0 || len(c.lines(isPush)) != 0 {
				t.Fatalf("before the deaf time was over: %d announcements, pushes %v", n, c.lines(isPush))
			}
			<-time.After(time.Nanosecond)
			synctest.Wait()
			if len(conn.ready) != 1 || len(c.lines(isPush)) != 1 || <-conn.delivered != 1 {
				t.Errorf("after it: %d announcements, pushes %v", len(conn.ready), c.lines(isPush))
			}
			c.send("tools/list", nil)
			<-time.After(time.Hour)
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
		synctest.Wait()
		var got []string
		for _, m := range c.lines(isPush) {
			got = append(got, m.Params.Content)
		}
		if want := []string{"one", "two", "three", "new one"}; !slices.Equal(got, want) {
			t.Errorf("claude got %q; want %q", got, want)
		}
	})
}
