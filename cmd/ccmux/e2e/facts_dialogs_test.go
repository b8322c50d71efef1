//go:build e2e

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// No dialog at the start may ever get a blind Enter: what is highlighted
// differs by version, and one of the answers ends the session.
func TestFactTrustDialog(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		dir := r.NewFolder("strange")
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual)
		s.Wait("Accessing workspace:", "Quick safety check:")
		if v == oldest {
			s.Wait("❯ 1. Yes, I trust this folder")
			s.Answer("Enter")
		} else {
			s.Wait("❯ No, exit")
			s.Answer("Down")
			s.Wait("❯ Yes, I trust this folder")
			s.Answer("Enter")
		}
		s.WaitGone("Quick safety check:")
		r.ready(dir, s)
	})
}

func TestFactBlindEnterInTrustDialogExits(t *testing.T) {
	t.Parallel()
	r := newRig(t, newest)
	s := r.claude(r.NewFolder("strange"), "frontend")
	s.Wait("Quick safety check:")
	s.Answer("Enter")
	if code := s.WaitExit(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

func TestFactAPIKeyDialog(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		delete(r.Env, "ANTHROPIC_AUTH_TOKEN")
		r.Env["ANTHROPIC_API_KEY"] = "sk-ant-api03-dummy-dummy-dummy-dummy"
		dir := r.Folder("frontend")
		s := r.claude(dir, "frontend", "--permission-mode", v.Manual)
		s.Wait("Detected a custom API key in your environment", "No (recommended)")
		r.Eventually("the row No highlighted", func() bool { return strings.Contains(highlighted(s), "No (recommended)") })
		s.Answer("Up")
		r.Eventually("the row Yes highlighted", func() bool { return strings.Contains(highlighted(s), "Yes") })
		s.Answer("Enter")
		s.WaitGone("Detected a custom API key")
		r.ready(dir, s)
	})
}

// highlighted is the last line with the mark of the chosen row.
func highlighted(s *Screen) string {
	var row string
	for line := range strings.Lines(s.Text()) {
		if strings.Contains(line, "❯") {
			row = line
		}
	}
	return strings.TrimSpace(row)
}

// plugin writes the smallest plugin with an MCP server that claude accepts,
// and gives back the flags that load it as a channel.
func (r *Rig) plugin(name, command string, args ...string) []string {
	r.T.Helper()
	dir := filepath.Join(r.root, "plugin")
	r.Write(filepath.Join(dir, ".claude-plugin", "plugin.json"),
		`{"name":"`+name+`","version":"0.0.1","description":"for a test","author":{"name":"tests"}}`, 0o600)
	server, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"peers": map[string]any{"command": command, "args": args}}})
	if err != nil {
		r.T.Fatal(err)
	}
	r.Write(filepath.Join(dir, ".mcp.json"), string(server), 0o600)
	return []string{"--plugin-dir", dir, "--dangerously-load-development-channels", "plugin:" + name + "@inline", "--"}
}

func TestFactDevelopmentChannelsDialog(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v)
		dir := r.Folder("frontend")
		flags := append([]string{"--permission-mode", v.Manual}, r.plugin("ccmux", "cat")...)
		s := r.claude(dir, "frontend", flags...)
		s.Wait("WARNING: Loading development channels", "Channels: plugin:ccmux@inline", "❯ 1. I am using this for local development")
		s.Answer("Enter")
		s.WaitGone("WARNING: Loading development channels")
		r.ready(dir, s)
	})
}

// Without the feature flag there is no dialog and no channel, and the screen
// is the only one to tell.
func TestFactChannelsWithoutTheFlag(t *testing.T) {
	each(t, func(t *testing.T, v *Version) {
		r := newRig(t, v, WithoutFlags())
		dir := r.Folder("frontend")
		flags := append([]string{"--permission-mode", v.Manual}, r.plugin("ccmux", "cat")...)
		s := r.claude(dir, "frontend", flags...)
		s.Wait("--dangerously-load-development-channels ignored", "Channels are not currently available")
		r.ready(dir, s)
	})
}
