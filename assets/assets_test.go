package assets_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/assets"
	"github.com/ccmux/ccmux/channel/wire"
)

func render(t *testing.T, p assets.Plugin) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a plugin")
	if err := assets.Render(dir, p); err != nil {
		t.Fatal(err)
	}
	return dir
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func TestPathsComeThroughWhateverTheyHold(t *testing.T) {
	p := assets.Plugin{Binary: `/opt/my "tools"/{{session-file}}/ccmux`, SessionFile: `/home/a b/st\ate/é<&>/session.json`, Version: "1.2.3"}
	dir := render(t, p)

	var mcp struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	readJSON(t, filepath.Join(dir, ".mcp.json"), &mcp)
	server, ok := mcp.MCPServers[wire.ServerKey]
	if !ok || len(mcp.MCPServers) != 1 {
		t.Fatalf("servers are %v; want only %q", mcp.MCPServers, wire.ServerKey)
	}
	if want := []string{"channel", "--session-file", p.SessionFile}; server.Command != p.Binary || !slices.Equal(server.Args, want) {
		t.Errorf("server is %q %q; want %q %q", server.Command, server.Args, p.Binary, want)
	}

	var plugin struct{ Name, Version, Description string }
	readJSON(t, filepath.Join(dir, ".claude-plugin/plugin.json"), &plugin)
	if plugin.Name != wire.PluginName || plugin.Version != "1.2.3" {
		t.Errorf("plugin is %+v", plugin)
	}
}

func TestEachHookCallsTheBinaryWithItsEvent(t *testing.T) {
	p := assets.Plugin{Binary: "/bin/ccmux", SessionFile: "/s/session.json"}
	var hooks struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Type, Command string
				Args          []string
				Timeout       int
			}
		}
	}
	readJSON(t, filepath.Join(render(t, p), "hooks/hooks.json"), &hooks)
	want := []string{
		"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
		"PermissionRequest", "PermissionDenied", "Notification", "Stop", "SubagentStop", "SessionEnd",
	}
	if len(hooks.Hooks) != len(want) {
		t.Errorf("%d events; want %d", len(hooks.Hooks), len(want))
	}
	for _, event := range want {
		groups := hooks.Hooks[event]
		if len(groups) != 1 || len(groups[0].Hooks) != 1 {
			t.Errorf("%s: want exactly one hook, have %+v", event, groups)
			continue
		}
		h := groups[0].Hooks[0]
		if h.Type != "command" || h.Command != p.Binary || !slices.Equal(h.Args, []string{"hook", event, "--session-file", p.SessionFile}) {
			t.Errorf("%s: %+v", event, h)
		}
		if day := 24 * 60 * 60; (event == "PermissionRequest") != (h.Timeout == day) || h.Timeout == 0 {
			t.Errorf("%s has %d s", event, h.Timeout)
		}
	}
}

func TestNobodyElseCanReadThePlugin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p := assets.Plugin{Binary: "/bin/ccmux", SessionFile: "/s"}
	for range 2 { // the second time over what is there
		if err := assets.Render(dir, p); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 || strings.HasSuffix(path, ".new") {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPathsThatClaudeWouldChangeAreRefused(t *testing.T) {
	for _, p := range []assets.Plugin{
		{Binary: "ccmux", SessionFile: "/s"},
		{Binary: "/bin/ccmux", SessionFile: "s"},
		{Binary: "/bin/${HOME}/ccmux", SessionFile: "/s"},
		{Binary: "/bin/ccmux", SessionFile: "/s\xff"},
		{},
	} {
		dir := filepath.Join(t.TempDir(), "plugin")
		if err := assets.Render(dir, p); err == nil {
			t.Errorf("%+v was rendered", p)
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%+v left %s behind", p, dir)
		}
	}
}

// TestTextsNameOnlyToolsThatExist reads every `word_with_underscores` in code
// quotes and holds it against the tools, arguments and attributes.
func TestTextsNameOnlyToolsThatExist(t *testing.T) {
	known := append([]string{"parent_task_id", "task_id", "message_id", "needs_context", "await_reply", "kind", "in_reply_to"}, wire.Tools...)
	word := regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`")
	texts := []string{assets.SystemPrompt("frontend")}
	dir := render(t, assets.Plugin{Binary: "/b", SessionFile: "/s"})
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			raw, err := os.ReadFile(path)
			texts = append(texts, string(raw))
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) != 8 {
		t.Errorf("%d texts; want the prompt, a skill and six commands", len(texts))
	}
	for _, text := range texts {
		for _, m := range word.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(known, m[1]) {
				t.Errorf("there is no %q", m[1])
			}
		}
		if strings.Contains(text, "{{") {
			t.Errorf("a template was not filled in: %.80s", text)
		}
	}
}

func TestPromptSaysWhoItIsAndHowToLoadTheTools(t *testing.T) {
	got := assets.SystemPrompt("frontend", "backend", "docs")
	for _, want := range []string{"session `frontend`", "`backend`, `docs`", wire.ChannelSource, assets.SelectTools()} {
		if !strings.Contains(got, want) {
			t.Errorf("the prompt does not say %q", want)
		}
	}
	for _, tool := range wire.Tools {
		if !strings.Contains(got, wire.ToolPrefix+tool) {
			t.Errorf("the prompt does not name %s in full", tool)
		}
	}
	if strings.Contains(assets.SystemPrompt("frontend"), "At your start") {
		t.Error("a session that starts alone is told of peers")
	}
	if n := len(got); n > 6000 {
		t.Errorf("the prompt has %d bytes", n)
	}
}
