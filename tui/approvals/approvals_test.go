package approvals

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/theme"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func view(ps ...router.PermissionView) *router.View {
	return &router.View{
		Peers: []router.PeerView{
			{ID: router.Human, Name: "you", Class: wire.ClassHuman},
			{ID: "p-1", Name: "backend", Class: wire.ClassSession},
		},
		Permissions: ps,
	}
}

func ask(tool string, in any) router.PermissionView {
	raw, _ := json.Marshal(in)
	return router.PermissionView{Permission: router.Permission{ID: "r-1", Peer: "p-1", Tool: tool, Input: raw, Dir: "/w", Asked: noon}}
}

// show is the card of one request, w columns wide and as high as it likes.
func show(p router.PermissionView, w int, files ...File) string {
	return showIn(view(p), p, w, files...)
}

func bySubagent(p router.PermissionView, kind string) router.PermissionView {
	p.Agent = kind
	return p
}

func showIn(v *router.View, p router.PermissionView, w int, files ...File) string {
	c := draw.NewContext(theme.New(colorprofile.TrueColor, true, false), v, noon, "/home/u")
	var m Model
	m.Update(v, nil, noon)
	for _, f := range files {
		m.Read(p.Permission, f, noon)
	}
	k := Keys{Help: []string{"keys"}}
	h, _ := m.Want(c, k, w, 40)
	lines := m.Lines(c, k, w, h)
	for _, l := range lines {
		if cells.Width(l) != w {
			panic("crooked: " + l)
		}
	}
	return ansi.Strip(strings.Join(lines, "\n"))
}

// readable is what must stand on the card of each kind of input.
var readable = []struct {
	name  string
	p     router.PermissionView
	files []File
	want  []string
	not   []string
}{
	{
		"a command", ask("Bash", map[string]any{"command": "go test ./...", "description": "Tests"}), nil,
		[]string{"backend asks to run a command", "│ go test ./...", "in /w", "Tests"},
		nil,
	},
	{
		"a subagent's", bySubagent(ask("Bash", map[string]any{"command": "ls"}), "code-\x1breviewer"), nil,
		[]string{"backend's code-", "reviewer agent asks to run a command"},
		[]string{"\x1b"},
	},
	{
		"a background command", ask("Bash", map[string]any{"command": "sleep 9", "run_in_background": true}), nil,
		[]string{"runs in the background"},
		nil,
	},
	{
		"an unknown field is not hidden", ask("Bash", map[string]any{"command": "ls", "dangerouslyDisableSandbox": true}), nil,
		[]string{"dangerouslyDisableSandbox", "true", "command", "ls"},
		nil,
	},
	{
		"a new file", ask("Write", map[string]any{"file_path": "/w/a.go", "content": "package a\n"}),
		[]File{{}},
		[]string{"asks to write a file", "/w/a.go", "a new file", "+ package a"},
		nil,
	},
	{
		"a file written over", ask("Write", map[string]any{"file_path": "a.go", "content": "one\nTWO\n"}),
		[]File{{Text: "one\ntwo\n", Exists: true}},
		[]string{"/w/a.go", "- two", "+ TWO", "  one"},
		[]string{"a new file"},
	},
	{
		"a file that cannot be read", ask("Write", map[string]any{"file_path": "/w/a", "content": "x"}),
		[]File{{Exists: true, Err: errors.New("no")}},
		[]string{"cannot be read here: no", "+ x"},
		nil,
	},
	{
		"an edit in its place", ask("Edit", map[string]any{"file_path": "/w/a", "old_string": "b", "new_string": "B"}),
		[]File{{Text: "1\n2\n3\n4\n5\nb\n7\n", Exists: true}},
		[]string{"@@ -4,4 +4,4 @@", "- b", "+ B", "  7"},
		nil,
	},
	{
		"an edit of text that is not there", ask("Edit", map[string]any{"file_path": "/w/a", "old_string": "x", "new_string": "y"}),
		[]File{{Text: "b", Exists: true}},
		[]string{"not in the file now", "- x", "+ y"},
		nil,
	},
	{
		"several edits", ask("MultiEdit", map[string]any{"file_path": "/w/a", "edits": []any{map[string]any{"old_string": "a", "new_string": "A"}, map[string]any{"old_string": "b", "new_string": "B"}}}),
		[]File{{Text: "a\nb\n", Exists: true}},
		[]string{"- a", "- b", "+ A", "+ B"},
		nil,
	},
	{
		"a table", ask("mcp__github__create_issue", map[string]any{"title": "Bug", "labels": []string{"x", "y"}, "n": 12345678901234567, "o": map[string]any{"p": nil}}), nil,
		[]string{"asks to use create_issue of github", "title      Bug", "labels[0]  x", "labels[1]  y", "12345678901234567", "o.p"},
		nil,
	},
	{
		"a page", ask("WebFetch", map[string]any{"url": "https://x.y/?q=1", "prompt": "read"}), nil,
		[]string{"asks to fetch a page", "https://x.y/?q=1"},
		nil,
	},
	{
		"no input",
		router.PermissionView{Permission: router.Permission{ID: "r-1", Peer: "p-1", Tool: "Bash", Asked: noon}},
		nil,
		[]string{"its pane shows it"},
		nil,
	},
	{
		"a time limit", ask("Bash", map[string]any{"command": "ls", "timeout": 90000}), nil,
		[]string{"may take 1m30s"},
		nil,
	},
	{
		"a long description", ask("Bash", map[string]any{"command": "ls", "description": strings.Repeat("word ", 40) + "the end"}), nil,
		[]string{"the end"},
		nil,
	},
	{
		"a long path", ask("Write", map[string]any{"file_path": "/w/" + strings.Repeat("folder/", 20) + "name.go", "content": "x"}),
		[]File{{}},
		[]string{"name.go", "a new file"},
		[]string{"…"},
	},
	{
		"an edit everywhere", ask("Edit", map[string]any{"file_path": "/w/a", "old_string": "b", "new_string": "B", "replace_all": true}),
		[]File{{Text: "b\nb\n", Exists: true}},
		[]string{"replaces every occurrence"},
		nil,
	},
	{
		"a long name in a table", ask("mcp__a__b", map[string]any{strings.Repeat("name_", 12) + "end": "v", "x": "y"}), nil,
		[]string{"name_end", "v"},
		[]string{"…"},
	},
	{"input that is no object", ask("Bash", "rm"), nil, []string{"rm"}, nil},
}

func TestEachToolIsReadable(t *testing.T) {
	for _, c := range readable {
		got := show(c.p, 90, c.files...)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is missing:\n%s", c.name, w, got)
			}
		}
		for _, w := range c.not {
			if strings.Contains(got, w) {
				t.Errorf("%s: %q should not be there:\n%s", c.name, w, got)
			}
		}
	}
}

func TestACardSaysWhoElseWasAskedAndWhyItIsInItsPane(t *testing.T) {
	p := ask("Bash", map[string]any{"command": "ls"})
	p.Notice = "m-1"
	v := view(p)
	v.Peers = append(v.Peers, router.PeerView{ID: "p-2", Name: "lead"})
	v.Threads = []router.ThreadView{{ID: "t-1", Messages: []router.MessageView{{Message: router.Message{ID: "m-1", To: []router.PeerID{"p-2"}}}}}}
	if got := showIn(v, p, 90); !strings.Contains(got, "also asked: lead") {
		t.Errorf("the approver is not named:\n%s", got)
	}
	p.InPane, p.Moved = true, "its time was over: answer in the pane"
	if got := show(p, 90); !strings.Contains(got, p.Moved) {
		t.Errorf("it is not said why:\n%s", got)
	}
}

// TestWhatIsReadIsReadAgain: for another input, and after a while; another file
// than was on show makes the hand wait.
func TestWhatIsReadIsReadAgain(t *testing.T) {
	p := ask("Write", map[string]any{"file_path": "/w/a", "content": "new"})
	var m Model
	m.Update(view(p), nil, noon)
	later := noon.Add(time.Second)
	m.Read(p.Permission, File{Text: "old", Exists: true}, noon)
	m.Says(p.Permission, "allow", noon)
	if _, _, wants := m.Wants(later); wants {
		t.Error("it is read again at once")
	}
	if _, unsaid := m.Unsaid(later); unsaid {
		t.Error("the rules are asked again at once")
	}
	later = noon.Add(Fresh)
	if _, _, wants := m.Wants(later); !wants {
		t.Error("what is on disk is never looked at again")
	}
	m.Read(p.Permission, File{Text: "old", Exists: true}, later)
	if !m.Armed(later) {
		t.Error("the same file makes the hand wait")
	}
	m.Read(p.Permission, File{Text: "other", Exists: true}, later)
	if m.Armed(later) {
		t.Error("another file does not make the hand wait")
	}
	q := ask("Write", map[string]any{"file_path": "/w/b", "content": "new"})
	m.Update(view(q), nil, later)
	if _, path, wants := m.Wants(later); !wants || path != "/w/b" {
		t.Error("the file of the first input is taken for the second's")
	}
	if c, _ := m.Current(); m.said(c) != "" {
		t.Error("what the rules said of the first input is taken for the second's")
	}
}

func TestDialogsAndRequestsStandInTheOrderOfTheirAge(t *testing.T) {
	p := ask("Bash", map[string]any{"command": "ls"})
	v := view(p)
	v.Peers = append(v.Peers, router.PeerView{ID: "p-2", Name: "api", Session: router.SessionView{State: router.NeedsYou, Detail: "folder trust", Since: noon.Add(-time.Minute)}})
	var m Model
	m.Update(v, nil, noon)
	if c, _ := m.Current(); c.Perm != nil {
		t.Errorf("the older dialog is not first: %s", c.ID)
	}
}

func TestHiddenCharactersInEveryPlace(t *testing.T) {
	evil := "a\x1b[31mb\u202ec\u200bd\x00"
	for _, p := range []router.PermissionView{
		ask("Bash", map[string]any{"command": evil, "description": evil}),
		ask("Write", map[string]any{"file_path": "/w/" + evil, "content": evil}),
		ask("Edit", map[string]any{"file_path": "/w/x", "old_string": evil, "new_string": "y"}),
		ask("mcp__a__"+evil, map[string]any{evil: evil}),
		ask(evil, map[string]any{"x": evil}),
	} {
		got := show(p, 80)
		for _, r := range got {
			if r != '\n' && wire.Hidden(r) {
				t.Errorf("%q reaches the screen:\n%q", r, got)
			}
		}
		if !strings.Contains(got, "‹U+202E›") {
			t.Errorf("it is not written out:\n%s", got)
		}
	}
}

func TestRules(t *testing.T) {
	p := ask("Bash", map[string]any{"command": `rm *.o [a] \ ?`}).Permission
	rule := RuleFor(p, "backend")
	text := RuleText(rule)
	if text != `allow Bash for backend: =rm *.o [a] \ ?` {
		t.Errorf("%q", text)
	}
	if r, err := ParseRule(text); err != nil || r != rule {
		t.Errorf("%+v, %v; want %+v", r, err, rule)
	}
	for tool, in := range map[string]map[string]any{
		"allow Write for b: =/w/a":    {"file_path": "/w/a", "content": "x"},
		"allow WebFetch for b: =u":    {"url": "u", "prompt": "x"},
		"allow mcp__a__b for b: =one": {"x": "one"},
		"allow mcp__a__c for b":       {"x": "one", "y": "two"},
	} {
		words := strings.Fields(tool)
		if got := RuleText(RuleFor(ask(words[1], in).Permission, "b")); got != tool {
			t.Errorf("%q, want %q", got, tool)
		}
	}
	for _, bad := range []string{"", "allow", "may Bash", "allow Bash to backend: x", "allow Bash for: x", "allow Bash: ?x"} {
		if _, err := ParseRule(bad); err == nil {
			t.Errorf("%q is taken for a rule", bad)
		}
	}
}

func TestTheQueue(t *testing.T) {
	a, b := ask("Bash", map[string]any{"command": "a"}), ask("Bash", map[string]any{"command": "b"})
	b.ID, b.Asked = "r-2", noon.Add(-time.Minute)
	var m Model
	m.Update(view(a, b), nil, noon)
	if c, _ := m.Current(); c.ID != "r-2" {
		t.Errorf("the oldest is not first: %s", c.ID)
	}
	if m.Armed(noon) || !m.Armed(noon.Add(Still)) {
		t.Error("the grace is wrong")
	}
	late := noon.Add(time.Second)
	m.Update(view(a, b), nil, late)
	if !m.Armed(late) {
		t.Error("an update that changes nothing disarms")
	}
	c := a
	c.ID = "r-3"
	m.Update(view(a, b, c), nil, late)
	if !m.Armed(late) {
		t.Error("another request behind it disarms")
	}
	b.Input = json.RawMessage(`{"command":"rm"}`)
	m.Update(view(a, b), nil, late)
	if m.Armed(late) {
		t.Error("another input does not disarm")
	}
	m.Update(view(a), nil, late.Add(time.Second))
	if cur, _ := m.Current(); cur.ID != "r-1" || m.Armed(late.Add(time.Second)) {
		t.Error("the next request is armed at once")
	}
	m.Update(view(), nil, late)
	if _, ok := m.Current(); ok || m.Armed(late.Add(time.Hour)) {
		t.Error("an empty queue shows something")
	}
}

func TestAnAnswerUnderWayIsNotConfirmedYet(t *testing.T) {
	p := ask("Bash", map[string]any{"command": "a"})
	p.Answered = &router.PermissionAnswered{Behavior: wire.Allow, By: router.Actor{Kind: router.ByHuman}}
	if got := show(p, 90); !strings.Contains(got, "allowed by you; on its way to the session") {
		t.Errorf("%s", got)
	}
}
