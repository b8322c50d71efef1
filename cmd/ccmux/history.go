package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
)

func historyCommand() *cobra.Command {
	var h wire.HistoryArgs
	var asJSON bool
	c := &cobra.Command{
		Use:     "history",
		Short:   "Read what was said, newest first",
		Example: "  ccmux history --peer backend\n  ccmux history --room ui --limit 20\n  ccmux history --task t-12 --json",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return pastMessages(c, h, asJSON)
		},
	}
	historyFlags(c, &h, &asJSON)
	c.AddCommand(pruneCommand())
	return c
}

func searchCommand() *cobra.Command {
	var h wire.HistoryArgs
	var asJSON bool
	c := &cobra.Command{
		Use:     "search WORDS...",
		Short:   "Search everything ever said, newest first",
		Example: "  ccmux search migration\n  ccmux search '\"rolling back\" port' --peer backend",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, words []string) error {
			h.Text = strings.Join(words, " ")
			return pastMessages(c, h, asJSON)
		},
	}
	historyFlags(c, &h, &asJSON)
	return c
}

func historyFlags(c *cobra.Command, h *wire.HistoryArgs, asJSON *bool) {
	c.Flags().StringVar(&h.Peer, "peer", "", "only to or from this session")
	c.Flags().StringVar(&h.Room, "room", "", "only in this room")
	c.Flags().StringVar(&h.TaskID, "task", "", "only in this thread (task_id)")
	c.Flags().StringVar(&h.Before, "before", "", "only older than this message (message_id, or the beginning of it)")
	c.Flags().IntVar(&h.Limit, "limit", 0, "at most so many, 1 to 200; 0 is the default, 50")
	c.Flags().BoolVar(asJSON, "json", false, "print JSON")
}
