package supervisor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/supervisor/router"
)

func (h *house) rule(effect, tool, pattern string) {
	h.t.Helper()
	_, err := h.Submit(h.t.Context(), router.AddRule{Rule: router.Rule{Effect: effect, Tool: tool, Pattern: pattern}})
	if err != nil {
		h.t.Fatal(err)
	}
}

func TestARuleAllowsWithoutTheHuman(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.rule("allow", "Bash", "echo *")
	h.task("api", "run: echo by-rule")
	v := h.await("the answer", answered("by-rule"))
	if th, _ := thread(v, "by-rule"); !strings.Contains(th.Messages[1].Content, "by-rule") {
		t.Errorf("the reply is %q; want the output", th.Messages[1].Content)
	}
	h.task("api", "run: echo safe && touch escaped")
	r := h.request()
	if !strings.Contains(string(r.Input), "touch escaped") {
		t.Errorf("the card is %s; want the chained command asked about", r.Input)
	}
}

func TestADenyHoldsInEveryModeAndIsTold(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"default", "acceptEdits", "auto"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.args = []string{"--permission-mode", mode}
			h.up(map[string]string{"api": "worker"})
			h.proven("api")
			h.rule("deny", "Bash", "touch *")
			h.task("api", "run: true; env A=1 touch forbidden")
			v := h.await("the answer", answered("forbidden"))
			if th, _ := thread(v, "forbidden"); !strings.Contains(th.Messages[1].Content, "denied by rule-1") {
				t.Errorf("the reply is %q; want it to name the rule", th.Messages[1].Content)
			}
			if _, err := os.Stat(filepath.Join(h.root, "api", "forbidden")); err == nil {
				t.Error("the denied command ran")
			}
			h.stop() // what is on its way to the journal is not lost
			h.open()
			if n := h.count("ToolDenied"); n != 1 {
				t.Errorf("%d denials are on the timeline; want the one", n)
			}
		})
	}
}

func TestARuleThatLoopsIsAskedAbout(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.rule("allow", "Bash", "echo again")
	h.task("api", strings.Repeat("run: echo again\n", 12))
	h.request() // the eleventh within a minute
}

func TestTheTeamFilesRulesCountOnlyOnceTrusted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	path := filepath.Join(h.root, project.FileName)
	if err := os.WriteFile(path, []byte("[[rule]]\neffect='allow'\ntool='Bash'\nmatch='echo *'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.stop()
	h.open()
	if n := len(h.View().Rules); n != 0 {
		t.Fatalf("%d rules of an untrusted file are in force", n)
	}
	f, err := project.ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	var trusted wire.Trusted
	if err := h.human().Call(t.Context(), wire.TypeTrust, wire.Trust{Path: path, Hash: "other", Agree: true}, &trusted); err == nil {
		t.Error("trust was taken for content that is not in the file")
	}
	if err := h.human().Call(t.Context(), wire.TypeTrust, wire.Trust{Path: path, Hash: f.Hash, Agree: true}, &trusted); err != nil || !trusted.Trusted {
		t.Fatalf("trust = %v, %v", trusted, err)
	}
	v := h.await("the file's rule", func(v *router.View) bool { return len(v.Rules) == 1 })
	if r := v.Rules[0]; r.Effect != "allow" || r.Pattern != "echo *" || r.Source != "team file" {
		t.Errorf("the rule is %+v", r)
	}
	if err := os.WriteFile(path, []byte("[[rule]]\neffect='allow'\ntool='Bash'\nmatch='*'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.stop()
	h.open()
	if r := h.View().Rules; len(r) != 0 {
		t.Errorf("rules %+v are in force after the file changed; want none until it is trusted again", r)
	}
}

func TestAPeerApproverIsBoundByItsRule(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	path := filepath.Join(h.root, project.FileName)
	toml := "[[session]]\nname='lead'\n[[session]]\nname='api'\napprover={by='lead',tool='Bash',match='echo *'}\n"
	if err := os.WriteFile(path, []byte(toml), 0o600); err != nil {
		t.Fatal(err)
	}
	h.stop()
	h.open()
	f, err := project.ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.human().Call(t.Context(), wire.TypeTrust, wire.Trust{Path: path, Hash: f.Hash, Agree: true}, nil); err != nil {
		t.Fatal(err)
	}
	h.up(map[string]string{"lead": "worker", "api": "worker", "other": "worker"})
	h.proven("lead", "api", "other")
	verdict := func(id string) string {
		return `tool respond_permission {"peer":"api","request_id":"` + id + `","behavior":"allow"}`
	}

	h.task("api", "run: echo bounded")
	inside := h.request()
	h.task("other", verdict(inside.ID))
	v := h.await("the refusal of a peer that is no approver", answered(`"`+inside.ID+`"`))
	if th, _ := thread(v, inside.ID); !strings.Contains(th.Messages[1].Content, "may not answer for api") {
		t.Errorf("another peer's verdict gave %q", th.Messages[1].Content)
	}
	h.task("lead", verdict(inside.ID)+"\nsay: in bounds")
	h.await("the command allowed by the lead", answered("run: echo bounded"))

	if r := h.View().Rules; len(r) != 0 {
		t.Errorf("the bound is among the rules: %+v", r)
	}
	if _, err := h.Submit(t.Context(), router.AddRule{Rule: router.Rule{Effect: "ask", Tool: "Bash", Pattern: "echo secret*"}}); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"touch unbounded", "echo x && touch unbounded", "echo $(touch unbounded)", "echo secrets"} {
		h.task("api", "run: "+command)
		outside := h.request()
		h.task("lead", verdict(outside.ID))
		v = h.await("the refusal outside the bound", answered(`"`+outside.ID+`"`))
		if th, _ := thread(v, `"`+outside.ID+`"`); !strings.Contains(th.Messages[1].Content, "outside of what lead may allow") {
			t.Errorf("%s: a verdict outside the bound gave %q", command, th.Messages[1].Content)
		}
		if err := h.Answer(t.Context(), outside.ID, wire.Deny, "", ""); err != nil {
			t.Errorf("the human cannot answer: %v", err)
		}
		h.await("the denied work answered", answered("run: "+command))
		h.noRequests()
	}
}

// TestARuleThatAsksLeavesToolsAlone: where the session's mode asks nobody, a rule
// that asks does not either, sure or not.
func TestARuleThatAsksLeavesToolsAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.args = []string{"--permission-mode", "bypassPermissions"}
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.rule("ask", "Bash", "touch *")
	for _, command := range []string{"$(echo echo) unsure", "touch sure"} {
		h.task("api", "run: "+command)
		h.await("the answer", func(v *router.View) bool {
			if len(v.Permissions) > 0 {
				t.Fatalf("%s is asked about before the tool: %s", command, v.Permissions[0].Input)
			}
			return answered("run: " + command)(v)
		})
	}
}

// TestAChangedTeamFileIsToldAndNotApplied: until it is trusted again; then what
// was trusted is in force, also for sessions that come later.
func TestAChangedTeamFileIsToldAndNotApplied(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	path := filepath.Join(h.root, project.FileName)
	write := func(match string) *project.File {
		t.Helper()
		toml := "[[session]]\nname='lead'\n[[session]]\nname='api'\napprover={by='lead',tool='Bash',match='" + match + "'}\n"
		if err := os.WriteFile(path, []byte(toml), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := project.ReadConfig(path)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	trust := func(f *project.File) {
		t.Helper()
		if err := h.human().Call(t.Context(), wire.TypeTrust, wire.Trust{Path: path, Hash: f.Hash, Agree: true}, nil); err != nil {
			t.Fatal(err)
		}
	}
	told := func(words string) {
		t.Helper()
		h.await("the news "+words, func(v *router.View) bool { return strings.Contains(strings.Join(v.News, ";"), words) })
	}
	h.stop()
	first := write("echo one*")
	h.open()
	told("is not trusted")
	trust(first)
	h.await("no news", func(v *router.View) bool { return len(v.News) == 0 })
	second := write("echo two*")
	told("has changed, and the change is not in force")
	var rules wire.Rules
	if err := h.human().Call(t.Context(), wire.TypeRules, nil, &rules); err != nil || len(rules.News) != 1 {
		t.Errorf("the rules come with the news %q, %v", rules.News, err)
	}
	trust(second)
	h.await("no news", func(v *router.View) bool { return len(v.News) == 0 })
	h.up(map[string]string{"lead": "worker", "api": "worker"})
	h.proven("lead", "api")
	h.task("api", "run: echo two")
	r := h.request()
	h.task("lead", `tool respond_permission {"peer":"api","request_id":"`+r.ID+`","behavior":"allow"}`)
	h.await("the command allowed within the new bound", answered("run: echo two"))
}
