package supervisor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// subagents is a session of one worker beside which hooks can be run, as claude
// runs those of its subagents.
type subagents struct {
	*house
	peer router.PeerView
	n    int
}

// withSubagents starts a worker named api whose shell also runs what run gives.
func withSubagents(t *testing.T) *subagents {
	t.Helper()
	h := newHouse(t)
	dir := filepath.Join(h.root, "api")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	beside := `while :; do for f in *.sh; do [ -e "$f" ] && mv "$f" "$f.run" && sh "$f.run" & done; sleep 0.05; done </dev/null >/dev/null 2>&1 & exec "$0" demo-agent "$@"`
	spec := wire.SessionSpec{
		Name: "api", Dir: dir, Command: []string{"/bin/sh", "-c", beside, program}, Env: []string{"CCMUX_DEMO_SCRIPT=worker"},
	}
	if err := h.human().Call(t.Context(), wire.TypeUp, wire.Up{Sessions: []wire.SessionSpec{spec}, Env: h.env}, nil); err != nil {
		t.Fatal(err)
	}
	h.proven("api")
	p, _ := h.View().Named("api")
	return &subagents{house: h, peer: p}
}

// hook runs one hook of a subagent and returns where its process id will stand.
func (s *subagents) hook(event, agent, command, toolUse string, suggestions ...any) (pidFile string) {
	s.t.Helper()
	return s.hookWith(event, map[string]any{
		"tool_name": "Bash", "tool_input": map[string]string{"command": command},
		"agent_id": agent, "agent_type": "reviewer", "tool_use_id": toolUse, "permission_suggestions": suggestions,
	})
}

// hookWith is hook with the fields that claude would give.
func (s *subagents) hookWith(event string, fields map[string]any) (pidFile string) {
	s.t.Helper()
	s.n++
	fields["session_id"] = "x"
	raw, err := json.Marshal(fields)
	if err != nil {
		s.t.Fatal(err)
	}
	base := filepath.Join(s.root, "api", fmt.Sprintf("hook-%d", s.n))
	file := filepath.Join(s.state, "sessions", string(s.peer.ID), "session.json")
	script := fmt.Sprintf("echo $$ > %[1]s.pid; exec %[2]s hook %[3]s --session-file %[4]s < %[1]s.json > %[1]s.out\n", base, program, event, file)
	if err := os.WriteFile(base+".json", raw, 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(base+".new", []byte(script), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(base+".new", base+".sh"); err != nil { // whole at once
		s.t.Fatal(err)
	}
	return base + ".pid"
}

// ended is how a request's end stands on the timeline, and whether it was back in
// the pane before.
func (h *house) ended(id string) (how string, moved bool) {
	h.t.Helper()
	seen := func(f wire.Frame) {
		var e wire.Event
		var b router.PermissionClosed
		if f.Decode(&e) != nil || json.Unmarshal(e.Body, &b) != nil || b.ID != id {
			return
		}
		moved = moved || e.Type == "PermissionMoved"
		if e.Type == "PermissionClosed" {
			how = b.How
		}
	}
	c, _, err := wire.Dial(h.t.Context(), h.socket, wire.Hello{Role: wire.RoleHuman}, seen)
	if err != nil {
		h.t.Fatal(err)
	}
	defer c.Close()
	if err := c.Call(h.t.Context(), wire.TypeTail, wire.Tail{From: 1, Once: true}, nil); err != nil {
		h.t.Fatal(err)
	}
	c.Close()
	return how, moved
}

func (s *subagents) card(command string) router.PermissionView {
	s.t.Helper()
	var found router.PermissionView
	s.await("a card for "+command, func(v *router.View) bool {
		for _, p := range v.Permissions {
			if strings.Contains(string(p.Input), command) {
				found = p
				return true
			}
		}
		return false
	})
	return found
}

func (s *subagents) gone(id string) {
	s.t.Helper()
	s.await("the end of "+id, func(v *router.View) bool {
		for _, p := range v.Permissions {
			if p.ID == id {
				return false
			}
		}
		return true
	})
}

// TestTwoOpenRequestsOfOneSessionEndEachByItself: while one dialog is open, the
// card of another that is answered goes, and its end is told as it was.
func TestTwoOpenRequestsOfOneSessionEndEachByItself(t *testing.T) {
	t.Parallel()
	s := withSubagents(t)
	s.task("api", "run: echo main")
	main := s.card("echo main")

	s.hook("PermissionRequest", "sub-1", "echo one", "")
	one := s.card("echo one")
	if main.Agent != "" || one.Agent != "reviewer" {
		t.Errorf("the requests are of %q and %q; want the session itself and its reviewer", main.Agent, one.Agent)
	}
	if err := s.Answer(t.Context(), one.ID, wire.Allow, "session", ""); err == nil {
		t.Error("an answer for the session was taken where claude offers nothing that lasts")
	}
	if err := s.Answer(t.Context(), one.ID, wire.Allow, "", ""); err != nil {
		t.Fatal(err)
	}
	s.gone(one.ID)
	if how, _ := s.ended(one.ID); how != "allow, seen to take effect" {
		t.Errorf("the first ended as %q", how)
	}

	s.hook("PreToolUse", "sub-2", "echo two", "use-2")
	s.hook("PermissionRequest", "sub-2", "echo two", "use-2")
	two := s.card("echo two")
	s.hook("PostToolUse", "sub-2", "echo two", "use-2")
	s.gone(two.ID)
	if how, _ := s.ended(two.ID); how != "answered in the pane" {
		t.Errorf("the second ended as %q", how)
	}
	if v := s.View(); len(v.Permissions) != 1 || v.Permissions[0].ID != main.ID || v.Permissions[0].InPane {
		t.Errorf("open are %+v; want the first dialog's alone", v.Permissions)
	}
	if err := s.Answer(t.Context(), main.ID, wire.Allow, "", ""); err != nil {
		t.Fatal(err)
	}
	s.await("the answer", answered("run: echo main"))
	s.noRequests()
}

// inBackground has claude tell that a tool started a subagent which works by
// itself, and waits until ccmux has taken note.
func (s *subagents) inBackground(agent string) {
	s.t.Helper()
	s.hook("PreToolUse", "", "start "+agent, "start")
	s.hook("PermissionRequest", "", "start "+agent, "start")
	asked := s.card("start " + agent)
	s.hookWith("PostToolUse", map[string]any{
		"tool_name": "Bash", "tool_use_id": "start", "tool_response": map[string]any{"isAsync": true, "agentId": agent},
	})
	s.gone(asked.ID)
}

// TestRequestsWithoutADialogStayOpen: claude waits for the hooks of subagents in
// the background and opens no dialog, so neither its status, nor another request
// of the same subagent, nor the end of the turn says that they are over.
func TestRequestsWithoutADialogStayOpen(t *testing.T) {
	t.Parallel()
	s := withSubagents(t)
	s.inBackground("sub-1")
	s.task("api", "run: echo main")
	main := s.card("echo main")
	s.hook("PermissionRequest", "sub-1", "echo one", "use-1")
	one := s.card("echo one")
	s.hook("PermissionRequest", "sub-1", "echo two", "use-2")
	two := s.card("echo two")
	if err := s.Answer(t.Context(), main.ID, wire.Allow, "", ""); err != nil {
		t.Fatal(err)
	}
	s.gone(main.ID)
	s.await("the end of the turn", answered("run: echo main"))
	for _, want := range []router.PermissionView{one, two} {
		if p, open := s.open(want.ID); !open || p.InPane {
			t.Errorf("%s is open: %v, %+v", want.Input, open, p)
		}
	}
	for id, b := range map[string]wire.Behavior{one.ID: wire.Allow, two.ID: wire.Deny} {
		if err := s.Answer(t.Context(), id, b, "", ""); err != nil {
			t.Fatal(err)
		}
		s.gone(id)
		if how, _ := s.ended(id); how != string(b)+", seen to take effect" {
			t.Errorf("%s ended as %q", id, how)
		}
	}
}

// TestATimeOutOpensTheDialog: it is there a moment after claude ended the hook of
// a subagent in the background, not before.
func TestATimeOutOpensTheDialog(t *testing.T) {
	t.Parallel()
	s := withSubagents(t)
	s.inBackground("sub-1")
	pidFile := s.hook("PermissionRequest", "sub-1", "echo late", "")
	late := s.card("echo late")
	s.kill(pidFile)
	if err := s.Pane(s.peer.ID).Type([]byte("run: echo dialog\r")); err != nil {
		t.Fatal(err)
	}
	s.await("the question back in the pane", func(*router.View) bool {
		p, open := s.open(late.ID)
		return open && p.InPane && strings.Contains(p.Moved, "its time was over")
	})
}

// open finds an open request.
func (s *subagents) open(id string) (router.PermissionView, bool) {
	for _, p := range s.View().Permissions {
		if p.ID == id {
			return p, true
		}
	}
	return router.PermissionView{}, false
}

// kill ends a hook as claude does.
func (s *subagents) kill(pidFile string) {
	s.t.Helper()
	raw, err := os.ReadFile(pidFile)
	var pid int
	if _, err2 := fmt.Sscan(string(raw), &pid); err != nil || err2 != nil {
		s.t.Fatal(err, err2)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
}

// TestAHookWhoseTimeIsOverGivesTheQuestionBack: claude ended it and still waits.
func TestAHookWhoseTimeIsOverGivesTheQuestionBack(t *testing.T) {
	t.Parallel()
	s := withSubagents(t)
	s.task("api", "run: echo main")
	s.card("echo main")
	pidFile := s.hook("PermissionRequest", "sub-1", "echo late", "")
	late := s.card("echo late")
	s.kill(pidFile)
	s.await("the question back in the pane", func(v *router.View) bool {
		for _, p := range v.Permissions {
			if p.ID == late.ID {
				return p.InPane && strings.Contains(p.Moved, "its time was over")
			}
		}
		return false
	})
}

// TestEscIsNoTimeOut: claude ends the hook first, and a moment later its status
// file says that it waits no longer.
func TestEscIsNoTimeOut(t *testing.T) {
	t.Parallel()
	s := withSubagents(t)
	s.task("api", "run: echo main")
	s.card("echo main")
	pidFile := s.hook("PermissionRequest", "sub-1", "echo left", "")
	left := s.card("echo left")
	s.kill(pidFile)
	if err := s.Pane(s.peer.ID).Type([]byte("\x1b")); err != nil {
		t.Fatal(err)
	}
	s.noRequests()
	how, moved := s.ended(left.ID)
	if moved || how != "interrupted" && how != "answered in the pane" { // the second when the machine was slow to tell of the hook
		t.Errorf("the request ended as %q, moved %v; want it interrupted, and no time-out", how, moved)
	}
}
