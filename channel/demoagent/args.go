package demoagent

import (
	"errors"
	"fmt"
	"strings"
)

// settings are the arguments claude takes that matter here.
type settings struct {
	sessionID string // of --session-id or --resume
	resume    bool
	name      string
	pluginDir string
	channels  []string // of --dangerously-load-development-channels and --channels
	allowed   []string // of --allowedTools
	mode      string   // as hooks name it: default, acceptEdits, auto, plan, bypassPermissions
	prompt    string   // positional
	version   bool
}

// flagKinds says how many values claude's flags take. Flags that are not here
// are refused, so that a typing error does not pass unseen.
var flagKinds = map[string]int{
	"--session-id": 1, "--resume": 1, "-r": 1, "-n": 1, "--name": 1, "--plugin-dir": 1,
	"--append-system-prompt": 1, "--append-system-prompt-file": 1, "--permission-mode": 1,
	"--model": 1, "--settings": 1, "--agents": 1, "--debug-file": 1, "--messaging-socket-path": 1, "-w": 1,
	"--version": 0, "-v": 0, "--continue": 0, "--fork-session": 0,
	"--dangerously-load-development-channels": many, "--channels": many, "--allowedTools": many, "--allowed-tools": many, "--add-dir": many,
}

const many = -1

// parseArgs reads claude's command line.
func parseArgs(args []string) (settings, error) {
	s := settings{mode: "default"}
	for len(args) > 0 {
		flag := args[0]
		args = args[1:]
		if flag == "--" || !strings.HasPrefix(flag, "-") {
			if flag != "--" {
				s.prompt = flag
			} else if len(args) > 0 {
				s.prompt = args[0]
			}
			return s, s.check()
		}
		name, inline, hasInline := strings.Cut(flag, "=")
		kind, ok := flagKinds[name]
		if !ok {
			return s, fmt.Errorf("unknown option %s", name)
		}
		var values []string
		if hasInline {
			values = []string{inline}
		} else {
			values, args = takeValues(kind, args)
		}
		if kind == 1 && len(values) != 1 {
			return s, fmt.Errorf("option %s needs a value", name)
		}
		s.set(name, values)
	}
	return s, s.check()
}

// takeValues splits off a flag's values: a fixed number, or all up to the next flag.
func takeValues(kind int, args []string) (values, rest []string) {
	n := min(max(kind, 0), len(args))
	if kind == many {
		for n < len(args) && !strings.HasPrefix(args[n], "-") {
			n++
		}
	}
	return args[:n], args[n:]
}

func (s *settings) set(name string, values []string) {
	switch name {
	case "--session-id":
		s.sessionID = values[0]
	case "--resume", "-r":
		s.sessionID, s.resume = values[0], true
	case "-n", "--name":
		s.name = values[0]
	case "--plugin-dir":
		s.pluginDir = values[0]
	case "--permission-mode":
		s.mode = values[0]
		if s.mode == "manual" { // the new name of what hooks call default
			s.mode = "default"
		}
	case "--dangerously-load-development-channels", "--channels":
		s.channels = append(s.channels, values...)
	case "--allowedTools", "--allowed-tools":
		for _, v := range values {
			s.allowed = append(s.allowed, strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })...)
		}
	case "--version", "-v":
		s.version = true
	}
}

func (s *settings) check() error {
	switch s.mode {
	case "default", "acceptEdits", "auto", "plan", "bypassPermissions":
		return nil
	}
	return errors.New("unknown permission mode " + s.mode)
}

// allows says whether --allowedTools names the tool.
func (s *settings) allows(tool string) bool {
	for _, pattern := range s.allowed {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasPrefix(tool, prefix) || pattern == tool {
			return true
		}
	}
	return false
}

// hasChannel says whether the command line asks for the channel of this plugin server.
func (s *settings) hasChannel(plugin string) bool {
	for _, c := range s.channels {
		if c == "plugin:"+plugin+"@inline" {
			return true
		}
	}
	return false
}
