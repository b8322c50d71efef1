package tui

import (
	"strings"

	"github.com/ccmux/ccmux/tui/approvals"
)

// ruleEntry is the line in which the human makes a rule of a request.
func (m *model) ruleEntry(card approvals.Card) *entry {
	rule := approvals.RuleFor(card.Perm.Permission, m.context().Name(card.Perm.Peer))
	text := approvals.RuleText(rule)
	e := &entry{verb: "make the rule", label: "always: enter makes this rule; = means exactly what follows, edit it as you like"}
	if about := approvals.Beyond(rule); about != "" {
		e.label = "always: enter makes this rule; " + about
	}
	e.line.Set(text)
	whole := e.line.Text() == text // else hidden characters were left out
	e.send = func(m *model, typed string) bool {
		made := rule
		if !whole || typed != strings.TrimSpace(text) {
			var err error
			if made, err = approvals.ParseRule(typed); err != nil {
				e.problem = err.Error()
				return false
			}
		}
		m.addRule(card, made)
		return true
	}
	return e
}
