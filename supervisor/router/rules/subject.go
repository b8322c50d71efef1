package rules

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// subject is what of a request a pattern is held against.
type subject struct {
	req     Request
	command *script  // of a shell tool
	raw     string   // its text
	paths   []string // as they were written
	urls    []string
	others  []string // every other string, of a tool that is not known
	beyond  bool     // the input says more than a pattern can speak of
	broken  bool     // the input could not be read
}

// The tools whose input is known, by the field that counts.
var (
	shellTools = []string{"Bash"}
	pathFields = []string{"file_path", "notebook_path", "path"}
	pathTools  = []string{"Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Glob", "Grep", "LS"}
	urlTools   = []string{"WebFetch"}

	// shellFields are what a shell tool may be given beside its command without
	// its meaning changing.
	shellFields = []string{"command", "description", "timeout", "run_in_background"}
)

func subjectOf(req Request) *subject {
	s := &subject{req: req}
	var fields map[string]any
	if len(req.Input) > 0 && json.Unmarshal(req.Input, &fields) != nil {
		s.broken = true
		return s
	}
	switch {
	case slices.Contains(shellTools, req.Tool):
		s.raw, _ = fields["command"].(string)
		s.command = takeApart(s.raw)
		for name, v := range fields {
			s.beyond = s.beyond || !slices.Contains(shellFields, name) && v != nil && v != false
		}
	case slices.Contains(pathTools, req.Tool):
		s.takePaths(fields)
	case slices.Contains(urlTools, req.Tool):
		if v, ok := fields["url"].(string); ok {
			s.urls = []string{v}
		}
	default:
		s.others, s.beyond = leaves(fields, nil)
	}
	return s
}

// takePaths collects the paths that a tool for files is given.
func (s *subject) takePaths(fields map[string]any) {
	for _, f := range pathFields {
		switch v := fields[f].(type) {
		case nil:
		case string:
			s.paths = append(s.paths, v)
		default:
			s.broken = true
		}
	}
	if len(s.paths) == 0 {
		s.paths = []string{s.req.Dir} // Glob and Grep without a path look there
	}
	if p, ok := fields["pattern"].(string); ok && s.req.Tool == "Glob" && (filepath.IsAbs(p) || strings.Contains(p, "..")) {
		s.paths = append(s.paths, p) // it leads out of the folder that is named
	}
}

// leaves are all strings in a JSON value; beyond is true when something else is
// in it, which no pattern can speak of.
func leaves(v any, in []string) (out []string, beyond bool) {
	out = in
	each := func(e any) {
		var more bool
		out, more = leaves(e, out)
		beyond = beyond || more
	}
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, e := range v {
			each(e)
		}
		beyond = beyond || len(v) == 0
	case map[string]any:
		for _, e := range v {
			each(e)
		}
		beyond = beyond || len(v) == 0
	default:
		beyond = true
	}
	return out, beyond
}

// doubt says in words what could not be known.
func (s *subject) doubt() string {
	switch {
	case s.broken:
		return "the input cannot be read"
	case s.command != nil && s.command.unsure != "":
		return s.command.unsure
	}
	return "part of the command is computed when it runs"
}

// inFolder says whether the request happens in the rule's folder. For a rule
// that forbids one path in it is enough; one that allows takes all.
func (s *subject) inFolder(r *router.Rule, forbids bool) bool {
	if r.Dir == "" {
		return true
	}
	inside := func(p string) bool { return s.within(p, r.Dir, forbids) }
	if forbids {
		return inside(s.req.Dir) || slices.ContainsFunc(s.paths, inside)
	}
	return inside(s.req.Dir) && !slices.ContainsFunc(s.paths, func(p string) bool { return !inside(p) })
}

// forbids says whether a pattern that denies or asks matches.
func (s *subject) forbids(pattern string) answer {
	switch {
	case pattern == "" || pattern == "*":
		return yes
	case s.broken:
		return maybe
	case s.command != nil:
		return s.command.forbidden(s, pattern)
	}
	for _, p := range s.paths {
		if s.pathForbidden(pattern, p) {
			return yes
		}
	}
	for _, u := range s.urls {
		if urlForbidden(pattern, u) {
			return yes
		}
	}
	best := no
	for _, text := range s.others {
		best = max(best, s.otherForbidden(pattern, text))
	}
	return best
}

// otherForbidden holds a pattern against an argument of a tool that is not
// known: it may be a command, a path, a URL or a text.
func (s *subject) otherForbidden(pattern, text string) answer {
	if exact, ok := strings.CutPrefix(pattern, "="); ok && exact == text {
		return yes
	}
	if glob(pattern, text) || urlForbidden(pattern, text) || s.pathForbidden(pattern, text) {
		return yes
	}
	return takeApart(text).forbidden(s, pattern)
}

// permits says whether a pattern that allows matches.
func (s *subject) permits(pattern string) bool {
	exact, isExact := strings.CutPrefix(pattern, "=")
	switch {
	case s.broken || s.command != nil && s.beyond:
		return false
	case pattern == "" || pattern == "*":
		return true
	case s.command != nil:
		return isExact && exact == s.raw || !isExact && s.command.allowed(pattern)
	case len(s.paths) > 0:
		return all(s.paths, func(p string) bool { return isExact && exact == p || !isExact && s.pathAllowed(pattern, p) })
	case len(s.urls) > 0:
		return all(s.urls, func(u string) bool { return isExact && exact == u || !isExact && urlAllowed(pattern, u) })
	case s.beyond || len(s.others) == 0:
		return false
	case isExact:
		return len(s.others) == 1 && exact == s.others[0]
	}
	return all(s.others, func(t string) bool { return s.otherAllowed(pattern, t) })
}

// otherAllowed says whether a pattern surely matches an argument of a tool that
// is not known. The tool may run it, so that the argument is read as a command
// whatever else it may be.
func (s *subject) otherAllowed(pattern, text string) bool {
	if strings.Contains(text, "://") {
		return urlAllowed(pattern, text) && !strings.ContainsAny(text, "`$();<>|'\"")
	}
	if first, _, _ := strings.Cut(pattern, " "); !named(pattern) || strings.Contains(first, "/") {
		taken := takeApart(text)
		return taken.plain && len(taken.parts) == 1 && s.pathAllowed(pattern, text)
	}
	return takeApart(text).allowed(pattern)
}

func all(list []string, f func(string) bool) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !f(s) })
}

// hidden says whether a text holds characters that a reader does not see.
func hidden(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r == anything || r != '\n' && r != '\t' && wire.Hidden(r)
	})
}
