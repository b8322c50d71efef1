//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"syscall"
)

var startRows = []behaviour{
	{name: "start dialogs", check: doubleDialogs},
	{name: "blind enter in the trust dialog", only: newest, script: "dialog=trust", check: doubleBlindEnter},
	{name: "resume", check: doubleResume},
	{name: "resume of nothing", check: doubleResumeNothing},
	{name: "used session id", check: doubleUsedID},
}

var endRows = []behaviour{
	{name: "exit", check: func(d *double) { doubleEnd(d, "prompt_input_exit", 0, func() { d.screen.Submit("/exit") }) }},
	{name: "ctrl+c twice", check: func(d *double) { doubleEnd(d, "prompt_input_exit", 0, d.ctrlCTwice) }},
	{name: "SIGTERM", check: func(d *double) { doubleEnd(d, "other", 143, func() { d.Signal(d.screen.PID(), syscall.SIGTERM) }) }},
	{name: "SIGHUP", check: func(d *double) { doubleEnd(d, "other", 129, func() { d.Signal(d.screen.PID(), syscall.SIGHUP) }) }},
	{name: "crash", check: doubleCrash},
	{name: "crash with a queue", check: doubleCrashQueue},
}

var screenRows = []behaviour{
	{name: "title", check: doubleTitle},
	{name: "bracketed paste", check: doublePaste},
	{name: "text in a dialog", check: doubleSwallowed},
	{name: "typed while the model speaks", check: doubleTypedWhileBusy},
}

// All questions before the prompt, in claude's order, with the row each
// version highlights.
func doubleDialogs(d *double) {
	d.script = append(d.script, "dialog=trust", "dialog=apikey", "dialog=channels")
	d.dir = d.NewFolder("strange")
	delete(d.Env, "ANTHROPIC_AUTH_TOKEN")
	d.Env["ANTHROPIC_API_KEY"] = "sk-ant-api03-dummy-dummy-dummy-dummy"
	s := d.run(channelFlags...)
	s.Wait("Accessing workspace:", "Quick safety check:", d.dir)
	if d.old() {
		s.Wait("❯ 1. Yes, I trust this folder", "2. No, exit")
	} else {
		s.Wait("❯ No, exit", "Yes, I trust this folder")
		s.Answer("Down")
		s.Wait("❯ Yes, I trust this folder")
	}
	s.Answer("Enter")
	s.Wait("Detected a custom API key in your environment")
	d.Eventually("the row No highlighted", func() bool { return strings.HasSuffix(highlighted(s), "No (recommended)") })
	s.Answer("Up")
	d.Eventually("the row Yes highlighted", func() bool { return strings.HasSuffix(highlighted(s), "Yes") })
	s.Answer("Enter")
	s.Wait("WARNING: Loading development channels", "Channels: plugin:ccmux@inline", "❯ 1. I am using this for local development", "2. Exit")
	if log := d.log(); len(log) != 0 {
		d.T.Errorf("before the last question the plugin saw %q", log)
	}
	s.Answer("Enter")
	d.ready(d.dir, s)
	d.stub.Wait("tools/list", 1)
	d.called("SessionStart", 1)
}

func doubleBlindEnter(d *double) {
	d.dir = d.NewFolder("strange")
	s := d.run()
	s.Wait("Quick safety check:", "❯ No, exit")
	s.Answer("Enter")
	if code := s.WaitExit(); code != 1 {
		d.T.Errorf("exit code %d", code)
	}
	if log := d.log(); len(log) != 0 {
		d.T.Errorf("the plugin saw %q", log)
	}
}

func doubleResume(d *double) {
	d.channel("--session-id", conversation)
	d.stub.Send(note("hello model"))
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	d.screen.Submit("/exit")
	d.screen.WaitExit()
	d.channel("--resume", conversation)
	if st := d.WaitStatus(d.dir, "idle"); st.SessionID != conversation {
		d.T.Errorf("the session id is %s", st.SessionID)
	}
	d.Eventually("the past on the screen", func() bool { return strings.Contains(d.screen.History(), "← peers: hello model") })
	for i, want := range []string{"startup", "resume"} {
		if start := d.called("SessionStart", 2)[i]; start["source"] != want || start["session_id"] != conversation {
			d.T.Errorf("SessionStart %d was given %v", i, start)
		}
	}
	if n := len(d.calls("UserPromptSubmit")); n != 1 {
		d.T.Errorf("the hook ran %d times", n)
	}
	d.stub.Send(note("hello again"))
	d.called("Stop", 2)
	d.tells("queue enqueue hello model", "queue dequeue", "channel hello model", "queue enqueue hello again", "queue dequeue", "channel hello again")
}

func doubleResumeNothing(d *double) {
	s := d.run("--resume", conversation)
	if code := s.WaitExit(); code != 1 {
		d.T.Errorf("exit code %d", code)
	}
	if said := strings.ToLower(s.History()); !strings.Contains(said, "no conversation found with session id: "+conversation) {
		d.T.Errorf("it says %q", said)
	}
}

func doubleUsedID(d *double) {
	d.plain("--session-id", conversation)
	d.screen.Submit("hello there")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	d.screen.Submit("/exit")
	d.screen.WaitExit()
	s := d.run("--session-id", conversation)
	if code := s.WaitExit(); code != 1 {
		d.T.Errorf("exit code %d", code)
	}
	if said := strings.ToLower(s.History()); !strings.Contains(said, "session id "+conversation+" is already in use") {
		d.T.Errorf("it says %q", said)
	}
}

func (d *double) ctrlCTwice() {
	d.T.Helper()
	d.screen.Keys("C-c")
	d.screen.Wait("Ctrl-C again to exit")
	d.screen.Keys("C-c")
}

// doubleEnd: the server gets SIGINT, then SIGTERM, then SessionEnd runs.
func doubleEnd(d *double, reason string, code int, end func()) {
	d.channel()
	d.stub.Send(note("hello model"))
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	end()
	if got := d.screen.WaitExit(); got != code {
		d.T.Errorf("exit code %d, want %d", got, code)
	}
	if got := d.called("SessionEnd", 1); len(got) != 1 || got[0]["reason"] != reason {
		d.T.Errorf("SessionEnd was given %v", got)
	}
	// When its input ends is not certain.
	log := slices.DeleteFunc(d.log(), func(name string) bool { return name == "stub/eof" })
	if got := strings.Join(log[len(log)-3:], ", "); got != "signal interrupt, signal terminated, hook/SessionEnd" {
		d.T.Errorf("the end was %s", got)
	}
	if all := d.Statuses(); len(all) != 0 {
		d.T.Errorf("status files are left: %v", all)
	}
}

func doubleCrash(d *double) {
	d.channel("--allowedTools", peersAllowed)
	d.event("wait: never", map[string]string{"kind": "task", "task_id": "t-1"})
	d.gate("never").reached()
	d.Signal(d.screen.PID(), syscall.SIGKILL)
	if code := d.screen.WaitExit(); code != -int(syscall.SIGKILL) {
		d.T.Errorf("exit code %d", code)
	}
	d.stub.Wait("stub/eof", 1)
	for _, name := range d.log() {
		// The kernel hangs up the group of a terminal whose first process dies.
		if strings.HasPrefix(name, "signal") && name != "signal hangup" || name == "hook/SessionEnd" || name == "hook/Stop" {
			d.T.Errorf("a crash sent %s", name)
		}
	}
	if all := d.Statuses(); len(all) != 1 || all[0].Status != "busy" {
		d.T.Errorf("the status files are %v", all)
	}
}

// What was queued is forgotten, and the interrupted turn does not go on.
func doubleCrashQueue(d *double) {
	d.channel("--session-id", conversation)
	d.screen.Submit("wait: never")
	d.gate("never").reached()
	d.stub.Send(note("lost in the queue"))
	d.tellsBut("human wait: never", "queue enqueue lost in the queue")
	d.Signal(d.screen.PID(), syscall.SIGKILL)
	d.screen.WaitExit()
	d.channel("--resume", conversation)
	d.screen.Submit("hello there")
	d.called("Stop", 1)
	prompts := d.calls("UserPromptSubmit")
	if len(prompts) != 2 || prompts[1]["prompt"] != "hello there" {
		d.T.Errorf("the hooks were given %v", prompts)
	}
}

func doubleTitle(d *double) {
	d.plain()
	d.Eventually("an idle title", func() bool { return d.screen.Title() == "✳ frontend" })
	d.screen.Submit("wait: go")
	d.gate("go").reached()
	d.screen.Wait("esc to interrupt")
	d.Eventually("a busy title", func() bool {
		return busyTitle(d.version, d.screen.Title()) && strings.HasSuffix(d.screen.Title(), " frontend")
	})
	d.gate("go").open()
	d.called("Stop", 1)
	d.Eventually("an idle title", func() bool { return d.screen.Title() == "✳ frontend" })
	d.screen.WaitGone("esc to interrupt")
	d.screen.Submit("run: touch made.txt")
	d.screen.Wait("Do you want to proceed?")
	d.Eventually("an idle title while a dialog is open", func() bool { return d.screen.Title() == "✳ frontend" })
}

func doublePaste(d *double) {
	d.plain()
	d.screen.paste("line one\nline two")
	d.screen.Wait("line two")
	d.screen.Keys("Enter")
	d.called("Stop", 1)
	if got := d.called("UserPromptSubmit", 1); len(got) != 1 || got[0]["prompt"] != "line one\nline two" {
		d.T.Errorf("the prompt is %v", got)
	}
}

// Why nothing is typed into a pane that waits: the text goes nowhere, and the
// Enter approves.
func doubleSwallowed(d *double) {
	d.plain()
	d.asks()
	d.screen.settle()
	d.screen.paste("a message for the session")
	d.screen.Keys("Enter")
	d.called("Stop", 1)
	d.WaitStatus(d.dir, "idle")
	if !made(d.dir) || d.screen.Has("a message for the session") {
		d.T.Errorf("ran: %v; on the screen: %v", made(d.dir), d.screen.Has("a message for the session"))
	}
	d.tells("human run: touch made.txt", "uses Bash", "result of it")
}

// New: the hook runs as it is typed, with the running turn's id; old: later.
func doubleTypedWhileBusy(d *double) {
	d.plain()
	d.screen.Submit("wait: go")
	d.gate("go").reached()
	d.screen.Submit("hello there")
	if !d.old() {
		calls := d.called("UserPromptSubmit", 2)
		if calls[1]["prompt"] != "hello there" || calls[1]["prompt_id"] != calls[0]["prompt_id"] {
			d.T.Errorf("the hook was given %v", calls)
		}
	}
	d.tellsBut("human wait: go", "queue enqueue hello there")
	d.gate("go").open()
	d.called("Stop", 2)
	d.WaitStatus(d.dir, "idle")
	d.tellsBut("human wait: go", "queue enqueue hello there", "queue dequeue", "human hello there")
	if n := len(d.calls("UserPromptSubmit")); n != 2 {
		d.T.Errorf("the hook ran %d times", n)
	}
}
