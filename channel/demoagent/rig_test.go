package demoagent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/ccmux/ccmux/channel/wire"
)

// patience is how long a test waits for a condition before it fails.
const patience = 40 * time.Second

// rig is an agent in a pty with a plugin whose processes ask this test.
type rig struct {
	t    *testing.T
	dir  string
	home string
	ptmx *os.File
	exit chan int
	args []string

	mu       sync.Mutex
	changed  chan struct{}
	out      string   // what the agent wrote
	text     string   // of it, what is no escape sequence
	done     int      // how much of out is in text
	log      []call   // hooks and requests, in order
	server   net.Conn // the fake server
	conns    []net.Conn
	onHook   func(event string, in object) string // answer of a hook
	onTool   func(name string, args object) any
	caps     object // experimental capabilities
	discover any    // what server/discover gets; nil is -32601
}

type object = map[string]any

// call is one thing the agent did to the plugin.
type call struct {
	what string // "hook Stop", "rpc tools/call", "signal interrupt"
	in   object
	env  []string
}

// newRig prepares everything; start starts the agent.
func newRig(t *testing.T) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "demo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := &rig{
		t: t, dir: dir, home: filepath.Join(dir, "home"), exit: make(chan int, 1), changed: make(chan struct{}),
		caps: object{"claude/channel": object{}},
	}
	r.onHook = func(string, object) string { return "" }
	r.onTool = func(string, object) any {
		return object{"content": []any{object{"type": "text", "text": "ok"}}}
	}
	r.args = []string{"--session-id", "11111111-2222-4333-8444-555555555555", "-n", "backend", "--plugin-dir", filepath.Join(dir, "plug in"), "--dangerously-load-development-channels", "plugin:ccmux@inline", "--allowedTools", "mcp__plugin_ccmux_peers__*", "--permission-mode", "manual"}
	r.writePlugin()
	r.listen()
	return r
}

func (r *rig) writePlugin() {
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	hooks := object{}
	for _, e := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "Stop", "SessionEnd"} {
		hooks[e] = []any{object{"hooks": []any{object{"type": "command", "command": self, "args": []string{"fake-hook", r.sock()}}}}}
	}
	for path, v := range map[string]any{
		".claude-plugin/plugin.json": object{"name": "ccmux", "version": "0"},
		".mcp.json":                  object{"mcpServers": object{"peers": object{"command": self, "args": []string{"fake-server", r.sock()}, "env": object{"FROM_ROOT": "${CLAUDE_PLUGIN_ROOT}/x"}}}},
		"hooks/hooks.json":           object{"hooks": hooks},
	} {
		b, _ := json.Marshal(v)
		path = filepath.Join(r.dir, "plug in", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *rig) sock() string { return filepath.Join(r.dir, "s") }

func (r *rig) listen() {
	l, err := net.Listen("unix", r.sock())
	if err != nil {
		r.t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r.mu.Lock()
			r.conns = append(r.conns, c)
			r.mu.Unlock()
			wg.Go(func() { defer c.Close(); r.serve(c) })
		}
	})
	r.t.Cleanup(func() {
		l.Close()
		r.mu.Lock()
		for _, c := range r.conns { // ends the processes that outlived the agent
			c.Close()
		}
		r.mu.Unlock()
		wg.Wait()
	})
}

func (r *rig) serve(c net.Conn) {
	in := bufio.NewReader(c)
	first, err := in.ReadBytes('\n')
	if err != nil {
		return
	}
	var h hello
	_ = json.Unmarshal(first, &h)
	if h.Role == "hook" {
		event, _ := h.Input["hook_event_name"].(string)
		r.add(call{"hook " + event, h.Input, h.Env})
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if line, _ := in.ReadString('\n'); line != "" {
				r.add(call{what: "SIGTERM " + event})
			}
		}()
		r.mu.Lock()
		answer := r.onHook
		r.mu.Unlock()
		fmt.Fprintln(c, answer(event, h.Input))
		c.Close()
		<-gone
		return
	}
	r.mu.Lock()
	r.server = c
	r.mu.Unlock()
	r.add(call{what: "server", env: h.Env})
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		r.request(c, line)
	}
}

func (r *rig) request(c net.Conn, line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params object          `json:"params"`
		Signal string          `json:"signal"`
	}
	_ = json.Unmarshal(line, &m)
	if m.Signal != "" {
		r.add(call{what: "signal " + m.Signal})
		return
	}
	r.add(call{what: "rpc " + m.Method, in: m.Params})
	if m.ID == nil {
		return
	}
	var result any
	switch m.Method {
	case "server/discover":
		result = r.discover
	case "initialize":
		result = object{"protocolVersion": "2025-11-25", "capabilities": object{"tools": object{}, "experimental": r.caps}, "serverInfo": object{"name": "x", "version": "1"}}
	case "tools/list":
		result = object{"tools": []any{}}
	case "tools/call":
		r.mu.Lock()
		answer := r.onTool
		r.mu.Unlock()
		args, _ := m.Params["arguments"].(object)
		result = answer(m.Params["name"].(string), args)
	}
	reply := object{"jsonrpc": "2.0", "id": m.ID}
	if result == nil {
		reply["error"] = object{"code": -32601, "message": "Method not found"}
	} else {
		reply["result"] = result
	}
	b, _ := json.Marshal(reply)
	fmt.Fprintf(c, "%s\n", b)
}

// start runs the agent in this process.
func (r *rig) start(script string, args ...string) {
	r.t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		r.t.Fatal(err)
	}
	_ = pty.Setsize(ptmx, &pty.Winsize{Rows: 30, Cols: 100})
	r.ptmx = unblocked(ptmx)
	env := func(k string) string {
		switch k {
		case "HOME":
			return r.home
		case "CCMUX_DEMO_SCRIPT":
			return script
		}
		return ""
	}
	go func() { r.exit <- Main(append(r.args, args...), env, tty, tty); tty.Close() }()
	r.readScreen()
	r.t.Cleanup(r.stop)
}

// spawn runs the agent as a process of its own.
func (r *rig) spawn(script string, args ...string) *exec.Cmd {
	r.t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"fake-agent"}, append(r.args, args...)...)...)
	cmd.Env = append(os.Environ(), "HOME="+r.home, "CCMUX_DEMO_SCRIPT="+script)
	ptmx, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 100})
	if err != nil {
		r.t.Fatal(err)
	}
	r.ptmx = unblocked(ptmx)
	go func() { _ = cmd.Wait(); r.exit <- cmd.ProcessState.ExitCode() }()
	r.readScreen()
	r.t.Cleanup(r.stop)
	return cmd
}

// unblocked makes a master whose Close ends a Read.
func unblocked(f *os.File) *os.File {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		panic(err)
	}
	_ = unix.SetNonblock(fd, true)
	f.Close()
	return os.NewFile(uintptr(fd), "pty")
}

func (r *rig) readScreen() {
	go func() {
		b := make([]byte, 64<<10)
		for {
			n, err := r.ptmx.Read(b)
			r.mu.Lock()
			r.out += string(b[:n])
			end := len(r.out) // a sequence may be cut by the read
			if i := strings.LastIndexByte(r.out, 0x1b); err == nil && i >= r.done && end-i < 64 {
				end = i
			}
			r.text += plain(r.out[r.done:end])
			r.done = end
			r.tell()
			r.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
}

// stop ends the agent, if it still runs.
func (r *rig) stop() {
	r.ptmx.Close() // a hang-up ends it whatever it does
	select {
	case <-r.exit:
	case <-time.After(patience):
		r.t.Error("the agent did not end")
	}
}

// ended waits for the exit code.
func (r *rig) ended() int {
	r.t.Helper()
	select {
	case code := <-r.exit:
		r.exit <- code
		return code
	case <-time.After(patience):
		r.fail("the agent's end")
	}
	return -1
}

func (r *rig) add(c call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, c)
	r.tell()
}

func (r *rig) tell() { close(r.changed); r.changed = make(chan struct{}) }

// wait waits until ok holds; it is asked after everything that happens.
func (r *rig) wait(what string, ok func() bool) {
	r.t.Helper()
	limit := time.After(patience)
	for {
		r.mu.Lock()
		done, changed := ok(), r.changed
		r.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Millisecond): // files tell nobody
		case <-limit:
			r.fail(what)
		}
	}
}

func (r *rig) fail(what string) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, c := range r.log {
		in, _ := json.Marshal(c.in)
		fmt.Fprintf(&b, "%s %.200s\n", c.what, in)
	}
	r.t.Fatalf("waited for %s\nlog:\n%s\nscreen:\n%s", what, b.String(), r.text[max(0, len(r.text)-1500):])
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?>]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b.`)

func plain(s string) string { return escapes.ReplaceAllString(s, "") }

func (r *rig) keys(s string) { _, _ = r.ptmx.WriteString(s) }

func (r *rig) typed(s string) { r.keys("\x1b[200~" + s + "\x1b[201~\r") }

// sees waits for text on the screen.
func (r *rig) sees(text string) {
	r.t.Helper()
	r.wait(fmt.Sprintf("%q on the screen", text), func() bool { return strings.Contains(r.text, text) })
}

// count waits until what was seen n times, and returns the nth.
func (r *rig) count(what string, n int) call {
	r.t.Helper()
	var last call
	r.wait(fmt.Sprintf("%d× %s", n, what), func() bool {
		seen := 0
		for _, c := range r.log {
			if c.what == what {
				if seen++; seen == n {
					last = c
				}
			}
		}
		return seen >= n
	})
	return last
}

func (r *rig) order() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []string
	for _, c := range r.log {
		list = append(list, c.what)
	}
	return strings.Join(list, ", ")
}

// hooked sets what hooks answer from now on.
func (r *rig) hooked(f func(event string, in object) string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onHook = f
}

// ready waits until pushes are heard, and lets a probe prove it.
func (r *rig) ready() {
	r.t.Helper()
	r.hooked(func(event string, _ object) string {
		if event == "UserPromptSubmit" {
			return `{"decision":"block","reason":"ccmux: channel works"}`
		}
		return ""
	})
	had := r.enqueued()
	r.pushUntilQueued(message1("probe", object{"probe": "n1", "message_id": "p"}))
	r.wait("all probes blocked", func() bool {
		return strings.Count(r.text, "blocked by hook: ccmux: channel works") == r.enqueued()-had
	})
	r.status("idle", "")
	r.hooked(func(string, object) string { return "" })
}

// pushUntilQueued pushes, again as long as claude would still be deaf.
func (r *rig) pushUntilQueued(params object) {
	r.t.Helper()
	r.count("rpc tools/list", 1)
	had := r.enqueued()
	for limit := time.Now().Add(patience); r.enqueued() == had; {
		if time.Now().After(limit) {
			r.fail("a push that is heard")
		}
		r.push(params)
		heard := time.After(4 * deafTime)
	look:
		for r.enqueued() == had {
			select {
			case <-heard:
				break look
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
}

// settle gives a push that nobody may hear the time to be heard.
func (r *rig) settle() { <-time.After(2 * deafTime) }

func message1(content string, meta object) object { return object{"content": content, "meta": meta} }

func task(id, content string) object {
	return message1(content, object{"sender": "frontend", "kind": "task", "task_id": id, "message_id": "m-" + id})
}

func (r *rig) push(params object) {
	r.t.Helper()
	b, _ := json.Marshal(object{"jsonrpc": "2.0", "method": "notifications/claude/channel", "params": params})
	r.mu.Lock()
	c := r.server
	r.mu.Unlock()
	fmt.Fprintf(c, "%s\n", b)
}

// status waits for the status file to say so.
func (r *rig) status(status, waitingFor string) {
	r.t.Helper()
	r.wait("status "+status, func() bool {
		files, _ := filepath.Glob(filepath.Join(r.home, ".claude", "sessions", "*.json"))
		for _, f := range files {
			var d statusData
			b, _ := os.ReadFile(f)
			if json.Unmarshal(b, &d) == nil && d.Status == status && d.WaitingFor == waitingFor {
				return true
			}
		}
		return false
	})
}

// transcript returns the conversation's lines.
func (r *rig) transcript() []object {
	files, _ := filepath.Glob(filepath.Join(r.home, ".claude", "projects", "*", "*.jsonl"))
	var list []object
	for _, f := range files {
		b, _ := os.ReadFile(f)
		for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
			var m object
			if json.Unmarshal([]byte(l), &m) == nil {
				list = append(list, m)
			}
		}
	}
	return list
}

var _ = wire.TagPrefix
