package main

import (
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
)

func rulesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "rules",
		Short: "List, test, add and remove rules that answer permission requests",
		Long: `Rules answer permission requests without you: deny beats ask beats allow, and
what no rule is sure about comes to you. A deny holds before a tool runs, in every
permission mode. Rules come from ccmux.toml, from cards, and from here.`,
		Example: `  ccmux rules
  ccmux rules test backend 'git status && rm -rf ~'
  ccmux rules add allow Bash 'go test *' --session backend
  ccmux rules rm rule-3`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return withClient(c.Context(), nil, func(cl *wire.Client) error {
				var r wire.Rules
				if err := cl.Call(c.Context(), wire.TypeRules, nil, &r); err != nil {
					return err
				}
				if asJSON {
					return printJSON(r, false)
				}
				return printRules(r)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.AddCommand(ruleTestCommand(), ruleAddCommand(), ruleRemoveCommand())
	return c
}

func printRules(r wire.Rules) error {
	for _, n := range r.News {
		fmt.Fprintln(os.Stderr, wire.CleanLine(n, 400))
	}
	if len(r.Rules) == 0 {
		fmt.Println("no rules: every request comes to you")
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tEFFECT\tSESSION\tTOOL\tMATCH\tFOLDER\tAGE\tFROM")
	for _, i := range r.Rules {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", i.ID, i.Effect, orAll(i.Peer), orAll(i.Tool),
			orAll(wire.CleanLine(i.Match, 80)), orAll(wire.CleanLine(i.Dir, 80)), ageOf(i), i.Source)
	}
	return w.Flush()
}

// ageOf is how old a rule is, and how old it may become.
func ageOf(i wire.RuleInfo) string {
	if i.Added.IsZero() {
		return "-"
	}
	age, err := time.ParseDuration(i.MaxAge)
	switch {
	case i.MaxAge == "" || err != nil:
		return ago(i.Added)
	case time.Since(i.Added) > age:
		return "over (" + i.MaxAge + ")"
	}
	return ago(i.Added) + " of " + i.MaxAge
}

func orAll(s string) string {
	if s == "" {
		return "*"
	}
	return s
}

func ruleTestCommand() *cobra.Command {
	var tool string
	c := &cobra.Command{
		Use:     "test SESSION COMMAND",
		Short:   "Say what the rules make of a command, or of another tool's input; nothing is run",
		Example: "  ccmux rules test backend 'git push'\n  ccmux rules test backend --tool Write '{\"file_path\":\"/etc/hosts\"}'",
		Args:    args(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, a []string) error {
			t := wire.RuleTest{Session: a[0], Tool: tool, Input: json.RawMessage(a[1])}
			if tool == "Bash" {
				raw, err := json.Marshal(map[string]string{"command": a[1]})
				if err != nil {
					return err
				}
				t.Input = raw
			} else if !json.Valid(t.Input) {
				return usageError{fmt.Errorf("the input of %s is a JSON object, as claude gives it", tool)}
			}
			return withClient(c.Context(), nil, func(cl *wire.Client) error {
				var v wire.RuleVerdict
				if err := cl.Call(c.Context(), wire.TypeRuleTest, t, &v); err != nil {
					return err
				}
				printVerdict(v)
				return nil
			})
		},
	}
	c.Flags().StringVar(&tool, "tool", "Bash", "the tool, by claude's name")
	return c
}

func printVerdict(v wire.RuleVerdict) {
	switch {
	case v.Verdict == "":
		fmt.Println("ask: no rule speaks of it, so you are asked")
	case v.Rule != nil:
		fmt.Printf("%s: by %s (%s %s %s)\n", v.Verdict, v.Rule.ID, v.Rule.Effect, orAll(v.Rule.Tool), orAll(v.Rule.Match))
	default:
		fmt.Printf("%s: %s\n", v.Verdict, v.Why)
	}
}

func ruleAddCommand() *cobra.Command {
	var session, dir string
	var age time.Duration
	var whatever bool
	c := &cobra.Command{
		Use:     "add allow|deny|ask TOOL [MATCH]",
		Short:   "Put a rule in force",
		Example: "  ccmux rules add deny Bash 'git push *'\n  ccmux rules add allow Bash 'go test *' --session api --max-age 8h\n  ccmux rules add allow Read --any --session docs",
		Args:    args(cobra.RangeArgs(2, 3)),
		RunE: func(c *cobra.Command, a []string) error {
			r := wire.RuleInfo{Effect: a[0], Tool: a[1], Peer: session, Dir: dir}
			if len(a) == 3 {
				r.Match = a[2]
			}
			if r.Effect == "allow" && (r.Match == "" || r.Match == "*") && !whatever {
				return usageError{allowsAll(r)}
			}
			if age > 0 {
				r.MaxAge = age.String()
			}
			return withClient(c.Context(), nil, func(cl *wire.Client) error {
				var added wire.RuleInfo
				if err := cl.Call(c.Context(), wire.TypeRuleAdd, r, &added); err != nil {
					return err
				}
				fmt.Println(added.ID)
				return nil
			})
		},
	}
	c.Flags().StringVar(&session, "session", "", "only for this session")
	c.Flags().StringVar(&dir, "dir", "", "only in this folder")
	c.Flags().DurationVar(&age, "max-age", 0, "only for so long, such as 8h")
	c.Flags().BoolVar(&whatever, "any", false, "allow whatever the tool is given")
	return c
}

// allowsAll says what a rule without a pattern would let through.
func allowsAll(r wire.RuleInfo) error {
	what := "everything that " + r.Tool + " is given"
	if r.Tool == "Bash" {
		what = "every command"
	}
	who := "every session"
	if r.Peer != "" {
		who = r.Peer
	}
	return fmt.Errorf("this would allow %s %s, without asking you: give a MATCH, or say --any if you mean that", who, what)
}

func ruleRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rm ID",
		Short:   "Take a rule out of force",
		Example: "  ccmux rules rm rule-3",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			return withClient(c.Context(), nil, func(cl *wire.Client) error {
				if err := cl.Call(c.Context(), wire.TypeRuleDrop, wire.RuleInfo{ID: a[0]}, nil); err != nil {
					return err
				}
				fmt.Println("removed: " + a[0])
				return nil
			})
		},
	}
}
