package main

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ccmux/ccmux/"

// pkg is what `go list` says of one package.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string // directly
	Deps       []string // and by way of others
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps=false", "-json=ImportPath,Dir,GoFiles,Imports,Deps", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for dec.More() {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestNoImportGoesUp holds the table of who may know whom.
func TestNoImportGoesUp(t *testing.T) {
	own := func(names ...string) []string {
		for i, n := range names {
			names[i] = module + n
		}
		return names
	}
	// package and what lies beneath → prefixes it may not depend on; of the
	// standard library, what it may not import itself
	rules := map[string]struct{ never []string }{
		"channel/wire":       {own("supervisor", "tui", "channel/mcp", "assets", "cmd")},
		"channel":            {own("supervisor", "tui", "assets", "cmd")},
		"assets":             {own("supervisor", "tui", "cmd")},
		"supervisor/router":  {append(own("supervisor/journal", "supervisor/session", "supervisor/vt", "supervisor/project", "supervisor/client", "tui", "cmd"), "database/sql", "net", "os/exec")},
		"supervisor/journal": {own("supervisor/session", "supervisor/vt", "tui", "cmd", "assets")},
		"supervisor/vt":      {append(own("channel", "supervisor/router", "supervisor/session", "tui", "cmd"), "net", "os/exec")},
		"supervisor/session": {own("channel", "supervisor/router", "supervisor/journal", "tui", "cmd")},
		"supervisor":         {append(own("tui", "cmd", "assets"), "charm.land/", "github.com/mark3labs/mcp-go")},
		"tui":                {append(own("cmd", "assets", "channel/demoagent"), "github.com/mark3labs/mcp-go")},
	}
	for _, p := range packages(t) {
		short := strings.TrimPrefix(p.ImportPath, module)
		for at, rule := range rules {
			if short != at && !strings.HasPrefix(short, at+"/") {
				continue
			}
			for _, bad := range rule.never {
				deps := p.Deps
				if first, _, _ := strings.Cut(bad, "/"); !strings.Contains(first, ".") {
					deps = p.Imports
				}
				for _, dep := range deps {
					if dep == strings.TrimSuffix(bad, "/") || bad != "net" && strings.HasPrefix(dep, strings.TrimSuffix(bad, "/")+"/") {
						t.Errorf("%s depends on %s, which it may not know", p.ImportPath, dep)
					}
				}
			}
		}
	}
}

// TestPartsOfTheScreenDoNotSeeEachOther: pane, threads, rooms and approvals may
// use keys, theme and layout, and nothing of one another.
func TestPartsOfTheScreenDoNotSeeEachOther(t *testing.T) {
	parts := []string{"tui/pane", "tui/threads", "tui/rooms", "tui/approvals"}
	for _, p := range packages(t) {
		short := strings.TrimPrefix(p.ImportPath, module)
		if !slices.Contains(parts, short) {
			continue
		}
		for _, other := range parts {
			if other != short && slices.Contains(p.Deps, module+other) {
				t.Errorf("%s imports %s", short, other)
			}
		}
	}
}

// TestOnlyTheStandardLibraryBeneathTheLanguage keeps channel and hook processes
// small.
func TestOnlyTheStandardLibraryBeneathTheLanguage(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath != module+"channel/wire" {
			continue
		}
		for _, dep := range p.Deps {
			if first, _, _ := strings.Cut(dep, "/"); strings.Contains(first, ".") {
				t.Errorf("channel/wire depends on %s", dep)
			}
		}
	}
}

// TestEveryPackageHasADoc wants more than a sentence: what it guarantees, what
// not, who calls it, how it is tested.
func TestEveryPackageHasADoc(t *testing.T) {
	const enough = 200 // characters
	for _, p := range packages(t) {
		if len(p.GoFiles) == 0 {
			continue
		}
		longest := 0
		for _, f := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, f), nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			longest = max(longest, len(file.Doc.Text()))
		}
		if longest < enough {
			t.Errorf("%s: the package doc has %d characters; say what it guarantees, what not, who calls it, how it is tested", p.ImportPath, longest)
		}
	}
}

// TestTheTopLevelIsAsAgreed keeps the house's front door tidy.
func TestTheTopLevelIsAsAgreed(t *testing.T) {
	want := []string{"CHANGELOG.md", "LICENSE", "Makefile", "README.md", "assets", "channel", "cmd", "go.mod", "go.sum", "supervisor", "tui"}
	out, err := exec.Command("git", "-C", "../..", "ls-files").Output()
	if err != nil {
		t.Skip("not a checkout")
	}
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		first, _, _ := strings.Cut(line, "/")
		if !strings.HasPrefix(first, ".") {
			seen[first] = true
		}
	}
	for name := range seen {
		if !slices.Contains(want, name) {
			t.Errorf("%s stands at the top level", name)
		}
	}
	for _, name := range want {
		if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
			t.Errorf("%s is missing at the top level", name)
		}
	}
}
