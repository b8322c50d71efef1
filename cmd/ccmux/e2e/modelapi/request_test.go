package modelapi_test

import (
	"testing"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// busyTurn is the shape of what claude sends after a tool while which a
// channel message came in.
const busyTurn = `{"system":"you are ` + "`frontend`" + `",
 "tools":[{"name":"Bash"},{"name":"mcp__x__send","defer_loading":true},{"name":"mcp__x__later","defer_loading":true}],
 "messages":[
  {"role":"user","content":[{"type":"text","text":"<system-reminder>\nno words of the user\n</system-reminder>"},
    {"type":"text","text":"<channel source=\"plugin:p:k\" kind=\"task\" task_id=\"t-1\" subject=\"a &lt;b&gt; &amp; &quot;c&quot;\">\nbuild it\n</channel>"}]},
  {"role":"assistant","content":[{"type":"tool_use","id":"u1","name":"ToolSearch","input":{}},{"type":"tool_use","id":"u2","name":"Bash","input":{}}]},
  {"role":"user","content":[{"type":"tool_result","tool_use_id":"u1","content":[{"type":"tool_reference","tool_name":"mcp__x__send"}]},
    {"type":"tool_result","tool_use_id":"u2","content":"made\n","is_error":true}]},
  {"role":"system","content":"NOT from your user\n<channel kind=\"note\">\nfyi\n</channel>"}]}`

func TestRequestIsTakenApart(t *testing.T) {
	s := newServer(t)
	post(t, s, busyTurn)
	r := s.Requests("frontend")[0]
	if got := r.UserText(); got != "" {
		t.Errorf("user text %q, want none", got)
	}
	res := r.ToolResults()
	if len(res) != 2 || res[0].Tool != "ToolSearch" || res[1] != (modelapi.ToolResult{Tool: "Bash", ID: "u2", Text: "made\n", IsError: true}) {
		t.Errorf("tool results %+v", res)
	}
	for tool, want := range map[string]bool{"Bash": true, "mcp__x__send": true, "mcp__x__later": false, "Read": false} {
		if got := r.HasTool(tool); got != want {
			t.Errorf("has %s: %v", tool, got)
		}
	}
	if e := r.Events(); len(e) != 1 || !e[0].Background || e[0].Body != "fyi" {
		t.Errorf("events of the tail %+v", e)
	}
	all := r.AllEvents()
	if len(all) != 2 || all[0].Background || all[0].Attr["subject"] != `a <b> & "c"` || all[0].Attr["task_id"] != "t-1" || all[0].Body != "build it" {
		t.Errorf("all events %+v", all)
	}
	if _, ok := r.Event("note", "fyi"); ok {
		t.Error("background counts as the begin of a turn")
	}
}
