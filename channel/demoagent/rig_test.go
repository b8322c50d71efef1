package demoagent

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
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

// wait waits until ok holds; it is asked after everything that happens.

// sees waits for text on the screen.

// count waits until what was seen n times, and returns the nth.

// hooked sets what hooks answer from now on.

// ready waits until pushes are heard, and lets a probe prove it.

// pushUntilQueued pushes, again as long as claude would still be deaf.

// settle gives a push that nobody may hear the time to be heard.

// status waits for the status file to say so.

// transcript returns the conversation's lines.
