package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/client"
	"github.com/ccmux/ccmux/supervisor/doctor"
	"github.com/ccmux/ccmux/supervisor/project"
)

func doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Try everything ccmux needs, and say what to do about what is wrong",
		Long: `Try, one after the other: claude and its version, the plugin (claude validates
it), the channel and hook processes, the state and socket folders, the journal (read
whole, for damage), the sessions
of the running ccmux and the route each one's mail takes, and the terminal.

What is ticked was tried just now. The exit code is 1 when something is a problem.`,
		Example: "  ccmux doctor\n  ccmux doctor --json",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			p, _, err := here()
			if err != nil {
				return err
			}
			findings, err := examine(c.Context(), p)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(findings, false)
			} else {
				err = doctor.Write(os.Stdout, findings)
			}
			if err == nil && !doctor.Healthy(findings) {
				return errSilent
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func examine(ctx context.Context, p project.Project) ([]doctor.Finding, error) {
	binary, err := self()
	if err != nil {
		return nil, err
	}
	patient := doctor.Patient{
		Project: p, Binary: binary, Env: os.Environ(),
		Render: func(dir, sessionFile string) error { return plugin(dir, binary, sessionFile) },
		List: func(ctx context.Context) (l wire.List, err error) {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			c, _, err := client.Dial(ctx, p, build(), nil)
			if err != nil {
				return l, err
			}
			defer c.Close()
			return l, c.Call(ctx, wire.TypeList, nil, &l)
		},
		Storage: func(ctx context.Context) (s wire.Storage, err error) {
			c, _, err := client.Dial(ctx, p, build(), nil)
			if err != nil {
				return s, err
			}
			defer c.Close()
			return s, c.Call(ctx, wire.TypeStorage, nil, &s)
		},
	}
	if cols, rows, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		patient.Terminal = &doctor.Terminal{Cols: cols, Rows: rows}
	}
	return doctor.Examine(ctx, patient), nil
}
