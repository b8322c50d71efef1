package session

import (
	"testing"
	"time"
)

// TestMachineAsks plays what claude 2.1.332 and 2.1.197 were seen to tell when
// a dialog opens: the hooks first, the status file some 10 to 90 ms later.
func TestMachineAsks(t *testing.T) {
	turn := []at{
		{0, hook(SessionStart)},
		{10, status("idle", 5)},
		{1000, prompt("p")},
		{1050, status("busy", 1020)},
		{1100, tool(PreToolUse, "Bash", "1")},
	}
	request := at{1200, HookSign{Event: PermissionRequest, Tool: "Bash", RequestID: "r"}}
	question := []at{
		{1100, tool(PreToolUse, questionTool, "2")},
		{1200, HookSign{Event: PermissionRequest, Tool: questionTool, RequestID: "q"}},
	}
	wait := at{1220, waiting("permission prompt", 1210)}
	for name, c := range map[string]struct {
		until int
		signs []at
		state State
		more  func(Info) bool
	}{
		"at once it only guards the keys": {
			1300,
			[]at{request, wait},
			Busy,
			func(i Info) bool { return i.DialogOpen && !i.WaitingInPane && i.InTurn },
		},
		"then it asks": {
			1600,
			[]at{request, wait},
			Asks,
			func(i Info) bool {
				return i.Tool == "Bash" && i.ToolUseID == "1" && !i.WaitingInPane && i.Agreed && i.WaitingFor == "permission prompt"
			},
		},
		"by hook alone": {
			1600,
			[]at{{1150, StatusSign{Missing: true}}, request},
			Asks,
			func(i Info) bool { return i.Source == FromHook },
		},
		"a rule answered in 200 ms": {
			1390,
			[]at{request, wait, {1380, status("busy", 1375)}},
			Busy,
			func(i Info) bool { return !i.DialogOpen },
		},
		"answered in the pane, the tool runs on": {
			60_000,
			[]at{request, wait, {5000, status("busy", 4990)}},
			Busy,
			func(i Info) bool { return !i.DialogOpen && i.Tool == "Bash" && i.InTurn },
		},
		"answered with Esc: no hook at all": {
			6000,
			[]at{request, wait, {5000, status("idle", 4990)}},
			Idle,
			func(i Info) bool { return !i.DialogOpen && !i.InTurn },
		},
		"denied": {
			3000,
			[]at{request, wait, {2000, tool(PermissionDenied, "Bash", "1")}, {2020, status("busy", 2010)}},
			Busy,
			func(i Info) bool { return !i.DialogOpen && i.Tool == "" },
		},
		"no file: the end of the tool answers it": {
			3000,
			[]at{{1150, StatusSign{Missing: true}}, request, {2000, tool(PostToolUse, "Bash", "1")}},
			Busy,
			func(i Info) bool { return !i.DialogOpen },
		},
		"the end of another tool does not": {
			3000,
			[]at{{1110, tool(PreToolUse, "Read", "9")}, request, wait, {1900, tool(PostToolUse, "Read", "9")}},
			Asks,
			func(i Info) bool { return !i.WaitingInPane && i.Tool == "Bash" },
		},
		"the hook timed out": {
			9000,
			[]at{request, wait, {5000, HookSign{Event: RequestReturned, RequestID: "r"}}},
			Asks,
			func(i Info) bool { return i.WaitingInPane && i.Tool == "Bash" },
		},
		"auto mode asks without a hook": {
			2000,
			[]at{{1210, waiting("permission prompt", 1200)}, {1400, shows(DialogAutoMode)}},
			Asks,
			func(i Info) bool { return i.WaitingInPane && i.Tool == "Bash" && i.Dialog.Name == DialogAutoMode },
		},
		"auto mode, the screen is not read": {
			2000,
			[]at{{1210, waiting("permission prompt", 1200)}},
			Asks,
			func(i Info) bool { return i.WaitingInPane && i.Tool == "Bash" },
		},
		"a notice in a turn": {
			2000,
			[]at{{1210, waiting("dialog open", 1200)}, {1400, shows(DialogNotice)}},
			NeedsYou,
			func(i Info) bool { return i.WaitingInPane && i.Dialog.Name == DialogNotice },
		},
		"a question of the model": {
			2000, append(question[:2:2], at{1220, waiting("input needed", 1210)}), NeedsYou,
			func(i Info) bool { return i.Dialog.Name == DialogQuestion && !i.WaitingInPane },
		},
		"a question, old version's words": {
			2000, append(question[:2:2], wait), NeedsYou,
			func(i Info) bool { return i.Dialog.Name == DialogQuestion },
		},
		"a late hook for an answered dialog": {
			4000,
			[]at{{1210, waiting("permission prompt", 1200)}, {1500, status("busy", 1490)}, {1550, request.sign}},
			Busy,
			func(i Info) bool { return !i.DialogOpen },
		},
		"the file is read late": {
			1250,
			[]at{request, {1240, status("busy", 1020)}},
			Busy,
			func(i Info) bool { return i.DialogOpen },
		},
		"a notification is the only sign": {
			3000,
			[]at{{1150, StatusSign{Missing: true}}, {1500, HookSign{Event: Notification, Detail: "permission_prompt"}}},
			Asks,
			func(i Info) bool { return i.WaitingInPane },
		},
		"two requests, one answered": {
			5000,
			[]at{
				{1110, tool(PreToolUse, "Write", "2")},
				request,
				{1210, HookSign{Event: PermissionRequest, Tool: "Write", RequestID: "w"}},
				wait,
				{2000, tool(PostToolUse, "Write", "2")},
			},
			Asks,
			func(i Info) bool { return i.Tool == "Bash" },
		},
		"a dialog text without anyone waiting": {
			3000,
			[]at{{1200, shows(DialogPermission)}},
			Busy,
			func(i Info) bool { return !i.DialogOpen },
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := play(t, c.until, append(turn[:len(turn):len(turn)], c.signs...))
			if i := m.last; i.State != c.state || !c.more(i) {
				t.Errorf("got %v: %+v", i.State, i)
			}
		})
	}
}

// TestMachineIsBounded: hooks without end and without their ends.
func TestMachineIsBounded(t *testing.T) {
	m := newMachine(zero, "")
	for i := range 10_000 {
		m = m.step(ms(i), tool(PreToolUse, "Bash", ""))
		m = m.step(ms(i), tool(PermissionRequest, "Bash", ""))
	}
	if len(m.tools) > maxOpen || len(m.requests) > maxOpen {
		t.Errorf("%d tools and %d requests are kept", len(m.tools), len(m.requests))
	}
}

// TestMachineIsPure: a step leaves the machine it was made from as it was.
func TestMachineIsPure(t *testing.T) {
	m := newMachine(zero, "")
	m = m.step(ms(1), tool(PreToolUse, "Bash", "1"))
	m = m.step(ms(1), tool(PreToolUse, "Read", "2"))
	a := m.step(ms(2), tool(PostToolUse, "Bash", "1"))
	b := m.step(ms(2), tool(PreToolUse, "Write", "3"))
	if len(m.tools) != 2 || m.tools[0].name != "Bash" || len(a.tools) != 1 || len(b.tools) != 3 {
		t.Errorf("%v, then %v or %v", m.tools, a.tools, b.tools)
	}
}

// TestLostHookIsMadeGoodInTime: whatever hook is lost, with the slowest look at
// the file, the state is right within 5 s.
func TestLostHookIsMadeGoodInTime(t *testing.T) {
	full := []at{
		{0, hook(SessionStart)},
		{10, status("idle", 5)},
		{1000, prompt("p")},
		{1100, tool(PreToolUse, "Bash", "1")},
		{1200, tool(PostToolUse, "Bash", "1")},
		{10_000, hook(Stop)},
	}
	slow := int(statusPoll / time.Millisecond)
	for lost := range full {
		var signs []at
		for i, s := range full {
			if i != lost {
				signs = append(signs, s)
			}
		}
		busy := append(signs[:len(signs):len(signs)], at{1020 + slow, status("busy", 1020)})
		// in order of time
		for i := len(busy) - 1; i > 0 && busy[i].ms < busy[i-1].ms; i-- {
			busy[i], busy[i-1] = busy[i-1], busy[i]
		}
		if got := play(t, 6000, cut(busy, 6000)).last.State; got != Busy {
			t.Errorf("without sign %d: %v 5 s after the prompt", lost, got)
		}
		idle := append(busy[:len(busy):len(busy)], at{10_050 + slow, status("idle", 10_050)})
		if got := play(t, 15_000, idle).last.State; got != Idle {
			t.Errorf("without sign %d: %v 5 s after the end of the turn", lost, got)
		}
	}
}

func cut(signs []at, until int) []at {
	var out []at
	for _, s := range signs {
		if s.ms <= until {
			out = append(out, s)
		}
	}
	return out
}
