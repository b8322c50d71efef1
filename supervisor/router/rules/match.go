package rules

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// The verdicts. None means that no rule says anything: the human is asked.
const (
	Deny  = "deny"
	Ask   = "ask"
	Allow = "allow"
	None  = ""
)

// Request is what a tool is about to do.
type Request struct {
	Peer  router.PeerID
	Name  string          // the peer's name
	Tool  string          // as claude names it
	Input json.RawMessage // whole
	Dir   string          // the session's folder, absolute
	Home  string          // what ~ means; "" for nothing
	At    time.Time
	// Resolve returns an absolute path with its symbolic links followed, as far
	// as it exists. Nil leaves paths as they are written.
	Resolve func(path string) (string, error)
}

// Match applies the rules and returns the verdict, the first rule that gave it,
// and why in words: the rule's own, when there is one. The rule is nil when the verdict is None, or when it is Ask
// because a rule that denies could neither be excluded nor be sure: where denies
// are enforced before a tool runs, that is to be answered with ask, too.
func Match(list []router.Rule, req Request) (verdict string, rule *router.Rule, why string) {
	s := subjectOf(req)
	var ask, unsure *router.Rule
	for i := range list {
		r := &list[i]
		if r.Effect != Deny && r.Effect != Ask || !concerns(r, req) || !s.inFolder(r, true) {
			continue
		}
		switch s.forbids(r.Pattern) {
		case yes:
			if r.Effect == Deny {
				return Deny, r, textFor(r, req)
			}
			if ask == nil {
				ask = r
			}
		case maybe:
			if unsure == nil {
				unsure = r
			}
		case no:
		}
	}
	switch {
	case ask != nil:
		return Ask, ask, textFor(ask, req)
	case unsure != nil:
		return Ask, nil, fmt.Sprintf("it cannot be said surely whether %q applies: %s", textFor(unsure, req), s.doubt())
	}
	for i := range list {
		r := &list[i]
		if r.Effect == Allow && concerns(r, req) && s.inFolder(r, false) && s.permits(r.Pattern) {
			return Allow, r, textFor(r, req)
		}
	}
	return None, nil, "no rule applies"
}

// Denies is Match with the rules that deny alone, as they are held against a tool
// before it runs: the verdict is Deny, Ask when it cannot be said whether one
// applies, or None.
func Denies(list []router.Rule, req Request) (verdict string, rule *router.Rule, why string) {
	var only []router.Rule
	for _, r := range list {
		if r.Effect == Deny {
			only = append(only, r)
		}
	}
	if len(only) == 0 {
		return None, nil, ""
	}
	return Match(only, req)
}

// Bounded says whether a request lies within what somebody else than the human
// may allow: it surely matches the bound as a rule that allows would, and no rule
// of the list that denies or asks applies to it, or might.
func Bounded(bound router.Rule, list []router.Rule, req Request) bool {
	bound.Effect = Allow
	all := []router.Rule{bound}
	for _, r := range list {
		if r.Effect != Allow {
			all = append(all, r)
		}
	}
	verdict, _, _ := Match(all, req)
	return verdict == Allow
}

// Check says what is wrong with a rule before it is put in force.
func Check(r router.Rule) error {
	switch r.Effect {
	case Allow, Deny, Ask:
	default:
		return fmt.Errorf("effect %q: use allow, deny or ask", wire.CleanLine(r.Effect, 40))
	}
	if r.Effect == Allow && r.Tool == "" && r.Pattern == "" {
		return fmt.Errorf("a rule that allows names a tool or a pattern")
	}
	if r.Effect == Allow && !strings.HasPrefix(r.Pattern, "=") && !named(r.Pattern) && !strings.ContainsAny(r.Pattern, "/.") {
		return fmt.Errorf("pattern %q: a rule that allows commands begins with the name of one, without a wildcard, or is \"*\"", wire.CleanLine(r.Pattern, 80))
	}
	return nil
}

// Exact returns the pattern that matches this text and nothing else: a command,
// a path, a URL or an argument.
func Exact(text string) string { return "=" + text }

// Text is a rule in one line.
func Text(r router.Rule) string {
	var b strings.Builder
	b.WriteString(r.ID + ": " + r.Effect)
	for _, f := range [][2]string{{"session", r.Peer}, {"tool", r.Tool}, {"", r.Pattern}, {"in", r.Dir}} {
		if f[1] != "" {
			b.WriteString(" " + strings.TrimSpace(f[0]+" "+f[1]))
		}
	}
	return wire.CleanLine(b.String(), 400)
}

// textFor is Text with the name of the peer in place of its id.
func textFor(r *router.Rule, req Request) string {
	named := *r
	if named.Peer == string(req.Peer) && req.Name != "" {
		named.Peer = req.Name
	}
	return Text(named)
}

// concerns says whether a rule is about this peer and tool at this time.
func concerns(r *router.Rule, req Request) bool {
	if r.Peer != "" && r.Peer != wire.Everyone && r.Peer != req.Name && r.Peer != string(req.Peer) {
		return false
	}
	if r.MaxAge > 0 && !r.Added.IsZero() && req.At.After(r.Added.Add(r.MaxAge)) {
		return false
	}
	return r.Tool == "" || glob(r.Tool, req.Tool)
}

// answer is what can be said of a pattern.
type answer int

const (
	no answer = iota
	maybe
	yes
)
