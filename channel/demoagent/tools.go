package demoagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// toolUse is one call of a tool.
type toolUse struct {
	id    string
	name  string
	input map[string]any
	task  string   // the thread it serves
	head  string   // how it shows, without the glyph
	title string   // of the dialog
	ask   []string // what the dialog shows of the input
}

// toolResult is what came of it.
type toolResult struct {
	text       string
	response   any // as PostToolUse gets it
	structured json.RawMessage
	failed     bool
	denied     bool
}

// bash runs a shell command, after asking.
func (t *turn) bash(task, cmd string) (toolResult, error) {
	u := toolUse{name: "Bash", input: map[string]any{"command": cmd}, task: task, head: "Bash(" + cmd + ")", title: "Bash command", ask: []string{cmd, ""}}
	return t.use(u, func(ctx context.Context, u toolUse) toolResult {
		cmd, _ := u.input["command"].(string)
		return t.shell(ctx, cmd)
	})
}

// maxOutput is how much of a command's output is kept.
const maxOutput = 30000

// shell runs the command in a process group of its own.
func (t *turn) shell(ctx context.Context, cmd string) toolResult {
	c := exec.Command("/bin/sh", "-c", cmd)
	var out, errs bytes.Buffer
	c.Dir, c.Env, c.Stdout, c.Stderr = t.a.cwd, t.a.env, &out, &errs
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = time.Second // a child that outlives the shell may hold the pipes
	if err := c.Start(); err != nil {
		return toolResult{text: err.Error(), failed: true}
	}
	err := waitOrEnd(ctx, c)
	stdout, stderr := cut(strings.TrimRight(out.String(), "\n")), cut(strings.TrimRight(errs.String(), "\n"))
	text := strings.TrimSpace(stdout + "\n" + stderr)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return toolResult{text: fmt.Sprintf("Exit code %d\n%s", exit.ExitCode(), text), failed: true}
	}
	if text == "" {
		text = "(Bash completed with no output)"
	}
	return toolResult{text: text, response: map[string]any{"stdout": stdout, "stderr": stderr, "interrupted": false, "isImage": false, "noOutputExpected": false}}
}

func cut(s string) string {
	if len(s) > maxOutput {
		return s[:maxOutput] + "\n… (cut)"
	}
	return s
}

// write writes a file, after asking.
func (t *turn) write(task, path, text string) (toolResult, error) {
	path = t.a.path(path)
	u := toolUse{name: "Write", input: map[string]any{"file_path": path, "content": text}, task: task, head: "Write(" + path + ")", title: "Create file", ask: []string{path, text, ""}}
	return t.use(u, func(context.Context, toolUse) toolResult {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return toolResult{text: err.Error(), failed: true}
		}
		return toolResult{text: "File created successfully at: " + path, response: map[string]any{"type": "create", "filePath": path, "content": text}}
	})
}

func (a *agent) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(a.cwd, p)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// call uses one of the plugin's tools.
func (t *turn) call(task, tool string, args any) (toolResult, error) {
	input := map[string]any{}
	b, err := json.Marshal(args)
	if err != nil || json.Unmarshal(b, &input) != nil {
		return toolResult{}, fmt.Errorf("call %s: arguments that are no object", tool)
	}
	full := t.a.plug.toolPrefix() + tool
	u := toolUse{name: full, input: input, task: task, head: t.a.plug.key + " - " + tool + " (MCP)(" + briefly(input) + ")", title: "Tool use", ask: []string{tool + " " + string(b), ""}}
	return t.use(u, func(ctx context.Context, u toolUse) toolResult { return t.rpc(ctx, tool, u) })
}

func (t *turn) rpc(ctx context.Context, tool string, u toolUse) toolResult {
	var server *mcpServer
	t.a.do(func() { server = t.a.server })
	if server == nil {
		return toolResult{text: errServerGone.Error(), failed: true}
	}
	raw, err := server.call(ctx, "", "tools/call", map[string]any{
		"name": tool, "arguments": u.input, "_meta": map[string]any{"claudecode/toolUseId": u.id},
	})
	if err != nil {
		return toolResult{text: err.Error(), failed: true}
	}
	var res struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return toolResult{text: "the server's answer cannot be read: " + err.Error(), failed: true}
	}
	var texts []string
	for _, c := range res.Content {
		texts = append(texts, c.Text)
	}
	out := toolResult{text: strings.Join(texts, "\n"), structured: res.Structured, failed: res.IsError, response: res.Content}
	if len(res.Structured) > 0 {
		out.response = string(res.Structured) // what claude shows its hooks and its model
	}
	return out
}

// briefly shows arguments in the order of their names, each cut short.
func briefly(input map[string]any) string {
	var parts []string
	for _, k := range sortedKeys(input) {
		v := firstLine(fmt.Sprint(input[k]))
		if r := []rune(v); len(r) > 40 {
			v = string(r[:39]) + "…"
		}
		parts = append(parts, k+": "+v)
	}
	return strings.Join(parts, ", ")
}
