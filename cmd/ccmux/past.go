package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor"
	"github.com/ccmux/ccmux/supervisor/client"
)

// orPast runs live, and when no ccmux runs reads what it left on record instead.
// Without a record the error stays.
func orPast(ctx context.Context, live func() error, read func(*supervisor.Past) error) error {
	err := live()
	if !errors.Is(err, client.ErrNotRunning) {
		return err
	}
	p, _, found := here()
	if found != nil {
		return found
	}
	dir, found := p.StateDir()
	if found != nil {
		return found
	}
	past, found := supervisor.OpenPast(ctx, dir)
	switch {
	case errors.Is(found, supervisor.ErrNoJournal):
		return err
	case found != nil:
		return found
	}
	fmt.Fprintln(os.Stderr, "no ccmux runs for this project: this is what it has on record")
	return errors.Join(read(past), past.Close())
}

// pastMessages is history and search.
func pastMessages(c *cobra.Command, h wire.HistoryArgs, asJSON bool) error {
	return orPast(c.Context(), func() error { return callTool(c, wire.ToolHistory, h, asJSON) }, func(p *supervisor.Past) error {
		if n, err := p.Unsearched(c.Context()); err == nil && n > 0 && h.Text != "" {
			fmt.Fprintf(os.Stderr, "the newest %d messages are searched only once a ccmux runs\n", n)
		}
		res, err := p.History(c.Context(), h)
		if err != nil {
			return err
		}
		return printResult(res, asJSON)
	})
}
