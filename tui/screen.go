package tui

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/tui/keys"
)

// How a screen ends. Run's error wraps one of these, or says what broke.
var (
	ErrDetached = errors.New("detached")                                 // the human left
	ErrQuit     = errors.New("the screen was closed")                    // Quit; the reason follows
	ErrStalled  = errors.New("the terminal takes no output")             // for patience
	ErrGone     = errors.New("the terminal is gone")                     // it hung up
	ErrPanic    = errors.New("the screen failed; the sessions go on")    // a bug; the log has more
	ErrOver     = errors.New("the program of the screen ended by error") // of Bubble Tea
)

// patience is how long a terminal may take no output before it is let go.
const patience = 5 * time.Second

// Options say where a screen is.
type Options struct {
	// In and Out are the terminal. They stay open; their flags are not touched.
	In, Out *os.File
	// Env is the environment of that terminal: TERM, COLORTERM, NO_COLOR, LANG …
	Env []string
	// Size is used when the terminal does not tell its own.
	Size wire.Size
	// View makes a screen that only looks: it counts for no pane's size and
	// changes nothing.
	View bool
	// Remembered is what Door.Remember was given last for the project.
	Remembered []byte
	// Leader is the key that leaves a pane; empty means keys.DefaultLeader.
	Leader string
	// Log gets failures; nil drops them.
	Log *slog.Logger
}

// Screen is one attached terminal.
type Screen struct {
	opts   Options
	model  *model
	bridge *bridge
	out    *writer
	term   *terminalState // of Run's goroutine until the bridge runs, then the bridge's

	patience time.Duration

	running atomic.Bool
	winding sync.WaitGroup // the goroutine that takes the program down
	mu      sync.Mutex
	reason  error // why it ends; the first one counts
}

var screenIDs atomic.Uint64

// New makes a screen. It does nothing before Run.
func New(door Door, opts Options) *Screen {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Leader == "" || !keys.CheckLeader(opts.Leader) {
		opts.Leader = keys.DefaultLeader
	}
	s := &Screen{opts: opts, bridge: newBridge(), patience: patience}
	s.model = newModel(door, ScreenID(screenIDs.Add(1)), opts)
	s.model.pulse = s.bridge
	s.bridge.begun = s.model.begun
	s.model.leave = s.end
	return s
}

// Run shows the screen until it ends, and says why: see the errors above. It
// must be called once. When it returns, its goroutines have ended, the terminal
// is as it was, unless it took no output any more.
//
// Bubble Tea reads the keyboard and runs the event loop; painting is done here
// (see bridge), because its own painter wakes sixty times a second for ever.
func (s *Screen) Run(ctx context.Context) error {
	if s.running.Swap(true) {
		return errors.New("this screen ran already")
	}
	s.out = newWriter(s.opts.Out, s.patience, s.end, s.bridge.poke)
	defer s.out.shut()
	term, err := takeTerminal(s.opts.In)
	if err != nil {
		return s.stillborn(fmt.Errorf("take the terminal: %w", err))
	}
	s.term = term
	defer func() { _ = s.term.giveBack() }() // a terminal that is gone has no state
	s.enter()
	size := sizeOf(s.opts.Out, s.opts.Size)
	s.model.w, s.model.h = size.Cols, size.Rows
	s.model.begin(ctx)
	defer s.model.close()

	in := &input{file: s.opts.In, over: &s.model.ending, gone: func() { s.end(ErrGone) }}
	p := tea.NewProgram(s.model,
		tea.WithInput(in), tea.WithOutput(s.out), tea.WithEnvironment(s.opts.Env),
		tea.WithoutSignalHandler(), tea.WithoutRenderer(), tea.WithFPS(1),
		tea.WithWindowSize(size.Cols, size.Rows), tea.WithColorProfile(s.model.profile))
	s.bridge.program, s.bridge.out = p, s.out
	stop := context.AfterFunc(ctx, func() { s.end(fmt.Errorf("%w: %w", ErrQuit, context.Cause(ctx))) })
	defer stop()
	go s.bridge.run()
	_, err = p.Run()
	return s.finish(err)
}

// stillborn ends a screen that never began.
func (s *Screen) stillborn(err error) error {
	s.mu.Lock()
	if s.reason == nil {
		s.reason = err
	}
	s.mu.Unlock()
	close(s.bridge.done)
	s.winding.Wait()
	return err
}

// enter takes the screen of the terminal.
func (s *Screen) enter() {
	s.out.send([]byte(enterModes + environ(s.opts.Env).questions()))
}

// exit gives it back and waits until the terminal took that.
func (s *Screen) exit() {
	s.out.send([]byte(ungroup + leaveModes))
	s.out.flush(quitGrace)
	s.out.mute(true)
}

// finish ends the bridge, whatever ended the program, and finds the reason.
func (s *Screen) finish(err error) error {
	if err != nil && !errors.Is(err, tea.ErrProgramKilled) {
		err = fmt.Errorf("%w: %w", ErrOver, err)
	} else if errors.Is(err, tea.ErrProgramPanic) {
		err = ErrPanic
	} else if err != nil {
		err = fmt.Errorf("%w: %w", ErrOver, err)
	}
	s.mu.Lock()
	if s.reason == nil {
		s.reason = err
	}
	if s.reason == nil {
		s.reason = ErrDetached
	}
	reason := s.reason
	s.mu.Unlock()
	close(s.bridge.over)
	<-s.bridge.done
	s.winding.Wait()
	s.exit()
	return reason
}

// end makes Run return with reason. It never blocks and may be called from
// anywhere, more than once.
func (s *Screen) end(reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason != nil {
		return
	}
	s.reason = reason
	s.model.ending.Store(true)
	s.winding.Go(func() { s.wind(reason) })
}

// wind takes the program down. The terminal is released first, while the event
// loop still takes what the reader holds: a key that comes with the last one
// would otherwise hang in the reader for ever.
func (s *Screen) wind(reason error) {
	lost := errors.Is(reason, ErrStalled) || errors.Is(reason, ErrGone)
	if lost {
		s.out.fail(reason)
	} else {
		t := time.AfterFunc(quitGrace, func() { s.out.fail(ErrStalled) })
		defer t.Stop()
	}
	s.bridge.ask(func(b *bridge) bool {
		if !b.held {
			_ = b.program.ReleaseTerminal()
			s.exit()
		}
		b.program.Kill()
		return true
	})
}

// Resize tells the screen the size of its terminal. It only takes note.
func (s *Screen) Resize(size wire.Size) { s.bridge.resize(size) }

// Release gives the terminal back for a while: its modes are as they were and
// nothing is read or drawn until Restore.
func (s *Screen) Release() error {
	return s.call(func(b *bridge) error {
		if b.held {
			return nil
		}
		b.held = true
		err := b.program.ReleaseTerminal()
		s.exit()
		return errors.Join(err, s.term.giveBack())
	})
}

// Restore takes the terminal again after Release, and draws everything.
func (s *Screen) Restore() error {
	return s.call(func(b *bridge) error {
		if !b.held {
			return nil
		}
		term, err := takeTerminal(s.opts.In)
		if err != nil {
			return fmt.Errorf("take the terminal: %w", err)
		}
		s.term, b.held = term, false
		s.out.mute(false)
		s.enter()
		b.painter.forget()
		err = b.program.RestoreTerminal()
		b.resize(sizeOf(s.opts.Out, s.opts.Size))
		return err
	})
}

// Quit ends the screen; Run returns ErrQuit with the reason.
func (s *Screen) Quit(reason string) {
	err := ErrQuit
	if reason != "" {
		err = fmt.Errorf("%w: %s", ErrQuit, reason)
	}
	s.end(err)
}

func (s *Screen) call(f func(*bridge) error) error {
	if !s.running.Load() {
		return errors.New("the screen does not run")
	}
	answer := make(chan error, 1)
	if !s.bridge.ask(func(b *bridge) bool {
		answer <- f(b)
		return false
	}) {
		return errClosed
	}
	return <-answer
}
