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
	demo                                 bool // it is the demo that is shown
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
		RunE: func(c *cobra.Command, names []string) error {
			if f.detach && f.foreground {
				return usageError{errors.New("--detach and --foreground exclude each other: sessions of a foreground ccmux end with its terminal")}
			}
			return up(c.Context(), names, f)
		},
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
	if p.Fault == nil && len(names) == 0 && (p.Config == nil || len(p.Config.Sessions) == 0) && hasState(p) {
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

// agree has the human see and accept what the team file can run or allow,
// unless this very content was accepted before; yes says that it was just now.
func agree(ctx context.Context, c *wire.Client, file *project.File, yes bool) error {
	if file == nil || len(file.NeedsTrust()) == 0 {
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
	if !yes {
		if err := mustConfirm(file); err != nil {
			return err
		}
	}
	ask.Agree = true
	return c.Call(ctx, wire.TypeTrust, ask, &t)
}

// mustConfirm asks the human about the team file; a no is an error.
func mustConfirm(file *project.File) error {
	if confirm(file, file.NeedsTrust()) {
		return nil
	}
	return fmt.Errorf("%s is not trusted, so nothing of it takes effect and nothing was started: read it, then run ccmux trust", file.Path)
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
		fmt.Fprintln(os.Stderr)
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
				return elsewhere(c.Context(), err)
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
	switch {
	case errors.Is(err, client.ErrStopped) && f.demo:
		words, err = "the demo was ended; ccmux demo begins it anew", nil
	case errors.Is(err, client.ErrStopped):
		words, err = "ccmux was stopped (ccmux down --all); ccmux up resumes its sessions", nil
	case errors.Is(err, client.ErrDied) && f.demo:
		err = fmt.Errorf("%w: run ccmux demo to begin the demo anew", err)
	case errors.Is(err, client.ErrDied):
		err = fmt.Errorf("%w: run ccmux up to resume its sessions", err)
	}
	if err != nil {
		return err
	}
	if f.foreground && words == "" {
		words = "ending the sessions with this terminal; ccmux up resumes them"
	}
	if words == "" && f.demo {
		words = "detached; the demo goes on: ccmux demo shows it again, ccmux demo --down ends it"
	}
	if words == "" {
		words = "detached; the sessions go on: ccmux attach shows them, ccmux down ends them"
	}
	fmt.Fprintln(os.Stderr, words)
	return nil
}
