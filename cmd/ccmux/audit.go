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

// auditActor is who did something.
type auditActor struct {
	Kind, Peer, Rule, Exe, TTY string
	PID                        int
}

// auditRule is a rule as the timeline has it.
type auditRule struct {
	ID, Effect, Peer, Tool, Pattern, Dir, Source string
	MaxAge                                       time.Duration `json:"max_age"`
}

// auditBody is what an audit reads of an event.
type auditBody struct {
	ID        string     `json:"id"`
	Behavior  string     `json:"behavior"`
	Scope     string     `json:"scope"`
	Why       string     `json:"why"`
	How       string     `json:"how"`
	Verb      string     `json:"verb"`
	Path      string     `json:"path"`
	By        auditActor `json:"by"`
	Who       auditActor `json:"who"`
	Rule      auditRule  `json:"rule"`
	Peer      string     `json:"peer"`
	Tool      string     `json:"tool"`
	What      string     `json:"what"`
	Times     int        `json:"times"`
	Approvers []struct {
		Session, By, Rule string
	} `json:"approvers"`
	Permission struct {
		ID    string          `json:"id"`
		Peer  string          `json:"peer"`
		Tool  string          `json:"tool"`
		Input json.RawMessage `json:"input"`
	} `json:"permission"`
}

// auditLine is an audited event in words.
func auditLine(e wire.Event) string {
	var b auditBody
	if json.Unmarshal(e.Body, &b) != nil {
		return wire.CleanLine(string(e.Body), 300)
	}
	name := func(id string) string {
		if n := e.Names[id]; n != "" {
			return n
		}
		return id
	}
	var words string
	switch e.Type {
	case "PermissionAsked":
		words = fmt.Sprintf("%s %s asks to use %s: %s", b.Permission.ID, name(b.Permission.Peer), b.Permission.Tool, summary(b.Permission.Input))
	case "PermissionAnswered":
		words = b.ID + " " + verdictWords(b, name)
	case "PermissionClosed", "PermissionMoved":
		words = b.ID + " " + b.How + b.Why
	case "ToolDenied":
		words = name(b.Peer) + " " + denialWords(b)
	case "RuleAdded":
		words = b.Rule.ID + ": " + ruleWords(b.Rule, name) + ", by " + b.By.words(name)
	case "RuleRemoved":
		words = b.ID + " by " + b.By.words(name)
	case "ApproversSet":
		list := []string{}
		for _, a := range b.Approvers {
			list = append(list, a.Rule)
		}
		if words = strings.Join(list, "; "); words == "" {
			words = "none: only you answer requests"
		}
		words += ", by " + b.By.words(name)
	case "AccessRefused":
		words = fmt.Sprintf("%s by %s: %s", b.Verb, b.Who.words(name), b.Why)
	case "ConfigTrusted":
		words = b.Path + " by " + b.By.words(name)
	}
	return wire.CleanLine(words, 400)
}

// denialWords are what a rule stopped before it ran.
func denialWords(b auditBody) string {
	if b.Times > 0 {
		return fmt.Sprintf("was denied %d tools more by rules within a minute", b.Times)
	}
	return fmt.Sprintf("was denied %s: %s, by %s", b.Tool, wire.CleanLine(b.What, 200), b.Why)
}

// verdictWords are an answer: what, for how long, by whom and why.
func verdictWords(b auditBody, name func(string) string) string {
	words := b.Behavior
	if b.Scope == "session" {
		words += " for the session"
	}
	words += " by " + b.By.words(name)
	if why := strings.TrimPrefix(b.Why, b.By.Rule+": "); why != "" {
		words += ": " + why
	}
	return words
}

// words are who it was, and from where.
func (a auditActor) words(name func(string) string) string {
	who := map[string]string{"human": wire.You, "peer": name(a.Peer), "rule": "rule " + a.Rule}[a.Kind]
	if who == "" {
		who = "ccmux"
	}
	if a.Kind == "peer" && a.Rule != "" {
		who += " as " + a.Rule
	}
	if a.PID == 0 {
		return who
	}
	from := fmt.Sprintf("process %d", a.PID)
	for _, s := range []string{a.Exe, a.TTY} {
		if s != "" {
			from += " " + s
		}
	}
	return who + " (" + from + ")"
}

// ruleWords are what a rule says.
func ruleWords(r auditRule, name func(string) string) string {
	words := strings.TrimSpace(r.Effect + " " + orAll(r.Tool) + " " + r.Pattern)
	if r.Peer != "" {
		words += " for " + name(r.Peer)
	}
	if r.Dir != "" {
		words += " in " + r.Dir
	}
	if r.MaxAge > 0 {
		words += " for " + r.MaxAge.String()
	}
	return words + " (" + r.Source + ")"
}
