//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// subject is one of the programs the table runs against.
type subject struct {
	name    string
	version *Version // which it is, or plays
	demo    bool
}

var subjects = []subject{
	{"demo-new", newest, true},
	{"claude-new", newest, false},
	{"demo-old", oldest, true},
	{"claude-old", oldest, false},
}

// double is a subject in a rig, with a plugin that writes down what it is given
// and answers as it is told.
type double struct {
	*Rig
	subject
	dir    string // the project
	stub   *Stub
	hooks  *Hooks
	model  *lineModel
	script []string // words for the demo agent
	screen *Screen
}

// serverStart keeps the server's environment, then becomes the server.
const serverStart = `printf '%s\0' "PARENT=$PPID" "FOLDER=$PWD" >"$1"; env -0 >>"$1"; shift; exec "$@"`

// earlyStart is a server that pushes before claude hears: before its answer to
// tools/list, and at once after it.
const earlyStart = `shift; "$@" | while IFS= read -r line; do
  case $line in
  *'"tools":['*) early='{"jsonrpc":"2.0","method":"notifications/claude/channel","params":{"content":"too early","meta":{"kind":"note"}}}'
    printf '%s\n%s\n%s\n' "$early" "$line" "$early" ;;
  *) printf '%s\n' "$line" ;;
  esac
done`

func newDouble(t *testing.T, s subject, options ...Option) *double {
	t.Helper()
	if s.demo {
		options = nil // they are about claude's settings
	}
	r := newRig(t, s.version, options...)
	d := &double{Rig: r, subject: s, dir: r.Folder("frontend")}
	d.stub = &Stub{rig: r, socket: filepath.Join(r.root, "run", "stub.sock"), log: filepath.Join(r.root, "stub.log")}
	d.hooks = &Hooks{rig: r, dir: filepath.Join(r.root, "hooks")}
	r.mkdir(d.hooks.dir, 0o755)
	d.model = &lineModel{double: d, gates: map[string]*doubleGate{}}
	if !s.demo {
		r.API.Persona("frontend").OnCall(anything, d.model.reply)
	}
	r.Env["FOR_THE_SERVER"] = "from outside"
	d.writePlugin(serverStart)
	return d
}

func (d *double) pluginDir() string { return filepath.Join(d.root, "plug in") }

// writePlugin writes the plugin; its server is this test binary, started by a
// line of shell.
func (d *double) writePlugin(start string) {
	d.T.Helper()
	self, err := os.Executable()
	if err != nil {
		d.T.Fatal(err)
	}
	hook := filepath.Join(d.bin(), "double-hook.sh")
	d.Write(hook, doubleHook, 0o755)
	hooks := map[string]any{}
	for _, event := range doubleEvents {
		hooks[event] = []any{map[string]any{"hooks": []any{map[string]any{
			"type": "command", "command": hook, "args": []string{d.hooks.dir, event, d.stub.log}, "timeout": 86400,
		}}}}
	}
	server := map[string]any{
		"command": "/bin/bash",
		"args":    []string{"-c", start, "server", d.envFile(), self, stubCommand, d.stub.socket, d.stub.log},
		"env":     map[string]string{"FROM_ROOT": "${CLAUDE_PLUGIN_ROOT}/x ${FOR_THE_SERVER}", "FROM_DEFAULT": "${NOT_SET_ANYWHERE:-default}"},
	}
	for name, content := range map[string]any{
		".claude-plugin/plugin.json": map[string]any{"name": "ccmux", "version": "0.0.1", "description": "for a test", "author": map[string]string{"name": "tests"}},
		".mcp.json":                  map[string]any{"mcpServers": map[string]any{"peers": server}},
		"hooks/hooks.json":           map[string]any{"hooks": hooks},
	} {
		raw, err := json.Marshal(content)
		if err != nil {
			d.T.Fatal(err)
		}
		d.Write(filepath.Join(d.pluginDir(), name), string(raw), 0o600)
	}
}

func (d *double) envFile() string { return filepath.Join(d.root, "server.env") }

// run starts the subject in its folder with those flags.
func (d *double) run(flags ...string) *Screen {
	d.T.Helper()
	argv := []string{"claude"}
	if d.demo {
		argv = []string{"ccmux", "demo-agent"}
		words := d.script
		if d.version == oldest {
			words = append(words, "version=old")
		}
		d.Env["CCMUX_DEMO_SCRIPT"] = strings.Join(words, " ")
	}
	argv = append(argv, "-n", "frontend", "--append-system-prompt", "e2e session name: frontend", "--plugin-dir", d.pluginDir())
	if !slices.Contains(flags, "--permission-mode") {
		argv = append(argv, "--permission-mode", d.version.Manual)
	}
	d.screen = d.Start(d.dir, append(argv, flags...)...)
	return d.screen
}

// plain starts the subject with its hooks, without a channel.
func (d *double) plain(flags ...string) {
	d.T.Helper()
	d.run(flags...)
	d.ready(d.dir, d.screen)
}

// channelFlags ask for the plugin's channel.
var channelFlags = []string{"--dangerously-load-development-channels", "plugin:ccmux@inline", "--"}

// channel starts the subject with a channel that hears.
func (d *double) channel(flags ...string) {
	d.T.Helper()
	if !slices.Contains(d.script, "dialog=channels") {
		d.script = append(d.script, "dialog=channels")
	}
	had := len(d.stub.Received("tools/list"))
	d.run(append(flags, channelFlags...)...)
	d.screen.Wait("WARNING: Loading development channels")
	d.screen.Answer("Enter")
	d.stub.Wait("tools/list", had+1)
	d.ready(d.dir, d.screen)
	d.prove()
}

// probe is the question whether the channel works.
const probe = "is anybody there?"

// prove pushes the question until it is heard, in growing steps: how long claude
// is deaf, and how soon it shows that it is not, depends on how busy the machine
// is. The hooks block it, and it is left out of what the table looks at.
func (d *double) prove() {
	d.T.Helper()
	heard := func() int {
		found, _ := filepath.Glob(filepath.Join(d.hooks.dir, "probe.*"))
		return len(found)
	}
	queued := func() int {
		n := 0
		for _, e := range d.entries("queue-operation") {
			if e["operation"] == "enqueue" && body(str(e["content"])) == probe {
				n++
			}
		}
		return n
	}
	had := queued()
	asked, pause := time.Now(), 200*time.Millisecond
	d.Eventually("a channel that hears", func() bool {
		if queued() == had && time.Since(asked) > pause {
			d.stub.Send(note(probe))
			asked, pause = time.Now(), 2*pause
		}
		return queued() > had && heard() == queued()
	})
	d.WaitStatus(d.dir, "idle")
	d.Eventually("the probes blocked", func() bool {
		n := 0
		for _, e := range d.entries("system") {
			if strings.HasSuffix(str(e["content"]), noteTag(probe)) {
				n++
			}
		}
		return n == queued()
	})
}

// old says whether the subject is or plays the old version.
func (d *double) old() bool { return d.version == oldest }

// event pushes one channel event.
func (d *double) event(body string, meta map[string]string) {
	d.T.Helper()
	d.stub.Send(doubleEvent(body, meta))
}

func doubleEvent(body string, meta map[string]string) map[string]any {
	return map[string]any{"method": "notifications/claude/channel", "params": map[string]any{"content": body, "meta": meta}}
}

// note is an event that asks for nothing.
func note(body string) map[string]any {
	return doubleEvent(body, map[string]string{"kind": "note", "sender": "backend"})
}

// noteTag is the same as the model and the hooks get it.
func noteTag(body string) string {
	return "<channel source=\"plugin:ccmux:peers\" kind=\"note\" sender=\"backend\">\n" + body + "\n</channel>"
}
