package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
)

func holdCommand() *cobra.Command {
	var why string
	var asJSON bool
	c := &cobra.Command{
		Use:   "hold [SESSION | '#ROOM' | MESSAGE]",
		Short: "Stop messages on their way to a session, in a room, or one of them",
		Long: `Stop everything to a session, everything in a room, or one message (by its
message_id, or the beginning of it) that nobody has seen yet, until you release it.
A session or a room stays held for what is sent later. Without a name: list what is held.`,
		Example: "  ccmux hold backend --reason \"I am looking at its branch\"\n  ccmux hold '#ui'\n  ccmux hold",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			i := wire.Intervene{Why: why}
			if len(a) > 0 {
				i.Target = a[0]
			}
			var held wire.HeldList
			if err := intervene(c, wire.TypeHold, i, &held); err != nil {
				return err
			}
			switch {
			case len(a) > 0:
				fmt.Println("held: " + a[0])
			case asJSON:
				return printJSON(held, false)
			default:
				return printHeld(held)
			}
			return nil
		},
	}
	c.Flags().StringVar(&why, "reason", "", "why, for the senders to read")
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return c
}

func printHeld(h wire.HeldList) error {
	if len(h.Standing) > 0 {
		fmt.Println("everything is held of: " + strings.Join(h.Standing, ", "))
	}
	if len(h.Messages) == 0 {
		fmt.Println("no message is held")
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "MESSAGE\tTASK\tFROM\tTO\tAGE\tWHY\tTEXT")
	for _, m := range h.Messages {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.MessageID, m.TaskID, m.From, m.To, ago(m.Since), m.Why, wire.CleanLine(m.Content, 60))
	}
	return w.Flush()
}

func releaseCommand() *cobra.Command {
	var i wire.Intervene
	c := &cobra.Command{
		Use:   "release SESSION | '#ROOM' | MESSAGE",
		Short: "Let go what is held, changed if you like",
		Long: `Let everything held for a session or in a room go on, or one message. One message
can be changed on its way: --edit sends another text in its place, --to sends it
to another peer. The timeline shows both, and the sender is told.`,
		Example: `  ccmux release backend
  ccmux release 0196f1c2-7a53-7bd4 --edit "only the tests, please"
  ccmux release 0196f1c2-7a53-7bd4 --to frontend`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			if c.Flags().Changed("edit") && strings.TrimSpace(i.Edit) == "" {
				return usageError{fmt.Errorf("--edit is empty: ccmux withdraw takes a message back")}
			}
			i.Target = a[0]
			var done wire.Intervened
			if err := intervene(c, wire.TypeRelease, i, &done); err != nil {
				return err
			}
			if done.MessageID != "" {
				fmt.Printf("released: as message_id %s in place of %s\n", done.MessageID, a[0])
				return nil
			}
			fmt.Println("released: " + a[0])
			return nil
		},
	}
	c.Flags().StringVar(&i.Edit, "edit", "", "send this text in place of the message's")
	c.Flags().StringVar(&i.To, "to", "", "send it to this peer instead")
	return c
}

func withdrawCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "withdraw MESSAGE",
		Short:   "Take a message back from everyone who has not seen it",
		Example: "  ccmux withdraw 0196f1c2-7a53-7bd4",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			if err := intervene(c, wire.TypeWithdraw, wire.Intervene{Target: a[0]}, nil); err != nil {
				return err
			}
			fmt.Println("withdrawn: " + a[0])
			return nil
		},
	}
}

func intervene(c *cobra.Command, t wire.Type, i wire.Intervene, out any) error {
	return withClient(c.Context(), nil, func(cl *wire.Client) error { return cl.Call(c.Context(), t, i, out) })
}
