package demoagent

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
)

// agent is one run. The fields of the second group belong to the loop; others
// reach them through do and post.
type agent struct {
	set   settings
	opt   options
	cwd   string
	env   []string // of the children
	glyph glyphs
	plug  *plugin
	hooks *hookRunner
	tr    *transcript
	mind  *mind
	term  *terminal
	acts  chan func()
	over  chan struct{} // closed when the loop has ended
	end   context.CancelCauseFunc
	ctx   context.Context // ends when the agent leaves
	wake  chan struct{}   // something is in the queue
	bg    sync.WaitGroup  // goroutines beside the turns

	scr        *screen
	status     *statusFile // nil before the prompt is there
	server     *mcpServer
	channels   bool // pushes are heard
	pushes     int
	queue      []*item
	running    *turn
	dlg        *dialog
	input      string
	ctrlC      bool
	leaving    bool
	reason     string // why it ends, for SessionEnd
	code       int
	allowed    map[string]bool // what "don't ask again" was said to
	relayed    map[string]chan string
	promptID   string
	told       bool   // the story of the demo has begun
	unheard    input  // in the conversation, but no turn told the model; of the turns' goroutine
	noticed    bool   // auto mode's notice was shown; of the turns' goroutine
	heardCount int    // messages in the conversation
	past       []line // of the conversation that is resumed
}

// Main runs the agent on the given terminal and returns the exit code. args are
// claude's arguments; env looks up variables.
func Main(args []string, env func(string) string, stdin, stdout *os.File) int {
	if len(args) == 1 && args[0] == "--scripts" {
		for _, s := range Scripts() {
			fmt.Fprintf(stdout, "%-24s %s\n", s.Name, s.Help)
		}
		return 0
	}
	a, err := newAgent(args, env, stdout)
	if err != nil {
		fmt.Fprintf(stdout, "demo agent: %v\n", err)
		return 1
	}
	if a == nil {
		return 0
	}
	if a.opt.exitCode >= 0 {
		fmt.Fprintf(stdout, "demo agent: the script says to exit with %d\n", a.opt.exitCode)
		return a.opt.exitCode
	}
	a.term, err = openTerminal(stdin, stdout)
	if err != nil {
		fmt.Fprintf(stdout, "demo agent: %v\n", err)
		return 1
	}
	return a.run()
}

// newAgent reads all that can be wrong before the screen is touched. It is nil
// when only the version was asked for.
func newAgent(args []string, env func(string) string, stdout *os.File) (*agent, error) {
	set, err := parseArgs(args)
	if err != nil {
		return nil, err
	}
	opt, err := loadOptions(env("CCMUX_DEMO_SCRIPT"))
	if err != nil {
		return nil, err
	}
	if set.version {
		fmt.Fprintf(stdout, "%s (ccmux demo agent)\n", version(opt))
		return nil, nil
	}
	a := &agent{
		set: set, opt: opt, glyph: claudeGlyphs, acts: make(chan func()), over: make(chan struct{}), wake: make(chan struct{}, 1),
		allowed: map[string]bool{}, relayed: map[string]chan string{}, mind: newMind(), reason: "other",
		scr: &screen{out: stdout},
	}
	if opt.old {
		a.glyph = oldGlyphs
	}
	if !opt.glyphs {
		a.glyph = otherGlyphs
	}
	return a, a.locate(env)
}

func version(o options) string {
	if o.old {
		return oldVersion
	}
	return newVersion
}

// locate finds folder, plugin and conversation.
func (a *agent) locate(env func(string) string) error {
	wd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working folder: %w", err)
	}
	if a.cwd, err = filepath.EvalSymlinks(wd); err != nil {
		return fmt.Errorf("find the working folder: %w", err)
	}
	config := env("CLAUDE_CONFIG_DIR")
	if config == "" {
		config = filepath.Join(env("HOME"), ".claude")
	}
	if a.set.sessionID == "" {
		a.set.sessionID = newID()
	}
	if a.set.name == "" {
		a.set.name = filepath.Base(a.cwd)
	}
	if err := a.readPlugin(env, config); err != nil {
		return err
	}
	return a.openConversation(config)
}

func (a *agent) readPlugin(env func(string) string, config string) (err error) {
	a.env = append(os.Environ(), "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ID="+a.set.sessionID, "CLAUDE_PROJECT_DIR="+a.cwd)
	a.hooks = &hookRunner{dir: a.cwd, lost: a.opt.noHooks}
	a.plug = &plugin{}
	if a.set.pluginDir != "" {
		own := map[string]string{"CLAUDE_PLUGIN_ROOT": a.set.pluginDir, "CLAUDE_PROJECT_DIR": a.cwd, "CLAUDE_PLUGIN_DATA": filepath.Join(config, "plugins", "data")}
		get := func(name string) string {
			if v := own[name]; v != "" {
				return v
			}
			return env(name)
		}
		if a.plug, err = readPlugin(a.set.pluginDir, get); err != nil {
			return err
		}
		a.env = append(a.env, "CLAUDE_PLUGIN_ROOT="+a.set.pluginDir, "CLAUDE_PLUGIN_DATA="+own["CLAUDE_PLUGIN_DATA"])
	}
	a.hooks.specs = a.plug.hooks
	a.hooks.env = append(a.env[:len(a.env):len(a.env)], "CLAUDE_CODE_CHILD_SESSION=1", fmt.Sprintf("CLAUDE_PID=%d", os.Getpid()))
	return nil
}

// openConversation makes the transcript, or reads the one to resume.
func (a *agent) openConversation(config string) error {
	a.tr = newTranscript(config, a.set, a.cwd, version(a.opt))
	if !a.set.resume {
		if a.tr.exists() {
			return fmt.Errorf("session ID %s is already in use", a.set.sessionID)
		}
		return nil
	}
	entries, err := a.tr.load()
	if err != nil {
		return fmt.Errorf("no conversation found with session ID: %s", a.set.sessionID)
	}
	a.replay(entries)
	return nil
}

// run is the loop. It ends when the life has.
func (a *agent) run() int {
	ctx, end := context.WithCancelCause(context.Background())
	a.ctx, a.end = ctx, end
	defer end(nil)
	sigs := make(chan os.Signal, 8)
	signal.Notify(sigs, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGWINCH)
	defer signal.Stop(sigs)

	a.scr.cols, a.scr.rows = a.term.size()
	_ = a.scr.write(enterModes) // a dead terminal shows at the first read
	lived, read := make(chan struct{}), make(chan struct{})
	go func() { defer close(lived); a.live(ctx) }()
	go func() {
		defer close(read)
		if err := a.term.readKeys(context.Background(), func(k key) { a.post(func() { a.key(k) }) }); err != nil {
			a.post(func() { a.leave("other", 0) })
		}
	}()
	a.loop(sigs, lived)
	close(a.over)
	a.term.stopReading()
	<-read
	_ = a.scr.write("\r\n" + leaveModes)
	a.goodbye()
	a.term.restore()
	return a.code
}

func (a *agent) loop(sigs <-chan os.Signal, lived <-chan struct{}) {
	for {
		select {
		case f := <-a.acts:
			f()
		case s := <-sigs:
			if s == syscall.SIGWINCH {
				_ = a.scr.resize(a.term.size())
			} else {
				a.leave("other", 128+int(s.(syscall.Signal)))
			}
		case <-lived:
			return
		}
		a.draw()
	}
}

// do runs f on the loop and waits for it. It is not to be called from the loop.
func (a *agent) do(f func()) {
	done := make(chan struct{})
	a.post(func() { f(); close(done) })
	select {
	case <-done:
	case <-a.over:
	}
}

// post hands f to the loop.
func (a *agent) post(f func()) {
	select {
	case a.acts <- f:
	case <-a.over:
	}
}

// leave starts the end. The first reason counts.
func (a *agent) leave(reason string, code int) {
	if a.leaving {
		return
	}
	a.leaving, a.reason, a.code = true, reason, code
	a.end(errLeaving)
}

// note shows an error that stops nothing.
func (a *agent) note(err error) {
	if err != nil {
		a.scr.add(sgrWarn, "  "+err.Error())
	}
}

func (a *agent) goodbye() {
	if a.tr.exists() {
		_ = a.scr.write(fmt.Sprintf("\r\nResume this session with:\r\nccmux demo-agent --resume %s\r\n", a.set.sessionID))
	}
}

// crash dies without a goodbye, like a killed claude.
func crash() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way
}
