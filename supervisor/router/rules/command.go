package rules

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// script is a shell text taken apart.
type script struct {
	parts   [][]string // every simple command in it, at every depth, as words
	targets []string   // what redirections name
	plain   bool       // nothing but literal commands in lists and pipes
	unsure  string     // what could not be known of it, in words
	depth   int
	reads   int // texts that were read
}

// Bounds on what is taken apart; beyond them a text is not sure.
const (
	maxScript = 1 << 20
	maxDepth  = 8
	maxParts  = 10000
	maxReads  = 100
)

func takeApart(text string) *script {
	s := &script{plain: true}
	s.read(text)
	s.plain = s.plain && s.unsure == "" && len(s.parts) > 0
	return s
}

// doubt notes the first thing that is not sure.
func (s *script) doubt(what string) {
	s.plain = false
	if s.unsure == "" {
		s.unsure = what
	}
}

// read takes one text apart, which may be inside another.
func (s *script) read(text string) {
	switch {
	case len(text) > maxScript:
		s.doubt("the command is too long to be read")
		return
	case s.depth >= maxDepth || len(s.parts) > maxParts || s.reads >= maxReads:
		s.doubt("the command holds too many commands")
		return
	case hidden(text):
		s.doubt("the command holds hidden characters")
	}
	s.reads++
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		s.doubt("the shell cannot read it as it stands")
		s.fallback(text)
		return
	}
	if s.depth == 0 {
		s.plain = s.plain && plainStmts(file.Stmts)
	}
	s.depth++
	s.walk(file, knownVars(file))
	s.depth--
}

// fallback looks at the words of a text that cannot be parsed, so that what is
// forbidden is still recognised where it is plain to see.
func (s *script) fallback(text string) {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;&|(){}`", r) }) {
		if f := strings.Fields(line); len(f) > 0 {
			s.parts = append(s.parts, f)
		}
	}
}

// walk collects the simple commands of a file.
func (s *script) walk(file *syntax.File, vars map[string]string) {
	read := &reader{vars: vars}
	var stdin *syntax.Redirect
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			stdin = nil
			for _, r := range n.Redirs {
				if r.Hdoc != nil || r.Op == syntax.WordHdoc {
					stdin = r
				} else {
					s.targets = append(s.targets, strings.Join(read.word(r.Word), " "))
				}
			}
		case *syntax.CallExpr:
			var argv []string
			for _, a := range n.Assigns {
				argv = append(argv, read.assign(a))
			}
			assigns := len(argv)
			for _, w := range n.Args {
				argv = append(argv, read.word(w)...)
			}
			s.command(argv, assigns, read.input(stdin))
		case *syntax.DeclClause:
			argv := []string{n.Variant.Value}
			for _, a := range n.Args {
				argv = append(argv, read.assign(a))
			}
			s.add(argv)
		}
		return true
	})
}

func (s *script) add(argv []string) {
	if len(argv) > 0 && len(s.parts) <= maxParts {
		s.parts = append(s.parts, argv)
	}
}

// command adds a simple command, and what it runs in its turn.
func (s *script) command(argv []string, assigns int, in stdin) {
	if len(argv) == 0 {
		return
	}
	s.add(argv)
	if s.depth > maxDepth*2 || len(s.parts) > maxParts {
		s.doubt("the command holds too many commands")
		return
	}
	s.depth++
	defer func() { s.depth-- }()
	if bare := argv[assigns:]; len(bare) > 0 {
		if assigns > 0 {
			s.add(bare)
		}
		s.unwrap(bare, in)
	}
}

// plainStmts says whether statements are literal commands joined by ; && || or |.
func plainStmts(list []*syntax.Stmt) bool {
	return !slices.ContainsFunc(list, func(st *syntax.Stmt) bool { return !plainStmt(st) })
}

func plainStmt(st *syntax.Stmt) bool {
	if st.Background || st.Coprocess || st.Disown || slices.ContainsFunc(st.Redirs, func(r *syntax.Redirect) bool { return !harmless(r) }) {
		return false
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		for _, a := range c.Assigns {
			if a.Value != nil && !plainWord(a.Value) || a.Array != nil || a.Index != nil || a.Append {
				return false
			}
		}
		return len(c.Args) > 0 && !slices.ContainsFunc(c.Args, func(w *syntax.Word) bool { return !plainWord(w) })
	case *syntax.BinaryCmd:
		return plainStmt(c.X) && plainStmt(c.Y)
	}
	return false
}

// harmless are redirections that write no file.
func harmless(r *syntax.Redirect) bool {
	target := r.Word.Lit()
	switch r.Op {
	case syntax.DplOut, syntax.DplIn:
		return target == "1" || target == "2" || target == "0" || target == "-"
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrIn:
		return target == "/dev/null"
	default:
		return false
	}
}

// allowed says whether a pattern surely matches every command in the text.
func (s *script) allowed(pattern string) bool {
	if !s.plain || !named(pattern) {
		return false
	}
	return !slices.ContainsFunc(s.parts, func(argv []string) bool { return !words(pattern, argv) })
}

// forbidden says whether a pattern matches some command in the text.
func (s *script) forbidden(sub *subject, pattern string) answer {
	if exact, ok := strings.CutPrefix(pattern, "="); ok {
		pattern = escape(exact)
	}
	best, looks := no, 0
	for _, argv := range s.parts {
		for _, form := range forms(argv) {
			best = max(best, fits(pattern, form))
		}
		if best == no && behindOptions(pattern, argv, &looks) {
			best = maybe
		}
	}
	for _, t := range s.targets {
		if strings.ContainsRune(t, anything) {
			if strings.Contains(pattern, "/") && could(pattern, t) {
				best = max(best, maybe)
			}
		} else if strings.Contains(pattern, "/") && sub.pathForbidden(pattern, t) {
			best = yes
		}
	}
	if best == no && s.unsure != "" {
		best = maybe
	}
	return best
}

// fits holds a pattern against one command; a pattern that ends in " *" is also
// about the command without arguments.
func fits(pattern, text string) answer {
	pats := []string{pattern}
	if short, ok := strings.CutSuffix(pattern, " *"); ok {
		pats = append(pats, short)
	}
	best := no
	for _, p := range pats {
		switch {
		case glob(p, text):
			return yes
		case could(p, text):
			best = maybe
		}
	}
	return best
}

// forms are the ways a command may be meant: as it stands, by the name of its
// program without the folder, and in lower case where files know no case.
func forms(argv []string) []string {
	name := strings.TrimPrefix(argv[0], "=")
	if base := filepath.Base(name); name != "" {
		name = base
	}
	rest := append([]string{""}, argv[1:]...)
	out := []string{strings.Join(argv, " "), name + strings.Join(rest, " ")}
	if low := strings.ToLower(name); low != name {
		out = append(out, low+strings.Join(rest, " "))
	}
	return out
}

const (
	// maxOptions is how many words a program's own options are looked behind; of
	// one with more nothing is said for sure.
	maxOptions = 64
	// maxLooks is how many of a text are looked behind in all: a hook waits.
	maxLooks = 4096
)

// behindOptions says whether a pattern may be about a command whose program has
// options of its own before the word that says what to do: git -C . push. Which
// of them take a value only the program knows. looks counts what was looked behind.
func behindOptions(pattern string, argv []string, looks *int) bool {
	name, _, _ := strings.Cut(pattern, " ")
	if !slices.ContainsFunc(forms(argv[:1]), func(form string) bool { return fits(name, form) != no }) {
		return false
	}
	isOption := func(i int) bool { return i > 0 && strings.HasPrefix(argv[i], "-") }
	for i := 2; i < len(argv) && (isOption(i-1) || isOption(i-2)); i++ {
		if *looks++; i > maxOptions || *looks > maxLooks {
			return true
		}
		for _, form := range forms(append([]string{argv[0]}, argv[i:]...)) {
			if fits(pattern, form) != no {
				return true
			}
		}
	}
	return false
}

// escape takes the meaning from a pattern's characters.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`).Replace(text)
}
