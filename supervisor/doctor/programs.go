package doctor

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

// oldest is the oldest claude ccmux was tried with.
var oldest = [3]int{2, 1, 197}

var versionRE = regexp.MustCompile(`(\d+)\.(\d+)\.(\d+)`)

// claude runs `claude --version`.
func (p Patient) claude(ctx context.Context) (path string, f Finding) {
	f = timed(func() Finding {
		f := Finding{What: "claude", Verdict: Problem}
		found, err := exec.LookPath("claude")
		if err != nil {
			f.Words = "it is not on your PATH"
			f.Do = "npm install -g @anthropic-ai/claude-code; ccmux demo works without it"
			return f
		}
		path = found
		out, err := p.run(ctx, "", found, "--version")
		if err != nil {
			f.Words, f.Do = fmt.Sprintf("%s --version failed: %v", found, err), "run it by hand and mend what it says"
			return f
		}
		return judgeVersion(f, found, string(out))
	})
	return path, f
}

func judgeVersion(f Finding, path, out string) Finding {
	m := versionRE.FindStringSubmatch(out)
	if m == nil {
		f.Verdict, f.Words = Warning, fmt.Sprintf("%s says %q: no version in it", path, wire.CleanLine(out, 80))
		return f
	}
	f.Verdict, f.Words = OK, fmt.Sprintf("%s, %s", m[0], path)
	if _, old := TooOld(out); old {
		f.Verdict, f.Do = Problem, Update
	}
	return f
}

// TooOld says whether the claude that answered `--version` with out is older than
// any ccmux works with; version is what it says, "" when there is none in it.
func TooOld(out string) (version string, old bool) {
	version, v := versionIn(out)
	return version, version != "" && slices.Compare(v[:], oldest[:]) < 0
}

// asking is the oldest claude that was seen to run the prompt hook for events
// that come while a tool runs; 2.1.197 was seen not to.
var asking = [3]int{2, 1, 332}

// AsksDuringTools says whether the claude of that version runs the prompt hook
// also for an event that comes while a tool runs. One that was not seen to, or
// says no version, counts as one that does not.
func AsksDuringTools(version string) bool {
	_, v := versionIn(version)
	return slices.Compare(v[:], asking[:]) >= 0
}

// versionIn finds the first version in a text; "" when there is none.
func versionIn(text string) (version string, v [3]int) {
	m := versionRE.FindStringSubmatch(text)
	if m == nil {
		return "", v
	}
	for i := range v {
		_, _ = fmt.Sscan(m[i+1], &v[i]) // digits, by the expression
	}
	return m[0], v
}

// Update says what to do about a claude that is too old.
var Update = fmt.Sprintf("ccmux works with %d.%d.%d and later: update it (npm install -g @anthropic-ai/claude-code)", oldest[0], oldest[1], oldest[2])

// plugin renders a session's plugin and has claude validate it.
func (p Patient) plugin(ctx context.Context, claude string) Finding {
	return timed(func() Finding {
		f := Finding{What: "plugin", Verdict: Problem}
		dir, err := os.MkdirTemp("", "ccmux-doctor-")
		if err != nil {
			f.Words = err.Error()
			return f
		}
		defer os.RemoveAll(dir)
		plugin := filepath.Join(dir, "plugin")
		if err := p.Render(plugin, filepath.Join(dir, "session.json")); err != nil {
			f.Words = err.Error()
			return f
		}
		if out, err := p.run(ctx, dir, claude, "plugin", "validate", plugin); err != nil {
			f.Words = "claude does not accept ccmux's plugin: " + wire.CleanLine(string(out), 300)
			f.Do = "this claude may be newer than this ccmux: update ccmux"
			return f
		}
		f.Verdict, f.Words = OK, "claude validates it"
		return f
	})
}

// teamFile says whether the project's ccmux.toml can be used.
func (p Patient) teamFile() Finding {
	f := Finding{What: "ccmux.toml", Verdict: OK, Words: "there is none, and none is needed"}
	switch {
	case p.Project.Fault != nil:
		f.Verdict, f.Words, f.Do = Problem, p.Project.Fault.Error(), "mend it: until then ccmux up refuses to start anything new"
	case p.Project.Config != nil:
		f.Words = p.Project.Config.Path
	}
	return f
}

// settings looks for what turns channels off before a session starts.
func (p Patient) settings() Finding {
	f := Finding{What: "channel flags", Verdict: OK, Words: "nothing in the environment turns channels off"}
	var off []string
	for _, kv := range p.Env {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "DISABLE_TELEMETRY", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY":
			if value != "" && value != "0" && value != "false" {
				off = append(off, name)
			}
		}
	}
	if len(off) > 0 {
		f.Verdict = Warning
		f.Words = strings.Join(off, ", ") + " set: claude has no channels then; permission requests work, and mail is handed over at the turn's edge or read with inbox"
		f.Do = "unset it for these sessions if you want tasks to arrive by themselves"
	}
	return f
}

// channelProcess starts the MCP server and has it introduce itself.
func (p Patient) channelProcess(ctx context.Context) Finding {
	return timed(func() Finding {
		f := Finding{What: "channel process", Verdict: Problem}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		cmd := exec.CommandContext(ctx, p.Binary, "channel", "--session-file", os.DevNull)
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"ccmux-doctor","version":"1"}}}` + "\n")
		out, err := cmd.Output()
		if !bytes.Contains(out, []byte("claude/channel")) {
			f.Words = fmt.Sprintf("it does not introduce itself: %v %s", err, wire.CleanLine(string(out), 200))
			return f
		}
		f.Verdict, f.Words = OK, "starts and speaks MCP"
		return f
	})
}

// hookProcess runs a hook without a ccmux: it must stay silent and succeed.
func (p Patient) hookProcess(ctx context.Context) Finding {
	return timed(func() Finding {
		f := Finding{What: "hook process", Verdict: Problem}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		cmd := exec.CommandContext(ctx, p.Binary, "hook", "Stop", "--session-file", filepath.Join(os.TempDir(), "ccmux-doctor-none"))
		cmd.Stdin = strings.NewReader(`{"hook_event_name":"Stop"}`)
		out, err := cmd.Output()
		if err != nil || len(bytes.TrimSpace(out)) > 0 {
			f.Words = fmt.Sprintf("without a ccmux it should be silent: %v %s", err, wire.CleanLine(string(out), 200))
			return f
		}
		f.Verdict, f.Words = OK, "starts, and gets out of claude's way when ccmux is gone"
		return f
	})
}

// run runs a program with the caller's environment, bounded in time.
func (p Patient) run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, p.Env
	out, err := cmd.CombinedOutput()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %v", limit)
	}
	return out, err
}

// logout says what becomes of ccmux when the human logs out.
func logout() Finding {
	f := Finding{What: "logout", Verdict: OK, Words: "nothing here ends background processes at logout"}
	file, err := os.Open("/etc/systemd/logind.conf")
	if err != nil {
		f.Words = "no systemd-logind configuration here"
		return f
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.EqualFold(strings.ReplaceAll(lines.Text(), " ", ""), "KillUserProcesses=yes") {
			f.Verdict, f.Words = Warning, "systemd ends your processes at logout (KillUserProcesses=yes), and ccmux with its sessions"
			f.Do = "loginctl enable-linger, or start ccmux with systemd-run --user --scope"
		}
	}
	return f
}
