package supervisor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/supervisor/router"
)

// byHook waits until a session's mail goes by its hooks, because of why.
func (h *house) byHook(name, why string) {
	h.t.Helper()
	h.await(name+" by its hooks: "+why, func(v *router.View) bool {
		p, _ := v.Named(name)
		return p.Session.Route == wire.RouteHook && strings.Contains(p.Session.RouteWhy, why)
	})
}

func TestALostChannelIsProvenAnew(t *testing.T) {
	t.Parallel()
	h := newHouse(t, hasty)
	deaf := filepath.Join(h.root, "deaf")
	h.up(map[string]string{"api": "ignore deaf-while=" + deaf})
	h.proven("api")
	if err := os.WriteFile(deaf, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.note("api", "into the void")
	h.byHook("api", "lost twice")
	if err := os.Remove(deaf); err != nil {
		t.Fatal(err)
	}
	h.proven("api")
	if d := h.seen("into the void"); d.Route != wire.RouteChannel || d.Proof != "gate" {
		t.Errorf("the delivery is %+v; want it by the channel that works again", d)
	}
}

// channelOf is the channel process of a session.
func (h *house) channelOf(p router.PeerView) int {
	h.t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(list) == 0 {
		h.t.Skip("this system has no /proc")
	}
	for _, path := range list {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it is gone
		}
		var pid, parent int
		var state string
		_, rest, _ := strings.Cut(string(stat), ") ")
		if _, err := fmt.Sscan(rest, &state, &parent); err != nil || parent != p.Session.PID {
			continue
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err != nil || !strings.Contains(string(line), "\x00channel\x00") {
			continue
		}
		if _, err := fmt.Sscan(string(stat), &pid); err == nil {
			return pid
		}
	}
	h.t.Fatalf("%s has no channel process", p.Name)
	return 0
}

func TestAKilledChannelProcessComesBackByReconnect(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "ignore"})
	h.proven("api")
	p, _ := h.View().Named("api")
	if err := syscall.Kill(h.channelOf(p), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	h.byHook("api", "type /mcp reconnect")
	h.note("api", "while it was away")
	h.typed("api", "/mcp reconnect "+wire.ChannelSource)
	h.proven("api")
	h.seen("while it was away")
}

func TestAChannelPluginThatNeverStartsIsSaid(t *testing.T) {
	t.Parallel()
	h := newHouse(t, hasty)
	h.up(map[string]string{"api": "worker mcp=off"})
	h.byHook("api", "the channel plugin did not start")
	h.note("api", "by the hook")
	h.typed("api", "say: hello")
	if d := h.seen("by the hook"); d.Route != wire.RouteHook {
		t.Errorf("the delivery is %+v; want it by the hook", d)
	}
}

func TestTheTeamFilesLimitsHoldOnceTrusted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	path := filepath.Join(h.root, project.FileName)
	if err := os.WriteFile(path, []byte("retention = 90\n[limits]\nchain_depth = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := project.ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	h.stop()
	h.open()
	h.up(map[string]string{"first": "chain=second", "second": "chain=third", "third": "echo"})
	h.proven("first", "second", "third")
	h.task("first", "before the yes")
	h.await("the answer under the default", answered("before the yes"))
	if err := h.human().Call(t.Context(), wire.TypeTrust, wire.Trust{Path: path, Hash: f.Hash, Agree: true}, nil); err != nil {
		t.Fatal(err)
	}
	held := func(content string) {
		t.Helper()
		h.task("first", content)
		h.await(content+" held at the third", func(v *router.View) bool {
			for _, th := range v.Threads {
				if d := th.Messages[0].Deliveries[0]; strings.Contains(th.Messages[0].Content, content) && th.Depth == 2 && d.State == wire.Held {
					return true
				}
			}
			return false
		})
	}
	held("after the yes")
	var st wire.Storage
	if err := h.human().Call(t.Context(), wire.TypeStorage, nil, &st); err != nil || st.RetentionDays != 90 || st.Messages == 0 || st.Damaged != "" {
		t.Errorf("the storage is %+v, %v; want it sound, with the file's retention", st, err)
	}
	if err := h.human().Call(t.Context(), wire.TypePrune, wire.Prune{OlderSeconds: 60}, nil); err == nil {
		t.Error("what is a minute old was pruned")
	}
	var gone wire.Pruned
	if err := h.human().Call(t.Context(), wire.TypePrune, wire.Prune{OlderSeconds: 7200}, &gone); err != nil || gone.Messages != 0 {
		t.Errorf("pruned %d messages, %v; want none, for none is so old", gone.Messages, err)
	}
}
