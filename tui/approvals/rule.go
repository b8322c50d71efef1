package approvals

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/router/rules"
)

// RuleFor is the rule that would allow exactly this request from now on. A tool
// with several arguments has no pattern that could say so: its rule has none and
// lets the tool run with any.
func RuleFor(p router.Permission, name string) router.Rule {
	return router.Rule{Effect: rules.Allow, Tool: p.Tool, Peer: name, Pattern: pattern(p), Source: "card"}
}

// RuleText writes a rule in the form that ParseRule reads; a pattern that begins
// with = stands for exactly what follows:
//
//	allow Bash for backend: =go test ./...
func RuleText(r router.Rule) string {
	text := r.Effect + " " + r.Tool
	if r.Peer != "" {
		text += " for " + r.Peer
	}
	if r.Pattern != "" {
		text += ": " + r.Pattern
	}
	return text
}

// about are the fields that the patterns of known tools are about.
var about = map[string]string{
	"Bash": "command", "Read": "file_path", "Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path",
	"NotebookEdit": "notebook_path", "WebFetch": "url",
}

// NoRule says why no rule would allow a request like this one; "" when one would.
func NoRule(p router.Permission) string {
	if _, ok := parse(&router.PermissionView{Permission: p}); p.Tool == "Bash" && !ok {
		return "no rule speaks of more than the command, and this asks for more: allow it once, or not"
	}
	return ""
}

// Beyond says what else a rule made of a request allows than what was asked; ""
// when nothing.
func Beyond(r router.Rule) string {
	switch {
	case r.Pattern == "":
		return "it lets the tool run with whatever it is given"
	case r.Tool == "Write" || r.Tool == "Edit" || r.Tool == "MultiEdit" || r.Tool == "NotebookEdit":
		return "it lets any content be written to that file"
	}
	return ""
}

// pattern matches the one text that a request is about, when there is one.
func pattern(p router.Permission) string {
	var fields map[string]any
	if json.Unmarshal(p.Input, &fields) != nil {
		return ""
	}
	if s, ok := fields[about[p.Tool]].(string); ok && s != "" {
		return rules.Exact(s)
	}
	if about[p.Tool] != "" {
		return ""
	}
	if len(fields) == 1 {
		for _, v := range fields {
			if s, ok := v.(string); ok && s != "" {
				return rules.Exact(s)
			}
		}
	}
	return ""
}

// ParseRule reads a rule as RuleText writes it. The parts "for NAME" and
// ": PATTERN" may be missing.
func ParseRule(text string) (router.Rule, error) {
	head, pat, _ := strings.Cut(text, ": ")
	words := strings.Fields(head)
	if len(words) < 2 {
		return router.Rule{}, errors.New("a rule reads: allow TOOL for SESSION: PATTERN")
	}
	r := router.Rule{Effect: words[0], Tool: words[1], Pattern: strings.TrimSpace(pat), Source: "card"}
	switch r.Effect {
	case "allow", "deny", "ask":
	default:
		return router.Rule{}, fmt.Errorf("a rule begins with allow, deny or ask, not %q", words[0])
	}
	rest := words[2:]
	if len(rest) == 2 && rest[0] == "for" {
		r.Peer, rest = rest[1], nil
	}
	if len(rest) > 0 {
		return router.Rule{}, fmt.Errorf("%q is not understood: a rule reads allow TOOL for SESSION: PATTERN", strings.Join(rest, " "))
	}
	return r, rules.Check(r)
}
