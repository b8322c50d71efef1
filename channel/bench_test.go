package channel

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

// buildCommands builds the two commands alone, and a floor to compare them with:
// a Go program that reads its input and ends.
func buildCommands(b *testing.B) (ccmux, floor string) {
	b.Helper()
	dir := b.TempDir()
	src := filepath.Join(dir, "floor.go")
	if err := os.WriteFile(src, []byte("package main\nimport (\"io\"; \"os\")\nfunc main() { io.Copy(io.Discard, os.Stdin) }\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	ccmux, floor = filepath.Join(dir, "ccmux"), filepath.Join(dir, "floor")
	for _, args := range [][]string{{"-o", ccmux, "./testdata/ccmux"}, {"-o", floor, src}} {
		if out, err := exec.Command("go", append([]string{"build"}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("build: %v\n%s", err, out)
		}
	}
	return ccmux, floor
}

// BenchmarkHookProcess is one hook from start to end, answered by a ccmux on a
// socket, beside the floor.
func BenchmarkHookProcess(b *testing.B) {
	ccmux, floor := buildCommands(b)
	f := newFake(b)
	f.conns = make(chan *fakeConn, 1<<20)
	file := filepath.Join(b.TempDir(), "session.json")
	if err := WriteSessionFile(file, SessionFile{Socket: f.listen(), Credential: "c"}); err != nil {
		b.Fatal(err)
	}
	run := func(b *testing.B, args ...string) {
		for b.Loop() {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Stdin = strings.NewReader(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				b.Fatalf("%v %s", err, out)
			}
		}
	}
	b.Run("floor", func(b *testing.B) { run(b, floor) })
	b.Run("hook", func(b *testing.B) { run(b, ccmux, "hook", "PreToolUse", "--session-file", file) })
}

// BenchmarkChannelProcess is the start of the server up to its list of tools,
// and its memory then.
func BenchmarkChannelProcess(b *testing.B) {
	ccmux, _ := buildCommands(b)
	f := newFake(b)
	f.conns = make(chan *fakeConn, 1<<20)
	file := filepath.Join(b.TempDir(), "session.json")
	if err := WriteSessionFile(file, SessionFile{Socket: f.listen(), Credential: "c"}); err != nil {
		b.Fatal(err)
	}
	rss := 0
	for b.Loop() {
		cmd := exec.Command(ccmux, "channel", "--session-file", file)
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		c := &fakeClaude{t: b, in: nil, changed: make(chan struct{})}
		read := make(chan struct{})
		go func() { defer close(read); c.read(out) }()
		c.in = pipeTo(in)
		c.handshake()
		b.StopTimer()
		rss = max(rss, residentKB(b, cmd.Process.Pid))
		c.in.Close()
		<-read
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(rss)/1024, "MB-RSS")
}

// pipeTo gives the writing end that fakeClaude wants.
func pipeTo(w io.WriteCloser) *io.PipeWriter {
	r, pw := io.Pipe()
	go func() {
		_, _ = io.Copy(w, r)
		w.Close()
	}()
	return pw
}

// residentKB is the resident memory of a process; 0 where /proc is missing.
func residentKB(b *testing.B, pid int) (kb int) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kb); err == nil {
			return kb
		}
	}
	b.Error("no VmRSS")
	return 0
}

// BenchmarkCall is one tool call from claude's line to claude's line, over pipes
// and a socket.
func BenchmarkCall(b *testing.B) {
	f := newFake(b)
	c := startServer(b, ServerConfig{Socket: f.listen()})
	c.handshake()
	for b.Loop() {
		c.answer(c.call("send_to_peer", `{"to":"backend","content":"hello there"}`))
		c.forget()
	}
}

// BenchmarkPush is one push from ccmux to claude, with its acknowledgement.
func BenchmarkPush(b *testing.B) {
	f := newFake(b)
	c := startServer(b, ServerConfig{Socket: f.listen()})
	c.handshake()
	conn := <-f.conns
	<-conn.ready
	for seq := uint64(1); b.Loop(); seq++ {
		conn.deliver(b, seq, "hello there", map[string]string{wire.MetaSender: "backend", wire.MetaMessageID: "m"})
		<-conn.delivered
		c.forget()
	}
}
