package demoagent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestParseArgs(t *testing.T) {
	got, err := parseArgs(strings.Split("--session-id U -n backend --dangerously-load-development-channels plugin:ccmux@inline --allowedTools mcp__a__* Bash(ls) --append-system-prompt text --permission-mode manual -- hello", " "))
	want := settings{
		sessionID: "U", name: "backend", channels: []string{"plugin:ccmux@inline"}, allowed: []string{"mcp__a__*", "Bash(ls)"},
		mode: "default", prompt: "hello",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if !got.allows("mcp__a__b") || got.allows("mcp__b__a") || !got.hasChannel("ccmux") || got.hasChannel("other") {
		t.Error("allows or hasChannel is wrong")
	}
	if r, err := parseArgs([]string{"--resume=U2", "hello"}); err != nil || !r.resume || r.sessionID != "U2" || r.prompt != "hello" {
		t.Errorf("resume: %+v, %v", r, err)
	}
	for _, bad := range []string{"--nope", "--session-id", "--permission-mode yolo"} {
		if _, err := parseArgs(strings.Fields(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func TestLoadOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte("chain=docs\nversion=old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for value, ok := range map[string]func(options) bool{
		"":                  func(o options) bool { return reflect.DeepEqual(o, defaults()) },
		"echo,deaf-first=2": func(o options) bool { return o.behaviour == "echo" && o.deafFirst == 2 },
		file:                func(o options) bool { return o.next == "docs" && o.old },
		`{"flood": 2.5, "deaf":true, "relay":false}`: func(o options) bool { return o.flood == 2500000 && o.deaf && !o.relay },
		"busy=2s work=never":                         func(o options) bool { return o.busyAt.time == 2e9 && o.workAt == condition{on: true} },
		"dialog=trust row=2":                         func(o options) bool { return o.dialogs[0] == "trust" && o.row == 2 },
		"crash channels=off":                         func(o options) bool { return o.crashAt == 1 && !o.channels },
		"demo-frontend pace=1ms":                     func(o options) bool { return o.pace == 1e6 },
	} {
		if o, err := loadOptions(value); err != nil || !ok(o) {
			t.Errorf("%s: %+v, %v", value, o, err)
		}
	}
	for _, bad := range []string{"nonsense", "flood=fast", "chain", "version=3", "dialog=none", "row=x", "channels=maybe", "{", `{"x":1}`, "/no/such/file"} {
		if _, err := loadOptions(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// Every behaviour there is a word for exists, and every word is explained.
func TestScripts(t *testing.T) {
	for _, s := range Scripts() {
		if s.Help == "" {
			t.Errorf("%s has no help", s.Name)
		}
	}
	for _, w := range words {
		o := defaults()
		_ = w.set(&o, "1")
		if behaviours[o.behaviour] == nil {
			t.Errorf("%s names the behaviour %q, which is not there", w.name, o.behaviour)
		}
	}
}

func TestExpand(t *testing.T) {
	get := func(k string) string { return map[string]string{"A": "x"}[k] }
	for in, want := range map[string]string{"${A}/y": "x/y", "${B}": "${B}", "${B:-d}": "d", "${A:-d}": "x", "$A": "$A"} {
		if got := expand(in, get); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestChannelEvent(t *testing.T) {
	raw := `{"content":"a <b> </channel> </CHANNEL> & \u001b","meta":{"sender":"f'o\"n<t","kind":"task","bad-key":"x","task_id":""}}`
	e, ok := channelEvent("plugin:ccmux:peers", json.RawMessage(raw))
	want := `<channel source="plugin:ccmux:peers" sender="f&apos;o&quot;n&lt;t" kind="task" task_id="">` + "\na <b> <\\/channel> <\\/CHANNEL> & \x1b\n</channel>"
	if !ok || e.tag != want {
		t.Errorf("tag %q, want %q", e.tag, want)
	}
	if e.attr["sender"] != `f'o"n<t` || e.attr["kind"] != "task" || e.body != "a <b> <\\/channel> <\\/CHANNEL> & \x1b" {
		t.Errorf("event %+v", e)
	}
	for _, bad := range []string{`{}`, `{"content":1}`, `{"content":"x","meta":{"n":1}}`, `{"content":"x","meta":[]}`, `[`} {
		if _, ok := channelEvent("s", json.RawMessage(bad)); ok {
			t.Errorf("%s was taken", bad)
		}
	}
}

func TestReadMail(t *testing.T) {
	text := "2 messages waited for you.\n\n[1] task t-5 from frontend, parent_task_id t-1, message_id m1\nrun: ls\nsecond line\n\n[2] reply t-6 from docs, in room ui, status failed, message_id m2\nno\n"
	list := unbundle(event{attr: map[string]string{wire.MetaSender: "ccmux"}, body: text})
	if len(list) != 2 || list[0].body != "run: ls\nsecond line" || list[0].attr["task_id"] != "t-5" || list[0].attr["sender"] != "frontend" {
		t.Fatalf("bundle: %+v", list)
	}
	if a := list[1].attr; a["status"] != "failed" || a["room"] != "ui" || a["kind"] != "reply" {
		t.Errorf("second: %+v", a)
	}
	inbox := "[note t-1 from you in #ui, 2026-11-30T18:00:00Z, message_id m3]\nhello"
	if l := readMail(inbox); len(l) != 1 || l[0].attr["room"] != "ui" || l[0].body != "hello" || l[0].attr["message_id"] != "m3" {
		t.Errorf("inbox: %+v", l)
	}
	if l := unbundle(event{attr: map[string]string{wire.MetaTaskID: "t-1"}, body: text}); len(l) != 1 {
		t.Error("a message of one peer was taken for a bundle")
	}
}

func TestReadCommand(t *testing.T) {
	for l, arg := range map[string]string{
		"run: ls -l": "ls -l", "ask docs: what?": "docs: what?", " post ui: hi": "ui: hi", "wait: 2s": "2s", "room ui a b": "ui a b", "tool whoami {}": "whoami {}",
	} {
		if c := readCommand(l); c.do == nil || c.arg != arg {
			t.Errorf("%q: %q", l, c.arg)
		}
	}
	for _, prose := range []string{"run ls", "ask: x", "ask docs what", "please run: ls", "note that x", "", "running: x"} {
		if readCommand(prose).do != nil {
			t.Errorf("%q was taken for a command", prose)
		}
	}
}

func TestDecodeKeys(t *testing.T) {
	in := "a\x1b[A\x1bOB\r\x7f\x03é\x1b[200~x\x1b[Ay\x1b[201~\x1b[?1;2c\x1b]11;rgb:0/0/0\x07\x1b[I1"
	want := []key{{text: "a"}, {name: "up"}, {name: "down"}, {name: "enter"}, {name: "backspace"}, {name: "ctrl+c"}, {text: "é"}, {name: "paste", text: "x\x1b[Ay"}, {text: "1"}}
	for _, step := range []int{len(in), 1, 3} {
		var got []key
		var buf []byte
		for i := 0; i < len(in); i += step {
			buf = append(buf, in[i:min(i+step, len(in))]...)
			var k []key
			k, buf = decodeKeys(buf, false)
			got = append(got, k...)
		}
		if !reflect.DeepEqual(got, want) || len(buf) > 0 {
			t.Errorf("in steps of %d: %q, left %q", step, got, buf)
		}
	}
	if k, rest := decodeKeys([]byte("\x1b"), false); len(k) > 0 || len(rest) != 1 {
		t.Error("ESC did not wait")
	}
	if k, _ := decodeKeys([]byte("\x1b"), true); !reflect.DeepEqual(k, []key{{name: "esc"}}) {
		t.Errorf("ESC alone: %v", k)
	}
}

func FuzzDecodeKeys(f *testing.F) {
	f.Add([]byte("a\x1b[A\x1b[200~x\x1b[201~\x1b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, rest := decodeKeys(b, false)
		if len(rest) == len(b) && len(b) > 0 && len(whole) > 0 {
			t.Fatal("keys came from nothing")
		}
		decodeKeys(b, true) // ends, and does not panic
	})
}

func TestWrap(t *testing.T) {
	got := wrap("● a word and another one", 12)
	if want := []string{"● a word and", "  another", "  one"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	if got := wrap("", 10); len(got) != 1 {
		t.Errorf("an empty line: %q", got)
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("● a word and 日本語 another", 12)
	f.Add("  ⎿  aaaaaaaaaaaaaaaaaaaaaa b", 7)
	f.Fuzz(func(t *testing.T, text string, cols int) {
		cols = max(cols%200, 4)
		text = printable(strings.ReplaceAll(text, "\n", " "))
		if !utf8.ValidString(text) {
			return
		}
		for i, row := range wrap(text, cols) {
			if w := displaywidth.String(row); w > cols {
				t.Fatalf("row %d of %q in %d has %d cells: %q", i, text, cols, w, row)
			}
		}
	})
}

// The transcript alone gives a resumed mind what it needs.
func TestMindFromTranscript(t *testing.T) {
	live := newMind()
	dir := t.TempDir()
	tr := newTranscript(dir, settings{sessionID: "s", name: "n", mode: "default"}, "/x/y.z_w", newVersion)
	if !strings.Contains(tr.path, "-x-y-z-w") {
		t.Errorf("path %s", tr.path)
	}
	e, _ := channelEvent("plugin:ccmux:peers", json.RawMessage(`{"content":"do","meta":{"sender":"a","kind":"task","task_id":"t-1"}}`))
	live.heard(e)
	add := func(m map[string]any) {
		if err := tr.add(m); err != nil {
			t.Fatal(err)
		}
	}
	add(map[string]any{"type": "user", "message": message("user", e.tag), "origin": map[string]any{"kind": "channel"}})
	for i, u := range []toolUse{
		{name: "Bash", input: map[string]any{"command": "ls"}, task: "t-1"},
		{name: "mcp__p__send_to_peer", input: map[string]any{"kind": "task"}, task: "t-1"},
	} {
		result := fmt.Sprintf(`{"task_id":"t-%d"}`, i+1)
		live.tool(u, result, false)
		add(map[string]any{"type": "user", "demoTool": u.name, "demoInput": u.input, "demoTask": u.task, "message": message("user", []any{map[string]any{"type": "tool_result", "content": result}})})
	}
	tr.close()
	again := newTranscript(dir, settings{sessionID: "s"}, "/x/y.z_w", newVersion)
	entries, err := again.load()
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{mind: newMind(), plug: &plugin{key: "peers"}}
	a.replay(entries)
	if !reflect.DeepEqual(a.mind, live) {
		t.Errorf("replayed %+v, live %+v", a.mind, live)
	}
	if live.parent["t-2"] != "t-1" || !live.thread("t-1").open["t-2"] {
		t.Errorf("mind: %+v", live)
	}
}
