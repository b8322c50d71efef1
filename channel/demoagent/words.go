package demoagent

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// words are all a script may hold, in the order of the documentation.
var words = []word{
	{"worker", "", "does what messages say line by line: `run: COMMAND`, `ask PEER: TEXT`, `note PEER: TEXT`, `post ROOM: TEXT`, `write PATH: TEXT`, `wait: TIME|FILE`, `say: TEXT`, `fail: WHY`, `need: QUESTION`, `tool NAME {JSON}`, `room NAME PEER…`, `await PEER`, `inbox`, `crash`; a line that begins with `| ` goes on with the one before; answers tasks with what came of it", behave("worker")},
	{"demo-frontend", "", "worker that begins by itself: a room #ui, a post to it, a task for backend; reports the reply", setDemo("demo-frontend")},
	{"demo-backend", "", "worker that says in #ui what it took on, and asks frontend one question back", setDemo("demo-backend")},
	{"echo", "", "answers every task with its own text; sends every note back as a note", behave("echo")},
	{"ignore", "", "sees messages and does nothing", behave("ignore")},
	{"chain", "PEER", "passes every task on to PEER as a sub-task and answers with its answer", func(o *options, arg string) error {
		o.behaviour, o.next = "chain", arg
		return need(arg)
	}},
	{"crash", "N", "dies at the Nth message without a goodbye (1 when N is missing)", func(o *options, arg string) (err error) {
		o.crashAt = 1
		if arg != "" {
			o.crashAt, err = strconv.Atoi(arg)
		}
		return err
	}},

	{"version", "old|new", "which of claude's two known behaviours to play", func(o *options, arg string) error {
		o.old = arg == "old"
		if arg != "old" && arg != "new" {
			return errors.New("the value is old or new")
		}
		return nil
	}},
	{"channels", "on|off", "the feature flag: off ignores pushes and says so on screen", onOff(func(o *options) *bool { return &o.channels })},
	{"relay", "on|off", "the second flag: permission requests also go to the channel server", onOff(func(o *options) *bool { return &o.relay })},
	{"deaf", "", "ignores pushes and says nothing", flag(func(o *options) { o.deaf = true })},
	{"deaf-first", "N", "ignores the first N pushes", number(func(o *options) *int { return &o.deafFirst })},
	{"deaf-while", "FILE", "ignores pushes while the file exists", func(o *options, arg string) error {
		o.deafWhile = arg
		return need(arg)
	}},
	{"mcp", "on|off", "off never starts the plugin's server", onOff(func(o *options) *bool { return &o.mcp })},
	{"dialog", "NAME", "opens with that dialog: trust, apikey or channels; may be repeated", func(o *options, arg string) error {
		if _, ok := startDialogs[arg]; !ok {
			return errors.New("the value is trust, apikey or channels")
		}
		o.dialogs = append(o.dialogs, arg)
		return nil
	}},
	{"row", "N", "which row those dialogs highlight, from 1", number(func(o *options) *int { return &o.row })},
	{"no-hook", "EVENT", "does not run that hook, as if it were lost; may be repeated", func(o *options, arg string) error {
		o.noHooks = append(o.noHooks, arg)
		return need(arg)
	}},
	{"no-banner", "", "shows no banner", flag(func(o *options) { o.banner = false })},
	{"other-glyphs", "", "uses other glyphs in title and prompt, as a later version might", flag(func(o *options) { o.glyphs = false })},
	{"busy", "TIME|FILE|never", "opens with a turn that streams until the time is over or the file exists", until(func(o *options) *condition { return &o.busyAt })},
	{"tool", "TIME|FILE|never", "opens with a turn that runs a tool until then", until(func(o *options) *condition { return &o.toolAt })},
	{"work", "TIME|FILE|never", "makes every turn last until then", until(func(o *options) *condition { return &o.workAt })},
	{"restless", "TIME", "begins a turn by itself every so often, at most TIME after the last, and runs a tool in it", duration(func(o *options) *time.Duration { return &o.restless })},
	{"flood", "MB", "writes so many megabytes of coloured lines a second", func(o *options, arg string) error {
		mb, err := strconv.ParseFloat(arg, 64)
		o.flood = int(mb * 1e6)
		return err
	}},
	{"exit", "CODE", "exits at once with that code", number(func(o *options) *int { return &o.exitCode })},
	{"crash-in", "TIME", "dies after that time without a goodbye", duration(func(o *options) *time.Duration { return &o.exitIn })},
	{"crash-after", "TOOL", "dies when that tool has ended, before its hook", func(o *options, arg string) error {
		o.dieAfter = arg
		return need(arg)
	}},
	{"start-in", "TIME", "waits so long before it starts the plugin's server", duration(func(o *options) *time.Duration { return &o.startIn })},
	{"auto-ask", "", "in auto mode: cannot decide, and opens the dialog no hook tells about", flag(func(o *options) { o.autoAsk = true })},
	{"auto-notice", "", "auto-ask that first says so in a notice, as claude does the first time", flag(func(o *options) { o.autoAsk, o.autoNotice = true, true })},
	{"pace", "TIME", "pauses so long before each step, to be watched", duration(func(o *options) *time.Duration { return &o.pace })},
}

func setDemo(name string) func(*options, string) error {
	return func(o *options, _ string) error {
		o.behaviour, o.pace = name, 600*time.Millisecond
		return nil
	}
}

func need(arg string) error {
	if strings.TrimSpace(arg) == "" {
		return errors.New("it needs a value")
	}
	return nil
}
