package demoagent

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
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
	return t.question(u)
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

// The rows of the permission dialog.
const (
	rowYes = iota
	rowAlways
	rowNo
)

// question asks the screen, the PermissionRequest hook and the relay at once.
// The first answer wins; the others are not told.
func (t *turn) question(u *toolUse) (verdict, error) {
	d := &dialog{
		title: []string{u.title}, body: append(u.ask[:len(u.ask):len(u.ask)], "Do you want to proceed?"), numbered: true,
		rows: []string{"Yes", "Yes, and don't ask again for " + u.key() + " in this session", "No"},
		hint: "Esc to cancel · Tab to amend",
	}
	hide := t.a.show(d, "permission prompt")
	defer hide()
	hooked := make(chan []hookOut, 1)
	input := map[string]any{"tool_name": u.name, "tool_input": u.input, "permission_suggestions": []any{}}
	t.a.do(func() { t.a.bg.Go(func() { hooked <- t.permissionHook(u.name, input) }) })
	relayed := t.relay(u)
	for {
		select {
		case row := <-d.answered:
			return t.rowVerdict(u, row), nil
		case behavior := <-relayed:
			return verdict{allow: behavior == "allow", message: "Denied via channel " + t.a.plug.source()}, nil
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
		preview, _ := json.Marshal(u.input)
		server.notify("notifications/claude/channel/permission_request", map[string]any{
			"request_id": id, "tool_name": u.name, "description": u.title, "input_preview": preview3500(t.a.opt.old, string(preview)),
		})
	}
	return answer
}

// preview3500 cuts the input as each version does.
func preview3500(old bool, s string) string {
	limit := 3500
	if old {
		limit = 200
	}
	if len(s) > limit {
		return s[:limit]
	}
	return s
}

// requestID is five letters without l.
func requestID() string {
	const letters = "abcdefghijkmnopqrstuvwxyz"
	b := make([]byte, 5)
	for i := range b {
		b[i] = letters[rand.IntN(len(letters))]
	}
	return string(b)
}

// autoQuestion is auto mode's own dialog: no hook hears of it.
func (t *turn) autoQuestion(u *toolUse) (verdict, error) {
	d := &dialog{
		title: []string{"Auto mode can't check actions in this session", "so this one needs your approval"},
		body:  u.ask, rows: []string{"No", "Yes"}, hint: "Enter to confirm · Esc to cancel",
	}
	hide := t.a.show(d, "dialog open")
	defer hide()
	select {
	case row := <-d.answered:
		if row == 1 {
			return verdict{allow: true}, nil
		}
		return verdict{message: rejectedText, stop: errRejected}, nil
	case <-t.ctx.Done():
		return verdict{}, context.Cause(t.ctx)
	}
}
