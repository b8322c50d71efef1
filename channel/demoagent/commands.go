package demoagent

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ccmux/ccmux/channel/wire"
)

// errAnswered says that a command has answered the task already.
var errAnswered = errors.New("the task is answered")

// command is one line a worker acts on.
type lineCommand struct {
	arg string
	do  func(t *turn, task, arg string) error
}

// lineCommands are the words at the start of a line, with the form of what follows.
var lineCommands = map[string]func(t *turn, task, arg string) error{
	"run":   runLine,
	"ask":   askLine,
	"note":  noteLine,
	"post":  postLine,
	"room":  roomLine,
	"await": awaitLine,
	"write": writeLine,
	"wait":  func(t *turn, _, arg string) error { return t.until(parseCondition(arg)) },
	"say":   func(t *turn, _, arg string) error { return t.say(arg) },
	"fail":  func(t *turn, task, arg string) error { t.a.mind.result(task, arg, true); return t.err() },
	"need":  needLine,
	"tool":  toolLine,
	"inbox": func(t *turn, _, _ string) error { _, err := t.inbox(); return err },
	"crash": func(*turn, string, string) error { crash(); return nil },
}

// How a command is told from prose: a colon after the word, or after a target.
var (
	colonAfter  = map[string]bool{"run": true, "wait": true, "say": true, "fail": true, "need": true}
	takesTarget = map[string]bool{"ask": true, "note": true, "post": true, "write": true}
)

// readCommand reads `word: argument` or `word TARGET: argument`. A line that is
// no command has no do.
func readCommand(l string) lineCommand {
	l = strings.TrimSpace(l)
	word, rest, _ := strings.Cut(l, " ")
	name, colon := strings.CutSuffix(word, ":")
	do := lineCommands[name]
	switch {
	case do == nil, colon != colonAfter[name]: // "run ls" and "ask: x" are prose
		return lineCommand{}
	case takesTarget[name] && !strings.Contains(rest, ":"):
		return lineCommand{}
	}
	return lineCommand{arg: strings.ReplaceAll(strings.TrimSpace(rest), lineEnd, "\n"), do: do}
}

// target splits `TARGET: text`.
func target(arg string) (to, text string) {
	to, text, _ = strings.Cut(arg, ":")
	return strings.TrimSpace(to), strings.TrimSpace(text)
}

func runLine(t *turn, task, cmd string) error {
	_, err := t.bash(task, cmd)
	return err
}

func writeLine(t *turn, task, arg string) error {
	path, text := target(arg)
	_, err := t.write(task, path, text)
	return err
}

// askLine gives a task to a peer, as a part of the one at hand.
func askLine(t *turn, task, arg string) error {
	to, text := target(arg)
	return t.send(task, wire.ToolSendToPeer, sendArgs(to, wire.KindTask, text, "", task))
}

func noteLine(t *turn, task, arg string) error {
	to, text := target(arg)
	return t.send(task, wire.ToolSendToPeer, sendArgs(to, wire.KindNote, text, "", task))
}

func postLine(t *turn, task, arg string) error {
	room, text := target(arg)
	return t.send(task, wire.ToolSendToRoom, wire.SendToRoomArgs{Room: wire.RoomName(room), MessageArgs: wire.MessageArgs{Content: text, Kind: wire.KindNote, ParentTaskID: task}})
}

func roomLine(t *turn, task, arg string) error {
	f := strings.Fields(arg)
	if len(f) == 0 {
		return t.err()
	}
	return t.send(task, wire.ToolCreateRoom, wire.CreateRoomArgs{Name: wire.RoomName(f[0]), Members: f[1:]})
}

// send calls a tool whose failure makes the thread fail.
func (t *turn) send(task, tool string, args any) error {
	res, err := t.call(task, tool, args)
	if err == nil && res.failed {
		t.a.mind.result(task, tool+" failed: "+res.text, true)
	}
	return err
}

// toolLine calls any tool: `tool NAME {…}`.
func toolLine(t *turn, task, arg string) error {
	name, raw, _ := strings.Cut(arg, " ")
	args := json.RawMessage(strings.TrimSpace(raw))
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	res, err := t.call(task, name, args)
	if err == nil {
		t.a.mind.result(task, res.text, res.failed)
	}
	return err
}

func needLine(t *turn, task, question string) error {
	if task == "" {
		return t.say(question)
	}
	if _, err := t.call(task, wire.ToolRespondToPeer, wire.RespondArgs{TaskID: task, Content: question, Status: wire.StatusNeedsContext}); err != nil {
		return err
	}
	return errAnswered
}

// How often and how long await looks for a peer.
const (
	awaitEvery = 500 * time.Millisecond
	awaitLimit = time.Minute
)

// awaitLine waits until a peer is in the list. It asks the server without the
// ceremony of a tool call, as this is not something a model would do.
func awaitLine(t *turn, _, peer string) error {
	for end := time.Now().Add(awaitLimit); time.Now().Before(end); {
		res := t.rpc(t.ctx, wire.ToolListPeers, toolUse{id: "none", input: map[string]any{}})
		if slices.Contains(strings.FieldsFunc(res.text+string(res.structured), notNameRune), peer) {
			return t.err()
		}
		pause(t.ctx, awaitEvery)
		if err := t.err(); err != nil {
			return err
		}
	}
	return t.say("nobody called " + peer + " is here.")
}

func notNameRune(r rune) bool {
	return !strings.ContainsRune("_-.", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

func sortedTasks(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
