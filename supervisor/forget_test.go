package supervisor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// TestWhoLeftKeepsTheirName: in what they said, and to look for it.
func TestWhoLeftKeepsTheirName(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.task("api", "say: farewell")
	h.await("the answer", answered("farewell"))
	p, _ := h.View().Named("api")
	for _, verb := range []wire.Type{wire.TypeDown, wire.TypeForget} {
		if err := h.human().Call(t.Context(), verb, wire.Names{Names: []string{"api"}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	v := h.await("api gone", func(v *router.View) bool { _, there := v.Named("api"); return !there })
	if got := v.Name(p.ID); got != "api" {
		t.Errorf("%s is named %q", p.ID, got)
	}
	for _, args := range []wire.HistoryArgs{{Peer: "api"}, {Peer: "api", Text: "farewell"}} {
		res := h.tool(wire.ToolHistory, args)
		raw, err := json.Marshal(res.Data)
		if err != nil {
			t.Fatal(err)
		}
		all := res.Text + string(raw)
		if res.IsError || !strings.Contains(all, `"to":["api"]`) || strings.Contains(all, `"`+string(p.ID)+`"`) || args.Text == "" && !strings.Contains(all, `"sender":"api"`) {
			t.Errorf("history of who left: %s", all)
		}
	}
	if res := h.tool(wire.ToolHistory, wire.HistoryArgs{Peer: "nobody"}); !res.IsError {
		t.Errorf("history of nobody: %s", res.Text)
	}
}
