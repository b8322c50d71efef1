package router

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

func bash(command string) json.RawMessage {
	b, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return b
}

func (w *world) ask(name, source string, input json.RawMessage) Result {
	w.t.Helper()
	return w.do(AskPermission{Permission: Permission{Peer: w.id(name), Tool: "Bash", Input: input, Source: source}})
}

var human = Actor{Kind: ByHuman}

func TestTwoSourcesOneCard(t *testing.T) {
	long := "echo " + strings.Repeat("long & <long> ", 40)
	preview := func(s string) json.RawMessage {
		b, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return b
	}
	whole, err := json.Marshal(map[string]string{"command": long})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name          string
		first, then   string
		input, input2 json.RawMessage
		joined        bool
	}{
		{"same input", SourceHook, SourceRelay, bash("ls"), json.RawMessage(`{ "command" : "ls" }`), true},
		{"preview of the JSON", SourceHook, SourceRelay, bash("ls -l"), preview(`{"command": "ls -l"}`), true},
		{"preview of the command", SourceRelay, SourceHook, preview("ls -l"), bash("ls -l"), true},
		{"cut preview", SourceHook, SourceRelay, whole, preview(`{"command":"` + long[:200] + "…"), true},
		{"short preview of more", SourceHook, SourceRelay, bash("rm -rf /"), preview("rm"), false},
		{"another command", SourceHook, SourceRelay, bash("ls"), preview(`{"command":"rm"}`), false},
		{"the same source asks twice", SourceHook, SourceHook, bash("ls"), bash("ls"), false},
		{"status file first", SourceStatus, SourceHook, nil, bash("ls"), true},
		{"status file last", SourceHook, SourceStatus, bash("ls"), nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := team(t, "a")
			was := w.ask("a", c.first, c.input)
			w.restart()
			two := w.ask("a", c.then, c.input2)
			if two.Joined != c.joined || c.joined != (was.Permission == two.Permission) {
				t.Fatalf("%+v %+v", was, two)
			}
			open := w.s.View().Permissions
			if want := 2 - one(c.joined); len(open) != want {
				t.Fatalf("%d cards, want %d", len(open), want)
			}
			if c.joined && (open[0].Source == SourceHook && open[0].InPane || !sameJSON(open[0].Input, c.input) && !sameJSON(open[0].Input, c.input2)) {
				t.Fatalf("%+v", open[0])
			}
		})
	}
}

func TestFirstAnswerWins(t *testing.T) {
	w := team(t, "a")
	id := w.ask("a", SourceHook, bash("ls")).Permission
	w.do(AnswerPermission{ID: id, Behavior: wire.Deny, By: human, Why: "no"})
	later := AnswerPermission{ID: id, Behavior: wire.Allow, By: human}
	w.refused(later, "", "answered already: denied by you")
	w.do(ClosePermission{ID: id, How: "denied by you"})
	w.restart()
	w.refused(later, "", "answered already: denied by you") // also when it is over and forgotten
	w.refused(ClosePermission{ID: id}, wire.CodeUnknown, "no open permission request")
	w.refused(AnswerPermission{ID: "r-9", Behavior: wire.Allow, By: human}, wire.CodeUnknown, "no permission request")
	if n := len(w.s.View().Permissions); n != 0 {
		t.Fatal(n)
	}
}

func TestOnlyThePaneCanAnswer(t *testing.T) {
	w := team(t, "a")
	id := w.ask("a", SourceStatus, nil).Permission
	w.refused(AnswerPermission{ID: id, Behavior: wire.Allow, By: human}, "", "in its pane only")
	w.do(ClosePermission{ID: id, How: "answered in the pane"})
	id = w.ask("a", SourceHook, bash("ls")).Permission
	w.do(MovePermission{ID: id, Why: "the hook timed out"})
	w.refused(AnswerPermission{ID: id, Behavior: wire.Allow, By: human}, "", "in its pane only")
}

func TestRequestsAreVoidWhenTheSessionEnds(t *testing.T) {
	w := team(t, "a", "b")
	one, two := w.ask("a", SourceHook, bash("ls")).Permission, w.ask("b", SourceHook, bash("ls")).Permission
	w.do(EndSession{SessionEnded{Peer: w.id("a"), State: Failed}})
	w.refused(AnswerPermission{ID: one, Behavior: wire.Allow, By: human}, "", "is over: void: the session failed")
	w.do(VoidPermissions{})
	w.refused(AnswerPermission{ID: two, Behavior: wire.Allow, By: human}, "", "is over: void: ccmux ended")
	w.refused(AskPermission{Permission: Permission{Peer: w.id("a"), Tool: "Bash", Source: SourceHook}}, "", "no session of a runs")
}

func TestWhoMayAnswer(t *testing.T) {
	w := team(t, "a", "lead", "mallory")
	add := func(r Rule) string { return w.do(AddRule{Rule: r, By: human}).Rule }
	yes, no := add(Rule{Effect: "allow", Tool: "Bash", Pattern: "ls *"}), add(Rule{Effect: "deny", Tool: "Bash"})
	other := add(Rule{Effect: "allow", Tool: "Bash", Peer: "lead"})
	old := add(Rule{Effect: "allow", Tool: "Bash", MaxAge: time.Hour})
	id := w.ask("a", SourceHook, bash("ls")).Permission
	allow := func(by Actor) AnswerPermission { return AnswerPermission{ID: id, Behavior: wire.Allow, By: by} }
	edits := add(Rule{Effect: "allow", Tool: "Edit"})
	peer := func(name string) Actor { return Actor{Kind: ByPeer, Peer: w.id(name), Rule: "bound"} }
	lead, mallory, self := peer("lead"), peer("mallory"), peer("a")
	w.at = w.at.Add(2 * time.Hour)
	for _, c := range []struct {
		by    Actor
		words string
	}{
		{Actor{Kind: ByRule, Rule: "rule-9"}, "no rule"},
		{Actor{Kind: ByRule, Rule: no}, "says deny, not allow"},
		{Actor{Kind: ByRule, Rule: other}, "not about this request"},
		{Actor{Kind: ByRule, Rule: old}, "not about this request"},
		{Actor{Kind: ByRule, Rule: edits}, "not about this request"},
		{Actor{Kind: ByCcmux}, "allows nothing by itself"},
		{Actor{}, "needs somebody"},
		{lead, "may not answer"},
		{self, "their own"},
	} {
		w.refused(allow(c.by), wire.CodeDenied, c.words)
	}
	set := SetApprovers{Approvers: []Approver{{Session: w.id("a"), By: w.id("lead"), Rule: "bound", Tool: "Bash", Pattern: "ls *"}}, By: Actor{Kind: ByCcmux}}
	bad := set
	bad.Approvers = []Approver{{Session: w.id("a"), By: w.id("lead"), Rule: "bound"}}
	w.refused(bad, "", "needs a tool or a pattern that bounds it")
	bad = set
	bad.By = lead
	w.refused(bad, wire.CodeDenied, "only the human")
	w.do(set)
	w.restart()
	if n := len(w.s.Rules()); n != 5 {
		t.Fatalf("%d rules; a bound is none", n)
	}
	w.refused(allow(mallory), wire.CodeDenied, "may not answer")
	w.refused(allow(self), wire.CodeDenied, "their own")
	for _, other := range []string{"", yes} {
		outside := lead
		outside.Rule = other
		w.refused(allow(outside), wire.CodeDenied, "outside of what lead may allow")
	}
	session := allow(lead)
	session.Scope = "session"
	w.refused(session, wire.CodeDenied, "once only")
	w.do(allow(lead))
	w.refused(allow(human), "", "answered already: allowed by lead")
	id = w.ask("a", SourceRelay, bash("ls -l")).Permission
	w.do(allow(Actor{Kind: ByRule, Rule: yes}))
	w.do(RemoveRule{ID: yes, By: human})
	id = w.ask("lead", SourceHook, bash("ls")).Permission
	w.refused(allow(Actor{Kind: ByRule, Rule: yes}), wire.CodeDenied, "no rule")
	w.refused(RemoveRule{ID: yes, By: human}, wire.CodeUnknown, "there is no rule")
	w.refused(AddRule{Rule: Rule{Effect: "allow", Tool: "Bash"}, By: lead}, wire.CodeDenied, "only the human")
	w.refused(AddRule{Rule: Rule{Effect: "maybe"}, By: human}, "", "allow, deny or ask")
	w.refused(AddRule{Rule: Rule{Effect: "allow"}, By: human}, "", "names a tool or a pattern")
}

func TestARuleDoesNotApproveALoop(t *testing.T) {
	w := team(t, "a")
	rule := w.do(AddRule{Rule: Rule{Effect: "allow", Tool: "Bash"}, By: human}).Rule
	by := Actor{Kind: ByRule, Rule: rule}
	for i := range 11 {
		w.at = w.at.Add(time.Second)
		id := w.ask("a", SourceHook, bash("make")).Permission
		_, err := w.try(AnswerPermission{ID: id, Behavior: wire.Allow, By: by})
		if i < 10 && err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		if i == 10 {
			var f *wire.Failure
			if !errors.As(err, &f) || !strings.Contains(f.Message, "it looks like a loop") {
				t.Fatal(err)
			}
			w.do(AnswerPermission{ID: id, Behavior: wire.Allow, By: human})
		}
		w.do(ClosePermission{ID: id})
	}
	id := w.ask("a", SourceHook, bash("make test")).Permission // another request is not concerned
	w.do(AnswerPermission{ID: id, Behavior: wire.Allow, By: by})
	w.at = w.at.Add(time.Minute)
	id = w.ask("a", SourceHook, bash("make")).Permission
	w.do(AnswerPermission{ID: id, Behavior: wire.Allow, By: by})
}

func TestARulesVerdictComesWithTheRequest(t *testing.T) {
	w := team(t, "a", "lead")
	rule := w.do(AddRule{Rule: Rule{Effect: "allow", Tool: "Bash"}, By: human}).Rule
	w.do(SetApprovers{Approvers: []Approver{{Session: w.id("a"), By: w.id("lead"), Rule: "bound", Tool: "Bash"}}, By: human})
	ask := func(cmd, rule string) (Result, MessageID) {
		id := w.newID()
		return w.do(AskPermission{
			Notice: id, Permission: Permission{Peer: w.id("a"), Tool: "Bash", Input: bash(cmd), Source: SourceHook},
			Verdict: &AnswerPermission{Behavior: wire.Allow, By: Actor{Kind: ByRule, Rule: rule}},
		}), id
	}
	seen := len(w.events)
	res, notice := ask("ls", rule)
	if r, ok := w.s.Permission(res.Permission); !ok || r.Answered == nil || r.Answered.By.Rule != rule || res.Reason != "" {
		t.Fatalf("%+v %+v", r, res)
	}
	if w.s.messages[notice] != nil || len(w.events) != seen+2 {
		t.Fatalf("the approver was asked too: %+v", w.events[seen:])
	}
	res, notice = ask("ls -l", "rule-9") // gone since the match
	if r, _ := w.s.Permission(res.Permission); r.Answered != nil || !strings.Contains(res.Reason, "no rule") || w.s.messages[notice] == nil {
		t.Fatalf("%+v %+v", r, res)
	}
	was := w.ask("a", SourceRelay, bash("pwd"))
	res, _ = ask("pwd", rule) // the relay was first, and the hook brings the verdict
	if r, _ := w.s.Permission(res.Permission); res.Permission != was.Permission || r.Answered == nil {
		t.Fatalf("%+v %+v", r, res)
	}
}

func TestACardNamesTheWorkItServes(t *testing.T) {
	w := team(t, "a", "b", "c")
	top := w.send("a", wire.KindTask, "b")
	w.deliver("b", top.ID)
	sub := w.do(Send{ID: w.newID(), From: w.id("b"), To: []string{"c"}, Kind: wire.KindTask, Content: "x", ParentTaskID: top.Thread}).Message
	w.deliver("c", sub.ID)
	id := w.ask("c", SourceHook, bash("ls")).Permission
	r, ok := w.s.Permission(id)
	if !ok || len(r.Threads) != 2 || r.Threads[0] != sub.Thread || r.Threads[1] != top.Thread {
		t.Fatalf("%+v", r)
	}
}

func TestRulesKeepTheirIDs(t *testing.T) {
	w := newWorld(t)
	r := Rule{ID: "team-1", Effect: "deny", Pattern: "rm *", Source: "team file"}
	w.do(AddRule{Rule: r, By: Actor{Kind: ByCcmux}})
	n := len(w.events)
	w.at = w.at.Add(time.Hour)
	w.do(AddRule{Rule: r, By: Actor{Kind: ByCcmux}}) // the next start brings it again
	if len(w.events) != n {
		t.Fatalf("%+v", w.events[n:])
	}
	r.Pattern = "rm -rf *"
	w.refused(AddRule{Rule: r, By: human}, "", "remove it first")
}

func TestApproversAreTold(t *testing.T) {
	w := team(t, "a", "lead")
	const rule = "bound"
	ask := func(cmd string) (string, MessageID) {
		id := w.newID()
		return w.do(AskPermission{Notice: id, Permission: Permission{Peer: w.id("a"), Tool: "Bash", Dir: "/a", Input: bash(cmd), Source: SourceHook}}).Permission, id
	}
	if _, id := ask("ls"); w.s.messages[id] != nil {
		t.Fatal("told somebody although nobody may approve")
	}
	w.do(SetApprovers{Approvers: []Approver{{Session: w.id("a"), By: w.id("lead"), Rule: rule, Tool: "Bash", Pattern: "ls *"}}, By: human})
	req, id := ask("ls </channel> -l")
	m, ok := w.s.Message(id)
	if !ok || m.Kind != wire.KindPermRequest || !strings.Contains(m.Content, "request_id "+req) || strings.Contains(m.Content, "</channel>") {
		t.Fatalf("%+v", m)
	}
	w.deliver("lead", id)
	w.refused(Respond{ID: w.newID(), From: w.id("lead"), TaskID: m.Thread, Content: "yes"}, "", "you owe no answer")
	w.do(AnswerPermission{ID: req, Behavior: wire.Allow, By: Actor{Kind: ByPeer, Peer: w.id("lead"), Rule: rule}})
	w.set("lead", Busy)
	req, id = ask("ls -a")
	w.wantState("lead", id, wire.Waiting)
	w.do(AnswerPermission{ID: req, Behavior: wire.Deny, By: human}) // the human overrules
	w.wantState("lead", id, wire.Withdrawn)
}

func TestRulesStayWithTheirPeer(t *testing.T) {
	w := team(t, "a")
	w.do(AddRule{Rule: Rule{ID: "x", Effect: "deny", Peer: "a"}, By: human})
	w.do(AddRule{Rule: Rule{ID: "y", Effect: "deny", Peer: "later"}, By: human})
	w.do(Rename{Peer: w.id("a"), Name: "b"})
	w.do(AddPeer{Name: "later", Dir: "/l"})
	w.do(Rename{Peer: w.id("later"), Name: "now"})
	w.restart()
	if r := w.s.Rules(); r[0].Peer != string(w.id("b")) || r[1].Peer != string(w.id("now")) {
		t.Fatalf("%+v", r)
	}
	if r := w.s.View().Rules; r[0].Peer != "b" || r[1].Peer != "now" {
		t.Fatalf("%+v", r)
	}
	n := len(w.events)
	w.do(AddRule{Rule: Rule{ID: "x", Effect: "deny", Peer: "a"}, By: human}) // the team file's name for it
	if len(w.events) != n {
		t.Fatal("added twice")
	}
	w.refused(AddPeer{Name: "p-7", Dir: "/x"}, "", "the form of ccmux's own ids")
}

func TestAnAnswerForTheSessionNeedsSomethingThatLasts(t *testing.T) {
	w := team(t, "a")
	id := w.ask("a", SourceHook, bash("ls")).Permission
	w.refused(AnswerPermission{ID: id, Behavior: wire.Allow, Scope: "session", By: human}, "", "once only")
	w.do(AnswerPermission{ID: id, Behavior: wire.Allow, By: human})
	id = w.do(AskPermission{Permission: Permission{Peer: w.id("a"), Tool: "Bash", Source: SourceHook, Lasting: true}}).Permission
	w.do(AnswerPermission{ID: id, Behavior: wire.Allow, Scope: "session", By: human})
}

func TestAMovedRequestSaysWhy(t *testing.T) {
	w := team(t, "a")
	id := w.ask("a", SourceHook, bash("ls")).Permission
	w.do(MovePermission{ID: id, Why: "its time was over"})
	w.restart()
	if r, _ := w.s.Permission(id); !r.InPane || r.Moved != "its time was over" {
		t.Fatalf("%+v", r)
	}
}
