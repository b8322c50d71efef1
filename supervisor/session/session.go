package session

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"

	"github.com/ccmux/ccmux/supervisor/session/proc"
	"github.com/ccmux/ccmux/supervisor/vt"
)

// Session is one child process with its pty and its screen.
type Session struct {
	spec   Spec
	id     proc.Identity
	sid    int
	typed  atomic.Int64 // when something was written to the child last, in ns since 1970
	tty    uint64       // device number of the pty's slave side
	master *os.File
	screen *vt.Terminal
	out    outbox
	size   resizing

	mu      sync.Mutex // m and events
	m       machine
	events  []Event
	info    atomic.Pointer[Info]
	faulted atomic.Bool // a goroutine of ours has panicked
	looks   atomic.Bool // a change of the screen is worth a look

	wake  chan struct{} // events wait
	rearm chan struct{} // the machine's deadline may have changed
	dirty chan struct{} // the screen changed

	readerDone chan struct{}
	over       chan struct{} // the child has ended: goroutines end
	done       chan struct{} // they have
	broken     chan struct{} // one of them has panicked
	exit       Exit          // before done closes
	wg         sync.WaitGroup
	stopping   sync.Mutex // one Stop at a time
}

// Start runs the command of spec in a new pty and process session.
func Start(spec Spec) (*Session, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	path, err := lookPath(spec.Argv[0], spec.Dir, spec.Env)
	if err != nil {
		return nil, fmt.Errorf("start session %s: %w", spec.Name, err)
	}
	cmd := &exec.Cmd{Path: path, Args: spec.Argv, Dir: spec.Dir, Env: append([]string{}, spec.Env...)}
	if spec.Mark != "" {
		cmd.Env = append(cmd.Env, spec.Mark)
	}
	master, err := startPty(cmd, spec.Cols, spec.Rows)
	if err != nil {
		return nil, fmt.Errorf("start session %s: %w", spec.Name, err)
	}
	// Not yet waited for, so it can be read even if it has ended already.
	p, err := proc.Stat(cmd.Process.Pid)
	if err != nil {
		_ = master.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("start session %s: %w", spec.Name, err)
	}
	s := newSession(spec, master, p)
	s.run(func() Exit { return waitCmd(cmd) })
	return s, nil
}

// Adopt makes a Session of a process that runs already in the pty whose master
// is fd, started by a process image before this one. fd is taken over, whether
// it works out or not. The screen begins empty and the program is asked to draw
// it anew.
func Adopt(spec Spec, fd int, id proc.Identity) (*Session, error) {
	master, err := rewrap(os.NewFile(uintptr(fd), "pty"))
	if err != nil {
		return nil, fmt.Errorf("adopt session %s: %w", spec.Name, err)
	}
	if err := spec.fill(); err != nil {
		_ = master.Close()
		return nil, fmt.Errorf("adopt session %s: %w", spec.Name, err)
	}
	p, err := proc.Stat(id.PID)
	if err == nil && p.Start != id.Start {
		err = fmt.Errorf("pid %d: %w: another process has it", id.PID, proc.ErrGone)
	}
	if err != nil {
		_ = master.Close()
		return nil, fmt.Errorf("adopt session %s: %w", spec.Name, err)
	}
	s := newSession(spec, master, p)
	s.run(func() Exit { return waitPID(id) })
	s.redraw()
	return s, nil
}

func newSession(spec Spec, master *os.File, p proc.Process) *Session {
	s := &Session{
		spec: spec, id: p.Identity(), sid: p.SID, tty: p.TTY, master: master,
		wake: make(chan struct{}, 1), rearm: make(chan struct{}, 1), dirty: make(chan struct{}, 1),
		readerDone: make(chan struct{}), over: make(chan struct{}), done: make(chan struct{}), broken: make(chan struct{}),
	}
	s.out.init()
	s.m = newMachine(spec.Clock(), spec.ConversationID)
	s.publish()
	cfg := vt.Config{
		Scrollback: spec.Scrollback,
		Reply:      func(p []byte) { _ = s.out.put(p) }, // a full queue drops it: the program asked and does not read
		Title:      s.onTitle,
		Bell:       func() { s.note(Event{Kind: BellRang}) },
		Notify:     func(title, body string) { s.note(Event{Kind: Notified, Title: title, Body: body}) },
		Version:    "ccmux",
		Foreground: spec.Foreground, Background: spec.Background,
	}
	if spec.Clipboard {
		cfg.Clipboard = func(_ string, data []byte) { s.note(Event{Kind: Copied, Body: string(data)}) }
	}
	s.screen = vt.New(spec.Cols, spec.Rows, cfg)
	return s
}

// Name returns the name in the Spec.
func (s *Session) Name() string { return s.spec.Name }

// Spec returns what the session was started with.
func (s *Session) Spec() Spec { return s.spec }

// Screen returns the emulator that holds the pane's screen.
func (s *Session) Screen() *vt.Terminal { return s.screen }

// PID returns the process id of the child.
func (s *Session) PID() int { return s.id.PID }

// Identity returns the pid and the start time of the child.
func (s *Session) Identity() proc.Identity { return s.id }

// TTY returns the device number of the session's terminal, 0 if unknown, as in
// proc.Process.TTY.
func (s *Session) TTY() uint64 { return s.tty }

// Info returns what is known about the session now.
func (s *Session) Info() Info { return *s.info.Load() }

// Done is closed when the child has ended, everything it wrote is on the
// screen and the last event was delivered.
func (s *Session) Done() <-chan struct{} { return s.done }

// Broken is closed when a fault of ours made the session fail while its child
// may still run: Stop it.
func (s *Session) Broken() <-chan struct{} { return s.broken }

// Exit returns how the child ended; ok is false while it runs.
func (s *Session) Exit() (e Exit, ok bool) {
	select {
	case <-s.done:
		return s.exit, true
	default:
		return Exit{}, false
	}
}

// Hook records what a hook told. When it returns, Info includes it.
func (s *Session) Hook(sign HookSign) { s.step(sign) }

// step gives the machine a sign and publishes what came of it.
func (s *Session) step(sign any) {
	s.mu.Lock()
	before := s.m.last
	s.m = s.m.step(s.spec.Clock(), sign)
	if !before.same(s.m.last) {
		kind := StateChanged
		if _, ok := sign.(titleSign); ok && before.State == s.m.last.State {
			kind = TitleChanged
		}
		s.push(Event{Kind: kind, Title: s.m.title})
	}
	s.publish()
	s.mu.Unlock()
	poke(s.rearm)
}

// publish makes the machine's state the one Info returns; the caller holds
// s.mu or is alone.
func (s *Session) publish() {
	i := s.m.last
	s.info.Store(&i)
	s.looks.Store(s.m.wantsScreen())
}

// note queues an event that changes no state.
func (s *Session) note(e Event) {
	s.mu.Lock()
	s.push(e)
	s.mu.Unlock()
}

func (s *Session) onTitle(title string) { s.step(titleSign(title)) }
