package supervisor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// wrote adds a call of claude's own messenger to a session's transcript.
func (h *house) wrote(name, id, to, text string) {
	h.t.Helper()
	p, _ := h.View().Named(name)
	files, err := filepath.Glob(filepath.Join(h.root, "home", ".claude", "projects", "*", p.Session.Conversation+".jsonl"))
	if err != nil || len(files) != 1 {
		h.t.Fatalf("transcripts of %s: %v, %v; want one", name, files, err)
	}
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, `{"type":"assistant","timestamp":%q,"message":{"stop_reason":"tool_use","content":[{"type":"tool_use","id":%q,"name":"SendMessage","input":{"to":%q,"message":%q}}]}}`+"\n",
		time.Now().UTC().Format(time.RFC3339Nano), id, to, text); err != nil {
		h.t.Fatal(err)
	}
}

func TestWhatIsSaidPastCcmuxIsOnTheTimelineOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker", "web": "worker"})
	h.proven("api", "web")
	h.task("api", "say: something, so that there is a transcript")
	h.await("the answer", answered("so that there is"))
	told := func(to, text string) {
		h.t.Helper()
		h.await("what was said to "+to, func(v *router.View) bool {
			p, _ := v.Named("api")
			o := p.Session.Outside
			return o != nil && o.To == to && o.Text == text
		})
	}
	h.wrote("api", "toolu_1", "web", "by the way\nand more")
	told("web", "by the way and more")
	h.wrote("api", "toolu_1", "web", "the same call once more")
	if err := h.human().Call(t.Context(), wire.TypeRestart, wire.Names{Names: []string{"api"}}, nil); err != nil {
		t.Fatal(err)
	}
	h.proven("api")
	if p, _ := h.View().Named("api"); p.Session.Outside != nil {
		t.Errorf("the resumed session is said to have said %+v", p.Session.Outside)
	}
	h.wrote("api", "toolu_2", "uds:/tmp/cc-socks/7.sock", "after the resume")
	told("uds:/tmp/cc-socks/7.sock", "after the resume")
	if n := h.count("SaidOutside"); n != 2 {
		t.Errorf("%d events; want one for each call, none again after the resume", n)
	}
}
