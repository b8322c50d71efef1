package rules

import (
	"path/filepath"
	"slices"
	"strings"
)

// wrapper says how a program's own words end and the command that it runs begins.
type wrapper struct {
	valued string // short options that take the next word
	flags  string // short options that take nothing
	first  int    // words of its own before the command
	env    bool   // NAME=value may stand before the command
}

// wrappers run what stands in their arguments as a command.
var wrappers = map[string]wrapper{
	"env":        {valued: "uCS", flags: "i0v", env: true},
	"sudo":       {valued: "ugprtChDRTU", flags: "AbEeHiKklnPSsVv", env: true},
	"doas":       {valued: "uaC", flags: "nsL"},
	"nohup":      {},
	"setsid":     {flags: "cfw"},
	"nice":       {valued: "n"},
	"ionice":     {valued: "cnpPu", flags: "t"},
	"chrt":       {valued: "TPD", flags: "abdfioprRm", first: 1},
	"taskset":    {flags: "apc", first: 1},
	"timeout":    {valued: "ks", flags: "v", first: 1},
	"gtimeout":   {valued: "ks", flags: "v", first: 1},
	"time":       {valued: "fo", flags: "apv"},
	"stdbuf":     {valued: "ioe"},
	"command":    {flags: "pvV"},
	"builtin":    {},
	"exec":       {valued: "a", flags: "cl"},
	"chroot":     {first: 1},
	"unshare":    {valued: "SG", flags: "mnpiuUCTrcf"},
	"nsenter":    {valued: "tSGrwW", flags: "amnpiuUCTFZ"},
	"strace":     {valued: "abeIopPsSuUXE", flags: "cCdDfFhikqrtTvVwxyYzZ"},
	"ltrace":     {valued: "aDeFlnopsuwxX", flags: "bcCfhiLrStTV"},
	"flock":      {valued: "wEc", flags: "sxunoF", first: 1},
	"caffeinate": {valued: "tw", flags: "disum"},
	"busybox":    {},
	"toybox":     {},
	"xargs":      {valued: "adEeIiLlnPsJRS", flags: "0prtxo"},
	"parallel":   {valued: "jaIN", flags: "0kmtvX"},
	"coproc":     {},
	"noglob":     {},
	"nocorrect":  {},
	"-":          {},
}

var (
	shells       = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh", "yash"}
	interpreters = []string{"python", "python2", "python3", "pypy", "pypy3", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "luajit", "osascript", "tclsh", "expect", "rscript", "julia", "swift"}
	awks         = []string{"awk", "gawk", "mawk", "nawk"}
)

// unwrap looks for the command that a command runs.
func (s *script) unwrap(argv []string, in stdin) {
	name := strings.ToLower(filepath.Base(strings.TrimPrefix(argv[0], "=")))
	w, wraps := wrappers[name]
	switch {
	case wraps:
		s.wrapped(name, w, argv, in)
	case slices.Contains(shells, name):
		s.shell(argv[1:], in)
	case name == "eval":
		s.text(strings.Join(argv[1:], " "))
	case name == "alias":
		for _, a := range argv[1:] {
			if _, body, ok := strings.Cut(a, "="); ok {
				s.text(body)
			}
		}
	case name == "trap" && len(argv) > 1:
		s.text(argv[1])
	case name == "source" || name == ".":
		if in.given || slices.ContainsFunc(argv[1:], func(a string) bool { return strings.ContainsRune(a, anything) || a == "/dev/stdin" }) {
			s.doubt("it sources what only the shell will know")
		}
	case name == "find" || name == "fd" || name == "fdfind":
		s.find(argv)
	case name == "su" || name == "script" || name == "watch" || name == "ssh" || name == "runuser" || name == "entr":
		s.remote(name, argv)
	case interpreter(name):
		s.inline(argv, in)
	case slices.Contains(awks, name):
		if slices.ContainsFunc(argv[1:], func(a string) bool { return strings.Contains(a, "system") || strings.ContainsAny(a, "|"+unknown) }) {
			s.doubt(name + " may run commands")
		}
	}
}

// wrapped finds the command behind a wrapper's own words. When an option is not
// known, the command may begin at any word.
func (s *script) wrapped(name string, w wrapper, argv []string, in stdin) {
	if name == "env" {
		s.splitString(argv)
	}
	i, sure := w.skip(argv)
	if name == "flock" && i < len(argv) && argv[i] == "-c" {
		s.text(strings.Join(argv[min(i+1, len(argv)):], " "))
	}
	tail := func(i int) []string {
		rest := slices.Clone(argv[i:])
		if name == "xargs" || name == "parallel" {
			for j := range rest {
				rest[j] = strings.ReplaceAll(rest[j], replaced(argv[:i]), unknown)
			}
			rest = append(rest, unknown) // what comes from the pipe
		}
		return rest
	}
	switch {
	case name == "command" && len(argv) > 1 && (argv[1] == "-v" || argv[1] == "-V"):
		return // it only says where the command is
	case sure && i < len(argv):
		s.command(tail(i), 0, in)
		return
	case sure && (name == "sudo" || name == "doas"):
		s.fed(in)
		return
	case sure:
		return
	}
	for i := 1; i < len(argv) && i < 32; i++ {
		s.add(tail(i))
	}
	s.doubt("an option of " + name + " is not known")
}

// replaced is what xargs puts its input in the place of: {} when nothing says.
func replaced(own []string) string {
	for i, a := range own {
		switch {
		case a == "-I" && i+1 < len(own) && own[i+1] != "":
			return own[i+1]
		case strings.HasPrefix(a, "-I") && len(a) > 2:
			return a[2:]
		}
	}
	return "{}"
}

// skip returns where the command begins; sure is false for an unknown option.
func (w wrapper) skip(argv []string) (at int, sure bool) {
	i := 1
	for ; i < len(argv); i++ {
		a := argv[i]
		switch {
		case a == "--":
			i++
			return w.after(argv, i), true
		case strings.ContainsRune(a, anything) && strings.HasPrefix(a, "-"):
			return 0, false
		case strings.HasPrefix(a, "--"):
			if !strings.Contains(a, "=") {
				return 0, false // it may take the next word
			}
		case strings.HasPrefix(a, "-") && len(a) > 1:
			next, known := w.cluster(a[1:])
			if !known {
				return 0, false
			}
			i += next
		case w.env && strings.Contains(a, "="):
		default:
			return w.after(argv, i), true
		}
	}
	return i, true
}

func (w wrapper) after(argv []string, i int) int {
	i += w.first
	for w.env && i < len(argv) && strings.Contains(argv[i], "=") {
		i++
	}
	return min(i, len(argv))
}

// cluster reads short options in one word; next is 1 when the last takes the
// next word. A number is an option by itself (nice -5).
func (w wrapper) cluster(opts string) (next int, known bool) {
	if strings.Trim(opts, "0123456789") == "" {
		return 0, true
	}
	for i, c := range opts {
		switch {
		case strings.ContainsRune(w.valued, c):
			if i == len(opts)-1 {
				return 1, true
			}
			return 0, true // the rest of the word is its value
		case !strings.ContainsRune(w.flags, c):
			return 0, false
		}
	}
	return 0, true
}

// splitString reads env -S.
func (s *script) splitString(argv []string) {
	for i, a := range argv {
		rest := strings.Join(argv[i+1:], " ")
		switch {
		case a == "--split-string" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "S"):
			s.text(rest)
			return
		case strings.HasPrefix(a, "--split-string="):
			s.text(strings.TrimPrefix(a, "--split-string=") + " " + rest)
			return
		case strings.HasPrefix(a, "-S"):
			s.text(a[2:] + " " + rest)
			return
		}
	}
}

// text takes a text apart that the shell would run.
func (s *script) text(text string) {
	if strings.ContainsRune(text, anything) {
		s.doubt("it runs a text that is computed")
		if text = strings.ReplaceAll(text, unknown, "\"$unknown\""); strings.Count(text, "unknown") > 64 {
			return
		}
	}
	before := s.unsure
	s.read(text)
	if before == "" && s.unsure != "" && s.depth > 0 {
		s.plain = false
	}
}

// shell reads what a shell is told to run.
func (s *script) shell(args []string, in stdin) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "c") && i+1 < len(args):
			j := i + 1
			for j < len(args) && strings.HasPrefix(args[j], "-") && args[j] != "-" {
				j++ // bash -c -e TEXT
			}
			if j < len(args) {
				s.text(args[j])
			}
			return
		case a == "-o" || a == "+o" || a == "-O" || a == "+O" || a == "--rcfile" || a == "--init-file":
			i++
		case a == "-" || a == "-s" || a == "/dev/stdin":
			s.fed(in)
			return
		case strings.HasPrefix(a, "-") || strings.HasPrefix(a, "+"):
		case strings.ContainsRune(a, anything):
			s.doubt("it runs a script that only the shell will know")
			return
		default:
			return // a script
		}
	}
	s.fed(in)
}

// fed reads what a shell gets on its standard input.
func (s *script) fed(in stdin) {
	if !in.given {
		s.doubt("a shell runs what it is fed")
		return
	}
	s.text(in.text)
}

// find reads -exec and its like.
func (s *script) find(argv []string) {
	for i, a := range argv {
		switch a {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			rest := argv[i+1:]
			if end := slices.IndexFunc(rest, func(w string) bool { return w == ";" || w == "+" }); end >= 0 {
				rest = rest[:end]
			}
			inner := make([]string, len(rest))
			for j, w := range rest {
				inner[j] = strings.ReplaceAll(w, "{}", unknown)
			}
			s.command(inner, 0, stdin{})
		}
	}
}

// remote reads programs that hand a text to a shell of their own: with -c, or
// in what is left of their arguments, which may begin at any word.
func (s *script) remote(name string, argv []string) {
	for i, a := range argv {
		if (a == "-c" || a == "--command") && i+1 < len(argv) {
			s.text(argv[i+1])
			return
		}
	}
	if name == "su" || name == "script" || name == "runuser" {
		s.doubt("a shell runs what it is fed")
		return
	}
	for i := 1; i < len(argv) && i < 16; i++ {
		if !strings.HasPrefix(argv[i], "-") {
			s.text(strings.Join(argv[i:], " "))
		}
	}
}

func interpreter(name string) bool {
	return slices.Contains(interpreters, strings.TrimRight(name, ".0123456789")) || slices.Contains(interpreters, name)
}

// inline doubts code that is given to an interpreter on its command line or its
// input: it may run anything, and is not read.
func (s *script) inline(argv []string, in stdin) {
	if in.given || len(argv) == 1 {
		s.doubt(argv[0] + " runs code that is not read")
		return
	}
	for _, a := range argv[1:] {
		switch {
		case a == "-" || a == "eval" || strings.HasPrefix(a, "--eval") || strings.HasPrefix(a, "--print") || strings.ContainsRune(a, anything):
		case strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.ContainsAny(a, "cerpE"):
		case strings.HasPrefix(a, "-"):
			continue
		default:
			return // a script
		}
		s.doubt(argv[0] + " runs code that is not read")
		return
	}
}
