package channel

import (
	"slices"
	"strings"
	"testing"

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
	c, _ := connected(t, f)
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
