package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// stillFor is a little more than a card has to stand still before its keys count.
const stillFor = 550 * time.Millisecond

// insider is a process inside a session that plays claude's hooks on demand.
type insider struct {
	b     *testing.B
	conn  net.Conn
	lines *bufio.Reader
}

// insideAsk is one hook to play: by a process of the program, or by a frame.
type insideAsk struct {
	Command string
	Process bool
}

// insideSaid is what came of it, in nanoseconds of the wall clock.
type insideSaid struct {
	Sent, Verdict int64
	Action, Err   string
}

// beInsider is the process inside the session. It listens on socket; args are
// those of the session's program, which name its folder.
func beInsider(socket string, args []string) int {
	i := slices.Index(args, "--plugin-dir")
	l, err := net.Listen("unix", socket)
	if i < 0 || err != nil {
		return 1
	}
	file := filepath.Join(filepath.Dir(args[i+1]), "session.json")
	for {
		c, err := l.Accept()
		if err != nil {
			return 1
		}
		in, out := json.NewDecoder(c), json.NewEncoder(c)
		for {
			var a insideAsk
			if in.Decode(&a) != nil {
				break
			}
			say := func(s insideSaid) { _ = out.Encode(s) } // the bench finds out by itself
			if err := a.play(file, say); err != nil {
				say(insideSaid{Err: err.Error()})
			}
		}
	}
}

func (a insideAsk) play(file string, say func(insideSaid)) error {
	input, err := json.Marshal(map[string]any{
		"hook_event_name": "PermissionRequest", "tool_name": "Bash", "agent_id": "sub", "tool_input": map[string]string{"command": a.Command},
	})
	if err != nil {
		return err
	}
	if a.Process {
		cmd := exec.Command(os.Getenv("BENCH_CCMUX"), "hook", "PermissionRequest", "--session-file", file)
		cmd.Stdin = strings.NewReader(string(input))
		sent := time.Now()
		out, err := cmd.Output()
		say(insideSaid{Sent: sent.UnixNano(), Verdict: time.Now().UnixNano(), Action: string(out)})
		return err
	}
	f, err := wire.ReadSessionFile(file)
	if err != nil {
		return err
	}
	nc, err := net.Dial("unix", f.Socket)
	if err != nil {
		return err
	}
	conn := wire.NewConn(nc)
	defer conn.Close()
	if err := conn.Write(wire.TypeHello, 1, wire.Hello{Protocol: wire.Protocol, Role: wire.RoleHook, Credential: f.Credential}); err != nil {
		return err
	}
	if _, err := conn.Read(); err != nil {
		return err
	}
	say(insideSaid{Sent: time.Now().UnixNano()})
	if err := conn.Write(wire.TypeHook, 2, wire.HookCall{Event: "PermissionRequest", Input: input}); err != nil {
		return err
	}
	answer, err := conn.Read()
	if err != nil {
		return err
	}
	got := time.Now()
	var v wire.HookVerdict
	if err := answer.Decode(&v); err != nil {
		return err
	}
	say(insideSaid{Verdict: got.UnixNano(), Action: string(v.Action)})
	return nil
}

// newAsking is a project whose first session has an insider and whose others run
// the scripts.
func newAsking(b *testing.B, scripts []string) (*benchProject, *insider) {
	b.Helper()
	p := newProject(b, append([]string{"worker"}, scripts...))
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	socket := filepath.Join(filepath.Dir(p.dir), "inside")
	beside := fmt.Sprintf(`BENCH_CCMUX=%[1]q %[2]q bench-insider %[3]q "$@" </dev/null >/dev/null 2>&1 & exec %[1]q demo-agent "$@"`, p.ccmux, self, socket)
	path := filepath.Join(p.dir, "ccmux.toml")
	raw, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	command, err := json.Marshal([]string{"/bin/sh", "-c", beside, "sh"})
	if err != nil {
		b.Fatal(err)
	}
	toml := strings.Replace(string(raw), fmt.Sprintf("command = [%q, \"demo-agent\"]", p.ccmux), "command = "+string(command), 1)
	toml = strings.ReplaceAll(toml, `\u0026`, "&")
	toml = strings.ReplaceAll(strings.ReplaceAll(toml, `\u003c`, "<"), `\u003e`, ">")
	if err := os.WriteFile(path, []byte(toml), 0o600); err != nil {
		b.Fatal(err)
	}
	p.up()
	p.proven()
	return p, dialInsider(b, socket)
}

func dialInsider(b *testing.B, socket string) *insider {
	b.Helper()
	for limit := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		c, err := net.Dial("unix", socket)
		if err == nil {
			b.Cleanup(func() { c.Close() })
			return &insider{b, c, bufio.NewReader(c)}
		}
		if time.Now().After(limit) {
			b.Fatal(err)
		}
	}
}

func (i *insider) ask(a insideAsk) {
	i.b.Helper()
	if err := json.NewEncoder(i.conn).Encode(a); err != nil {
		i.b.Fatal(err)
	}
}

func (i *insider) said() (s insideSaid) {
	i.b.Helper()
	_ = i.conn.SetReadDeadline(time.Now().Add(patience))
	line, err := i.lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &s)
	}
	if err == nil && s.Err != "" {
		err = errors.New(s.Err)
	}
	if err != nil {
		i.b.Fatal(err)
	}
	return s
}

// BenchmarkPermission is a request of one session while eight panes are on the
// screen and seven of them print as fast as ccmux takes it: from the frame on the
// socket until its card is drawn on the human's terminal, and from the human's key
// until the hook has the verdict. Beside it the echo of a bare `cat`. The aims:
// p99 ≤ 30 ms and ≤ 50 ms.
func BenchmarkPermission(b *testing.B) {
	p, in := newAsking(b, repeated(7, "ignore flood=1"))
	t := p.attach(200, 60)
	t.await("s0", "s7", "sessions")
	if out, err := p.run("send", "s0", "--kind", "task", "run: echo held"); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	t.await("asks to run a command", "echo held") // this one stays, so that claude waits all the time
	floor := openBench(b, 80, 24, p.env, p.dir, "cat")
	const rounds = 20
	var card, key, bare []time.Duration
	n := 0
	for b.Loop() {
		for range rounds {
			n++
			word := fmt.Sprintf("echo asked-%d-", n)
			in.ask(insideAsk{Command: word})
			sent := in.said().Sent
			t.await("1 of 2")
			card = append(card, time.Since(time.Unix(0, sent)))
			t.press("\x1b[Z")
			t.await(word)
			<-time.After(stillFor)
			start := time.Now()
			t.press("a")
			s := in.said()
			if s.Action != string(wire.HookAllow) {
				b.Fatalf("the hook got %q", s.Action)
			}
			key = append(key, time.Unix(0, s.Verdict).Sub(start))
			t.until("the card gone", func(screen string) bool { return !strings.Contains(screen, "of 2 ") })
			bare = append(bare, floor.echo(n))
		}
	}
	figures(b, "card", card)
	figures(b, "key", key)
	figures(b, "floor", bare)
	b.ReportMetric(30, "aim-card-p99-ms")
	b.ReportMetric(50, "aim-key-p99-ms")
}

// BenchmarkRuleVerdict is a request that a rule allows, from the start of its hook
// process to its end with the verdict, beside a Go program that says hello. The
// aim: ≤ 25 ms.
func BenchmarkRuleVerdict(b *testing.B) {
	p, in := newAsking(b, repeated(7, "ignore"))
	if out, err := p.run("rules", "add", "allow", "Bash", "echo *"); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	_, hello := binaries(b)
	var took, floor []time.Duration
	for n := 0; b.Loop(); n++ {
		floor = append(floor, helloTook(b, hello))
		in.ask(insideAsk{Command: fmt.Sprintf("echo ruled-%d", n), Process: true})
		s := in.said()
		if !strings.Contains(s.Action, `"allow"`) {
			b.Fatalf("the hook said %q", s.Action)
		}
		took = append(took, time.Duration(s.Verdict-s.Sent))
	}
	figures(b, "verdict", took)
	figures(b, "floor", floor)
	b.ReportMetric(25, "aim-verdict-ms")
}
