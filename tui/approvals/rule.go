package approvals

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ccmux/ccmux/supervisor/router"
)

// RuleText is the rule that would allow exactly this request from now on, in the
// form that ParseRule reads:
//
//	allow Bash for backend: go test ./...
func RuleText(p router.Permission, name string) string {
	text := "allow " + p.Tool + " for " + name
	if pat := pattern(p); pat != "" {
		text += ": " + pat
	}
	return text
}

// pattern is what a rule matches on, with what a glob would take for itself
// escaped: the rule is for this very command, file or address.
func pattern(p router.Permission) string {
	var in struct {
		Command  string `json:"command"`
		FilePath string `json:"file_path"`
		URL      string `json:"url"`
	}
	_ = json.Unmarshal(p.Input, &in) // what cannot be read has no pattern
	for _, s := range []string{in.Command, in.FilePath, in.URL} {
		if s != "" {
			return globEscape.Replace(s)
		}
	}
	return ""
}

var globEscape = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

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
	return r, nil
}
