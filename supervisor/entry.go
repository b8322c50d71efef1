package supervisor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
	"github.com/ccmux/ccmux/supervisor/session/transcript"
)

// scrollback is how many lines a pane keeps when its session says nothing.
const scrollback = 10_000

func (e *entry) label() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.name
}

// sessionFile is that of the running child, "" without one.
func (e *entry) sessionFile() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == nil {
		return ""
	}
	return e.run.files.session
}

func (e *entry) alive() bool {
	state := e.slot.Info().State
	return state == session.SlotRunning || state == session.SlotWaiting
}

// start says how the running child, or the last one, began.
func (e *entry) start() (resumed bool, said string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == nil {
		return false, ""
	}
	return e.run.resumed, e.run.said
}

// build makes what the next child is started with. It runs on the slot's
// goroutine, one at a time.
func (e *entry) build(a session.Attempt) (session.Spec, error) {
	e.s.leftovers.await(e.peer)
	e.mu.Lock()
	spec, env, fresh := e.spec, e.env, e.fresh
	e.fresh = spec.Fresh // once asked for, a fresh start is one start
	e.mu.Unlock()
	r, err := newRun(e)
	if err != nil {
		return session.Spec{}, err
	}
	env = childEnv(env, spec)
	claude, err := transcript.ConfigDir(env)
	if err != nil {
		return session.Spec{}, err
	}
	launch := e.conversation(claude, spec.Dir, fresh)
	r.conversation, r.resumed, r.said = launch.conversation, launch.Resumed, launch.Said
	path := transcriptOf(claude, spec.Dir, r.conversation)
	r.tail = transcript.NewTailer(path, transcript.Position{})
	files, err := e.s.writeSessionFiles(e.peer, spec.Name, r.credential)
	if err != nil {
		return session.Spec{}, err
	}
	r.files = files
	e.mu.Lock()
	e.next = r
	e.mu.Unlock()
	cols, rows := e.pane.size()
	var on surface
	if told := e.s.screens.surface.Load(); told != nil {
		on = *told
	}
	return session.Spec{
		Name: spec.Name, Argv: argv(spec, files, launch.Args, e.s.prompt(spec.Name)), Dir: spec.Dir, Env: env,
		Cols: cols, Rows: rows, Scrollback: cmp.Or(spec.Scrollback, scrollback), Clipboard: spec.Clipboard,
		Foreground: on.fg, Background: on.bg, Mark: "CCMUX_RUN=" + r.mark,
		ConversationID: r.conversation, StatusDir: transcript.StatusDir(claude), Transcript: path,
		OnEvent: r.event, OnOutput: e.pane.output,
	}, nil
}

// launch is how the conversation goes on.
type launch struct {
	session.Launch
	conversation string
}

// conversation decides between going on and beginning anew.
func (e *entry) conversation(claude, dir string, fresh bool) launch {
	id, began := "", false
	if p, ok := e.s.loop.look().Peer(e.peer); ok && !fresh {
		id = p.Session.Conversation
		began = id != ""
	}
	if id == "" {
		id = newConversation()
	}
	_, written := transcript.Locate(claude, dir, id)
	l := session.ResumeArgs(id, written, began)
	if l.Said != "" {
		e.s.log.Info("resume", "session", e.label(), "said", l.Said)
	}
	return launch{Launch: l, conversation: id}
}

// claudeName is the command of a session that names none.
const claudeName = "claude"

// argv is the command line of the session's claude. Both channel flags take
// any number of values, so another flag follows them.
func argv(spec wire.SessionSpec, f sessionFiles, resume []string, prompt string) []string {
	line := spec.Command
	if len(line) == 0 {
		line = []string{claudeName}
	}
	line = append(append([]string{}, line...), resume...)
	line = append(line,
		"--dangerously-load-development-channels", "plugin:"+wire.PluginName+"@inline",
		"--allowedTools", wire.ToolPrefix+"*",
		"--plugin-dir", f.plugin,
		"-n", spec.Name,
		"--append-system-prompt", prompt)
	return append(line, spec.Args...)
}

// childEnv is the environment of a session: the caller's, what the team file
// adds, and the terminal that a pane is.
func childEnv(env []string, spec wire.SessionSpec) []string {
	drop := map[string]bool{
		"TERM": true, "COLORTERM": true, "TMUX": true, "TMUX_PANE": true, "STY": true,
		"LINES": true, "COLUMNS": true, "TERM_PROGRAM": true, "TERM_PROGRAM_VERSION": true, "KITTY_WINDOW_ID": true,
		"CLAUDECODE": true, "CLAUDE_CODE_SESSION_ID": true, "CLAUDE_CODE_MESSAGING_SOCKET": true, "CLAUDE_CODE_MESSAGING_TOKEN": true,
	}
	for _, kv := range spec.Env {
		name, _, _ := strings.Cut(kv, "=")
		drop[name] = true
	}
	var out []string
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); !drop[name] {
			out = append(out, kv)
		}
	}
	out = append(out, spec.Env...)
	return append(out, "TERM=xterm-256color", "COLORTERM=truecolor", "CCMUX_SESSION="+spec.Name)
}

// programOf is what the session runs, as its command names it.
func programOf(spec wire.SessionSpec) string {
	if len(spec.Command) > 0 {
		return spec.Command[0]
	}
	return claudeName
}

// findCommand finds out before anything starts whether the session's program
// can be run at all, and where it is.
func findCommand(spec wire.SessionSpec, env []string) (string, error) {
	name := programOf(spec)
	if strings.ContainsRune(name, '/') {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(spec.Dir, path)
		}
		if _, err := exec.LookPath(path); err != nil {
			return "", fmt.Errorf("session %s: %s cannot be run: %w", spec.Name, name, err)
		}
		return path, nil
	}
	for _, kv := range childEnv(env, spec) {
		dirs, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, d := range filepath.SplitList(dirs) {
			if path, err := exec.LookPath(filepath.Join(d, name)); err == nil && filepath.IsAbs(d) {
				return path, nil
			}
		}
	}
	if name == claudeName {
		return "", errors.New("claude is not on your PATH: install Claude Code (npm install -g @anthropic-ai/claude-code), " +
			"or name another command in ccmux.toml; ccmux demo needs neither")
	}
	return "", fmt.Errorf("session %s: %s is not on your PATH", spec.Name, name)
}

// changed follows the slot: what it reports becomes fact.
func (e *entry) changed(i session.SlotInfo) {
	ctx := context.Background()
	switch i.State {
	case session.SlotStopping: // its end follows
	case session.SlotRunning:
		e.began(ctx, i.Session)
	case session.SlotWaiting:
		e.ended(ctx, router.Exited, i.Why+"; starts again "+i.Until.Local().Format("15:04:05"), i.Ending)
	case session.SlotFailed:
		e.ended(ctx, router.Failed, i.Why, i.Ending)
	case session.SlotStopped, session.SlotClosed:
		if i.State == session.SlotClosed && e.s.sessions.current(e.peer) == nil {
			return // how it ended stays on record
		}
		state, why := router.Stopped, ""
		if i.Ending == nil || i.Why != "stopped on request" {
			state, why = router.Exited, i.Why
		}
		if i.State == session.SlotClosed {
			state, why = router.Stopped, "ccmux was stopped"
		}
		e.ended(ctx, state, why, i.Ending)
	}
}

func (e *entry) began(ctx context.Context, s *session.Session) {
	e.mu.Lock()
	old, r := e.run, e.next
	e.run, e.next = r, nil
	e.mu.Unlock()
	if old != nil { // a restart has no end of its own
		old.over()
	}
	r.sess = s
	e.pane.use(s)
	lost := r.letIn(ctx)
	_, err := e.s.loop.submit(ctx, router.StartSession{SessionStarted: router.SessionStarted{
		Peer: e.peer, PID: s.PID(), Started: e.s.loop.now(), Birth: s.Identity().Start, Conversation: r.conversation, Resumed: r.resumed, Said: r.said,
	}})
	if err != nil {
		e.s.log.Error("record a start", "session", e.label(), "err", err)
	}
	r.recall(ctx, lost)
	ctx, r.stop = context.WithCancel(ctx)
	r.entry.s.followers.Go(func() { r.follow(ctx) })
	r.entry.s.followers.Go(func() { r.awaitChannel(ctx) })
	r.entry.s.followers.Go(func() { r.serveSocket(ctx) })
	close(r.started)
	e.s.watchers.tell()
}

// over ends what stands behind a child that is gone.
func (r *run) over() {
	r.entry.s.sessions.revoke(r.credential)
	r.stop()
}

func (e *entry) ended(ctx context.Context, state router.SessionState, why string, ending *session.Ending) {
	e.mu.Lock()
	r := e.run
	e.run = nil
	e.mu.Unlock()
	if r != nil {
		r.over()
	} else if state == router.Exited {
		return // that is on record
	}
	end := router.SessionEnded{Peer: e.peer, State: state, Detail: wire.CleanLine(why, wire.MaxMeta)}
	if ending != nil {
		for _, p := range ending.Survivors {
			end.Survivors = append(end.Survivors, p.PID)
		}
	}
	_, err := e.s.loop.submit(ctx, router.EndSession{SessionEnded: end})
	if err != nil && r != nil && !errors.Is(err, errStopping) {
		e.s.log.Error("record an end", "session", e.label(), "err", err)
	}
	e.s.watchers.tell()
}
