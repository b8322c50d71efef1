package demoagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
)

// verdict is the answer to a permission question.
type verdict struct {
	allow   bool
	message string
	stop    error // ends the turn
}

func (v verdict) end() error { return v.stop }

// decide finds out whether the tool may run: PreToolUse first, which holds in
// every mode, then the mode and what was allowed before, then the question.
func (t *turn) decide(u *toolUse) (verdict, error) {
	mustAsk, preAllowed := false, false
	for _, o := range t.hook("PreToolUse", u.name, map[string]any{"tool_name": u.name, "tool_input": u.input, "tool_use_id": u.id}) {
		switch o.Specific.PermissionDecision {
		case "deny":
			reason := o.Specific.PermissionReason
			if !t.a.opt.old {
				reason = "PreToolUse:" + u.name + " hook error: " + reason
			}
			return verdict{message: reason}, nil
		case "ask":
			mustAsk = true
		case "allow":
			preAllowed = true
		}
		if o.Decision == "block" { // the older form, and exit code 2
			return verdict{message: o.Reason}, nil
		}
	}
	if err := t.err(); err != nil {
		return verdict{}, err
	}
	if !mustAsk && (preAllowed || t.free(u)) {
		return verdict{allow: true}, nil
	}
	if t.a.set.mode == "auto" && !mustAsk {
		if !t.a.opt.autoAsk {
			return verdict{allow: true}, nil
		}
		return t.autoQuestion(u)
	}
	return t.question(u, mustAsk)
}

// free says whether the tool needs no question. Unlike claude it knows no
// commands that are harmless by themselves.
func (t *turn) free(u *toolUse) bool {
	switch t.a.set.mode {
	case "bypassPermissions":
		return true
	case "acceptEdits":
		if u.name == "Write" {
			return true
		}
	}
	remembered := false
	t.a.do(func() { remembered = t.a.allowed[u.key()] })
	return remembered || t.a.set.allows(u.name)
}

// key is what "don't ask again" remembers: this very command, or the tool.
func (u *toolUse) key() string {
	if cmd, ok := u.input["command"].(string); ok {
		return u.name + "(" + cmd + ")"
	}
	return u.name
}

// suggestions are the rules the second row of the dialog stands for.
func (u *toolUse) suggestions() []any {
	rule := map[string]any{"toolName": u.name}
	if cmd, ok := u.input["command"].(string); ok {
		rule["ruleContent"] = cmd
	}
	return []any{map[string]any{"type": "addRules", "rules": []any{rule}, "behavior": "allow", "destination": "session"}}
}

// The rows of the permission dialog.
const (
	rowYes = iota
	rowAlways
	rowNo
)

// question asks the screen, the PermissionRequest hook and the relay at once.
// The first answer wins; the others are not told. A forced question, which a
// rule of a hook wants, suggests no rule against it.
func (t *turn) question(u *toolUse, forced bool) (verdict, error) {
	d := &dialog{
		title: []string{u.title}, body: append(u.ask[:len(u.ask):len(u.ask)], "Do you want to proceed?"), numbered: true,
		rows: []string{"Yes", "Yes, and don't ask again for " + u.key() + " in this session", "No"},
		hint: "Esc to cancel · Tab to amend",
	}
	hide := t.a.show(d, "permission prompt")
	defer hide()
	hooked := make(chan []hookOut, 1)
	input := map[string]any{"tool_name": u.name, "tool_input": u.input}
	if !forced {
		input["permission_suggestions"] = u.suggestions()
	}
	t.a.do(func() { t.a.bg.Go(func() { hooked <- t.permissionHook(u.name, input) }) })
	relayed := t.relay(u)
	for {
		select {
		case row := <-d.answered:
			return t.rowVerdict(u, row), nil
		case behavior := <-relayed:
			return verdict{allow: behavior == "allow", message: deniedText + "Denied via channel " + t.a.plug.source()}, nil
		case outs := <-hooked:
			if v, ok := u.hookVerdict(outs); ok {
				return v, nil
			}
			hooked = nil // no opinion: the dialog stays
		case <-t.ctx.Done():
			return verdict{}, context.Cause(t.ctx)
		}
	}
}

// permissionHook outlives the turn, as nobody tells it of a yes on the screen;
// a no, which interrupts the turn, an Esc and the agent's end stop it.
func (t *turn) permissionHook(tool string, input map[string]any) []hookOut {
	ctx, cancel := context.WithCancel(t.a.ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, func() {
		if cause := context.Cause(t.ctx); errors.Is(cause, errInterrupted) || errors.Is(cause, errRejected) {
			cancel()
		}
	})()
	return t.a.runHookAs(ctx, "PermissionRequest", tool, t.id, input)
}

func (t *turn) rowVerdict(u *toolUse, row int) verdict {
	switch row {
	case rowYes:
		return verdict{allow: true}
	case rowAlways:
		t.a.do(func() { t.a.allowed[u.key()] = true })
		return verdict{allow: true}
	}
	t.cancel(errRejected)
	return verdict{message: rejectedText, stop: errRejected}
}

// hookVerdict reads the answer of the PermissionRequest hook.
func (u *toolUse) hookVerdict(outs []hookOut) (verdict, bool) {
	for _, o := range outs {
		dec := o.Specific.Decision
		if dec == nil {
			continue
		}
		switch dec.Behavior {
		case "allow":
			if len(dec.UpdatedInput) > 0 {
				var changed map[string]any
				if json.Unmarshal(dec.UpdatedInput, &changed) == nil {
					u.input = changed
				}
			}
			return verdict{allow: true}, true
		case "deny":
			v := verdict{message: dec.Message}
			if dec.Interrupt {
				v.stop = errRejected
			}
			return v, true
		}
	}
	return verdict{}, false
}

// relay offers the request to the channel server, when both sides can. The
// channel it returns never yields otherwise.
func (t *turn) relay(u *toolUse) <-chan string {
	answer := make(chan string, 1)
	var server *mcpServer
	id := requestID()
	t.a.do(func() {
		if t.a.opt.relay && t.a.channels && t.a.server.relays() {
			server, t.a.relayed[id] = t.a.server, answer
		}
	})
	if server != nil {
		server.notify("notifications/claude/channel/permission_request", map[string]any{
			"request_id": id, "tool_name": u.name, "description": u.title, "input_preview": preview(t.a.opt.old, u.input),
		})
	}
	return answer
}

// preview is the input as each version shows and cuts it.
func preview(old bool, input map[string]any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	limit := 200
	if !old {
		limit = 3500
		enc.SetIndent("", " ")
	}
	_ = enc.Encode(input) // it came from JSON
	s := strings.TrimSpace(b.String())
	if !old {
		s = lineBreak.ReplaceAllString(s, " ")
	}
	if len(s) > limit {
		return s[:limit]
	}
	return s
}

// lineBreak is one of the layout; those of the values are escaped.
var lineBreak = regexp.MustCompile(`\n *`)

// requestID is five letters without l.
func requestID() string {
	const letters = "abcdefghijkmnopqrstuvwxyz"
	b := make([]byte, 5)
	for i := range b {
		b[i] = letters[rand.IntN(len(letters))]
	}
	return string(b)
}

// autoQuestion is auto mode's own dialog: no hook hears of it. The first time
// a notice comes before it, whose Enter stays in auto mode.
func (t *turn) autoQuestion(u *toolUse) (verdict, error) {
	if t.a.opt.autoNotice && !t.a.noticed {
		t.a.noticed = true
		row, err := t.askAuto(&dialog{
			title: []string{"Auto mode can't check actions in this session"},
			body:  []string{"Actions that need the check now ask for your approval.", ""},
			hint:  "Enter to stay in auto mode · Esc to cancel", rows: []string{"Stay in auto mode"},
		}, "dialog open")
		if err != nil || row != 0 {
			return verdict{message: rejectedText, stop: errRejected}, err
		}
	}
	row, err := t.askAuto(&dialog{
		title: []string{"Auto mode can't check actions in this session", "so this one needs your approval"},
		body:  u.ask, rows: []string{"No", "Yes"}, hint: "Enter to confirm · Esc to cancel",
	}, "permission prompt")
	if err != nil || row != 1 {
		return verdict{message: rejectedText, stop: errRejected}, err
	}
	return verdict{allow: true}, nil
}

func (t *turn) askAuto(d *dialog, waitingFor string) (row int, err error) {
	hide := t.a.show(d, waitingFor)
	defer hide()
	select {
	case row := <-d.answered:
		return row, nil
	case <-t.ctx.Done():
		return cancelled, context.Cause(t.ctx)
	}
}
