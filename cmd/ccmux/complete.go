package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/client"
)

// completeTime bounds how long a press of tab may take. It is silent about what
// goes wrong: nobody reads an error there.
const completeTime = 500 * time.Millisecond

// namesOf asks the running ccmux for names that may stand next.
type namesOf func(ctx context.Context, cl *wire.Client, before []string) []string

// completions are those of the arguments, by the path of the command.
var completions = map[string]namesOf{
	"ccmux up":           sessionNames,
	"ccmux down":         sessionNames,
	"ccmux restart":      sessionNames,
	"ccmux forget":       sessionNames,
	"ccmux send":         first(addressees),
	"ccmux approve":      first(requestIDs),
	"ccmux deny":         first(requestIDs),
	"ccmux rooms join":   first(roomNames),
	"ccmux rooms leave":  first(roomNames),
	"ccmux rooms create": rest(sessionNames),
	"ccmux rules test":   first(sessionNames),
	"ccmux rules rm":     first(ruleIDs),
}

// flagCompletions are those of flags, by their name in every command.
var flagCompletions = map[string]namesOf{"peer": sessionNames, "session": sessionNames, "room": roomNames}

// fixedFlags are the flags that take one of a few words, by their name in every
// command.
var fixedFlags = map[string][]string{
	"kind":   {"task", "note"},
	"status": {"complete", "needs_context", "failed"},
}

// addCompletions gives every command below c its completion.
func addCompletions(c *cobra.Command) {
	for _, sub := range c.Commands() {
		addCompletions(sub)
	}
	if of, ok := completions[c.CommandPath()]; ok {
		directive := cobra.ShellCompDirectiveNoFileComp
		if c.Name() == "up" {
			directive = cobra.ShellCompDirectiveFilterDirs // a folder is as good as a name
		}
		c.ValidArgsFunction = completer(of, directive)
	}
	if c.CommandPath() == "ccmux rules add" {
		c.ValidArgsFunction = effects
	}
	for name, words := range fixedFlags {
		if c.Flags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // as below
		}
	}
	for name, of := range flagCompletions {
		if f := c.Flags().Lookup(name); f != nil && f.Value.Type() == "string" {
			_ = c.RegisterFlagCompletionFunc(name, completer(of, cobra.ShellCompDirectiveNoFileComp)) // the flag is there, and has none yet
		}
	}
}

// effects completes what a rule does.
func effects(_ *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(before) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"allow", "deny", "ask"}, cobra.ShellCompDirectiveNoFileComp
}

func completer(of namesOf, empty cobra.ShellCompDirective) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(c *cobra.Command, before []string, word string) ([]string, cobra.ShellCompDirective) {
		ctx := c.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		ctx, cancel := context.WithTimeout(ctx, completeTime)
		defer cancel()
		fit := slices.DeleteFunc(runningNames(ctx, of, before), func(s string) bool { return !strings.HasPrefix(s, word) })
		if len(fit) == 0 {
			return nil, empty
		}
		return fit, cobra.ShellCompDirectiveNoFileComp
	}
}

// runningNames asks the project's ccmux; without one there are none.
func runningNames(ctx context.Context, of namesOf, before []string) []string {
	p, _, err := here()
	if err != nil {
		return nil
	}
	cl, _, err := client.Dial(ctx, p, build(), nil)
	if err != nil {
		return nil
	}
	defer cl.Close()
	return of(ctx, cl, before)
}

// first completes the first argument only.
func first(of namesOf) namesOf {
	return func(ctx context.Context, cl *wire.Client, before []string) []string {
		if len(before) > 0 {
			return nil
		}
		return of(ctx, cl, before)
	}
}

// rest completes all arguments but the first.
func rest(of namesOf) namesOf {
	return func(ctx context.Context, cl *wire.Client, before []string) []string {
		if len(before) == 0 {
			return nil
		}
		return of(ctx, cl, before[1:])
	}
}

func sessionNames(ctx context.Context, cl *wire.Client, before []string) (names []string) {
	var l wire.List
	if cl.Call(ctx, wire.TypeList, nil, &l) != nil {
		return nil
	}
	for _, s := range l.Sessions {
		if !slices.Contains(before, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

func roomNames(ctx context.Context, cl *wire.Client, _ []string) (names []string) {
	var res struct {
		Data struct {
			Rooms []struct {
				Name     string `json:"name"`
				Archived bool   `json:"archived"`
			} `json:"rooms"`
		} `json:"data"`
	}
	call := wire.ToolCall{Name: wire.ToolListRooms, Arguments: json.RawMessage("{}")}
	if cl.Call(ctx, wire.TypeTool, call, &res) != nil {
		return nil
	}
	for _, r := range res.Data.Rooms {
		if !r.Archived {
			names = append(names, r.Name)
		}
	}
	return names
}

func addressees(ctx context.Context, cl *wire.Client, before []string) []string {
	names := sessionNames(ctx, cl, before)
	for _, r := range roomNames(ctx, cl, nil) {
		names = append(names, "#"+r)
	}
	return append(names, wire.Everyone)
}

func requestIDs(ctx context.Context, cl *wire.Client, _ []string) (ids []string) {
	var open wire.Approvals
	if cl.Call(ctx, wire.TypeApprovals, nil, &open) != nil {
		return nil
	}
	for _, a := range open.Open {
		ids = append(ids, a.ID+"\t"+wire.CleanLine(a.Session+": "+a.Tool, 60))
	}
	return ids
}

func ruleIDs(ctx context.Context, cl *wire.Client, _ []string) (ids []string) {
	var rules wire.Rules
	if cl.Call(ctx, wire.TypeRules, nil, &rules) != nil {
		return nil
	}
	for _, r := range rules.Rules {
		ids = append(ids, r.ID+"\t"+wire.CleanLine(string(r.Effect)+" "+r.Tool+" "+r.Match, 60))
	}
	return ids
}
