package demoagent

import (
	"errors"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

// behaviours are the "models". Each is called once for each thing the model is told.
var behaviours = map[string]func(*turn, input) error{
	"worker":        func(t *turn, in input) error { return worker{}.turn(t, in) },
	"demo-backend":  func(t *turn, in input) error { return worker{prepare: askBack}.turn(t, in) },
	"demo-frontend": func(t *turn, in input) error { return worker{answer: frontendAnswer}.turn(t, in) },
	"chain":         func(t *turn, in input) error { return worker{prepare: passOn}.turn(t, in) },
	"echo":          echo,
	"ignore":        func(t *turn, _ input) error { return t.err() },
}

// worker does what it is told, line by line.
type worker struct {
	prepare func(t *turn, e event) string // changes a task's text
	answer  func(text string) string      // what to say to a task without commands
}

func (w worker) turn(t *turn, in input) error {
	for _, text := range in.typed {
		if tellsOfMail(text) {
			if err := w.mail(t); err != nil {
				return err
			}
			continue
		}
		if err := w.work(t, "", text); err != nil {
			return err
		}
	}
	if err := w.events(t, in.events); err != nil {
		return err
	}
	if in.feedback != "" && len(in.events) == 0 {
		if tellsOfMail(in.feedback) {
			return w.mail(t)
		}
		return t.say("noted: " + firstLine(in.feedback))
	}
	return t.err()
}

func (w worker) events(t *turn, list []event) error {
	for _, bundle := range list {
		for _, e := range unbundle(bundle) {
			t.a.mind.heard(e)
			if err := w.event(t, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// mail reads the inbox and acts on what is there.
func (w worker) mail(t *turn) error {
	list, err := t.inbox()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return t.say("the inbox is empty.")
	}
	return w.events(t, list)
}

func (w worker) event(t *turn, e event) error {
	task, from := e.attr[wire.MetaTaskID], e.attr[wire.MetaSender]
	switch wire.Kind(e.attr[wire.MetaKind]) {
	case wire.KindTask:
		return w.task(t, e)
	case wire.KindReply:
		return w.reply(t, e)
	case wire.KindPermRequest:
		return t.say(from + " asks for permission; only a human should say yes.")
	case wire.KindNote:
		return t.say("note from " + from + " read" + inRoom(e) + ".")
	}
	return t.say("message from " + from + " in " + task + " read.")
}

func inRoom(e event) string {
	if r := e.attr[wire.MetaRoom]; r != "" {
		return " in #" + r
	}
	return ""
}

// task works on a task, or, when it comes again as a reminder, goes on.
func (w worker) task(t *turn, e event) error {
	id := e.attr[wire.MetaTaskID]
	th := t.a.mind.thread(id)
	if e.attr[wire.MetaInReplyTo] != "" && len(th.open) > 0 {
		return t.say(id + ": still waiting for an answer to a part of it.")
	}
	text := e.body
	if w.prepare != nil {
		text = w.prepare(t, e)
	}
	return w.work(t, id, text)
}

// reply goes on with the thread the answer was for.
func (w worker) reply(t *turn, e event) error {
	sub := e.attr[wire.MetaTaskID]
	up, known := t.a.mind.parent[sub]
	if !known {
		return t.say(e.attr[wire.MetaSender] + " answers " + sub + ": " + e.body)
	}
	if len(t.a.mind.thread(up).open) > 0 {
		return t.say(sub + " is answered; others are still open.")
	}
	return w.finish(t, up, "")
}

// lineEnd stands for a line end inside a command: the next line begins with "| ".
const lineEnd = "\x00"

// work does the lines of a text for a thread, then answers it.
func (w worker) work(t *turn, task, text string) error {
	var prose []string
	for l := range strings.SplitSeq(strings.ReplaceAll(text, "\n| ", lineEnd), "\n") {
		c := readCommand(l)
		if c.do == nil {
			prose = append(prose, l)
			continue
		}
		if err := c.do(t, task, c.arg); err != nil {
			if errors.Is(err, errAnswered) {
				return nil
			}
			return err
		}
	}
	said := strings.TrimSpace(strings.Join(prose, "\n"))
	if th := t.a.mind.thread(task); len(th.open) > 0 {
		return t.say("waiting for " + strings.Join(sortedTasks(th.open), ", ") + ".")
	}
	return w.finish(t, task, said)
}

// finish answers a thread with its results.
func (w worker) finish(t *turn, task, prose string) error {
	th := t.a.mind.thread(task)
	text := strings.TrimSpace(strings.Join(th.results, "\n"))
	if text == "" {
		text = "done: " + firstLine(prose)
		if w.answer != nil {
			text = w.answer(prose)
		}
	}
	failed := th.failed
	t.a.mind.forget(task)
	if task == "" {
		return t.say(text)
	}
	return t.answerTask(task, text, failed)
}

// answerTask answers a task through the tool and tells the user.
func (t *turn) answerTask(task, text string, failed bool) error {
	args := wire.RespondArgs{TaskID: task, Content: text}
	if failed {
		args.Status = wire.StatusFailed
	}
	res, err := t.call(task, wire.ToolRespondToPeer, args)
	if err != nil {
		return err
	}
	if res.failed {
		return t.say("could not answer " + task + ": " + firstLine(res.text))
	}
	return t.say("answered " + task + ".")
}

// echo answers with what it heard.
func echo(t *turn, in input) error {
	for _, text := range in.typed {
		if err := t.say(text); err != nil {
			return err
		}
	}
	for _, e := range in.events {
		t.a.mind.heard(e)
		var err error
		switch wire.Kind(e.attr[wire.MetaKind]) {
		case wire.KindTask:
			err = t.answerTask(e.attr[wire.MetaTaskID], e.body, false)
		case wire.KindNote:
			_, err = t.call("", wire.ToolSendToPeer, sendArgs(e.attr[wire.MetaSender], wire.KindNote, e.body, e.attr[wire.MetaTaskID], ""))
		default:
			err = t.say("heard.")
		}
		if err != nil {
			return err
		}
	}
	return t.err()
}

func sendArgs(to string, kind wire.Kind, text, task, parent string) wire.SendToPeerArgs {
	return wire.SendToPeerArgs{To: to, MessageArgs: wire.MessageArgs{Content: text, Kind: kind, TaskID: task, ParentTaskID: parent}}
}

// passOn makes a task into one for the next peer.
func passOn(t *turn, e event) string {
	if t.a.opt.next == t.a.set.name {
		return e.body
	}
	return "ask " + t.a.opt.next + ": " + strings.ReplaceAll(e.body, "\n", "\n| ")
}
