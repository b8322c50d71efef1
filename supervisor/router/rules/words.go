package rules

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

const unknown = string(anything)

// knownVars are the variables that a text sets to one literal value only. IFS
// is known to be white space, which is what it is used for in disguises.
func knownVars(file *syntax.File) map[string]string {
	vars, set := map[string]string{"IFS": " "}, map[string]bool{"IFS": true}
	note := func(name string, value *syntax.Word, plain bool) {
		text := unknown
		if plain && value != nil && plainWord(value) {
			text = strings.Join((&reader{}).word(value), " ")
		}
		if set[name] {
			text = unknown
		}
		vars[name], set[name] = text, true
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				note(n.Name.Value, n.Value, !n.Naked && !n.Append && n.Index == nil && n.Array == nil)
			}
		case *syntax.WordIter:
			if len(n.Items) == 1 {
				note(n.Name.Value, n.Items[0], true)
			} else {
				note(n.Name.Value, nil, false)
			}
		}
		return true
	})
	return vars
}

// reader says what words mean, as far as that is known before they run.
type reader struct{ vars map[string]string }

// word returns the fields a word becomes; the unknown in them is marked.
func (r *reader) word(w *syntax.Word) []string {
	if w == nil {
		return nil
	}
	var out []string
	for _, one := range braces(w) {
		f := fields{}
		r.parts(&f, one.Parts, false)
		out = append(out, f.done()...)
	}
	return out
}

// maxBraces bounds what the braces of one word may grow to.
const maxBraces = 1000

// braces expands {a,b} and {1..3}; what grows too large stays as it is, and is
// then taken for unknown.
func braces(w *syntax.Word) []*syntax.Word {
	whole := []*syntax.Word{w}
	split := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if !syntax.SplitBraces(split) {
		return whole
	}
	var out []*syntax.Word
	for one, err := range expand.BracesSeq(nil, split) {
		if err != nil || len(out) == maxBraces {
			return whole
		}
		out = append(out, one)
	}
	return out
}

func (r *reader) parts(f *fields, parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			r.lit(f, p.Value, quoted)
		case *syntax.SglQuoted:
			if p.Dollar {
				f.add(ansi(p.Value))
			} else {
				f.add(p.Value)
			}
		case *syntax.DblQuoted:
			f.open = true
			r.parts(f, p.Parts, true)
		case *syntax.ParamExp:
			r.param(f, p, quoted)
		default: // substitutions, arithmetic, extended globs
			f.add(unknown)
		}
	}
}

// lit adds literal text without its backslashes; unquoted wildcards and braces
// that were not expanded are unknown.
func (r *reader) lit(f *fields, text string, quoted bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			i++
			if quoted && !strings.ContainsRune("$`\"\\\n", rune(text[i])) {
				b.WriteByte('\\')
			}
			if text[i] != '\n' {
				b.WriteByte(text[i])
			}
		case !quoted && (c == '*' || c == '?' || c == '['):
			b.WriteString(unknown)
		case !quoted && c == '{' && strings.ContainsAny(text[i:], ",.") && strings.Contains(text[i:], "}"):
			b.WriteString(unknown)
			i += strings.IndexByte(text[i:], '}')
		default:
			b.WriteByte(c)
		}
	}
	f.add(b.String())
}

func (r *reader) param(f *fields, p *syntax.ParamExp, quoted bool) {
	simple := !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil && p.Repl == nil && p.Exp == nil && p.Names == 0 && p.Param != nil
	value, known := "", false
	if simple {
		value, known = r.vars[p.Param.Value]
	}
	switch {
	case !known:
		f.add(unknown)
	case quoted:
		f.add(value)
	default:
		f.split(value)
	}
}

// assign is NAME=value as one word.
func (r *reader) assign(a *syntax.Assign) string {
	name := unknown
	if a.Name != nil {
		name = a.Name.Value
	}
	switch {
	case a.Naked && a.Value != nil && a.Name == nil:
		return strings.Join(r.word(a.Value), " ")
	case a.Naked:
		return name
	case a.Array != nil || a.Index != nil || a.Append:
		return name + "=" + unknown
	}
	return name + "=" + strings.Join(r.word(a.Value), " ")
}

// stdin is what a here-document gives a command.
type stdin struct {
	text  string
	given bool
}

func (r *reader) input(red *syntax.Redirect) stdin {
	switch {
	case red == nil:
		return stdin{}
	case red.Hdoc != nil:
		f := fields{open: true}
		r.parts(&f, red.Hdoc.Parts, true)
		return stdin{strings.Join(f.done(), " "), true}
	}
	return stdin{strings.Join(r.word(red.Word), " "), true}
}

// fields builds the words that one word becomes.
type fields struct {
	out  []string
	cur  strings.Builder
	open bool // there is a current word, though it may be empty
}

func (f *fields) add(text string) {
	if text != "" {
		f.open = true
	}
	f.cur.WriteString(text)
}

// split adds the value of an unquoted variable.
func (f *fields) split(value string) {
	for i, part := range strings.FieldsFunc(" "+value+" ", isSpace) {
		if i > 0 || strings.HasPrefix(value, " ") {
			f.end()
		}
		f.add(part)
	}
	if strings.HasSuffix(value, " ") {
		f.end()
	}
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

func (f *fields) end() {
	if f.open {
		f.out = append(f.out, f.cur.String())
	}
	f.cur.Reset()
	f.open = false
}

func (f *fields) done() []string {
	f.end()
	return f.out
}

// plainWord says whether a word is literal: no expansion, no wildcard.
func plainWord(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[{") {
				return false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if _, lit := q.(*syntax.Lit); !lit {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// ansi decodes what stands in $'…'.
func ansi(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for s != "" {
		if strings.HasPrefix(s, `\e`) || strings.HasPrefix(s, `\E`) {
			b.WriteByte(0x1b)
			s = s[2:]
			continue
		}
		if strings.HasPrefix(s, `\'`) || strings.HasPrefix(s, `\"`) || strings.HasPrefix(s, `\?`) {
			b.WriteByte(s[1])
			s = s[2:]
			continue
		}
		r, size, rest := unescape(s)
		if size == 0 {
			return unknown
		}
		b.WriteRune(r)
		s = rest
	}
	return b.String()
}

// unescape reads one character; size 0 means that it is not known.
func unescape(s string) (r rune, size int, rest string) {
	if s[0] != '\\' {
		r, size = utf8.DecodeRuneInString(s)
		return r, size, s[size:]
	}
	if len(s) < 2 {
		return 0, 0, ""
	}
	base, from, most := 16, 2, 0
	switch s[1] {
	case 'x':
		most = 2
	case 'u':
		most = 4
	case 'U':
		most = 8
	case '0', '1', '2', '3', '4', '5', '6', '7':
		base, from, most = 8, 1, 3
	default:
		v, _, tail, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			return 0, 0, ""
		}
		return v, 2, tail
	}
	end := from
	for end < len(s) && end-from < most && isDigit(s[end], base) {
		end++
	}
	n, err := strconv.ParseUint(s[from:end], base, 32)
	if err != nil {
		return 0, 0, ""
	}
	return rune(n), end, s[end:]
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
