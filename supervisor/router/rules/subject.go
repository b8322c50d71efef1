package rules

import (
	"encoding/json"
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
	broken  bool     // the input could not be read
}

// The tools whose input is known, by the field that counts.
var (
	shellTools = []string{"Bash"}
	pathFields = []string{"file_path", "notebook_path", "path"}
	pathTools  = []string{"Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Glob", "Grep", "LS"}
	urlTools   = []string{"WebFetch"}
)

func subjectOf(req Request) *subject {
	s := &subject{req: req}
	var fields map[string]any
	if len(req.Input) > 0 && json.Unmarshal(req.Input, &fields) != nil {
		s.broken = true
		return s
	}
	text := func(key string) (string, bool) {
		v, ok := fields[key].(string)
		return v, ok
	}
	switch {
	case slices.Contains(shellTools, req.Tool):
		s.raw, _ = text("command")
		s.command = takeApart(s.raw)
	case slices.Contains(pathTools, req.Tool):
		for _, f := range pathFields {
			if v, ok := text(f); ok {
				s.paths = append(s.paths, v)
			}
		}
		if len(s.paths) == 0 {
			s.paths = []string{req.Dir} // Glob and Grep without a path look there
		}
	case slices.Contains(urlTools, req.Tool):
		if v, ok := text("url"); ok {
			s.urls = []string{v}
		}
	default:
		s.others = leaves(fields, nil)
	}
	return s
}

// leaves are all strings in a JSON value.
func leaves(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, e := range v {
			out = leaves(e, out)
		}
	case map[string]any:
		for _, e := range v {
			out = leaves(e, out)
		}
	}
	return out
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
	case s.broken:
		return false
	case pattern == "" || pattern == "*":
		return true
	case s.command != nil:
		return isExact && exact == s.raw || !isExact && s.command.allowed(pattern)
	case len(s.paths) > 0:
		return all(s.paths, func(p string) bool { return isExact && exact == p || !isExact && s.pathAllowed(pattern, p) })
	case len(s.urls) > 0:
		return all(s.urls, func(u string) bool { return isExact && exact == u || !isExact && urlAllowed(pattern, u) })
	}
	return len(s.others) > 0 && all(s.others, func(t string) bool {
		return isExact && exact == t || !isExact && !hidden(t) && glob(pattern, t)
	})
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
