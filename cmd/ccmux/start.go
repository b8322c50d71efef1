package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor"
	"github.com/ccmux/ccmux/supervisor/client"
	"github.com/ccmux/ccmux/supervisor/project"
)

// sessionMark is in the environment of every session: a friendly word before
// the check that counts, which is ccmux's own.
const sessionMark = "CCMUX_SESSION"

// start has the sessions running, those the project had before when none is
// named, and shows them. A start that is refused leaves nothing behind.
func start(ctx context.Context, p project.Project, specs []wire.SessionSpec, f upFlags) error {
	if name := os.Getenv(sessionMark); name != "" {
		return fmt.Errorf("this shell belongs to the session %s: start ccmux from a terminal of your own", wire.CleanLine(name, wire.MaxName))
	}
	if err := client.CheckTerminal(os.Stdin, os.Stdout); err != nil && !f.detach {
		return fmt.Errorf("%w, so the sessions cannot be shown: use -d to start them in the background", err)
	}
	agreed, err := before(ctx, p, specs, f.yes)
	if err != nil {
		return err
	}
	if f.foreground {
		stop, err := serveHere(ctx, p)
		if err != nil {
			return err
		}
		defer stop()
	}
	pushes := client.NewPushes()
	c, started, err := reach(ctx, p, pushes.Push)
	if err != nil {
		return err
	}
	defer c.Close()
	res, err := begin(ctx, c, p, wire.Up{Sessions: specs, Known: len(specs) == 0, Env: os.Environ(), Fresh: f.fresh}, agreed)
	if err != nil {
		if started {
			err = errors.Join(err, client.Dismiss(ctx, c))
		}
		return err
	}
	if f.detach || len(res.Ended) > 0 && len(res.Ended) == len(res.Started)+len(res.Resumed)+len(res.Running) {
		printUp(res)
		return endedAtOnce(res)
	}
	printNotes(res) // also in the panes' lines; here they stay to be read after a detach
	return attach(ctx, c, pushes, f)
}

// before finds out, when no ccmux runs yet, what would refuse the start anyway,
// so that none is started for it. It says whether the human agreed to the team
// file.
func before(ctx context.Context, p project.Project, specs []wire.SessionSpec, yes bool) (agreed bool, err error) {
	c, _, err := client.Dial(ctx, p, build(), nil)
	if err == nil {
		c.Close()
		return yes, nil
	}
	if !errors.Is(err, client.ErrNotRunning) {
		return false, err
	}
	if err := supervisor.CheckPrograms(specs, os.Environ()); err != nil {
		return false, err
	}
	if yes || p.Config == nil || len(p.Config.NeedsTrust()) == 0 || hasState(p) {
		return yes, nil // where there is state, it may hold a yes
	}
	return true, mustConfirm(p.Config)
}

// reach connects to the project's ccmux, and starts it when none runs.
func reach(ctx context.Context, p project.Project, push func(wire.Frame)) (c *wire.Client, started bool, err error) {
	binary, err := self()
	if err != nil {
		return nil, false, err
	}
	return client.Ensure(ctx, p, binary, build(), push)
}

// begin has the human agree and the sessions started.
func begin(ctx context.Context, c *wire.Client, p project.Project, u wire.Up, agreed bool) (res wire.UpResult, err error) {
	if err := agree(ctx, c, p.Config, agreed); err != nil {
		return res, err
	}
	return res, c.Call(ctx, wire.TypeUp, u, &res)
}

func printUp(res wire.UpResult) {
	for _, line := range []struct {
		word  string
		names []string
	}{{"started", res.Started}, {"resumed", res.Resumed}, {"running", res.Running}} {
		if len(line.names) > 0 {
			fmt.Printf("%s: %s\n", line.word, strings.Join(line.names, ", "))
		}
	}
	printNotes(res)
}

func printNotes(res wire.UpResult) {
	for _, n := range res.Notes {
		fmt.Fprintln(os.Stderr, "note: "+n)
	}
}

// endedAtOnce is the error of sessions that were gone as soon as they began.
func endedAtOnce(res wire.UpResult) error {
	var errs []error
	for _, e := range res.Ended {
		text := fmt.Sprintf("session %s ended at once (%s)", e.Name, e.Why)
		if e.Line != "" {
			text += ": " + e.Line
		}
		errs = append(errs, errors.New(text))
	}
	if len(errs) > 0 {
		errs = append(errs, errors.New("ccmux attach shows their panes; ccmux down ends what is tried again"))
	}
	return errors.Join(errs...)
}

// serveHere runs the project's ccmux in this process. Its log goes to the file
// of a background one: the terminal belongs to the screen.
func serveHere(ctx context.Context, p project.Project) (stop func(), err error) {
	state, err := p.StateDir()
	if err != nil {
		return nil, err
	}
	log, err := client.OpenLog(state)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ready := make(chan struct{})
	done := make(chan error, 1)
	go func() { done <- serve(ctx, p, log, func() { close(ready) }) }()
	select {
	case <-ready:
		return func() {
			defer log.Close()
			cancel()
			if err := <-done; err != nil {
				fmt.Fprintln(os.Stderr, "ccmux: "+err.Error())
			}
		}, nil
	case err := <-done:
		cancel()
		return nil, errors.Join(err, log.Close())
	}
}
