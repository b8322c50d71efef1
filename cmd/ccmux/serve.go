package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/assets"
	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor"
	"github.com/ccmux/ccmux/supervisor/client"
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/tui"
)

// serveCommand is ccmux itself: what `ccmux up` starts in the background.
func serveCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:    "serve",
		Short:  "Be the ccmux of a project (started by ccmux up)",
		Hidden: true,
		Args:   args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := project.Find(dir)
			if err == nil {
				err = p.Fault
			}
			if err == nil {
				err = serve(c.Context(), p, os.Stderr, client.ReportReady)
			}
			if err != nil {
				client.ReportFailure(err, errors.Is(err, supervisor.ErrOwned))
			}
			return err
		},
	}
	c.Flags().StringVar(&dir, "project", ".", "the project's folder")
	return c
}

// serve runs the project's ccmux until it is stopped. What it has to tell goes to
// logTo, which must not be a terminal that a screen is drawn on.
func serve(ctx context.Context, p project.Project, logTo io.Writer, ready func()) error {
	dropHangups()
	state, err := p.StateDir()
	if err != nil {
		return err
	}
	socket, err := p.Socket()
	if err != nil {
		return err
	}
	binary, err := self()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(state), 0o700); err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	log := slog.New(slog.NewTextHandler(logTo, nil))
	s, err := supervisor.New(ctx, supervisor.Config{
		Project: p, StateDir: state, Socket: socket, Binary: binary, Build: build(), Log: log, Show: show,
		Plugin: plugin, Prompt: assets.SystemPrompt,
	})
	if err != nil {
		return err
	}
	return s.Run(ctx, ready)
}

// plugin writes what a session's claude loads.
func plugin(dir, binary, sessionFile string) error {
	return assets.Render(dir, assets.Plugin{Binary: binary, SessionFile: sessionFile, Version: build()})
}

// dropHangups catches SIGHUP and does nothing: an ignored signal would be
// inherited by every claude.
func dropHangups() {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	go func() {
		for range hup { // dropping them is the point
		}
	}()
}

// show draws one screen on a terminal the human lent.
func show(ctx context.Context, s *supervisor.Supervisor, t *supervisor.Terminal) (string, error) {
	leader := ""
	if f := s.TeamFile(); f != nil {
		leader = f.Leader
	}
	screen := tui.New(door{s, t.By}, tui.Options{
		In: t.In, Out: t.Out, Env: t.Env, Size: t.Size(), View: t.View, Leader: leader, Log: s.Log(), Remembered: s.Arrangement(),
	})
	t.Use(drawn{screen})
	err := screen.Run(ctx)
	if errors.Is(err, tui.ErrDetached) {
		return "", nil
	}
	if errors.Is(err, tui.ErrQuit) {
		return err.Error(), nil
	}
	return "", err
}

// drawn is a tui.Screen as the supervisor handles it.
type drawn struct{ *tui.Screen }

// Quit implements supervisor.Screen.
func (d drawn) Quit(reason string) { d.Screen.Quit(reason) }

// Resize implements supervisor.Screen.
func (d drawn) Resize(size wire.Size) { d.Screen.Resize(size) }
