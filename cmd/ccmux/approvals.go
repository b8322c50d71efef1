package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
)

func approvalsCommand() *cobra.Command {
	var asJSON, watch bool
	c := &cobra.Command{
		Use:     "approvals",
		Short:   "List the permission requests that wait for you",
		Example: "  ccmux approvals\n  ccmux approvals --json\n  ccmux approvals --watch    each as it opens and as it ends, until ctrl+c",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if watch {
				return watchApprovals(c.Context(), asJSON)
			}
			return withClient(c.Context(), nil, func(cl *wire.Client) error {
				var a wire.Approvals
				if err := cl.Call(c.Context(), wire.TypeApprovals, nil, &a); err != nil {
					return err
				}
				if asJSON {
					return printJSON(a, false)
				}
				return printApprovals(a)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON; with --watch a document a line")
	c.Flags().BoolVar(&watch, "watch", false, "print each request when it opens and when it ends, until ctrl+c")
	return c
}

func printApprovals(a wire.Approvals) error {
	if len(a.Open) == 0 {
		fmt.Println("nobody asks")
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tSESSION\tAGE\tTOOL\tINPUT")
	for _, p := range a.Open {
		tool := p.Tool
		if p.InPane {
			tool += " (asks in its pane)"
		}
		who := p.Session
		if p.Agent != "" {
			who += " (" + p.Agent + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.ID, who, ago(p.Asked), tool, summary(p.Input))
	}
	return w.Flush()
}

// summary is a tool's input on one line. What it hides is counted, so that
// nobody approves what they did not see: --json shows it whole.
func summary(input json.RawMessage) string {
	text := wire.MainInput(input)
	first, _, more := strings.Cut(text, "\n")
	line := wire.CleanLine(first, 120)
	if more || len(text) > len(line) {
		line += fmt.Sprintf("  (%d bytes in all: see --json)", len(text))
	}
	return line
}

func approveCommand() *cobra.Command {
	var session bool
	c := &cobra.Command{
		Use:     "approve ID",
		Short:   "Allow a permission request",
		Example: "  ccmux approve r-12\n  ccmux approve r-12 --session    and the like of it in this session",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			v := wire.Verdict{ID: a[0], Behavior: wire.Allow}
			if session {
				v.Scope = "session"
			}
			return giveVerdict(c, v)
		},
	}
	c.Flags().BoolVar(&session, "session", false, "allow the like of it for the rest of the session")
	return c
}

func denyCommand() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:     "deny ID",
		Short:   "Deny a permission request",
		Example: `  ccmux deny r-12 --reason "use the staging database"`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			return giveVerdict(c, wire.Verdict{ID: a[0], Behavior: wire.Deny, Reason: reason})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, for the model to read")
	return c
}

func giveVerdict(c *cobra.Command, v wire.Verdict) error {
	return withClient(c.Context(), nil, func(cl *wire.Client) error {
		if err := cl.Call(c.Context(), wire.TypeVerdict, v, nil); err != nil {
			return err
		}
		word := "allowed"
		if v.Behavior == wire.Deny {
			word = "denied"
		}
		fmt.Printf("%s: %s\n", v.ID, word)
		return nil
	})
}
