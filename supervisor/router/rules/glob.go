package rules

import (
	"slices"
	"strings"
)

// anything stands in a text for what only the shell will know. It is a private
// character; a text that brings one of its own is taken for unknown there too.
const anything = '\uE000'

// glob says whether pattern matches the whole text. * is any text, ? any one
// character, a backslash takes the next character as it is.
func glob(pattern, text string) bool {
	return overlap(compile(pattern), literal(text, false))
}

// could says whether pattern matches the text for some meaning of its unknowns.
func could(pattern, text string) bool {
	return overlap(compile(pattern), literal(text, true))
}

// atom is one place in a pattern or text: a character, any one, or any number.
type atom struct {
	r    rune
	star bool
	any1 bool
}

func compile(pattern string) []atom {
	var out []atom
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '\\' && i+1 < len(runes):
			i++
			out = append(out, atom{r: runes[i]})
		case r == '*':
			if n := len(out); n == 0 || !out[n-1].star {
				out = append(out, atom{star: true})
			}
		case r == '?':
			out = append(out, atom{any1: true})
		default:
			out = append(out, atom{r: r})
		}
	}
	return out
}

// literal is a text as atoms; with open, its unknowns may be anything.
func literal(text string, open bool) []atom {
	var out []atom
	for _, r := range text {
		if open && r == anything {
			if n := len(out); n == 0 || !out[n-1].star {
				out = append(out, atom{star: true})
			}
			continue
		}
		out = append(out, atom{r: r})
	}
	return out
}

// overlap says whether some text is matched by both.
func overlap(a, b []atom) bool {
	// row[j] says whether the a so far and the first j of b have a text in common.
	row, next := make([]bool, len(b)+1), make([]bool, len(b)+1)
	row[0] = true
	for j, y := range b {
		row[j+1] = row[j] && y.star
	}
	for _, x := range a {
		next[0] = row[0] && x.star
		alive := next[0]
		for j, y := range b {
			switch {
			case x.star || y.star: // it is nothing, or takes one more of the other
				next[j+1] = row[j+1] || next[j]
			default:
				next[j+1] = row[j] && (x.any1 || y.any1 || x.r == y.r)
			}
			alive = alive || next[j+1]
		}
		if !alive {
			return false
		}
		row, next = next, row
	}
	return row[len(b)]
}

// words matches a command word by word: a pattern word that is * alone stands
// for any number of words, also none; every other is a glob for one word.
func words(pattern string, argv []string) bool {
	pats := strings.Fields(pattern)
	var match func(p, w int) bool
	seen := map[[2]int]bool{}
	match = func(p, w int) bool {
		if p == len(pats) {
			return w == len(argv)
		}
		if seen[[2]int{p, w}] {
			return false
		}
		seen[[2]int{p, w}] = true
		if pats[p] == "*" {
			return match(p+1, w) || w < len(argv) && match(p, w+1)
		}
		return w < len(argv) && glob(pats[p], argv[w]) && match(p+1, w+1)
	}
	return match(0, 0)
}

// named says whether a pattern for commands may allow: it says which program.
func named(pattern string) bool {
	f := strings.Fields(pattern)
	return len(f) == 0 || slices.Equal(f, []string{"*"}) || !strings.ContainsAny(f[0], `*?\`)
}
