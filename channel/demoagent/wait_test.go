package demoagent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func (r *rig) add(c call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, c)
	r.tell()
}

func (r *rig) tell() { close(r.changed); r.changed = make(chan struct{}) }

func (r *rig) wait(what string, ok func() bool) {
	r.t.Helper()
	limit := time.After(patience)
	for {
		r.mu.Lock()
		done, changed := ok(), r.changed
		r.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Millisecond): // files tell nobody
		case <-limit:
			r.fail(what)
		}
	}
}

func (r *rig) fail(what string) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, c := range r.log {
		in, _ := json.Marshal(c.in)
		fmt.Fprintf(&b, "%s %.200s\n", c.what, in)
	}
	r.t.Fatalf("waited for %s\nlog:\n%s\nscreen:\n%s", what, b.String(), r.text[max(0, len(r.text)-1500):])
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?>]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b.`)

func plain(s string) string { return escapes.ReplaceAllString(s, "") }

func (r *rig) keys(s string) { _, _ = r.ptmx.WriteString(s) }

func (r *rig) typed(s string) { r.keys("\x1b[200~" + s + "\x1b[201~\r") }

func (r *rig) sees(text string) {
	r.t.Helper()
	r.wait(fmt.Sprintf("%q on the screen", text), func() bool { return strings.Contains(r.text, text) })
}

func (r *rig) count(what string, n int) call {
	r.t.Helper()
	var last call
	r.wait(fmt.Sprintf("%d× %s", n, what), func() bool {
		seen := 0
		for _, c := range r.log {
			if c.what == what {
				if seen++; seen == n {
					last = c
				}
			}
		}
		return seen >= n
	})
	return last
}

func (r *rig) order() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []string
	for _, c := range r.log {
		list = append(list, c.what)
	}
	return strings.Join(list, ", ")
}

func (r *rig) hooked(f func(event string, in object) string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onHook = f
}

func (r *rig) ready() {
	r.t.Helper()
	r.hooked(func(event string, _ object) string {
		if event == "UserPromptSubmit" {
			return `{"decision":"block","reason":"ccmux: channel works"}`
		}
		return ""
	})
	had := r.enqueued()
	r.pushUntilQueued(message1("probe", object{"probe": "n1", "message_id": "p"}))
	r.wait("all probes blocked", func() bool {
		return strings.Count(r.text, "blocked by hook: ccmux: channel works") == r.enqueued()-had
	})
	r.status("idle", "")
	r.hooked(func(string, object) string { return "" })
}

func (r *rig) pushUntilQueued(params object) {
	r.t.Helper()
	r.count("rpc tools/list", 1)
	had := r.enqueued()
	for limit := time.Now().Add(patience); r.enqueued() == had; {
		if time.Now().After(limit) {
			r.fail("a push that is heard")
		}
		r.push(params)
		heard := time.After(4 * deafTime)
	look:
		for r.enqueued() == had {
			select {
			case <-heard:
				break look
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
}

func (r *rig) settle() { <-time.After(2 * deafTime) }

func message1(content string, meta object) object { return object{"content": content, "meta": meta} }

func task(id, content string) object {
	return message1(content, object{"sender": "frontend", "kind": "task", "task_id": id, "message_id": "m-" + id})
}

func (r *rig) push(params object) {
	r.t.Helper()
	b, _ := json.Marshal(object{"jsonrpc": "2.0", "method": "notifications/claude/channel", "params": params})
	r.mu.Lock()
	c := r.server
	r.mu.Unlock()
	fmt.Fprintf(c, "%s\n", b)
}

func (r *rig) status(status, waitingFor string) {
	r.t.Helper()
	r.wait("status "+status, func() bool {
		files, _ := filepath.Glob(filepath.Join(r.home, ".claude", "sessions", "*.json"))
		for _, f := range files {
			var d statusData
			b, _ := os.ReadFile(f)
			if json.Unmarshal(b, &d) == nil && d.Status == status && d.WaitingFor == waitingFor {
				return true
			}
		}
		return false
	})
}

func (r *rig) transcript() []object {
	files, _ := filepath.Glob(filepath.Join(r.home, ".claude", "projects", "*", "*.jsonl"))
	var list []object
	for _, f := range files {
		b, _ := os.ReadFile(f)
		for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
			var m object
			if json.Unmarshal([]byte(l), &m) == nil {
				list = append(list, m)
			}
		}
	}
	return list
}
