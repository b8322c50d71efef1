package channel

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

// command is one of the two commands as a process of its own.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asMain+"=1")
	return cmd
}

func sessionFile(t *testing.T, f *fakeCcmux) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.json")
	if err := WriteSessionFile(path, SessionFile{Socket: f.listen(), Credential: "c"}); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWrongCommandLineIsNoVeto(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"nonsense"},
		{"channel"},
		{"hook"},
		{"hook", "Stop"},
		{"channel", "--nope"},
		{"hook", "Stop", "--session-file"},
		{"channel", "--session-file", "/s", "more"},
		{"hook", "Stop", "-h"},
	} {
		var stdout, stderr bytes.Buffer
		cmd := command(args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("%q: %v; want exit code 1", args, err)
		}
		if stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "ccmux: ") {
			t.Errorf("%q: stdout %q, stderr %q", args, stdout.String(), stderr.String())
		}
	}
}

func TestSignalEndsTheChannelWhileClaudeHoldsItsInput(t *testing.T) {
	f := newFake(t)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := command("channel", "--session-file", sessionFile(t, f))
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		conn := <-f.conns
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", sig, err)
		}
		<-conn.closed
		in.Close()
	}
}

func TestSignalEndsAWaitingHookWithoutAWord(t *testing.T) {
	f := newFake(t)
	asked := make(chan struct{})
	f.hook = func(wire.HookCall) (wire.HookVerdict, error) {
		close(asked)
		return wire.HookVerdict{}, errSilence
	}
	var out bytes.Buffer
	cmd := command("hook", "PermissionRequest", "--session-file", sessionFile(t, f))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(`{}`), &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || out.Len() > 0 {
		t.Errorf("%v, it said %q", err, out.String())
	}
}

func TestHookProcessBringsTheVerdict(t *testing.T) {
	f := newFake(t)
	f.hook = func(wire.HookCall) (wire.HookVerdict, error) {
		return wire.HookVerdict{Action: wire.HookDeny, Reason: "rule 1"}, nil
	}
	cmd := command("hook", "PermissionRequest", "--session-file", sessionFile(t, f))
	cmd.Stdin = strings.NewReader(`{"tool_name":"Bash"}`)
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), `"message":"rule 1"`) {
		t.Errorf("%v, it said %q", err, out)
	}
}
