package rules

import (
	"net/url"
	"path/filepath"
	"strings"
)

// absolute makes a path absolute and clean, without looking at any file.
func (s *subject) absolute(p string) string {
	switch {
	case s.req.Home != "" && p == "~":
		p = s.req.Home
	case s.req.Home != "" && strings.HasPrefix(p, "~/"):
		p = filepath.Join(s.req.Home, p[2:])
	case !filepath.IsAbs(p):
		p = filepath.Join(s.req.Dir, p)
	}
	return filepath.Clean(p)
}

// real returns a path with its links followed; ok is false when that failed.
func (s *subject) real(p string) (string, bool) {
	p = s.absolute(p)
	if s.req.Resolve == nil {
		return p, true
	}
	resolved, err := s.req.Resolve(p)
	if err != nil || !filepath.IsAbs(resolved) {
		return p, false
	}
	return filepath.Clean(resolved), true
}

// within says whether a path lies in a folder. To forbid, either its own form
// or its resolved one is enough; to allow takes both.
func (s *subject) within(p, dir string, forbids bool) bool {
	dirs := []string{s.absolute(dir)}
	if r, ok := s.real(dir); ok && r != dirs[0] {
		dirs = append(dirs, r)
	}
	in := func(p string) bool {
		for _, d := range dirs {
			if p == d || strings.HasPrefix(p, strings.TrimSuffix(d, "/")+"/") {
				return true
			}
		}
		return false
	}
	plain := in(s.absolute(p))
	resolved, ok := s.real(p)
	if forbids {
		return plain || ok && in(resolved)
	}
	return plain && ok && in(resolved)
}

// pathForbidden says whether a pattern matches a path, or a folder it lies in,
// as written or resolved, in any case.
func (s *subject) pathForbidden(pattern, p string) bool {
	if exact, ok := strings.CutPrefix(pattern, "="); ok {
		resolved, _ := s.real(p)
		return exact == p || s.absolute(exact) == s.absolute(p) || s.absolute(exact) == resolved
	}
	resolved, _ := s.real(p)
	for _, one := range []string{s.absolute(p), resolved} {
		for _, pat := range s.pathPatterns(pattern, true) {
			pat = strings.ToLower(pat)
			for q := strings.ToLower(one); ; q = filepath.Dir(q) {
				if pathGlob(pat, q) {
					return true
				}
				if q == filepath.Dir(q) {
					break
				}
			}
		}
	}
	return false
}

// pathAllowed says whether a pattern surely matches a path, resolved too.
func (s *subject) pathAllowed(pattern, p string) bool {
	resolved, ok := s.real(p)
	if !ok || hidden(p) {
		return false
	}
	matches := func(p string) bool {
		for _, pat := range s.pathPatterns(pattern, false) {
			if pathGlob(pat, p) {
				return true
			}
		}
		return false
	}
	return matches(s.absolute(p)) && matches(resolved)
}

// pathPatterns makes a pattern absolute. One without a slash is about names in
// the session's folder and below; to forbid, about names anywhere.
func (s *subject) pathPatterns(pattern string, forbids bool) []string {
	if !strings.Contains(pattern, "/") && pattern != "~" {
		if forbids {
			return []string{"/**/" + pattern, "/" + pattern}
		}
		pats := []string{s.req.Dir + "/**/" + pattern, s.req.Dir + "/" + pattern}
		if r, ok := s.real(s.req.Dir); ok && r != s.req.Dir {
			pats = append(pats, r+"/**/"+pattern, r+"/"+pattern)
		}
		return pats
	}
	abs := s.absolute(pattern)
	pats := []string{abs}
	// what stands before the first wildcard may be a link itself
	fixed, rest := abs, ""
	if i := strings.IndexAny(abs, `*?\`); i >= 0 {
		cut := strings.LastIndexByte(abs[:i], '/')
		fixed, rest = abs[:cut], abs[cut:]
	}
	if fixed != "" {
		if r, ok := s.real(fixed); ok && r != fixed {
			pats = append(pats, strings.TrimSuffix(r, "/")+rest)
		}
	}
	return pats
}

// pathGlob matches segment by segment: * stays within one, ** is any number.
func pathGlob(pattern, p string) bool {
	pats, segs := strings.Split(pattern, "/"), strings.Split(p, "/")
	seen := map[[2]int]bool{}
	var match func(i, j int) bool
	match = func(i, j int) bool {
		if i == len(pats) {
			return j == len(segs)
		}
		if seen[[2]int{i, j}] {
			return false
		}
		seen[[2]int{i, j}] = true
		if pats[i] == "**" {
			return match(i+1, j) || j < len(segs) && match(i, j+1)
		}
		return j < len(segs) && glob(pats[i], segs[j]) && match(i+1, j+1)
	}
	return match(0, 0)
}

// urlForbidden says whether a pattern matches a URL or its host.
func urlForbidden(pattern, raw string) bool {
	exact, isExact := strings.CutPrefix(pattern, "=")
	if isExact {
		return exact == raw
	}
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" {
		return glob(strings.ToLower(pattern), strings.ToLower(raw))
	}
	host, pat := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), strings.ToLower(pattern)
	if !strings.Contains(pat, "/") {
		return glob(pat, host) || strings.HasSuffix(host, "."+pat)
	}
	return glob(pat, strings.ToLower(raw)) || glob(pat, normal(u))
}

// urlAllowed says whether a pattern surely matches a URL, its query included. In
// a pattern for URLs a question mark is one.
func urlAllowed(pattern, raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil || hidden(raw) || strings.ContainsAny(raw, " \\\n\t") {
		return false
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	host := strings.ToLower(u.Host)
	if !strings.Contains(pattern, "/") {
		return glob(pattern, host)
	}
	pat, err := url.Parse(pattern)
	if err != nil || strings.ToLower(pat.Scheme) != u.Scheme || !glob(strings.ToLower(pat.Host), host) {
		return false
	}
	return glob(pathAndQuery(pat, `\?`), pathAndQuery(u, "?")) && !strings.Contains(u.Path, "..")
}

func pathAndQuery(u *url.URL, mark string) string {
	if u.RawQuery == "" && !u.ForceQuery {
		return u.EscapedPath()
	}
	return u.EscapedPath() + mark + u.RawQuery
}

func normal(u *url.URL) string {
	c := *u
	c.Scheme, c.Host, c.User, c.Fragment = strings.ToLower(u.Scheme), strings.ToLower(u.Host), nil, ""
	return c.String()
}
