package rules

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ccmux/ccmux/supervisor/router"
)

func request(tool string, fields map[string]any) Request {
	in, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	r := bash("")
	r.Tool, r.Input = tool, in
	return r
}

func TestDenyBeatsAskBeatsAllow(t *testing.T) {
	allow, ask, deny := rule(Allow, "git *"), rule(Ask, "git push *"), rule(Deny, "git push * --force*")
	all := []router.Rule{allow, ask, deny}
	for _, c := range []struct {
		command, want, by string
	}{
		{"git status", Allow, allow.ID},
		{"git push origin", Ask, ask.ID},
		{"git status && git push origin", Ask, ask.ID},
		{"git push origin --force", Deny, deny.ID},
		{"make", None, ""},
	} {
		got, r, why := Match(all, bash(c.command))
		if got != c.want || (r == nil) != (c.by == "") || r != nil && (r.ID != c.by || !strings.Contains(why, c.by)) {
			t.Errorf("%q: %s by %v: %s", c.command, got, r, why)
		}
	}
}

func TestWhomARuleConcerns(t *testing.T) {
	now := time.Unix(1000, 0)
	base := rule(Allow, "ls")
	for _, c := range []struct {
		name string
		edit func(*router.Rule)
		want string
	}{
		{"everybody", func(*router.Rule) {}, Allow},
		{"by name", func(r *router.Rule) { r.Peer = "backend" }, Allow},
		{"by id", func(r *router.Rule) { r.Peer = "p-1" }, Allow},
		{"another", func(r *router.Rule) { r.Peer = "frontend" }, None},
		{"tool by glob", func(r *router.Rule) { r.Tool = "Ba*" }, Allow},
		{"another tool", func(r *router.Rule) { r.Tool = "Read" }, None},
		{"fresh", func(r *router.Rule) { r.Added, r.MaxAge = now.Add(-time.Minute), time.Hour }, Allow},
		{"too old", func(r *router.Rule) { r.Added, r.MaxAge = now.Add(-2*time.Hour), time.Hour }, None},
		{"in the folder", func(r *router.Rule) { r.Dir = "/srv" }, Allow},
		{"beside the folder", func(r *router.Rule) { r.Dir = "/srv/ap" }, None},
	} {
		r := base
		c.edit(&r)
		if got, _, _ := Match([]router.Rule{r}, bash("ls")); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// links is a file system of links only.
func links(m map[string]string) func(string) (string, error) {
	return func(p string) (string, error) {
		for from, to := range m {
			if to == "" && strings.HasPrefix(p, from) {
				return "", errors.New("cannot be read")
			}
			if p == from || strings.HasPrefix(p, from+"/") {
				return filepath.Clean(to + strings.TrimPrefix(p, from)), nil
			}
		}
		return p, nil
	}
}

func TestPaths(t *testing.T) {
	resolve := links(map[string]string{"/srv/app/out": "/etc", "/srv/app/loop": "", "/link": "/srv/app"})
	for _, c := range []struct{ effect, pattern, path, want string }{
		{Allow, "src/**", "src/a/b.go", Allow},
		{Allow, "src/*", "src/a/b.go", None},
		{Allow, "src/*", "/srv/app/src/b.go", Allow},
		{Allow, "src/**", "src/../../../etc/passwd", None},
		{Allow, "/srv/app/**", "out/passwd", None}, // a link leads out
		{Allow, "/srv/app/**", "loop/x", None},     // it cannot be said where it leads
		{Allow, "/link/**", "/srv/app/x", Allow},   // the rule's folder is a link
		{Allow, "*.go", "pkg/x.go", Allow},
		{Allow, "*.go", "/etc/x.go", None},
		{Allow, "=src/a.go", "src/a.go", Allow},
		{Allow, "=src/a.go", "src/b.go", None},
		{Allow, "src/**", "src/a\u202e.go", None},
		{Allow, "SRC/**", "src/a.go", None},
		{Deny, "/etc/*", "/etc/ssh/sshd_config", Deny}, // what is in a folder that is denied
		{Deny, "/etc/**", "out/passwd", Deny},
		{Deny, "/etc/**", "../../etc/passwd", Deny},
		{Deny, "~/.ssh/**", "/home/u/.ssh/id", Deny},
		{Deny, "~/.ssh/**", "~/.ssh/id", Deny},
		{Deny, "~/.ssh", "/home/u/.SSH/id", Deny},
		{Deny, ".env", "a/b/.env", Deny},
		{Deny, ".env", "a/b/.envrc", None},
		{Deny, "*.pem", "/x/y/key.PEM", Deny},
		{Deny, "=/etc/passwd", "../../etc/passwd", Deny},
		{Deny, "/etc/*", "etc/x", None},
	} {
		req := request("Write", map[string]any{"file_path": c.path, "content": "x"})
		req.Resolve = resolve
		r := router.Rule{ID: "r", Effect: c.effect, Tool: "Write", Pattern: c.pattern}
		if got, _, why := Match([]router.Rule{r}, req); got != c.want {
			t.Errorf("%s %q on %q: %q (%s), want %q", c.effect, c.pattern, c.path, got, why, c.want)
		}
	}
}

func TestFoldersOfRules(t *testing.T) {
	in := func(effect string) []router.Rule {
		return []router.Rule{{ID: "r", Effect: effect, Tool: "Edit", Dir: "/srv/app/src"}}
	}
	inside, outside := request("Edit", map[string]any{"file_path": "/srv/app/src/x"}), request("Edit", map[string]any{"file_path": "/srv/other/x"})
	if got, _, _ := Match(in(Allow), inside); got != None { // the session itself is not in it
		t.Error(got)
	}
	inside.Dir, outside.Dir = "/srv/app/src", "/srv/app/src"
	if got, _, _ := Match(in(Allow), inside); got != Allow {
		t.Error(got)
	}
	if got, _, _ := Match(in(Allow), outside); got != None {
		t.Error(got)
	}
	outside.Dir = "/elsewhere"
	if got, _, _ := Match(in(Deny), outside); got != None {
		t.Error(got)
	}
	inside.Dir = "/elsewhere"
	if got, _, _ := Match(in(Deny), inside); got != Deny {
		t.Error(got)
	}
}

func TestURLs(t *testing.T) {
	for _, c := range []struct{ effect, pattern, url, want string }{
		{Allow, "https://docs.example/*", "https://docs.example/a?b=c", Allow},
		{Allow, "https://docs.example/a", "https://docs.example/a", Allow},
		{Allow, "https://docs.example/a", "https://docs.example/a?token=1", None},
		{Allow, "https://docs.example/a?q=*", "https://docs.example/a?q=1&r=2", Allow},
		{Allow, "https://docs.example/a?q=*", "https://docs.example/axq=1", None},
		{Allow, "https://docs.example/*", "https://docs.example@evil.example/a", None},
		{Allow, "https://docs.example/*", "https://user:secret@docs.example/a", None},
		{Allow, "https://docs.example/*", "https://docs.example.evil.example/a", None},
		{Allow, "https://docs.example/*", "http://docs.example/a", None},
		{Allow, "https://docs.example/*", "https://evil.example/?https://docs.example/", None},
		{Allow, "https://docs.example/*", "https://docs.example\\@evil.example/", None},
		{Allow, "https://docs.example/*", "HTTPS://DOCS.example/a", Allow},
		{Allow, "https://docs.example/pub/*", "https://docs.example/pub/../private", None},
		{Allow, "https://docs.example/pub/*", "https://docs.example/pub/%2e%2e/private", None},
		{Allow, "docs.example", "https://docs.example:8443/", None},
		{Allow, "*.docs.example", "https://api.docs.example/x", Allow},
		{Allow, "docs.example", "file://docs.example/etc/passwd", None},
		{Deny, "evil.example", "https://EVIL.example/", Deny},
		{Deny, "evil.example", "https://a.b.evil.example./", Deny},
		{Deny, "evil.example", "https://user@evil.example:99/", Deny},
		{Deny, "evil.example", "https://notevil.example/", None},
		{Deny, "https://evil.example/*", "https://user:pw@evil.example/x", Deny},
	} {
		r := router.Rule{ID: "r", Effect: c.effect, Tool: "WebFetch", Pattern: c.pattern}
		if got, _, why := Match([]router.Rule{r}, request("WebFetch", map[string]any{"url": c.url, "prompt": "x"})); got != c.want {
			t.Errorf("%s %q on %q: %q (%s), want %q", c.effect, c.pattern, c.url, got, why, c.want)
		}
	}
}

func TestOtherTools(t *testing.T) {
	req := request("mcp__db__query", map[string]any{"sql": "drop table x", "opts": map[string]any{"path": []any{"/etc/passwd"}}})
	for _, c := range []struct{ effect, pattern, want string }{
		{Deny, "drop *", Deny},
		{Deny, "/etc/**", Deny},
		{Deny, "delete *", None},
		{Allow, "drop *", None}, // it says nothing of the path
		{Allow, "*", Allow},
		{Deny, "", Deny},
	} {
		r := router.Rule{ID: "r", Effect: c.effect, Tool: "mcp__db__*", Pattern: c.pattern}
		if got, _, why := Match([]router.Rule{r}, req); got != c.want {
			t.Errorf("%s %q: %q (%s), want %q", c.effect, c.pattern, got, why, c.want)
		}
	}
	shell := request("mcp__shell__run", map[string]any{"cmd": "ls; sudo rm -rf ~"})
	if got, _, why := Match([]router.Rule{{ID: "r", Effect: Deny, Pattern: "rm *"}}, shell); got != Deny {
		t.Error(got, why)
	}
}

// TestWhatAnAllowSpeaksOf: a pattern allows nothing that the input says beside
// what the pattern is about.
func TestWhatAnAllowSpeaksOf(t *testing.T) {
	type in = map[string]any
	for _, c := range []struct {
		tool, pattern string
		input         in
		want          string
	}{
		{"mcp__shell__run", "git *", in{"cmd": "git status"}, Allow},
		{"mcp__shell__run", "git *", in{"cmd": "git add src/x && git log"}, Allow},
		{"mcp__shell__run", "git *", in{"cmd": "git status; rm -rf ~"}, None},
		{"mcp__shell__run", "git *", in{"cmd": "git status", "env": in{"PATH": "/tmp"}}, None},
		{"mcp__shell__run", "git *", in{"cmd": "git status", "sudo": true}, None},
		{"mcp__a__b", "=one", in{"x": "one"}, Allow},
		{"mcp__a__b", "=one", in{"x": "one", "force": true}, None},
		{"mcp__a__b", "=one", in{"x": "one", "n": 1}, None},
		{"mcp__a__b", "=one", in{"x": "one", "y": "one"}, None},
		{"mcp__a__b", "=one", in{"x": []any{"one", []any{}}}, None},
		{"mcp__a__b", "*", in{"x": "one", "force": true}, Allow},
		{"mcp__fs__read", "/srv/app/**", in{"path": "/srv/app/a.go"}, Allow},
		{"mcp__fs__read", "/srv/app/**", in{"path": "/srv/app/../../etc/passwd"}, None},
		{"mcp__fs__read", "/srv/app/**", in{"path": "/srv/app/a; rm -rf ~"}, None},
		{"mcp__fs__read", "*.go", in{"path": "/etc/x.go"}, None},
		{"mcp__web__get", "https://a.example/*", in{"url": "https://a.example/x?y=1&z=2"}, Allow},
		{"mcp__web__get", "https://a.example/*", in{"url": "https://a.example/$(rm)"}, None},
		{"mcp__web__get", "https://a.example/*", in{"url": "https://a.example@b.example/"}, None},
		{"mcp__web__get", "https://a.example/*", in{"url": "https://a.example/; rm -rf ~"}, None},
		{"Bash", "=ls", in{"command": "ls"}, Allow},
		{"Bash", "ls", in{"command": "ls", "description": "x", "timeout": 5, "run_in_background": true}, Allow},
		{"Bash", "=ls", in{"command": "ls", "dangerouslyDisableSandbox": true}, None},
		{"Bash", "ls *", in{"command": "ls", "dangerouslyDisableSandbox": true}, None},
		{"Bash", "*", in{"command": "ls", "dangerouslyDisableSandbox": true}, None},
		{"Bash", "ls", in{"command": "ls", "dangerouslyDisableSandbox": false}, Allow},
		{"Glob", "/srv/app/**", in{"pattern": "**/*.go"}, Allow},
		{"Glob", "/srv/app/**", in{"pattern": "/etc/*"}, None},
		{"Glob", "/srv/app/**", in{"pattern": "../../etc/*"}, None},
		{"Write", "/srv/app/**", in{"file_path": []any{"/etc/passwd"}}, None},
	} {
		r := router.Rule{ID: "r", Effect: Allow, Tool: c.tool, Pattern: c.pattern}
		if got, _, why := Match([]router.Rule{r}, request(c.tool, c.input)); got != c.want {
			t.Errorf("allow %s %q on %v: %q (%s), want %q", c.tool, c.pattern, c.input, got, why, c.want)
		}
	}
}

func TestInputThatCannotBeRead(t *testing.T) {
	req := bash("")
	req.Input = json.RawMessage(`{"command": `)
	all := []router.Rule{rule(Allow, "*"), rule(Deny, "rm *")}
	if got, _, why := Match(all, req); got != Ask {
		t.Error(got, why)
	}
	if got, _, why := Match(all[:1], req); got == Allow {
		t.Error(got, why)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		effect, tool, pattern string
		ok                    bool
	}{
		{"allow", "Bash", "git *", true},
		{"allow", "Bash", "", true},
		{"allow", "", "", false},
		{"allow", "Bash", "*test", false},
		{"allow", "Write", "src/**", true},
		{"allow", "Bash", Exact("a *?"), true},
		{"deny", "", "*test", true},
		{"perhaps", "", "", false},
	} {
		if err := Check(router.Rule{Effect: c.effect, Tool: c.tool, Pattern: c.pattern}); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestLargeCommandsAreBounded(t *testing.T) {
	for _, command := range []string{
		strings.Repeat("git status; ", 30000),
		strings.Repeat("$(", 5000) + strings.Repeat(")", 5000),
		strings.Repeat("sudo ", 5000) + "rm",
		strings.Repeat("sh -c '", 1000),
		"echo " + strings.Repeat("{a,b}", 30),
		"echo {1..100000000}",
		strings.Repeat("env -S ", 300) + "rm -rf ~",
	} {
		start := command[:min(20, len(command))]
		if got, _, _ := Match([]router.Rule{rule(Allow, "git *"), rule(Deny, "rm *")}, bash(command)); got == Allow {
			t.Errorf("%s…: %s", start, got)
		}
	}
}

// FuzzMatch holds the promise about allow against the syntax tree itself, and
// the promise about deny by adding a command to whatever stands before it.
func FuzzMatch(f *testing.F) {
	for _, list := range evasions {
		for _, c := range list {
			f.Add(strings.TrimPrefix(c, "ask:"))
		}
	}
	for _, c := range []string{"git status; rm -rf ~", "git", "https://x.example/git?a=b&c=d", "/srv/app/../git", "git ://x; rm", "git \u202e"} {
		f.Add(c)
	}
	f.Fuzz(func(t *testing.T, command string) {
		command = strings.ToValidUTF8(command, "\uFFFD") // as JSON would
		other := request("mcp__shell__run", map[string]any{"cmd": command})
		allowed, _, _ := Match([]router.Rule{rule(Allow, "git *")}, bash(command))
		elsewhere, _, _ := Match([]router.Rule{{ID: "r", Effect: Allow, Pattern: "git *"}}, other)
		if allowed == Allow || elsewhere == Allow {
			file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
			if err != nil {
				t.Fatalf("%q is allowed and cannot be parsed", command)
			}
			syntax.Walk(file, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp, *syntax.ArithmExp, *syntax.FuncDecl, *syntax.Subshell, *syntax.Assign:
					t.Fatalf("%q is allowed and holds a %T", command, n)
				case *syntax.CallExpr:
					var name strings.Builder
					if err := syntax.NewPrinter().Print(&name, n.Args[0]); err != nil || strings.Trim(name.String(), `'"\`) != "git" && strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(name.String()) != "git" {
						t.Fatalf("%q is allowed and runs %s", command, name.String())
					}
				}
				return true
			})
		}
		all := []router.Rule{rule(Allow, "*"), rule(Deny, "rm *")}
		if _, err := syntax.NewParser().Parse(strings.NewReader(command), ""); err == nil {
			longer := command + "\nrm x"
			if file, err := syntax.NewParser().Parse(strings.NewReader(longer), ""); err == nil && len(file.Stmts) > 0 && last(file) == "rm x" {
				if got, _, why := Match(all, bash(longer)); got != Deny && got != Ask {
					t.Fatalf("%q: %s: %s", longer, got, why)
				}
			}
		}
	})
}

func last(file *syntax.File) string {
	call, ok := file.Stmts[len(file.Stmts)-1].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 2 {
		return ""
	}
	return call.Args[0].Lit() + " " + call.Args[1].Lit()
}

func BenchmarkMatch(b *testing.B) {
	var list []router.Rule
	for _, p := range []string{"git *", "go test *", "npm run *", "ls *", "make *"} {
		list = append(list, rule(Allow, p), rule(Deny, "sudo "+p))
	}
	req := bash("cd /x && git add . && git commit -m 'x' && make test 2>&1 | tail -5")
	for b.Loop() {
		Match(list, req)
	}
}
