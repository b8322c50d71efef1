package demoagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Script is one word of CCMUX_DEMO_SCRIPT, for the documentation.
type Script struct {
	Name string // as written, with the form of its value
	Help string
}

// Scripts lists the words CCMUX_DEMO_SCRIPT may hold: first the behaviours, of
// which one is chosen (worker when none is), then the switches. Words are
// separated by spaces or commas; the variable may also name a file that holds
// them, or hold a JSON object with the same names.
func Scripts() []Script {
	list := make([]Script, 0, len(words))
	for _, w := range words {
		name := w.name
		if w.value != "" {
			name += "=" + w.value
		}
		list = append(list, Script{Name: name, Help: w.help})
	}
	return list
}

// options are what a script says.
type options struct {
	behaviour string
	next      string        // the peer of chain
	crashAt   int           // crash on the nth message
	pace      time.Duration // pause before each thing said or done

	old       bool   // play the old version
	channels  bool   // the feature flag
	relay     bool   // the second feature flag
	deaf      bool   // ignore pushes though channels are on
	deafFirst int    // ignore the first n pushes
	deafWhile string // ignore pushes while that file exists
	mcp       bool   // start the plugin's server

	dialogs []string // at start, in this order
	row     int      // the row highlighted in them; 0: as claude does
	noHooks []string // hooks that are not run
	banner  bool
	glyphs  bool // claude's own glyphs

	busyAt   condition     // start with a turn that lasts until then
	toolAt   condition     // the same, as a running tool
	workAt   condition     // every turn lasts until then
	restless time.Duration // the longest pause between turns of its own
	flood    int           // bytes a second
	exitCode int           // exit at once; -1: do not
	exitIn   time.Duration // crash after that time
	dieAfter string        // crash when that tool has ended
	startIn  time.Duration // wait before starting the server
	autoAsk  bool          // auto mode cannot decide

	autoNotice bool // and says so first
}

// condition is over after a time, when a file exists, or never.
type condition struct {
	on   bool
	time time.Duration
	file string
}

func parseCondition(s string) condition {
	c := condition{on: true}
	if d, err := time.ParseDuration(s); err == nil {
		c.time = d
	} else if s != "never" && s != "" {
		c.file = s
	}
	return c
}

func defaults() options {
	return options{behaviour: "worker", channels: true, mcp: true, banner: true, glyphs: true, exitCode: -1}
}

// loadOptions reads the value of CCMUX_DEMO_SCRIPT.
func loadOptions(value string) (options, error) {
	o := defaults()
	value = strings.TrimSpace(value)
	if strings.HasPrefix(value, "/") || strings.HasPrefix(value, "./") {
		b, err := os.ReadFile(value)
		if err != nil {
			return o, fmt.Errorf("read demo script: %w", err)
		}
		value = strings.TrimSpace(string(b))
	}
	if strings.HasPrefix(value, "{") {
		return o, o.fromJSON(value)
	}
	for _, word := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' }) {
		name, arg, _ := strings.Cut(word, "=")
		if err := o.apply(name, arg); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (o *options) fromJSON(text string) error {
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return fmt.Errorf("read demo script: %w", err)
	}
	for name, v := range m {
		if v == false {
			continue
		}
		arg := fmt.Sprint(v)
		if v == true {
			arg = ""
		}
		if err := o.apply(name, arg); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) apply(name, arg string) error {
	for _, w := range words {
		if w.name != name {
			continue
		}
		if err := w.set(o, arg); err != nil {
			return fmt.Errorf("demo script: %s: %w", name, err)
		}
		return nil
	}
	return fmt.Errorf("demo script: no word %q; see `ccmux demo-agent --scripts`", name)
}

// word is one word of a script.
type word struct {
	name, value, help string
	set               func(*options, string) error
}

func behave(name string) func(*options, string) error {
	return func(o *options, _ string) error { o.behaviour = name; return nil }
}

func flag(set func(*options)) func(*options, string) error {
	return func(o *options, _ string) error { set(o); return nil }
}

func number(at func(*options) *int) func(*options, string) error {
	return func(o *options, arg string) (err error) { *at(o), err = strconv.Atoi(arg); return err }
}

func duration(at func(*options) *time.Duration) func(*options, string) error {
	return func(o *options, arg string) (err error) { *at(o), err = time.ParseDuration(arg); return err }
}

func until(at func(*options) *condition) func(*options, string) error {
	return func(o *options, arg string) error { *at(o) = parseCondition(arg); return nil }
}

var errOnOff = errors.New("the value is on or off")

func onOff(at func(*options) *bool) func(*options, string) error {
	return func(o *options, arg string) error {
		switch arg {
		case "on", "":
			*at(o) = true
		case "off":
			*at(o) = false
		default:
			return errOnOff
		}
		return nil
	}
}
