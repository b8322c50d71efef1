package demoagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// hookSpec is one hook of a plugin.
type hookSpec struct {
	matcher string
	command command
	timeout time.Duration
}

// hookOut is what a hook answered. Nothing at all is no opinion.
type hookOut struct {
	Continue      *bool  `json:"continue"`
	Decision      string `json:"decision"` // block
	Reason        string `json:"reason"`
	SystemMessage string `json:"systemMessage"`
	Specific      struct {
		Event              string          `json:"hookEventName"`
		AdditionalContext  string          `json:"additionalContext"`
		PermissionDecision string          `json:"permissionDecision"` // PreToolUse: allow, deny, ask
		PermissionReason   string          `json:"permissionDecisionReason"`
		UpdatedInput       json.RawMessage `json:"updatedInput"`
		Decision           *struct {       // PermissionRequest
			Behavior     string          `json:"behavior"`
			Message      string          `json:"message"`
			Interrupt    bool            `json:"interrupt"`
			UpdatedInput json.RawMessage `json:"updatedInput"`
		} `json:"decision"`
	} `json:"hookSpecificOutput"`
}

// hookRunner starts hook processes.
type hookRunner struct {
	specs map[string][]hookSpec
	lost  []string // events whose hooks are not run
	dir   string
	env   []string
}

// run runs the hooks of an event, all at once, and waits for all. When ctx ends
// the processes are ended; a hook that ended badly has no opinion, but for exit
// code 2, which blocks with what it wrote to stderr.
func (h *hookRunner) run(ctx context.Context, event, tool string, input []byte) []hookOut {
	if slices.Contains(h.lost, event) {
		return nil
	}
	var specs []hookSpec
	for _, s := range h.specs[event] {
		if s.matches(tool) {
			specs = append(specs, s)
		}
	}
	outs := make([]hookOut, len(specs))
	var wg sync.WaitGroup
	for i, s := range specs {
		wg.Go(func() { outs[i] = h.one(ctx, s, input) })
	}
	wg.Wait()
	return outs
}

// matches reads a matcher as claude does: nothing and * are all, else it is an
// expression for the whole name.
func (s hookSpec) matches(tool string) bool {
	if s.matcher == "" || s.matcher == "*" || tool == "" {
		return true
	}
	re, err := regexp.Compile("^(?:" + s.matcher + ")$")
	return err == nil && re.MatchString(tool)
}

// one runs one hook process, the leader of a session of its own.
func (h *hookRunner) one(ctx context.Context, s hookSpec, input []byte) hookOut {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(s.command.path, s.command.args...)
	cmd.Dir, cmd.Env = h.dir, h.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return hookOut{}
	}
	err := waitOrEnd(ctx, cmd)
	if ctx.Err() != nil {
		return hookOut{}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if exit.ExitCode() == 2 {
			return hookOut{Decision: "block", Reason: strings.TrimSpace(stderr.String())}
		}
		return hookOut{}
	}
	var out hookOut
	_ = json.Unmarshal(stdout.Bytes(), &out) // text that is no JSON has no opinion
	return out
}

// waitOrEnd waits for the process; when ctx ends first its group gets SIGTERM,
// and SIGKILL 5 s later.
func waitOrEnd(ctx context.Context, cmd *exec.Cmd) error {
	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-ended:
			return
		case <-ctx.Done():
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		t := time.NewTimer(5 * time.Second)
		defer t.Stop()
		select {
		case <-ended:
		case <-t.C:
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
	}()
	err := cmd.Wait()
	close(ended)
	<-watched
	return err
}
