package channel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

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
		conn := <-f.conns
		gone.Store(true)
		conn.Close()
		synctest.Wait()
		id := c.call("whoami", `{}`)
		<-time.After(connWait / 2)
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
		<-time.After(24 * time.Hour)
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
	c, conn := connected(t, f)
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
	c, _ := connected(t, f)
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
