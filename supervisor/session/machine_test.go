package session

import (
	"testing"
	"time"
)

// at is a moment of a test, in milliseconds from its start.
type at struct {
	ms   int
	sign any
}

var zero = time.Unix(1_700_000_000, 0)

func ms(n int) time.Time { return zero.Add(time.Duration(n) * time.Millisecond) }

func hook(e HookEvent) HookSign { return HookSign{Event: e} }

func tool(e HookEvent, name, id string) HookSign {
	return HookSign{Event: e, Tool: name, ToolUseID: id}
}

func prompt(id string) HookSign { return HookSign{Event: UserPromptSubmit, PromptID: id} }

// status is the status file saying word since ms.
func status(word string, since int) StatusSign {
	return StatusSign{Status: word, UpdatedAt: ms(since)}
}

func waiting(what string, since int) StatusSign {
	return StatusSign{Status: "waiting", WaitingFor: what, UpdatedAt: ms(since)}
}

func shows(name DialogName) ScreenSign {
	return ScreenSign{Dialog: Dialog{Name: name, Title: "t"}}
}

// play runs a machine to a moment, with every tick it asks for, as the session
// does.
func play(t *testing.T, until int, signs []at) machine {
	t.Helper()
	m := newMachine(zero, "")
	tickTo := func(end time.Time) {
		for n := 0; ; n++ {
			next, ok := m.deadline()
			if !ok || next.After(end) {
				return
			}
			if n > 1000 {
				t.Fatal("the machine asks for ticks without end")
			}
			m = m.step(next, tickSign{})
		}
	}
	for _, s := range signs {
		tickTo(ms(s.ms))
		m = m.step(ms(s.ms), s.sign)
	}
	tickTo(ms(until))
	return m.step(ms(until), tickSign{})
}

type want struct {
	state  State
	source Source
	since  int
}

func TestMachine(t *testing.T) {
	start := at{0, hook(SessionStart)}
	for name, c := range map[string]struct {
		until int
		signs []at
		want  want
		more  func(Info) bool
	}{
		"nothing has spoken": {5000, nil, want{Starting, FromProcess, 0}, nil},
		"trust dialog": {
			5000,
			[]at{{300, shows(DialogTrust)}},
			want{NeedsYou, FromScreen, 300},
			func(i Info) bool { return i.Dialog.Name == DialogTrust && i.DialogOpen },
		},
		"trust answered":     {900, []at{{300, shows(DialogTrust)}, {800, ScreenSign{}}}, want{Starting, FromProcess, 800}, nil},
		"started by hook":    {10, []at{start}, want{Idle, FromHook, 0}, nil},
		"started by file":    {10, []at{{5, status("idle", 4)}}, want{Idle, FromStatusFile, 5}, nil},
		"file without word":  {10, []at{{5, StatusSign{ConversationID: "c"}}}, want{Starting, FromProcess, 0}, func(i Info) bool { return i.ConversationID == "c" }},
		"both say idle":      {10, []at{start, {5, status("idle", 4)}}, want{Idle, FromBoth, 0}, func(i Info) bool { return i.Agreed }},
		"unknown file word":  {10, []at{start, {5, status("dreaming", 4)}}, want{Idle, FromHook, 0}, nil},
		"dialog text of old": {10, []at{{1, shows(DialogTrust)}, {2, hook(SessionStart)}, {3, status("idle", 3)}}, want{Idle, FromBoth, 3}, nil},

		"a prompt": {
			1000,
			[]at{start, {100, prompt("p")}, {140, status("busy", 120)}},
			want{Busy, FromBoth, 100},
			func(i Info) bool { return i.InTurn && i.PromptID == "p" && i.Agreed },
		},
		"a blocked prompt starts no turn": {
			1000,
			[]at{start, {100, HookSign{Event: UserPromptSubmit, PromptID: "p", Blocked: true}}},
			want{Idle, FromHook, 0},
			func(i Info) bool { return !i.InTurn },
		},
		"a blocked first prompt": {
			1000,
			[]at{{100, HookSign{Event: UserPromptSubmit, Blocked: true}}},
			want{Idle, FromHook, 100},
			nil,
		},
		"an event joins the running turn": {
			1000,
			[]at{start, {100, prompt("p")}, {500, prompt("p")}},
			want{Busy, FromHook, 100},
			nil,
		},
		"a tool": {
			300,
			[]at{start, {100, prompt("p")}, {200, tool(PreToolUse, "Bash", "1")}},
			want{Busy, FromHook, 100},
			func(i Info) bool { return i.Tool == "Bash" && i.ToolUseID == "1" },
		},
		"the tool has ended": {
			300,
			[]at{start, {100, prompt("p")}, {200, tool(PreToolUse, "Bash", "1")}, {250, tool(PostToolUse, "Bash", "1")}},
			want{Busy, FromHook, 100},
			func(i Info) bool { return i.Tool == "" },
		},
		"stop": {
			600,
			[]at{start, {100, prompt("p")}, {500, hook(Stop)}},
			want{Idle, FromHook, 500},
			func(i Info) bool { return !i.InTurn && i.PromptID == "p" },
		},
		"stop, the file is behind": {
			600,
			[]at{start, {100, prompt("p")}, {120, status("busy", 110)}, {500, hook(Stop)}},
			want{Idle, FromHook, 500},
			func(i Info) bool { return !i.Agreed },
		},
		"stop was answered with go on": {
			600,
			[]at{start, {100, prompt("p")}, {500, HookSign{Event: Stop, Blocked: true}}},
			want{Busy, FromHook, 100},
			func(i Info) bool { return i.InTurn },
		},
		"another's stop hook said go on": {
			2600,
			[]at{start, {100, prompt("p")}, {120, status("busy", 110)}, {500, hook(Stop)}},
			want{Busy, FromStatusFile, 2500},
			nil,
		},
		"interrupt fires no hook": {
			5000,
			[]at{start, {100, prompt("p")}, {120, status("busy", 110)}, {4000, status("idle", 3950)}},
			want{Idle, FromStatusFile, 4000},
			func(i Info) bool { return !i.InTurn },
		},
		"lost stop": {
			9000,
			[]at{start, {100, prompt("p")}, {120, status("busy", 110)}, {4000, status("idle", 3950)}},
			want{Idle, FromStatusFile, 4000},
			func(i Info) bool { return i.Agreed },
		},
		"lost prompt": {
			5000,
			[]at{start, {100, status("busy", 90)}},
			want{Busy, FromStatusFile, 100},
			func(i Info) bool { return i.InTurn },
		},
		"an old file against a new prompt": {
			200,
			[]at{start, {1, status("idle", 1)}, {100, prompt("p")}, {110, status("idle", 1)}},
			want{Busy, FromHook, 100},
			nil,
		},
		"a stuck file is outvoted by hook and title": {
			9000,
			[]at{start, {100, prompt("p")}, {120, status("busy", 110)}, {500, hook(Stop)}, {510, titleSign("✳ x")}},
			want{Idle, FromHook, 500},
			nil,
		},
		"the file goes": {
			1000,
			[]at{start, {1, status("busy", 1)}, {2, StatusSign{Missing: true}}},
			want{Idle, FromHook, 2},
			nil,
		},
		"a subagent after the turn": {
			1000,
			[]at{start, {100, prompt("p")}, {200, hook(Stop)}, {300, HookSign{Event: PreToolUse, Tool: "Bash", AgentID: "a"}}},
			want{Idle, FromHook, 200},
			nil,
		},
		"compaction in a turn": {
			1000,
			[]at{start, {100, prompt("p")}, {200, HookSign{Event: SessionStart, Detail: "compact"}}},
			want{Busy, FromHook, 100},
			nil,
		},
		"clear": {
			1000,
			[]at{start, {100, prompt("p")}, {200, hook(SessionEnd)}, {210, HookSign{Event: SessionStart, Detail: "clear", ConversationID: "new"}}},
			want{Idle, FromHook, 200},
			func(i Info) bool { return i.ConversationID == "new" },
		},
		"clock set back": {
			2000,
			[]at{start, {1000, prompt("p")}, {500, hook(Stop)}},
			want{Idle, FromHook, 1000},
			nil,
		},
		"a file from the future": {
			2000,
			[]at{start, {100, status("busy", 99_000)}, {300, hook(Stop)}, {400, status("idle", 350)}},
			want{Idle, FromBoth, 300},
			nil,
		},
		"exit":             {10, []at{start, {5, exitSign{Code: 2}}}, want{Exited, FromProcess, 5}, func(i Info) bool { return i.Exit.Code == 2 }},
		"exit in a dialog": {10, []at{{1, shows(DialogTrust)}, {5, exitSign{Code: 1}}}, want{Exited, FromProcess, 5}, func(i Info) bool { return i.Dialog.Name == DialogTrust }},
		"fault, then exit": {10, []at{start, {5, failSign("x")}, {6, exitSign{}}}, want{Failed, FromProcess, 5}, func(i Info) bool { return i.Why == "x" }},
		"nothing after the end": {
			9000,
			[]at{start, {5, exitSign{}}, {6, prompt("p")}, {7, status("busy", 7)}},
			want{Exited, FromProcess, 5},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := play(t, c.until, c.signs)
			i := m.last
			if i.State != c.want.state || i.Source != c.want.source || !i.Since.Equal(ms(c.want.since)) {
				t.Errorf("got %v by %v since %d ms (%s), want %v by %v since %d ms", i.State, i.Source,
					i.Since.Sub(zero).Milliseconds(), i.Why, c.want.state, c.want.source, c.want.since)
			}
			if c.more != nil && !c.more(i) {
				t.Errorf("info %+v", i)
			}
		})
	}
}
