package demoagent

import (
	"context"
	"errors"
	"strings"
	"time"
)

// stopFeedback is how the transcript begins what a Stop hook made claude go on with.
const stopFeedback = "Stop hook feedback:"

// maxStopBlocks is how often in a row a Stop hook may make claude go on.
const maxStopBlocks = 9

// errRejected ends a turn whose tool the human refused on the screen.
var errRejected = errors.New("the user rejected the tool")

// turn is one turn of the conversation: what was said to the model and, through
// its methods, what the model does.
type turn struct {
	a      *agent
	ctx    context.Context
	cancel context.CancelCauseFunc
	items  []*item
	id     string  // prompt id
	said   string  // the last text of the model
	silent bool    // its first item was stopped, so the model is not called
	taken  []*item // events the old version took from the queue as a tool ended
	using  bool    // a tool was called and gave no result
}

// input is what the model gets at once.
type input struct {
	typed    []string
	events   []event
	feedback string // of a Stop hook; its events are in events
}

// and puts what came later behind.
func (in input) and(later input) input {
	later.typed = append(in.typed[:len(in.typed):len(in.typed)], later.typed...)
	later.events = append(in.events[:len(in.events):len(in.events)], later.events...)
	return later
}

// run does the turn, hooks included. The first thing of a batch decides whether
// there is a turn: when a hook stops it, the others get into the conversation,
// but the model hears of them only in the next turn.
func (t *turn) run() {
	defer t.a.do(func() {
		t.a.running = nil
		t.a.setStatus(statusIdle, "")
	})
	in, act := t.admit()
	if t.silent {
		t.a.unheard = t.a.unheard.and(in)
		return
	}
	in, t.a.unheard = t.a.unheard.and(in), input{}
	if len(in.typed)+len(in.events) == 0 && act == nil {
		return
	}
	for blocks := 0; ; blocks++ {
		if err := t.respond(in, act); err != nil {
			t.broken(err)
			return
		}
		reason := t.stopHook(blocks)
		if reason == "" || blocks == maxStopBlocks {
			return
		}
		t.record(map[string]any{"type": "user", "isMeta": true, "message": message("user", stopFeedback+"\n"+reason)})
		t.show(sgrDim, "  Stop hook: "+firstLine(reason))
		in, act = input{feedback: reason, events: handedOver(reason)}, nil
	}
}

func (t *turn) respond(in input, act func(*turn) error) error {
	if err := t.until(t.a.opt.workAt); err != nil {
		return err
	}
	if act != nil {
		return act(t)
	}
	return behaviours[t.a.opt.behaviour](t, in)
}

// admit runs the prompt hooks, one item after the other.
func (t *turn) admit() (in input, act func(*turn) error) {
	for i, it := range t.items {
		id := newID()
		var outs []hookOut
		if it.gate != nil {
			outs = <-it.gate
		} else {
			outs = t.a.promptHook(t.ctx, it.text, id)
		}
		if t.ctx.Err() != nil {
			return input{}, nil
		}
		if reason, blocked := blocks(outs); blocked {
			t.silent = t.silent || i == 0
			t.blocked(it, reason)
			continue
		}
		t.id = id
		t.a.do(func() { t.a.promptID = id })
		t.accept(it, &in)
		act = it.act
		for _, o := range outs {
			in.events = append(in.events, handedOver(o.Specific.AdditionalContext)...)
		}
	}
	return in, act
}

// blocks says whether a hook refused the prompt.
func blocks(outs []hookOut) (reason string, blocked bool) {
	for _, o := range outs {
		if o.Decision == "block" {
			return o.Reason, true
		}
	}
	return "", false
}

// blocked tells of a prompt that a hook stopped: the model never hears of it.
func (t *turn) blocked(it *item, reason string) {
	text := "UserPromptSubmit operation blocked by hook:\n" + reason + "\n\nOriginal prompt: " + it.text
	t.record(map[string]any{"type": "system", "subtype": "informational", "level": "warning", "isMeta": false, "preventContinuation": true, "content": text})
	t.show(sgrDim, "  "+t.a.glyph.box+"  UserPromptSubmit operation blocked by hook: "+reason)
	if it.event != nil && it.event.attr[metaProbe] != "" {
		t.a.do(t.a.proven)
	}
}

// accept puts an item into the conversation.
func (t *turn) accept(it *item, in *input) {
	e := map[string]any{"type": "user", "promptId": t.id, "message": message("user", it.text), "permissionMode": t.a.set.mode}
	if it.event != nil {
		e["isMeta"], e["promptSource"] = true, "system"
		e["origin"] = map[string]any{"kind": "channel", "server": t.a.plug.source()}
		t.show(sgrPeer, t.a.peerLine(*it.event))
		in.events = append(in.events, *it.event)
	} else {
		e["promptSource"] = "typed"
		if it.late {
			e["promptSource"] = "queued"
		}
		e["origin"] = map[string]any{"kind": "human"}
		t.show(sgrPrompt, t.a.glyph.prompt+" "+it.text)
		in.typed = append(in.typed, it.text)
	}
	t.record(e)
	t.a.arrived()
}

// peerLine is how a channel event shows: the server's key and the first line.
func (a *agent) peerLine(e event) string {
	return a.glyph.peer + " " + a.plug.key + ": " + firstLine(e.body)
}

// stopHook returns the reason for which the turn goes on, or nothing.
func (t *turn) stopHook(blocked int) string {
	outs := t.a.runHookAs(t.ctx, "Stop", "", t.id, map[string]any{
		"stop_hook_active": blocked > 0, "last_assistant_message": t.said, "background_tasks": []any{}, "session_crons": []any{},
	})
	reason, _ := blocks(outs)
	return reason
}

// broken ends a turn that was interrupted: no Stop hook, as with claude.
func (t *turn) broken(err error) {
	cause := context.Cause(t.ctx)
	text := "[Request interrupted by user]"
	switch {
	case errors.Is(err, errRejected), errors.Is(cause, errInterrupted) && t.using:
		text = "[Request interrupted by user for tool use]"
	case errors.Is(cause, errLeaving):
		return
	case !errors.Is(cause, errInterrupted):
		t.show(sgrWarn, "  "+err.Error())
		return
	}
	t.show(sgrWarn, "  "+t.a.glyph.box+"  Interrupted · What should the agent do instead?")
	t.record(map[string]any{"type": "user", "promptId": t.id, "message": message("user", []any{map[string]any{"type": "text", "text": text}})})
}

// say is text of the model.
func (t *turn) say(text string) error {
	if err := t.step(); err != nil {
		return err
	}
	t.said = text
	t.show(sgrPlain, t.a.glyph.said+" "+text)
	t.record(map[string]any{"type": "assistant", "message": message("assistant", []any{map[string]any{"type": "text", "text": text}})})
	return nil
}

// step pauses as the script says and tells whether the turn may go on.
func (t *turn) step() error {
	pause(t.ctx, t.a.opt.pace)
	return t.err()
}

func (t *turn) err() error {
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	return nil
}

// pollTime is how often a condition's file is looked for.
const pollTime = 20 * time.Millisecond

// until waits for a condition.
func (t *turn) until(c condition) error {
	if !c.on {
		return t.err()
	}
	if c.file == "" {
		d := c.time
		if d == 0 {
			<-t.ctx.Done()
		}
		pause(t.ctx, d)
		return t.err()
	}
	for t.err() == nil && !exists(t.a.path(c.file)) {
		pause(t.ctx, pollTime)
	}
	return t.err()
}

func (t *turn) show(sgr, text string) { t.a.do(func() { t.a.scr.add(sgr, text) }) }

func (t *turn) record(entry map[string]any) { t.a.do(func() { t.a.note(t.a.tr.add(entry)) }) }

func message(role string, content any) map[string]any {
	return map[string]any{"role": role, "content": content}
}

// absorb attaches the events that came while a tool ran. The new version asks
// the hooks, with the prompt id of the running turn; the old one does not. Either
// way the model is told not to take them for instructions, and here it does not.
func (t *turn) absorb() {
	for _, it := range t.unblocked() {
		t.record(map[string]any{"type": "attachment", "attachment": map[string]any{
			"type": "queued_command", "prompt": it.text, "commandMode": "prompt", "isMeta": true,
			"origin": map[string]any{"kind": "channel", "server": t.a.plug.source()},
		}})
		t.show(sgrPeer, t.a.peerLine(*it.event)+strings.Repeat(" ", 2)+"(while working: background only)")
		t.a.arrived()
	}
}

// unblocked takes the events from the queue and leaves out those a hook stops.
// The old version had taken them when the tool ended.
func (t *turn) unblocked() []*item {
	if t.a.opt.old {
		return t.taken
	}
	var items, kept []*item
	t.a.do(func() { items = t.a.takeEvents() })
	var stopped []func()
	for _, it := range items {
		reason, blocked := blocks(t.a.promptHook(t.ctx, it.text, t.id))
		if errors.Is(context.Cause(t.ctx), errLeaving) {
			return nil // the hook was cut short: it let nothing in
		}
		if blocked {
			t.a.do(func() { t.a.note(t.a.tr.queue("remove", "", "dropped_by_hook")) })
			stopped = append(stopped, func() { t.blocked(it, reason) })
			continue
		}
		kept = append(kept, it)
	}
	for _, it := range kept {
		t.a.do(func() { t.a.note(t.a.tr.queue("remove", it.text, "absorbed_mid_turn")) })
	}
	for _, f := range stopped {
		f()
	}
	return kept
}

// take is what the old version does as soon as the tool has ended, before it
// records the result.
func (t *turn) take() {
	t.taken = nil
	if !t.a.opt.old {
		return
	}
	t.a.do(func() {
		t.taken = t.a.takeEvents()
		for range t.taken {
			t.a.note(t.a.tr.queue("remove", "", ""))
		}
	})
}
