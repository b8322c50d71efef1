package session

import (
	"slices"
	"testing"
)

// TestMachineAsksBehind plays what both versions tell when subagents in the
// background ask: their hooks run with no dialog open, and the turn that started
// them ends meanwhile.
func TestMachineAsksBehind(t *testing.T) {
	signs := []at{
		{0, hook(SessionStart)},
		{10, status("idle", 5)},
		{1000, prompt("p")},
		{1050, status("busy", 1020)},
		{1100, tool(PreToolUse, "Agent", "1")},
		{1200, HookSign{Event: PostToolUse, Tool: "Agent", ToolUseID: "1", Background: "a"}},
		{1300, HookSign{Event: PreToolUse, Tool: "Bash", ToolUseID: "2", AgentID: "a"}},
		{1400, HookSign{Event: PermissionRequest, Tool: "Bash", AgentID: "a", RequestID: "r"}},
	}
	signs = slices.Clip(signs)
	unknown := slices.Clip(slices.Delete(slices.Clone(signs), 4, 6)) // the word that it was started is lost
	ended := at{1500, hook(Stop)}
	dialog := []at{
		{2000, HookSign{Event: PermissionRequest, Tool: "Edit", RequestID: "d"}},
		{2020, waiting("permission prompt", 2010)},
	}
	answered := at{3000, status("busy", 2990)}
	asks := func(i Info) bool { return slices.Equal(i.Behind, []string{"r"}) && !i.DialogOpen && i.Tool == "Bash" }
	over := func(i Info) bool { return len(i.Behind) == 0 && !i.DialogOpen }
	for name, c := range map[string]struct {
		until int
		signs []at
		state State
		more  func(Info) bool
	}{
		"as long as nobody answers":      {60_000, append(signs, ended), Asks, asks},
		"it blinks for no rule":          {1600, append(signs, ended), Idle, func(i Info) bool { return len(i.Behind) == 1 }},
		"the file goes on":               {60_000, append(signs, ended, at{5000, status("busy", 4990)}), Asks, asks},
		"a new turn":                     {60_000, append(signs, ended, at{5000, prompt("q")}), Asks, asks},
		"unknown, and no dialog is seen": {60_000, append(unknown, ended), Asks, asks},
		"unknown, it may yet be seen":    {1700, unknown, Asks, func(i Info) bool { return i.DialogOpen }},
		"unknown, and a dialog was seen": {
			6000, append(unknown, at{1450, waiting("permission prompt", 1440)}, at{5000, status("busy", 4990)}), Busy, over,
		},
		"beside another's dialog": {
			2600, slices.Concat(signs, []at{ended}, dialog), Asks,
			func(i Info) bool { return len(i.Behind) == 1 && i.DialogOpen && !i.WaitingInPane && i.Tool == "Edit" },
		},
		"the other's is answered": {60_000, slices.Concat(signs, []at{ended}, dialog, []at{answered}), Asks, asks},
		"its verdict was taken":   {6000, append(signs, at{5000, HookSign{Event: RequestReturned, RequestID: "r"}}), Busy, over},
		"its time is over": {
			6000, append(signs, at{5000, HookSign{Event: RequestReturned, RequestID: "r"}}, at{5030, waiting("permission prompt", 5020)}), Asks,
			func(i Info) bool { return len(i.Behind) == 0 && i.WaitingInPane },
		},
		"the end of its tool":  {6000, append(signs, ended, at{5000, HookSign{Event: PostToolUse, Tool: "Bash", ToolUseID: "2", AgentID: "a"}}), Busy, over},
		"another's tool ends":  {6000, append(signs, ended, at{5000, HookSign{Event: PostToolUse, Tool: "Bash", ToolUseID: "9", AgentID: "b"}}), Asks, asks},
		"its end":              {6000, append(signs, ended, at{5000, HookSign{Event: SubagentStop, AgentID: "a"}}), Busy, over},
		"another conversation": {6000, append(signs, at{5000, hook(SessionEnd)}, at{5010, status("idle", 5005)}), Idle, over},
	} {
		t.Run(name, func(t *testing.T) {
			if i := play(t, c.until, slices.Clone(c.signs)).last; i.State != c.state || !c.more(i) {
				t.Errorf("got %v: %+v", i.State, i)
			}
		})
	}
}
