package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

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
			return callTool(c, wire.ToolHistory, h, asJSON)
		},
	}
	historyFlags(c, &h, &asJSON)
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
			return callTool(c, wire.ToolHistory, h, asJSON)
		},
	}
	historyFlags(c, &h, &asJSON)
	return c
}

func historyFlags(c *cobra.Command, h *wire.HistoryArgs, asJSON *bool) {
	c.Flags().StringVar(&h.Peer, "peer", "", "only to or from this session")
	c.Flags().StringVar(&h.Room, "room", "", "only in this room")
	c.Flags().StringVar(&h.TaskID, "task", "", "only in this thread (task_id)")
	c.Flags().StringVar(&h.Before, "before", "", "only older than this message (message_id)")
	c.Flags().IntVar(&h.Limit, "limit", 0, "at most so many, up to 200 (default 50)")
	c.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// audited are the events that say who allowed what, and who was let in.
var audited = []string{
	"PermissionAsked", "PermissionAnswered", "PermissionMoved", "PermissionClosed", "RuleAdded", "RuleRemoved",
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
			print := func(f wire.Frame) {
				if failed == nil {
					failed = printAudited(f, asJSON)
				}
			}
			return withClient(c.Context(), print, func(cl *wire.Client) error {
				err := cl.Call(c.Context(), wire.TypeTail, wire.Tail{From: 1, Once: true}, nil)
				cl.Close() // so that the last event has been printed
				if err != nil {
					return err
				}
				return failed
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document a line")
	return c
}

func printAudited(f wire.Frame, asJSON bool) error {
	var e wire.Event
	if f.Type != wire.TypeEvent || f.Decode(&e) != nil || !slices.Contains(audited, e.Type) {
		return nil
	}
	if asJSON {
		return printJSON(e, true)
	}
	_, err := fmt.Printf("%s  %-20s %s\n", e.At.Local().Format(time.DateTime), e.Type, auditLine(e))
	return err
}

// auditLine is an audited event in words.
func auditLine(e wire.Event) string {
	var b struct {
		ID       string `json:"id"`
		Behavior string `json:"behavior"`
		Scope    string `json:"scope"`
		Why      string `json:"why"`
		How      string `json:"how"`
		Verb     string `json:"verb"`
		Path     string `json:"path"`
		By       struct {
			Kind, Peer, Rule, Exe, TTY string
			PID                        int
		} `json:"by"`
		Permission struct {
			ID    string          `json:"id"`
			Peer  string          `json:"peer"`
			Tool  string          `json:"tool"`
			Input json.RawMessage `json:"input"`
		} `json:"permission"`
	}
	if json.Unmarshal(e.Body, &b) != nil {
		return wire.CleanLine(string(e.Body), 300)
	}
	var words string
	switch e.Type {
	case "PermissionAsked":
		words = fmt.Sprintf("%s %s asks to use %s: %s", b.Permission.ID, b.Permission.Peer, b.Permission.Tool, summary(b.Permission.Input))
	case "PermissionAnswered":
		words = fmt.Sprintf("%s %s by %s %s", b.ID, b.Behavior, b.By.Kind, strings.TrimSpace(b.By.Peer+" "+b.By.Rule))
		if b.By.PID != 0 {
			words += fmt.Sprintf("(process %d %s)", b.By.PID, b.By.Exe)
		}
		if b.Why != "" {
			words += ": " + b.Why
		}
	case "PermissionClosed", "PermissionMoved":
		words = fmt.Sprintf("%s %s", b.ID, b.How+b.Why)
	case "AccessRefused":
		words = fmt.Sprintf("%s: %s", b.Verb, b.Why)
	case "ConfigTrusted":
		words = b.Path
	default:
		words = string(e.Body)
	}
	return wire.CleanLine(words, 400)
}
