package main

import (
	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor"
)

// audited are the events that say who allowed what, and who was let in.
var audited = []string{
	"PermissionAsked", "PermissionAnswered", "PermissionMoved", "PermissionClosed", "ToolDenied", "RuleAdded", "RuleRemoved",
	"ApproversSet", "AccessRefused", "ConfigTrusted",
}

func auditCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "audit",
		Short:   "List every permission request, verdict, rule and refusal: who, what, why, when",
		Example: "  ccmux audit\n  ccmux audit --json | jq 'select(.type == \"PermissionAnswered\")'",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			var failed error
			said := newNarrator(asJSON)
			print := func(f wire.Frame) {
				if failed == nil {
					failed = said.frame(f, audited)
				}
			}
			live := func() error {
				return withClient(c.Context(), print, func(cl *wire.Client) error {
					err := cl.Call(c.Context(), wire.TypeTail, wire.Tail{From: 1, Once: true}, nil)
					cl.Close() // so that the last event has been printed
					if err != nil {
						return err
					}
					return failed
				})
			}
			return orPast(c.Context(), live, func(p *supervisor.Past) error {
				return p.Events(c.Context(), func(e wire.Event) error { return said.event(e, audited) })
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document a line")
	return c
}
