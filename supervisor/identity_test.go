package supervisor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/supervisor/router"
)

// TestWhoIsWho: what a session and the human are told of themselves and each
// other, and which names a session may take.
func TestWhoIsWho(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := os.WriteFile(filepath.Join(h.root, project.FileName), []byte("[[session]]\nname = 'lead'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.stop() // the file is read at the start
	h.open()
	h.up(map[string]string{"api": "worker", "web": "worker"})
	h.proven("api", "web")
	for tool, words := range map[string][]string{
		wire.ToolWhoami:    {"you"},
		wire.ToolListPeers: {"api", "web", "idle"},
		wire.ToolListRooms: {"no room"},
	} {
		res := h.tool(tool, struct{}{})
		for _, w := range words {
			if res.IsError || !strings.Contains(strings.ToLower(res.Text), w) {
				t.Errorf("%s says %q; want %q in it", tool, res.Text, w)
			}
		}
	}
	if res := h.tool(wire.ToolRegister, wire.RegisterArgs{Name: "boss"}); !res.IsError {
		t.Errorf("the human took another name: %q", res.Text)
	}
	says := func(line, want string) {
		t.Helper()
		h.task("api", line)
		v := h.await("the answer to "+line, func(v *router.View) bool {
			th, ok := thread(v, line)
			return ok && !th.Open && len(th.Messages) > 1
		})
		th, _ := thread(v, line)
		if got := th.Messages[len(th.Messages)-1].Content; !strings.Contains(got, want) {
			t.Errorf("%s was answered with %q; want %q in it", line, got, want)
		}
	}
	says("tool whoami {}", "api")
	says(`tool register {"name":"web"}`, "web")
	says(`tool register {"name":"lead"}`, "lead") // the team file's
	if _, taken := h.View().Named("lead"); taken {
		t.Error("a session took a name of the team file")
	}
	before, _ := h.View().Named("api")
	h.task("api", `tool register {"name":"core"}`)
	h.await("the new name", func(v *router.View) bool {
		p, ok := v.Named("core")
		return ok && p.ID == before.ID
	})
}
