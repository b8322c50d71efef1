package tui_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/ccmux/ccmux/"

// TestThePartsDoNotKnowEachOther: the parts of the screen use the shared leaves,
// and nothing of one another or of the screen around them.
func TestThePartsDoNotKnowEachOther(t *testing.T) {
	leaves := []string{"keys", "theme", "layout", "cells"}
	shared := append([]string{"draw", "markdown"}, leaves...)
	for _, part := range []string{"pane", "sidebar", "threads", "rooms", "approvals", "line"} {
		allow(t, part, shared)
	}
	allow(t, "keys", nil)
	allow(t, "theme", nil)
	allow(t, "layout", nil)
	allow(t, "cells", nil)
	allow(t, "markdown", leaves)
	allow(t, "draw", leaves)
}

// allow holds that a folder imports of the screen only what is named.
func allow(t *testing.T, folder string, names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			name, _ := strconv.Unquote(i.Path.Value)
			rest, ours := strings.CutPrefix(name, module+"tui")
			if ours && !contains(names, strings.TrimPrefix(rest, "/")) {
				t.Errorf("%s imports %s", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// TestWhatStopsTheWholeProcessIsNotUsed: Bubble Tea's Suspend and Exec stop or
// block all screens.
func TestWhatStopsTheWholeProcessIsNotUsed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, word := range []string{"tea.Suspend", "tea.Exec", "tea.ExecProcess", "SetNonblock"} {
			if has(t, path, word) {
				t.Errorf("%s uses %s", path, word)
			}
		}
	}
}

func has(t *testing.T, path, word string) bool {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(b), word)
}
