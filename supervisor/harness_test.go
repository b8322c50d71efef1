package supervisor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ccmux/ccmux/assets"
	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor"
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/supervisor/router"
)

// program is ccmux as people have it, for what sessions start of it: with the
// race detector each of the many short processes would cost a tenth of a second.
var program string

// TestMain lets the test binary play a process inside a session.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "ask-as-human" {
		os.Exit(askAsHuman(os.Args[2]))
	}
	dir, err := os.MkdirTemp("", "ccmux-test-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "ccmux")
	out, err := exec.Command("go", "build", "-o", program, "github.com/ccmux/ccmux/cmd/ccmux").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "build ccmux: %v\n%s", err, out)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// patience bounds every wait for a condition; it only decides how long a
// failing test takes.
const patience = 30 * time.Second

// house is one ccmux with its project.
type house struct {
	*supervisor.Supervisor
	t      testing.TB
	root   string
	state  string
	socket string
	env    []string
	args   []string // of every session started
	proof  time.Duration
	stop   func()
}

// newHouse starts a ccmux in temporary folders; its state may be an earlier one's.
func newHouse(t testing.TB, change ...func(*house)) *house {
	t.Helper()
	root, err := os.MkdirTemp("", "ccmux-test-") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	h := &house{t: t, root: root, state: filepath.Join(root, "state"), socket: filepath.Join(root, "s.sock")}
	h.env = append(os.Environ(), "HOME="+filepath.Join(root, "home"), "CLAUDE_CONFIG_DIR="+filepath.Join(root, "home", ".claude"))
	for _, f := range change {
		f(h)
	}
	h.open()
	return h
}

// hasty has proofs count as failed soon.
func hasty(h *house) { h.proof = time.Second }

// open starts the ccmux of the house, again after close.
func (h *house) open() {
	h.t.Helper()
	p, err := project.Find(h.root)
	if err != nil {
		h.t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(testWriter{h.t}, &slog.HandlerOptions{Level: slog.LevelInfo}))
	s, err := supervisor.New(h.t.Context(), supervisor.Config{
		Project: p, StateDir: h.state, Socket: h.socket, Binary: program, Build: "test", Log: log, ProofTime: h.proof,
		Show: func(ctx context.Context, _ *supervisor.Supervisor, _ *supervisor.Terminal) (string, error) {
			<-ctx.Done()
			return "", nil
		},
		Plugin: func(dir, binary, sessionFile string) error {
			return assets.Render(dir, assets.Plugin{Binary: binary, SessionFile: sessionFile, Version: "test"})
		},
		Prompt: assets.SystemPrompt,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- s.Run(ctx, func() { close(ready) }) }()
	<-ready
	h.Supervisor = s
	closed := false
	h.stop = func() {
		if closed {
			return
		}
		closed = true
		cancel()
		if err := <-done; err != nil {
			h.t.Errorf("ccmux ended with %v", err)
		}
	}
	h.t.Cleanup(h.stop)
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// human is a connection of the human.
func (h *house) human() *wire.Client {
	h.t.Helper()
	c, _, err := wire.Dial(h.t.Context(), h.socket, wire.Hello{Role: wire.RoleHuman}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(c.Close)
	return c
}

// up starts demo agents, one a name, with a script and more environment.
func (h *house) up(scripts map[string]string, extra ...string) {
	h.t.Helper()
	var specs []wire.SessionSpec
	for name, script := range scripts {
		dir := filepath.Join(h.root, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			h.t.Fatal(err)
		}
		specs = append(specs, wire.SessionSpec{
			Name: name, Dir: dir, Command: []string{program, "demo-agent"}, Args: h.args,
			Env: append([]string{"CCMUX_DEMO_SCRIPT=" + script}, extra...),
		})
	}
	var res wire.UpResult
	if err := h.human().Call(h.t.Context(), wire.TypeUp, wire.Up{Sessions: specs, Env: h.env}, &res); err != nil {
		h.t.Fatal(err)
	}
}

// await waits until the view satisfies ok.
func (h *house) await(what string, ok func(*router.View) bool) *router.View {
	h.t.Helper()
	changed := make(chan struct{}, 1)
	cancel := h.Watch(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	defer cancel()
	limit := time.After(patience)
	for {
		v := h.View()
		if ok(v) {
			return v
		}
		select {
		case <-changed:
		case <-limit:
			h.t.Fatalf("waited %v for: %s\n%s", patience, what, describe(v))
		}
	}
}

func describe(v *router.View) string {
	var b strings.Builder
	for _, p := range v.Peers {
		fmt.Fprintf(&b, "peer %s %s %s route=%s %s\n", p.Name, p.Session.State, p.Session.Detail, p.Session.Route, p.Session.RouteWhy)
	}
	for _, t := range v.Threads {
		fmt.Fprintf(&b, "thread %s parent=%s state=%s open=%v\n", t.ID, t.Parent, t.State, t.Open)
		for _, m := range t.Messages {
			fmt.Fprintf(&b, "  %s %q %+v\n", m.Kind, m.Content, m.Deliveries)
		}
	}
	for _, p := range v.Permissions {
		fmt.Fprintf(&b, "request %s %s in_pane=%v\n", p.ID, p.Tool, p.InPane)
	}
	return b.String()
}

// proven waits until every named session has the channel as its route.
func (h *house) proven(names ...string) {
	h.t.Helper()
	h.await("channels of "+strings.Join(names, ", "), func(v *router.View) bool {
		for _, n := range names {
			p, _ := v.Named(n)
			if p.Session.Route != wire.RouteChannel || p.Session.State != router.Idle {
				return false
			}
		}
		return true
	})
}

// tool runs a tool as the human.
func (h *house) tool(name string, args any) wire.ToolResult {
	h.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		h.t.Fatal(err)
	}
	var res wire.ToolResult
	if err := h.human().Call(h.t.Context(), wire.TypeTool, wire.ToolCall{Name: name, Arguments: raw}, &res); err != nil {
		h.t.Fatal(err)
	}
	return res
}

// task sends a task as the human and fails the test when it is refused.
func (h *house) task(to, content string) {
	h.t.Helper()
	res := h.tool(wire.ToolSendToPeer, wire.SendToPeerArgs{To: to, MessageArgs: wire.MessageArgs{Content: content, Kind: wire.KindTask}})
	if res.IsError {
		h.t.Fatalf("task to %s: %s", to, res.Text)
	}
}

// thread finds the thread whose first message holds content.
func thread(v *router.View, content string) (router.ThreadView, bool) {
	for _, t := range v.Threads {
		if len(t.Messages) > 0 && strings.Contains(t.Messages[0].Content, content) {
			return t, true
		}
	}
	return router.ThreadView{}, false
}

func answered(content string) func(*router.View) bool {
	return func(v *router.View) bool {
		t, ok := thread(v, content)
		return ok && !t.Open && len(t.Messages) > 1
	}
}

// netDialer makes connections that have not said hello.
type netDialer struct{ net.Dialer }

func (d *netDialer) dial(socket string) (*wire.Conn, error) {
	nc, err := d.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	return wire.NewConn(nc), nil
}
