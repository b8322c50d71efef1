package supervisor_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

func TestATaskIsDoneAndAnswered(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "echo"})
	h.proven("api")
	h.task("api", "say it back")
	v := h.await("the answer", answered("say it back"))
	th, _ := thread(v, "say it back")
	task, reply := th.Messages[0], th.Messages[1]
	if d := task.Deliveries[0]; d.State != wire.Answered || d.Proof != "gate" || d.Route != wire.RouteChannel {
		t.Errorf("the task's delivery is %+v; want answered, by the channel, with the gate as proof", d)
	}
	if reply.Kind != wire.KindReply || !strings.Contains(reply.Content, "say it back") || reply.To[0] != router.Human {
		t.Errorf("the reply is %+v; want one to the human with the task's text", reply.Message)
	}
}

func TestFanOutSharesOneThreadAndChainsNest(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"one": "echo", "two": "echo", "first": "chain=second", "second": "chain=third", "third": "echo"})
	h.proven("one", "two", "first", "second", "third")
	res := h.tool(wire.ToolSendToPeers, wire.SendToPeersArgs{To: wire.Targets{"one", "two"}, MessageArgs: wire.MessageArgs{Content: "both", Kind: wire.KindTask}})
	if res.IsError {
		t.Fatal(res.Text)
	}
	h.task("first", "pass on")
	v := h.await("both replies in one thread", func(v *router.View) bool {
		th, ok := thread(v, "both")
		return ok && !th.Open && len(th.Messages) == 3
	})
	if th, _ := thread(v, "both"); len(th.Owes) != 0 {
		t.Errorf("the fan-out still owes %v", th.Owes)
	}
	v = h.await("the chain's answer", answered("pass on"))
	depth := 0
	for _, th := range v.Threads {
		depth = max(depth, th.Depth)
	}
	if depth != 2 {
		t.Errorf("the deepest thread is at depth %d; want 2", depth)
	}
}

func TestARoomPostWaitsForAnOfflineMember(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"here": "ignore", "away": "ignore"})
	h.proven("here", "away")
	h.tool(wire.ToolCreateRoom, wire.CreateRoomArgs{Name: "ui", Members: []string{"here", "away"}})
	if err := h.StopSession(t.Context(), "away"); err != nil {
		t.Fatal(err)
	}
	res := h.tool(wire.ToolSendToRoom, wire.SendToRoomArgs{Room: "#ui", MessageArgs: wire.MessageArgs{Content: "freeze"}})
	if res.IsError || !strings.Contains(res.Text, "away: waiting") {
		t.Errorf("the result is %q; want it to say that away's mail waits", res.Text)
	}
	if err := h.Start(t.Context(), "away"); err != nil {
		t.Fatal(err)
	}
	h.await("the post seen by both", func(v *router.View) bool {
		th, ok := thread(v, "freeze")
		if !ok {
			return false
		}
		for _, d := range th.Messages[0].Deliveries {
			if d.State != wire.Seen {
				return false
			}
		}
		return true
	})
}

// request waits for the one open card that can be answered through ccmux. On a
// slow machine the status file may tell of it first, and the hook joins.
func (h *house) request() router.PermissionView {
	h.t.Helper()
	v := h.await("a permission request", func(v *router.View) bool { return len(v.Permissions) == 1 && !v.Permissions[0].InPane })
	return v.Permissions[0]
}

func (h *house) noRequests() {
	h.t.Helper()
	h.await("no open request", func(v *router.View) bool { return len(v.Permissions) == 0 })
}

func TestAPermissionIsAllowedAndTheWorkGoesOn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.task("api", "run: echo done-$((40+2))")
	r := h.request()
	if r.Tool != "Bash" || !strings.Contains(string(r.Input), "echo done-") || len(r.Threads) != 1 {
		t.Errorf("the card is %+v; want the whole command and the thread it serves", r)
	}
	if err := h.Answer(t.Context(), r.ID, wire.Allow, "", ""); err != nil {
		t.Fatal(err)
	}
	v := h.await("the answer", answered("run: echo"))
	if th, _ := thread(v, "run: echo"); !strings.Contains(th.Messages[1].Content, "done-42") {
		t.Errorf("the reply is %q; want the command's output", th.Messages[1].Content)
	}
	h.noRequests()
	if err := h.Answer(t.Context(), r.ID, wire.Deny, "", ""); err == nil || !strings.Contains(err.Error(), "allowed by you") {
		t.Errorf("a second answer gave %v; want an error that says who was first", err)
	}
}

func TestADeniedPermissionTellsTheModelWhy(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.task("api", "run: echo never")
	r := h.request()
	if err := h.Answer(t.Context(), r.ID, wire.Deny, "", "use the staging database"); err != nil {
		t.Fatal(err)
	}
	v := h.await("the answer", answered("run: echo never"))
	th, _ := thread(v, "run: echo never")
	if !strings.Contains(th.Messages[1].Content, "use the staging database") {
		t.Errorf("the reply is %q; want the reason in it", th.Messages[1].Content)
	}
}

func TestARequestAnsweredInThePaneLeavesNoCard(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.task("api", "run: echo in-the-pane")
	r := h.request()
	if err := h.Pane(r.Peer).Type([]byte("1")); err != nil {
		t.Fatal(err)
	}
	h.noRequests()
	h.await("the answer", answered("run: echo in-the-pane"))
	if err := h.Answer(t.Context(), r.ID, wire.Allow, "", ""); err == nil || !strings.Contains(err.Error(), "in the pane") {
		t.Errorf("a late answer gave %v; want an error that says it was answered in the pane", err)
	}
}

func TestADialogWithoutAHookAsksInItsPane(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.args = []string{"--permission-mode", "auto"}
	h.up(map[string]string{"api": "worker auto-ask"})
	h.proven("api")
	h.task("api", "run: echo hidden")
	v := h.await("a card", func(v *router.View) bool { return len(v.Permissions) == 1 })
	r := v.Permissions[0]
	if !r.InPane || r.Tool != "Bash" || !strings.Contains(string(r.Input), "echo hidden") {
		t.Errorf("the card is %+v; want one that only the pane can answer, with the command", r)
	}
	if err := h.Answer(t.Context(), r.ID, wire.Allow, "", ""); err == nil {
		t.Error("a card that only the pane can answer took an answer")
	}
	if err := h.Pane(r.Peer).Type([]byte("\x1b[B\r")); err != nil { // from No to Yes
		t.Fatal(err)
	}
	h.await("the answer", answered("run: echo hidden"))
	h.noRequests()
	h.task("api", "run: echo another")
	v = h.await("the next card", func(v *router.View) bool { return len(v.Permissions) == 1 })
	if n := v.Permissions[0]; n.ID == r.ID || !strings.Contains(string(n.Input), "echo another") {
		t.Errorf("the next card is %+v; want a new one about the next command", n)
	}
}

func TestALostPermissionHookLeavesNoDeadCard(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker no-hook=PermissionRequest"})
	h.proven("api")
	for _, word := range []string{"first", "second"} {
		h.task("api", "run: echo "+word)
		v := h.await("a card for "+word, func(v *router.View) bool { return len(v.Permissions) == 1 })
		if p := v.Permissions[0]; !strings.Contains(string(p.Input), word) {
			t.Errorf("the card shows %s; want the command with %q", p.Input, word)
		}
		if err := h.Pane(v.Permissions[0].Peer).Type([]byte("1")); err != nil {
			t.Fatal(err)
		}
		h.await("the answer to "+word, answered("run: echo "+word))
		h.noRequests()
	}
}

func TestAKilledSessionIsRemindedOfItsTask(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := filepath.Join(h.root, "gate")
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.task("api", "wait: "+gate+"\nsay: after the gate")
	v := h.await("the task seen", func(v *router.View) bool {
		th, ok := thread(v, "after the gate")
		return ok && th.Messages[0].Deliveries[0].State == wire.Seen
	})
	p, _ := v.Named("api")
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(p.Session.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	h.await("the answer of the next run", func(v *router.View) bool {
		n, _ := v.Named("api")
		th, ok := thread(v, "after the gate")
		return ok && !th.Open && n.Session.PID != p.Session.PID
	})
}

func TestADeadCcmuxResumesItsSessions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	before, _ := h.View().Named("api")
	h.task("api", "run: echo void")
	h.request()
	h.stop()
	h.open()
	v := h.View()
	if len(v.Permissions) != 0 {
		t.Errorf("%d requests are open after the restart; want them void", len(v.Permissions))
	}
	if p, _ := v.Named("api"); p.Session.State.Running() {
		t.Errorf("api is %s after the restart", p.Session.State)
	}
	h.up(map[string]string{"api": "worker"})
	v = h.await("the channel of api", func(v *router.View) bool { // reminded, it may be at work at once
		p, _ := v.Named("api")
		return p.Session.Route == wire.RouteChannel
	})
	after, _ := v.Named("api")
	if after.ID != before.ID || after.Session.Conversation != before.Session.Conversation {
		t.Errorf("api came back as %s in conversation %s; want %s in %s", after.ID, after.Session.Conversation, before.ID, before.Session.Conversation)
	}
}

func TestWithoutChannelsMailWaitsVisiblyAndComesAtTheEdgeOfATurn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker channels=off"})
	h.await("the channel given up", func(v *router.View) bool {
		p, _ := v.Named("api")
		return p.Session.Route == wire.RouteHook && strings.Contains(p.Session.RouteWhy, "channels are off")
	})
	h.task("api", "anybody there")
	v := h.View()
	th, ok := thread(v, "anybody there")
	if d := th.Messages[0].Deliveries[0]; !ok || d.State != wire.Waiting || !strings.Contains(d.Reason, "no proven route") {
		t.Fatalf("the task is %+v; want it waiting, visibly", th)
	}
	p, _ := v.Named("api")
	pane := h.Pane(p.ID)
	if err := pane.Type(pane.Terminal().EncodePaste("say: hello")); err != nil {
		t.Fatal(err)
	}
	if err := pane.Type([]byte("\r")); err != nil {
		t.Fatal(err)
	}
	v = h.await("the answer", answered("anybody there"))
	th, _ = thread(v, "anybody there")
	if d := th.Messages[0].Deliveries[0]; d.Route != wire.RouteHook || d.Proof != "hook" && d.Proof != "transcript" {
		t.Errorf("the delivery is %+v; want it by the hook, proven by the next hook or the transcript", d)
	}
}

// TestABusyStartIsNotTakenForChannelsOff: the old version reports no event in the
// middle of a tool, so a probe that comes then proves nothing.
func TestABusyStartIsNotTakenForChannelsOff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := filepath.Join(h.root, "gate")
	h.up(map[string]string{"api": "worker version=old tool=" + gate})
	h.await("a busy session", func(v *router.View) bool {
		p, _ := v.Named("api")
		return p.Session.State == router.Busy
	})
	time.AfterFunc(12*time.Second, func() { _ = os.WriteFile(gate, nil, 0o600) }) // longer than a proof may take
	h.await("the proven channel", func(v *router.View) bool {
		p, _ := v.Named("api")
		if strings.Contains(p.Session.RouteWhy, "channels are off") {
			t.Fatal("a busy session was said to have no channels")
		}
		return p.Session.Route == wire.RouteChannel
	})
}

func TestUpRefusesBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dir := filepath.Join(h.root, "api")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	good := wire.SessionSpec{Name: "good", Dir: h.root, Command: []string{"/bin/cat"}}
	for name, c := range map[string]struct {
		spec wire.SessionSpec
		want string
	}{
		"claude missing":    {wire.SessionSpec{Name: "api", Dir: dir}, "claude is not on your PATH"},
		"command missing":   {wire.SessionSpec{Name: "api", Dir: dir, Command: []string{"/nowhere/x"}}, "cannot be run"},
		"name twice":        {wire.SessionSpec{Name: "good", Dir: dir, Command: []string{"/bin/cat"}}, "give each its own name"},
		"reserved name":     {wire.SessionSpec{Name: "you", Dir: dir, Command: []string{"/bin/cat"}}, "reserved"},
		"unusable as name":  {wire.SessionSpec{Name: "a b", Dir: dir, Command: []string{"/bin/cat"}}, "not a usable name"},
		"not on PATH":       {wire.SessionSpec{Name: "api", Dir: dir, Command: []string{"no-such-agent"}}, "is not on your PATH"},
		"a folder, not run": {wire.SessionSpec{Name: "api", Dir: dir, Command: []string{"/tmp"}}, "cannot be run"},
	} {
		t.Run(name, func(t *testing.T) {
			u := wire.Up{Sessions: []wire.SessionSpec{good, c.spec}, Env: []string{"PATH=/nowhere"}}
			err := h.human().Call(t.Context(), wire.TypeUp, u, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v; want one with %q", err, c.want)
			}
			if n := len(h.View().Peers); n != 1 {
				t.Errorf("%d peers are known after a refused up; want the human alone", n)
			}
		})
	}
}

// askAsHuman is what a process inside a session tries: to act as the human.
func askAsHuman(socket string) int {
	c, _, err := wire.Dial(context.Background(), socket, wire.Hello{Role: wire.RoleHuman}, nil)
	if err != nil {
		fmt.Println("refused:", err)
		return 3
	}
	c.Close()
	fmt.Println("let in")
	return 0
}

func TestASessionCannotActAsTheHuman(t *testing.T) {
	t.Parallel()
	self, _ := os.Executable()
	for name, command := range map[string]string{
		"child":      "%s ask-as-human %s",
		"background": "(%s ask-as-human %s) & wait",
		"daemonised": "setsid -f sh -c '%s ask-as-human %s > daemon; mv daemon daemon.done'; until [ -e daemon.done ]; do sleep 0.1; done; cat daemon.done",
		// A daemon as books have it, in an environment without our mark, that asks
		// when the processes between it and the session are gone.
		"forked twice": "(env -i PATH=\"$PATH\" setsid sh -c '(while kill -0 $$ && ! grep -q \"State:.Z\" /proc/$$/status; do sleep 0.02; done; %s ask-as-human %s > daemon; mv daemon daemon.done) &' </dev/null >/dev/null 2>&1 &); until [ -e daemon.done ]; do sleep 0.1; done; cat daemon.done",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.up(map[string]string{"api": "worker"})
			h.proven("api")
			h.task("api", "run: "+fmt.Sprintf(command, self, h.socket))
			if err := h.Answer(t.Context(), h.request().ID, wire.Allow, "", ""); err != nil {
				t.Fatal(err)
			}
			v := h.await("the answer", answered("ask-as-human"))
			th, _ := thread(v, "ask-as-human")
			if got := th.Messages[1].Content; !strings.Contains(got, "refused:") || strings.Contains(got, "let in") {
				t.Errorf("a process of the session said %q; want it refused", got)
			}
		})
	}
}

func TestACredentialServesOnlyItsOwnSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	p, _ := h.View().Named("api")
	file, err := wire.ReadSessionFile(filepath.Join(h.state, "sessions", string(p.ID), "session.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, hello := range map[string]wire.Hello{
		"stolen":    {Role: wire.RoleChannel, Credential: file.Credential},
		"made up":   {Role: wire.RoleChannel, Credential: "0123"},
		"empty":     {Role: wire.RoleHook},
		"no role":   {},
		"new words": {Role: "admin"},
	} {
		_, _, err := wire.Dial(t.Context(), h.socket, hello, nil)
		if err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: error = %v; want a refusal", name, err)
		}
	}
	hello := wire.Hello{Role: wire.RoleHuman}
	conn, err := (&netDialer{}).dial(h.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	hello.Protocol = wire.Protocol + 1
	if err := conn.Write(wire.TypeHello, 1, hello); err != nil {
		t.Fatal(err)
	}
	f, err := conn.Read()
	if err != nil || f.Type != wire.TypeFailure || !strings.Contains(string(f.Body), "speaks protocol") {
		t.Errorf("another protocol was answered with %s %s, %v; want a failure that names both", f.Type, f.Body, err)
	}
}

func TestTheCredentialIsNotInTheSessionsEnvironment(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	p, _ := h.View().Named("api")
	file, err := wire.ReadSessionFile(filepath.Join(h.state, "sessions", string(p.ID), "session.json"))
	if err != nil {
		t.Fatal(err)
	}
	env, err := exec.Command("cat", fmt.Sprintf("/proc/%d/environ", p.Session.PID)).Output()
	if err != nil {
		t.Skip("no /proc here")
	}
	if strings.Contains(string(env), file.Credential) {
		t.Error("the credential stands in the session's environment")
	}
}

func TestDownLeavesNoProcessBehind(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "ignore", "web": "ignore"})
	h.proven("api", "web")
	var pids []int
	for _, name := range []string{"api", "web"} {
		p, _ := h.View().Named(name)
		pids = append(pids, p.Session.PID)
	}
	var done wire.Names
	if err := h.human().Call(t.Context(), wire.TypeDown, wire.Names{}, &done); err != nil || len(done.Names) != 2 {
		t.Fatalf("down = %v, %v; want both", done, err)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); err == nil {
			t.Errorf("process %d still runs", pid)
		}
	}
	for _, name := range []string{"api", "web"} {
		if p, _ := h.View().Named(name); p.Session.State != router.Stopped {
			t.Errorf("%s is %s; want stopped", name, p.Session.State)
		}
	}
}

func TestMalformedFramesEndOnlyTheirConnection(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	good := h.human()
	for _, line := range []string{"{", "[]", `{"type":5}`, "\x00\x01", `{"type":"up"}`, strings.Repeat("x", 1<<20)} {
		conn, err := (&netDialer{}).dial(h.socket)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.NetConn().Write([]byte(line + "\n"))
		_ = conn.NetConn().SetReadDeadline(time.Now().Add(patience))
		for {
			if _, err := conn.Read(); err != nil {
				break
			}
		}
		conn.Close()
	}
	var l wire.List
	if err := good.Call(t.Context(), wire.TypeList, nil, &l); err != nil {
		t.Errorf("another connection was hurt: %v", err)
	}
}
