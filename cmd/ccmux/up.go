package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/client"
	"github.com/ccmux/ccmux/supervisor/project"
)

type upFlags struct {
	detach, fresh, view, foreground, yes bool
	farewell                             string // said after a detach; empty: the usual
}

func upCommand() *cobra.Command {
	var f upFlags
	c := &cobra.Command{
		Use:   "up [NAME | NAME=DIR | DIR]...",
		Short: "Start sessions, or find the running ones, and show them",
		Long: `Start a Claude Code session for each argument and show them all.

An argument is the name of a session in ccmux.toml, a folder, or NAME=DIR.
Without arguments every session of ccmux.toml is started, or without such a file
every session this project had before. What runs already is left alone, what was
stopped is resumed in its conversation.`,
		Example: `  ccmux up frontend backend
  ccmux up web=./apps/web api=../api
  ccmux up                      the sessions of ccmux.toml, or those from before
  ccmux up -d frontend          start, and do not show`,
		RunE: func(c *cobra.Command, names []string) error { return up(c.Context(), names, f) },
	}
	c.Flags().BoolVarP(&f.detach, "detach", "d", false, "start in the background and do not show the screen")
	c.Flags().BoolVar(&f.fresh, "fresh", false, "start new conversations in place of resuming")
	c.Flags().BoolVar(&f.view, "view", false, "only look: do not count for the size of the panes")
	c.Flags().BoolVar(&f.foreground, "foreground", false, "run ccmux in this process; it ends with the terminal")
	c.Flags().BoolVar(&f.yes, "trust", false, "agree to what ccmux.toml runs and allows without being asked")
	return c
}

func up(ctx context.Context, names []string, f upFlags) error {
	p, wd, err := here()
	if err != nil {
		return err
	}
	if len(names) == 0 && (p.Config == nil || len(p.Config.Sessions) == 0) && hasState(p) {
		return start(ctx, p, nil, f) // what the project had before
	}
	specs, err := p.Resolve(names, wd)
	if err != nil {
		return err
	}
	return start(ctx, p, specs, f)
}

// hasState says whether the project had a ccmux before.
func hasState(p project.Project) bool {
	dir, err := p.StateDir()
	if err != nil {
		return false
	}
	_, err = os.Stat(dir)
	return err == nil
}

// start has the sessions running, those the project had before when none is
// named, and shows them.
func start(ctx context.Context, p project.Project, specs []wire.SessionSpec, f upFlags) error {
	if name := os.Getenv(sessionMark); name != "" {
		return fmt.Errorf("this shell belongs to the session %s: start ccmux from a terminal of your own", wire.CleanLine(name, wire.MaxName))
	}
	if f.foreground {
		stop, err := serveHere(ctx, p)
		if err != nil {
			return err
		}
		defer stop()
	}
	binary, err := self()
	if err != nil {
		return err
	}
	pushes := client.NewPushes()
	c, _, err := client.Ensure(ctx, p, binary, build(), pushes.Push)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := agree(ctx, c, p.Config, f.yes); err != nil {
		return err
	}
	var res wire.UpResult
	if err := c.Call(ctx, wire.TypeUp, wire.Up{Sessions: specs, Known: len(specs) == 0, Env: os.Environ(), Fresh: f.fresh}, &res); err != nil {
		return err
	}
	if f.detach {
		printUp(res)
		return nil
	}
	return attach(ctx, c, pushes, f)
}

// sessionMark is in the environment of every session: a friendly word before
// the check that counts, which is ccmux's own.
const sessionMark = "CCMUX_SESSION"

func printUp(res wire.UpResult) {
	for _, line := range []struct {
		word  string
		names []string
	}{{"started", res.Started}, {"resumed", res.Resumed}, {"running", res.Running}} {
		if len(line.names) > 0 {
			fmt.Printf("%s: %s\n", line.word, strings.Join(line.names, ", "))
		}
	}
}

// serveHere runs the project's ccmux in this process.
func serveHere(ctx context.Context, p project.Project) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	ready := make(chan struct{})
	done := make(chan error, 1)
	go func() { done <- serve(ctx, p, func() { close(ready) }) }()
	select {
	case <-ready:
		return func() {
			cancel()
			if err := <-done; err != nil {
				fmt.Fprintln(os.Stderr, "ccmux: "+err.Error())
			}
		}, nil
	case err := <-done:
		cancel()
		return nil, err
	}
}

// agree has the human see and accept what the team file can run or allow,
// unless this very content was accepted before.
func agree(ctx context.Context, c *wire.Client, file *project.File, yes bool) error {
	if file == nil {
		return nil
	}
	lines := file.NeedsTrust()
	if len(lines) == 0 {
		return nil
	}
	ask := wire.Trust{Path: file.Path, Hash: file.Hash}
	var t wire.Trusted
	if err := c.Call(ctx, wire.TypeTrust, ask, &t); err != nil {
		return err
	}
	if t.Trusted {
		return nil
	}
	if !yes && !confirm(file, lines) {
		return fmt.Errorf("nothing was started: %s is not trusted; read it, then run ccmux trust", file.Path)
	}
	ask.Agree = true
	return c.Call(ctx, wire.TypeTrust, ask, &t)
}

// confirm shows what the file asks for; anything but a typed yes is a no.
func confirm(file *project.File, lines []string) bool {
	fmt.Fprintf(os.Stderr, "%s wants to:\n", file.Path)
	for _, l := range lines {
		fmt.Fprintf(os.Stderr, "  %s\n", l)
	}
	if info, err := os.Stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	fmt.Fprint(os.Stderr, "Trust this content? It is asked again when it changes. [y/N] ")
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return false
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

func attachCommand() *cobra.Command {
	var view bool
	c := &cobra.Command{
		Use:     "attach",
		Short:   "Show the running sessions of this project",
		Example: "  ccmux attach\n  ccmux attach --view     only look, from a second terminal",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			p, _, err := here()
			if err != nil {
				return err
			}
			pushes := client.NewPushes()
			cl, _, err := client.Dial(c.Context(), p, build(), pushes.Push)
			if err != nil {
				return err
			}
			defer cl.Close()
			return attach(c.Context(), cl, pushes, upFlags{view: view})
		},
	}
	c.Flags().BoolVar(&view, "view", false, "only look: do not count for the size of the panes")
	return c
}

// attach lends the terminal until the human detaches.
func attach(ctx context.Context, c *wire.Client, pushes *client.Pushes, f upFlags) error {
	words, err := client.Attach(ctx, c, pushes, client.AttachOptions{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ(), View: f.view,
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	if err != nil {
		return err
	}
	if words == "" && f.farewell != "" {
		words = f.farewell
	}
	if words == "" {
		words = "detached; the sessions go on: ccmux attach shows them, ccmux down ends them"
	}
	fmt.Fprintln(os.Stderr, words)
	return nil
}
