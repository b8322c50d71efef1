package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/client"
	"github.com/ccmux/ccmux/supervisor/project"
)

// withClient runs f on a connection to the project's running ccmux.
func withClient(ctx context.Context, push func(wire.Frame), f func(*wire.Client) error) error {
	p, _, err := here()
	if err != nil {
		return err
	}
	c, _, err := client.Dial(ctx, p, build(), push)
	if err != nil {
		return elsewhere(ctx, err)
	}
	defer c.Close()
	return f(c)
}

// printJSON writes v as one indented document, or as a line when it is one of
// many.
func printJSON(v any, line bool) error {
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	if !line {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := os.Stdout.Write(escapeHidden(doc.Bytes()))
	return err
}

// escapeHidden has JSON say the same without a character that a terminal obeys or
// does not show: what models and peers wrote as JSON stands in it as it came, and
// JSON itself escapes only the oldest of these characters.
func escapeHidden(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for _, r := range string(doc) {
		switch {
		case r < 0x7f || !wire.Hidden(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

func downCommand() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "down [NAME]...",
		Short: "End sessions; they are resumed by the next up",
		Long: `End the named sessions, or all of this project. Their conversations stay, and
ccmux up resumes them. Mail to a stopped session waits for it.`,
		Example: "  ccmux down backend\n  ccmux down            all sessions\n  ccmux down --all      all sessions, and ccmux itself",
		RunE: func(c *cobra.Command, names []string) error {
			if all && len(names) > 0 {
				return usageError{errors.New("--all goes without names")}
			}
			if all {
				return stopAll(c.Context())
			}
			return withClient(c.Context(), nil, func(cl *wire.Client) error {
				var done wire.Names
				if err := cl.Call(c.Context(), wire.TypeDown, wire.Names{Names: names}, &done); err != nil {
					return err
				}
				fmt.Println("stopped: " + orNothing(done.Names))
				return nil
			})
		},
	}
	c.Flags().BoolVar(&all, "all", false, "end ccmux itself too")
	return c
}

// stopAll ends ccmux itself and returns when it has ended, so that the next
// command finds a clean slate.
func stopAll(ctx context.Context) error {
	p, _, err := here()
	if err != nil {
		return err
	}
	return elsewhere(ctx, stopProject(ctx, p))
}

func stopProject(ctx context.Context, p project.Project) error {
	c, w, err := client.Dial(ctx, p, build(), nil)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Call(ctx, wire.TypeStop, nil, nil); err != nil {
		return err
	}
	if err := client.AwaitEnd(ctx, w.PID); err != nil {
		return err
	}
	fmt.Println("stopped: ccmux and its sessions")
	return nil
}

func restartCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "restart NAME...",
		Short:   "End sessions and start them again in their conversations",
		Example: "  ccmux restart backend",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, names []string) error {
			return withClient(c.Context(), nil, func(cl *wire.Client) error {
				var done wire.Names
				if err := cl.Call(c.Context(), wire.TypeRestart, wire.Names{Names: names}, &done); err != nil {
					return err
				}
				fmt.Println("restarted: " + orNothing(done.Names))
				return nil
			})
		},
	}
}

func forgetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "forget NAME...",
		Short: "Take stopped sessions off the lists",
		Long: `Take sessions that were stopped off the lists: ls, the screen and an up without
names no longer have them, their open tasks are refused, and they leave their
rooms. What they said stays in the history and their names stay theirs: an up
that names one brings it back.`,
		Example: "  ccmux forget experiment",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, names []string) error {
			return withClient(c.Context(), nil, func(cl *wire.Client) error {
				var done wire.Names
				if err := cl.Call(c.Context(), wire.TypeForget, wire.Names{Names: names}, &done); err != nil {
					return err
				}
				fmt.Println("forgotten: " + orNothing(done.Names))
				return nil
			})
		},
	}
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

func listCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list", "ps"},
		Short:   "List the sessions of this project and what they do",
		Example: "  ccmux ls\n  ccmux ls --json | jq '.sessions[] | select(.state == \"asks\")'",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return withClient(c.Context(), nil, func(cl *wire.Client) error {
				var l wire.List
				if err := cl.Call(c.Context(), wire.TypeList, nil, &l); err != nil {
					return err
				}
				if asJSON {
					return printJSON(l, false)
				}
				return printList(l)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func printList(l wire.List) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATE\tSINCE\tROUTE\tUNREAD\tFOLDER")
	for _, s := range l.Sessions {
		state := s.State
		switch {
		case s.Watches: // its detail is the tool
			state += ": watches for mail"
		case s.Detail != "":
			state += ": " + s.Detail
		}
		route := string(s.Route)
		if route == "" {
			route = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", s.Name, state, ago(s.Since), route, s.Unread, s.Dir)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, n := range l.News {
		fmt.Println("\n" + n)
	}
	return nil
}

// ago is the time since t in one unit.
func ago(t time.Time) string {
	d := time.Since(t)
	switch {
	case t.IsZero():
		return "-"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

func trustCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "trust",
		Short: "Read what ccmux.toml runs and allows, and agree to it",
		Long: `Show everything in this project's ccmux.toml that runs a program, changes an
environment or answers for you, and ask whether it may. The answer holds for
this content: a change of the file is asked about again.`,
		Example: "  ccmux trust\n  ccmux trust --yes    agree without being asked; you have read it",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			p, _, err := here()
			if err != nil {
				return err
			}
			if p.Fault != nil {
				return p.Fault
			}
			if p.Config == nil {
				return errors.New("this project has no ccmux.toml: there is nothing to trust")
			}
			if len(p.Config.NeedsTrust()) == 0 {
				fmt.Println("nothing in ccmux.toml needs your trust")
				return nil
			}
			if err := trust(c.Context(), p, yes); err != nil {
				return err
			}
			fmt.Println("trusted: " + p.Config.Path)
			return nil
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "agree without being asked")
	return c
}

// trust puts the human's yes on record; a ccmux that was started for it ends
// again.
func trust(ctx context.Context, p project.Project, yes bool) error {
	agreed, err := before(ctx, p, nil, yes)
	if err != nil {
		return err
	}
	c, started, err := reach(ctx, p, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	err = agree(ctx, c, p.Config, agreed)
	if started {
		err = errors.Join(err, client.Dismiss(ctx, c))
	}
	return err
}
