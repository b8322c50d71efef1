package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/ccmux/ccmux/channel/wire"
)

// FileName is the name of a project's configuration.
const FileName = "ccmux.toml"

// maxConfig is the largest configuration read, in bytes.
const maxConfig = 1 << 20

// Config is a project's ccmux.toml. Every part of it but Leader and a session's
// name and folder takes effect only once the human has agreed to the content.
type Config struct {
	Leader   string    `toml:"leader"` // the key that leaves typing mode, "ctrl+]" when empty
	Sessions []Session `toml:"session"`
	Rules    []Rule    `toml:"rule"`
	Limits   Limits    `toml:"limits"`

	Retention int `toml:"retention"` // days after which messages are deleted; 0: never
}

// Session is one [[session]].
type Session struct {
	Name    string            `toml:"name"`
	Dir     string            `toml:"dir"`     // relative to the file; the name when empty
	Command []string          `toml:"command"` // in place of claude
	Args    []string          `toml:"args"`    // added to claude's
	Env     map[string]string `toml:"env"`
	Resume  *bool             `toml:"resume"`   // false: every start is a fresh conversation
	Approve *Approver         `toml:"approver"` // who else may answer its permission requests

	Scrollback int  `toml:"scrollback"` // lines its pane keeps, at most MaxScrollback; 0 means 10,000
	Clipboard  bool `toml:"clipboard"`  // what runs in it may put text on your clipboard
}

// MaxScrollback is the most lines a pane may keep.
const MaxScrollback = 1_000_000

// Approver names a session that may answer another's permission requests, and
// bounds what it may allow.
type Approver struct {
	By    string `toml:"by"`    // a session's name
	Tool  string `toml:"tool"`  // a glob on the tool's name
	Match string `toml:"match"` // a glob on the command, path, URL or argument
}

// Rule is one [[rule]].
type Rule struct {
	Effect  string `toml:"effect"`  // allow, deny, ask
	Session string `toml:"session"` // a name, or empty for all
	Tool    string `toml:"tool"`    // a glob on the tool's name
	Match   string `toml:"match"`   // a glob on the command, path, URL or argument
	Dir     string `toml:"dir"`     // the folder it must happen in
	MaxAge  string `toml:"max_age"` // a duration: the rule is over after it
}

// Limits are the guards of [limits], which hold what goes over them for the
// human; zero takes the default.
type Limits struct {
	ChainDepth      int `toml:"chain_depth"`       // tasks that serve tasks, 8
	ThreadPerMinute int `toml:"thread_per_minute"` // messages of sessions in one thread within a minute, 30
	PathRepeats     int `toml:"path_repeats"`      // how often one path of peers is walked, 2
	NotesToAndFro   int `toml:"notes_to_and_fro"`  // in a thread without a task, 10
	RulePerMinute   int `toml:"rule_per_minute"`   // the same request allowed by a rule within a minute, 10
}

// maxLimit is the most any limit may be, so that a guard cannot be set out of reach by a slip.
const maxLimit = 1000

// maxRetention is a hundred years in days.
const maxRetention = 36500

// each gives every limit with its key, in the order of the documentation.
func (l Limits) each(f func(key string, value int)) {
	f("chain_depth", l.ChainDepth)
	f("thread_per_minute", l.ThreadPerMinute)
	f("path_repeats", l.PathRepeats)
	f("notes_to_and_fro", l.NotesToAndFro)
	f("rule_per_minute", l.RulePerMinute)
}

func (l Limits) check() (err error) {
	l.each(func(key string, value int) {
		if err == nil && (value < 0 || value > maxLimit) {
			err = fmt.Errorf("limits.%s is %d: use 1 to %d", key, value, maxLimit)
		}
	})
	return err
}

// String names the limits that are set.
func (l Limits) String() string {
	var set []string
	l.each(func(key string, value int) {
		if value != 0 {
			set = append(set, fmt.Sprintf("%s=%d", key, value))
		}
	})
	return strings.Join(set, " ")
}

// File is a configuration as it was read.
type File struct {
	Config
	Path string
	Hash string // sha256 of the content, hex
}

// ErrConfig is wrapped by every complaint about a configuration's content.
var ErrConfig = errors.New("ccmux.toml is not usable")

// ReadConfig reads and checks the file at path.
func ReadConfig(path string) (*File, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	if len(raw) > maxConfig {
		return nil, fmt.Errorf("%w: %s has %d bytes; the limit is %d", ErrConfig, path, len(raw), maxConfig)
	}
	f := &File{Path: path}
	sum := sha256.Sum256(raw)
	f.Hash = hex.EncodeToString(sum[:])
	dec := toml.NewDecoder(bytes.NewReader(raw)).DisallowUnknownFields()
	if err := dec.Decode(&f.Config); err != nil {
		return nil, fmt.Errorf("%w: %s: %s", ErrConfig, path, harmless(explain(err)))
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrConfig, path, err)
	}
	return f, nil
}

// intoField is how the decoder names the program's own types.
var intoField = regexp.MustCompile(`cannot decode TOML (\w+) into struct field \S+ of type (\S+)`)

// explain says where in the file the fault is, with the line itself.
func explain(err error) string {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		return "a key that ccmux does not know:\n" + strict.String()
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		return intoField.ReplaceAllString(decode.String(), "a $1 stands where $2 is wanted")
	}
	return err.Error()
}

// harmless is text of the file as it may stand on a terminal: the file may come
// with a repository that nobody trusts yet.
func harmless(text string) string {
	clean, err := wire.CleanBody(text)
	if err != nil {
		return wire.CleanLine(text, 2000)
	}
	return clean
}

func (f *File) check() error {
	seen := map[string]bool{}
	for _, s := range f.Sessions {
		if err := wire.CheckName(s.Name); err != nil {
			return fmt.Errorf("session: %w", err)
		}
		if seen[s.Name] {
			return fmt.Errorf("two sessions are named %q: give each its own name", s.Name)
		}
		seen[s.Name] = true
		if s.Scrollback < 0 || s.Scrollback > MaxScrollback {
			return fmt.Errorf("session %s: scrollback is %d: use 0 to %d lines", s.Name, s.Scrollback, MaxScrollback)
		}
	}
	for _, s := range f.Sessions {
		switch a := s.Approve; {
		case a == nil:
		case !seen[a.By] || a.By == s.Name:
			return fmt.Errorf("session %s: approver.by is %q: name another session of this file", s.Name, wire.CleanLine(a.By, 40))
		case a.Tool == "" && a.Match == "":
			return fmt.Errorf("session %s: approver needs a tool or a match that bounds it", s.Name)
		}
	}
	for i, r := range f.Rules {
		switch r.Effect {
		case "allow", "deny", "ask":
		default:
			return fmt.Errorf("rule %d: effect is %q: use allow, deny or ask", i+1, wire.CleanLine(r.Effect, 40))
		}
	}
	if f.Retention < 0 || f.Retention > maxRetention {
		return fmt.Errorf("retention is %d: use 1 to %d days, or leave it out to keep everything", f.Retention, maxRetention)
	}
	return f.Limits.check()
}

// NeedsTrust lists, a line each, what in the file can run something or answer
// for the human. Nothing: the file may be used without asking.
func (f *File) NeedsTrust() []string {
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, wire.CleanLine(fmt.Sprintf(format, args...), 2000))
	}
	for _, s := range f.Sessions {
		if len(s.Command) > 0 {
			add("session %s runs %q in place of claude", s.Name, strings.Join(s.Command, " "))
		}
		if len(s.Args) > 0 {
			add("session %s gives claude %q", s.Name, strings.Join(s.Args, " "))
		}
		for _, k := range slices.Sorted(maps.Keys(s.Env)) {
			add("session %s sets %s=%q", s.Name, k, s.Env[k])
		}
		if s.Clipboard {
			add("session %s may put text on your clipboard", s.Name)
		}
		if a := s.Approve; a != nil {
			add("session %s lets %s answer its permission requests for tool=%q match=%q", s.Name, a.By, a.Tool, a.Match)
		}
		if s.Dir != "" && !filepath.IsLocal(s.Dir) {
			add("session %s works outside the project, in %s", s.Name, s.Dir)
		}
	}
	for _, r := range f.Rules {
		add("rule: %s", r)
	}
	if f.Retention != 0 {
		add("retention: messages older than %d days are deleted", f.Retention)
	}
	if f.Limits != (Limits{}) {
		add("limits: %s", f.Limits)
	}
	return lines
}

// String is the rule as one line.
func (r Rule) String() string {
	parts := []string{r.Effect}
	for _, kv := range [][2]string{{"session", r.Session}, {"tool", r.Tool}, {"match", r.Match}, {"dir", r.Dir}, {"max_age", r.MaxAge}} {
		if kv[1] != "" {
			parts = append(parts, fmt.Sprintf("%s=%q", kv[0], kv[1]))
		}
	}
	return strings.Join(parts, " ")
}
