package main

import (
	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
)

func inboxCommand() *cobra.Command {
	var a wire.InboxArgs
	var asJSON bool
	c := &cobra.Command{
		Use:   "inbox",
		Short: "Read what was sent to you",
		Long: `Read what was sent to you: first what you did not see yet, then older mail, newest
first. A task among it is answered with ccmux send --reply TASK.`,
		Example: "  ccmux inbox\n  ccmux inbox --unread --json",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return callTool(c, wire.ToolInbox, a, asJSON)
		},
	}
	c.Flags().BoolVar(&a.Unread, "unread", false, "only what you did not see yet")
	c.Flags().IntVar(&a.Limit, "limit", 0, "at most so many, 1 to 200; 0 is the default, 50")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func ackCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "ack MESSAGE...",
		Short:   "Mark mail as read, by its message_id or the beginning of it",
		Example: "  ccmux ack 0196f1c2-7a53-7bd4",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, ids []string) error {
			return callTool(c, wire.ToolAck, wire.MessageIDs{IDs: ids}, false)
		},
	}
}

func archiveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "archive MESSAGE...",
		Short:   "Take mail out of the inbox, by its message_id or the beginning of it; history keeps it",
		Example: "  ccmux archive 0196f1c2-7a53-7bd4",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, ids []string) error {
			return callTool(c, wire.ToolArchive, wire.MessageIDs{IDs: ids}, false)
		},
	}
}
