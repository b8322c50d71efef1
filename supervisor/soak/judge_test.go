package soak

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// made is a record of two notes and a task from the human to one agent.
func made() (*record, []conversation) {
	rec := newRecord()
	rec.names[router.Human], rec.names["p-1"] = "you", "a1"
	for i, kind := range []wire.Kind{wire.KindNote, wire.KindTask, wire.KindNote} {
		id := []router.MessageID{"m1", "m2", "m3"}[i]
		rec.posts = append(rec.posts, router.Message{ID: id, From: router.Human, Kind: kind, To: []router.PeerID{"p-1"}})
	}
	rec.answered[delivery{"m2", "p-1"}] = true
	return rec, []conversation{{agent: "a1", sights: []sight{{message: "m1"}, {message: "m2"}, {message: "m3"}}}}
}

func TestTheJudgeFindsEachKindOfFault(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*record, []conversation)
		acks  []string
		want  string // the only thing that is wrong; "" for nothing
	}{
		"all well":         {func(*record, []conversation) {}, []string{"m1", "m2", "m3"}, ""},
		"lost":             {func(_ *record, c []conversation) { c[0].sights = c[0].sights[:2] }, nil, "lost: a1 never saw note m3"},
		"acked, not there": {func(*record, []conversation) {}, []string{"m9"}, "lost: you was told that m9"},
		"acked to agent":   {func(_ *record, c []conversation) { c[0].acked = []string{"m8"} }, nil, "lost: a1 was told that m8"},
		"twice":            {func(_ *record, c []conversation) { c[0].sights = append(c[0].sights, sight{message: "m1"}) }, nil, "twice: a1 saw note m1"},
		"twice, once as background": {func(_ *record, c []conversation) {
			c[0].sights = append(c[0].sights, sight{message: "m1", background: true})
		}, nil, "twice: a1 saw note m1"},
		"a task as background, then in its turn": {func(_ *record, c []conversation) {
			c[0].sights = append([]sight{{message: "m2", background: true}}, c[0].sights[1:]...)
			c[0].sights = append([]sight{{message: "m1"}}, c[0].sights...)
		}, nil, ""},
		"a task only as background": {func(_ *record, c []conversation) { c[0].sights[1].background = true }, nil, "lost: a1 never saw task m2"},
		"order":                     {func(_ *record, c []conversation) { slices.Reverse(c[0].sights[1:]) }, nil, "order: a1 saw task m2"},
		"forged":                    {func(_ *record, c []conversation) { c[0].sights = append(c[0].sights, sight{message: "m7"}) }, nil, "forged: a1 saw m7"},
		"unanswered":                {func(r *record, _ []conversation) { clear(r.answered) }, nil, "unanswered: task m2"},
		"expired":                   {func(r *record, _ []conversation) { r.ended[delivery{"m1", "p-1"}] = "expired" }, nil, "was expired"},
		"held": {func(r *record, c []conversation) {
			r.held[delivery{"m3", "p-1"}] = "an echo"
			c[0].sights = c[0].sights[:2]
		}, nil, "held: note m3"},
		"a reminder in place of its task": {func(r *record, c []conversation) {
			r.posts = append(r.posts, router.Message{ID: "m4", InReplyTo: "m2", Reminder: true, Kind: wire.KindTask, From: router.Human, To: []router.PeerID{"p-1"}})
			c[0].sights = []sight{{message: "m1"}, {message: "m3"}, {message: "m4"}}
		}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rec, all := made()
			c.spoil(rec, all)
			_, wrong := judge(rec, all, c.acks)
			switch {
			case c.want == "" && len(wrong) > 0:
				t.Errorf("wrong: %q; want nothing", wrong)
			case c.want != "" && (len(wrong) != 1 || !strings.Contains(wrong[0], c.want)):
				t.Errorf("wrong: %q; want one with %q", wrong, c.want)
			}
		})
	}
}

func TestATranscriptIsReadAsTheModelWasGivenIt(t *testing.T) {
	const id = "01a22dec-a062-76b6-a146-88000000000"
	lines := []string{
		`{"type":"queue-operation","operation":"enqueue","content":"<channel source=\"plugin:ccmux:peers\" task_id=\"t-1\" message_id=\"` + id + `1\">\nx\n</channel>"}`,
		`{"type":"user","origin":{"kind":"channel"},"message":{"role":"user","content":"<channel source=\"plugin:ccmux:peers\" task_id=\"t-1\" message_id=\"` + id + `1\">\nx\n</channel>"}}`,
		`{"type":"user","origin":{"kind":"channel"},"message":{"role":"user","content":"<channel source=\"plugin:ccmux:peers\" sender=\"ccmux\" message_id=\"` + id + `9\">\n2 messages\n\n[1] note t-2 from you, message_id ` + id + `2\nhello\n\n[2] task t-3 from a2, in room all, message_id ` + id + `3\nhello\n</channel>"}}`,
		`{"type":"attachment","attachment":{"type":"queued_command","prompt":"<channel source=\"plugin:ccmux:peers\" task_id=\"t-4\" message_id=\"` + id + `4\">\nx\n</channel>","origin":{"kind":"channel"}}}`,
		`{"type":"user","isMeta":true,"message":{"role":"user","content":"Stop hook feedback:\n1 message\n\n[1] note t-2 from you, message_id ` + id + `0\nhello"}}`,
		`{"type":"user","origin":{"kind":"human"},"message":{"role":"user","content":"<channel source=\"plugin:ccmux:peers\" task_id=\"t-4\" message_id=\"` + id + `5\">\ntyped\n</channel>"}}`,
		`{"type":"system","content":"UserPromptSubmit operation blocked by hook:\nx\n\nOriginal prompt: <channel source=\"plugin:ccmux:peers\" task_id=\"t-4\" message_id=\"` + id + `6\">\nx\n</channel>"}`,
		`{"type":"user","demoTool":"mcp__plugin_ccmux_peers__send_to_peer","message":{"role":"user","content":[{"type":"tool_result","content":"{\"message_id\":\"` + id + `7\"}"}]}}`,
		`{"type":"user","demoTool":"mcp__plugin_ccmux_peers__send_to_peer","message":{"role":"user","content":[{"type":"tool_result","is_error":true,"content":"{\"message_id\":\"` + id + `8\"}"}]}}`,
		`{"type":"user","origin":{"kind":"channel"},"message":{"role":"us`,
	}
	config := t.TempDir()
	dir := filepath.Join(config, "projects", "-tmp-soak-p-a3")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c.jsonl"), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := readTranscripts(config)
	if err != nil || len(all) != 1 {
		t.Fatalf("read %d conversations, %v; want one", len(all), err)
	}
	want := []sight{{message: id + "1"}, {message: id + "2"}, {message: id + "3"}, {id + "4", true}, {message: id + "0"}}
	if c := all[0]; c.agent != "a3" || !slices.Equal(c.sights, want) || !slices.Equal(c.acked, []string{id + "7"}) {
		t.Errorf("%+v; want a3 with %v, and %s7 acknowledged", c, want, id)
	}
}
