package demoagent

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestPermissionAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hook   string // what the hook answers; "hold" waits for the end
		keys   string
		status string // of the reply; empty when the turn ends without one
		text   string
	}{
		"hook denies":        {`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"not today"}}}`, "", "failed", "not today"},
		"1 on the screen":    {"hold", "1", "", "yes-2"},
		"enter":              {"hold", "\r", "", "yes-2"},
		"down twice, enter":  {"hold", "\x1b[B\x1b[B\r", "", ""},
		"esc":                {"hold", "\x1b", "", ""},
		"no opinion, then 2": {"", "2", "", "yes-2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.start("")
			r.ready()
			hold := make(chan struct{})
			r.hooked(func(event string, _ object) string {
				if event == "PermissionRequest" {
					if c.hook == "hold" {
						<-hold
						return ""
					}
					return c.hook
				}
				return ""
			})
			defer close(hold)
			r.push(task("t-1", "run: echo yes-$((1+1))"))
			if c.keys != "" {
				r.status("waiting", "permission prompt")
				r.count("hook PermissionRequest", 1)
				r.sees("Do you want to proceed?")
				r.keys(c.keys)
			}
			if c.text == "" {
				r.sees("Interrupted")
				r.status("idle", "")
				r.count("SIGTERM PermissionRequest", 1)
				if strings.Contains(r.order(), "hook Stop") || strings.Contains(r.order(), "tools/call") {
					t.Error("the refused turn went on: " + r.order())
				}
				return
			}
			args := r.count("rpc tools/call", 1).in["arguments"].(object)
			if status, _ := args["status"].(string); status != c.status || args["content"] != c.text {
				t.Errorf("answered %v", args)
			}
			r.count("hook Stop", 1)
			if strings.Contains(r.order(), "SIGTERM") {
				t.Error("the hook was told of a yes on the screen")
			}
		})
	}
}

func TestPreToolUseDenyHoldsInEveryMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"manual", "acceptEdits", "auto", "bypassPermissions"} {
		r := newRig(t)
		r.start("", "--permission-mode", mode)
		r.ready()
		r.hooked(func(event string, in object) string {
			if event == "PreToolUse" && in["tool_name"] == "Bash" {
				return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rule 7"}}`
			}
			return ""
		})
		r.push(task("t-1", "run: echo no"))
		args := r.count("rpc tools/call", 1).in["arguments"].(object)
		if args["status"] != "failed" || args["content"] != "PreToolUse:Bash hook error: rule 7" {
			t.Errorf("%s: answered %v", mode, args)
		}
		if strings.Contains(r.order(), "PermissionRequest") {
			t.Errorf("%s: asked all the same", mode)
		}
	}
}

func TestStartDialogs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script, keys string
		goesOn       bool
	}{
		{"dialog=trust", "\r", false},
		{"dialog=trust", "\x1b[B\r", true},
		{"dialog=trust version=old", "\r", true},
		{"dialog=trust row=2", "\r", true},
		{"dialog=channels", "\r", true},
		{"dialog=channels", "2", false},
		{"dialog=channels", "\x1b", false},
		{"dialog=apikey", "\r", true},
	} {
		r := newRig(t)
		r.start(c.script)
		r.sees("Enter to confirm")
		if files, _ := filepath.Glob(filepath.Join(r.home, ".claude", "sessions", "*")); len(files) > 0 {
			t.Errorf("%s: there is a status file before the prompt", c.script)
		}
		r.keys(c.keys)
		if c.goesOn {
			r.count("rpc tools/list", 1)
		} else if code := r.ended(); code != 1 || strings.Contains(r.order(), "server") {
			t.Errorf("%s %q: exit %d, %s", c.script, c.keys, code, r.order())
		}
	}
}

func TestRelay(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.caps["claude/channel/permission"] = object{}
	r.start("relay=on")
	r.ready()
	hold := make(chan struct{})
	defer close(hold)
	r.hooked(func(event string, _ object) string {
		if event == "PermissionRequest" {
			<-hold
		}
		return ""
	})
	r.push(task("t-1", "run: echo relayed"))
	req := r.count("rpc notifications/claude/channel/permission_request", 1).in
	b, _ := json.Marshal(object{"jsonrpc": "2.0", "method": "notifications/claude/channel/permission", "params": object{"request_id": req["request_id"], "behavior": "deny"}})
	r.server.Write(append(b, '\n'))
	args := r.count("rpc tools/call", 1).in["arguments"].(object)
	if !strings.HasSuffix(args["content"].(string), "the user said:\nDenied via channel plugin:ccmux:peers") {
		t.Errorf("answered %v", args)
	}
}

func TestAutoModeAsksWithoutAHook(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start("auto-notice", "--permission-mode", "auto")
	r.ready()
	r.push(task("t-1", "run: echo auto-$((1+1))"))
	r.status("waiting", "dialog open")
	r.keys("\r")
	r.status("waiting", "permission prompt")
	r.keys("\x1b[B\r")
	args := r.count("rpc tools/call", 1).in["arguments"].(object)
	if args["content"] != "auto-2" || strings.Contains(r.order(), "PermissionRequest") {
		t.Errorf("answered %v after %s", args, r.order())
	}
}
