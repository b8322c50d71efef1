package soak

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
)

// house is one project with its ccmux, which dies and comes back.
type house struct {
	cfg    Config
	root   string // of the project
	state  string
	socket string
	config string // claude's folder, with the transcripts
	env    []string
	specs  []wire.SessionSpec

	living sync.Mutex // held by whoever starts or kills ccmux
	cmd    *exec.Cmd
	log    *os.File

	mu   sync.Mutex
	acks []string // message ids of sends that ccmux acknowledged
}

func newHouse(cfg Config) (*house, error) {
	dir, err := filepath.EvalSymlinks(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("soak: %w", err)
	}
	h := &house{cfg: cfg, root: filepath.Join(dir, "p"), config: filepath.Join(dir, "claude")}
	run, state := filepath.Join(dir, "run"), filepath.Join(dir, "state")
	key := project.Project{Root: h.root}.Key()
	h.socket = filepath.Join(run, "ccmux", key+".sock")
	h.state = filepath.Join(state, "ccmux", key)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "CCMUX_") {
			h.env = append(h.env, kv)
		}
	}
	h.env = append(h.env, "HOME="+dir, "XDG_RUNTIME_DIR="+run, "XDG_STATE_HOME="+state, "CLAUDE_CONFIG_DIR="+h.config)
	for i := range cfg.Agents {
		script := cmp.Or(cfg.script, "worker")
		if i < cfg.Old {
			script += " version=old"
		}
		spec := wire.SessionSpec{
			Name: fmt.Sprintf("a%d", i), Dir: filepath.Join(h.root, fmt.Sprintf("a%d", i)),
			Command: []string{cfg.Binary, "demo-agent"}, Env: []string{"CCMUX_DEMO_SCRIPT=" + script},
		}
		if err := os.MkdirAll(spec.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("soak: %w", err)
		}
		h.specs = append(h.specs, spec)
	}
	if err := os.MkdirAll(run, 0o700); err != nil {
		return nil, fmt.Errorf("soak: %w", err)
	}
	h.log, err = os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("soak: %w", err)
	}
	return h, nil
}

func (h *house) names() []string {
	var list []string
	for _, s := range h.specs {
		list = append(list, s.Name)
	}
	return list
}

// open starts ccmux with all its sessions, and makes the room they share.
func (h *house) open(ctx context.Context) error {
	if err := h.start(); err != nil {
		return err
	}
	if err := h.up(ctx); err != nil {
		return err
	}
	c, err := h.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := tool(ctx, c, wire.ToolCreateRoom, wire.CreateRoomArgs{Name: roomName, Members: h.names()}); err != nil {
		return err
	}
	return h.proven(ctx)
}

// startLimit bounds how long the sessions may take to be ready the first time.
const startLimit = 3 * time.Minute

// proven waits until every session can be pushed to.
func (h *house) proven(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	var last wire.List
	ok := every(ctx, 50*time.Millisecond, func() bool {
		l, err := h.list(ctx)
		if err != nil {
			return false
		}
		last = l
		return len(l.Sessions) == len(h.specs) &&
			!slices.ContainsFunc(l.Sessions, func(s wire.SessionInfo) bool { return s.Route != wire.RouteChannel })
	})
	if !ok {
		return fmt.Errorf("soak: not every session got its channel within %v: %+v\n%s", startLimit, last.Sessions, h.lastWords())
	}
	return nil
}

// start begins a ccmux in a process session of its own.
func (h *house) start() error {
	h.living.Lock()
	defer h.living.Unlock()
	cmd := exec.Command(h.cfg.Binary, "serve", "--project", h.root)
	cmd.Dir, cmd.Env = h.root, h.env
	cmd.Stdout, cmd.Stderr = h.log, h.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("soak: start ccmux: %w", err)
	}
	h.cmd = cmd
	return nil
}

// kill ends ccmux as a crash would, and waits until it is gone.
func (h *house) kill() {
	h.living.Lock()
	defer h.living.Unlock()
	if h.cmd != nil {
		_ = h.cmd.Process.Kill() // it may be gone
		_ = h.cmd.Wait()         // killed: that is no error here
		h.cmd = nil
	}
}

// reborn kills ccmux and has the next one resume every session.
func (h *house) reborn(ctx context.Context) error {
	h.kill()
	if err := h.start(); err != nil {
		return err
	}
	return h.up(ctx)
}

func (h *house) up(ctx context.Context) error {
	return h.ask(ctx, wire.TypeUp, wire.Up{Sessions: h.specs, Env: h.env}, nil)
}

func (h *house) list(ctx context.Context) (l wire.List, err error) {
	return l, h.ask(ctx, wire.TypeList, nil, &l)
}

// ask makes one request on a connection of its own.
func (h *house) ask(ctx context.Context, t wire.Type, body, out any) error {
	c, err := h.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Call(ctx, t, body, out)
}

// dial connects as the human, and waits for a ccmux that is not there yet.
func (h *house) dial(ctx context.Context) (*wire.Client, error) {
	return h.dialTo(ctx, nil)
}

func (h *house) dialTo(ctx context.Context, push func(wire.Frame)) (c *wire.Client, err error) {
	ok := every(ctx, 20*time.Millisecond, func() bool {
		c, _, err = wire.Dial(ctx, h.socket, wire.Hello{Role: wire.RoleHuman, Build: "soak"}, push)
		return err == nil
	})
	if !ok {
		return nil, errors.Join(ctx.Err(), err)
	}
	return c, nil
}

// end stops ccmux in order, so that the journal can be read.
func (h *house) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := h.ask(ctx, wire.TypeStop, nil, nil); err != nil {
		return fmt.Errorf("soak: stop ccmux: %w", err)
	}
	h.living.Lock()
	defer h.living.Unlock()
	over := make(chan error, 1)
	cmd := h.cmd
	waited := background(func() { over <- cmd.Wait() })
	defer waited()
	select {
	case err := <-over:
		h.cmd = nil
		if err != nil {
			return fmt.Errorf("soak: ccmux ended badly: %w", err)
		}
		return nil
	case <-ctx.Done():
		_ = cmd.Process.Signal(syscall.SIGQUIT) // it says in its log what it waits for
		err := <-over
		h.cmd = nil
		return fmt.Errorf("soak: ccmux did not stop within %v (%w)", startLimit, err)
	}
}

func (h *house) close() {
	h.kill()
	h.log.Close()
}

// lastWords is the end of ccmux's log.
func (h *house) lastWords() string {
	const much = 20000
	b, err := os.ReadFile(h.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-much):])
}

// ack remembers that ccmux acknowledged a message.
func (h *house) ack(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acks = append(h.acks, id)
}

func (h *house) acked() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.acks)
}
