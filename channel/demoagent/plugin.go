package demoagent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// plugin is what claude reads from a plugin folder.
type plugin struct {
	dir    string
	name   string
	key    string // of its one server; empty when it has none
	server command
	hooks  map[string][]hookSpec
}

// command is how a process is started.
type command struct {
	path string
	args []string
	env  []string // added, as KEY=value
}

// source is the server's id, which channel tags carry.
func (p *plugin) source() string { return "plugin:" + p.name + ":" + p.key }

// toolPrefix stands before the names of the server's tools.
func (p *plugin) toolPrefix() string { return "mcp__plugin_" + p.name + "_" + p.key + "__" }

type mcpFile struct {
	Servers map[string]struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	} `json:"mcpServers"`
}

type hooksFile struct {
	Hooks map[string][]struct {
		Matcher string `json:"matcher"`
		Hooks   []struct {
			Type    string   `json:"type"`
			Command string   `json:"command"`
			Args    []string `json:"args"`
			Timeout float64  `json:"timeout"` // seconds
		} `json:"hooks"`
	} `json:"hooks"`
}

// readPlugin reads the plugin in dir. get looks up variables for ${…} in .mcp.json.
func readPlugin(dir string, get func(string) string) (*plugin, error) {
	p := &plugin{dir: dir, hooks: map[string][]hookSpec{}}
	var manifest struct {
		Name string `json:"name"`
	}
	if err := readJSON(filepath.Join(dir, ".claude-plugin", "plugin.json"), &manifest); err != nil {
		return nil, err
	}
	p.name = manifest.Name
	if err := p.readServer(get); err != nil {
		return nil, err
	}
	return p, p.readHooks(get)
}

func (p *plugin) readServer(get func(string) string) error {
	var f mcpFile
	path := filepath.Join(p.dir, ".mcp.json")
	if err := readJSON(path, &f); err != nil {
		return err
	}
	if len(f.Servers) > 1 {
		return fmt.Errorf("read %s: the demo agent starts one server, this names %d", path, len(f.Servers))
	}
	for key, s := range f.Servers {
		p.key = key
		p.server = command{path: expand(s.Command, get)}
		for _, a := range s.Args {
			p.server.args = append(p.server.args, expand(a, get))
		}
		for k, v := range s.Env {
			p.server.env = append(p.server.env, k+"="+expand(v, get))
		}
	}
	return nil
}

func (p *plugin) readHooks(get func(string) string) error {
	var f hooksFile
	path := filepath.Join(p.dir, "hooks", "hooks.json")
	if err := readJSON(path, &f); err != nil {
		return err
	}
	for event, groups := range f.Hooks {
		for _, g := range groups {
			for _, h := range g.Hooks {
				if h.Type != "command" {
					return fmt.Errorf("read %s: the demo agent runs hooks of type command, not %q", path, h.Type)
				}
				spec := hookSpec{matcher: g.Matcher, command: hookCommand(h.Command, h.Args, get), timeout: 600 * time.Second}
				if h.Timeout > 0 {
					spec.timeout = time.Duration(h.Timeout * float64(time.Second))
				}
				p.hooks[event] = append(p.hooks[event], spec)
			}
		}
	}
	return nil
}

// hookCommand is exec form when there are args, else a line for the shell.
func hookCommand(cmd string, args []string, get func(string) string) command {
	if args == nil {
		return command{path: "/bin/sh", args: []string{"-c", expand(cmd, get)}}
	}
	c := command{path: expand(cmd, get)}
	for _, a := range args {
		c.args = append(c.args, expand(a, get))
	}
	return c
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expand puts in ${VAR} and ${VAR:-default}.
func expand(s string, get func(string) string) string {
	if !strings.Contains(s, "${") {
		return s
	}
	return variable.ReplaceAllStringFunc(s, func(m string) string {
		parts := variable.FindStringSubmatch(m)
		if v := get(parts[1]); v != "" {
			return v
		}
		if parts[2] != "" {
			return parts[3]
		}
		return m
	})
}

func readJSON(path string, into any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read plugin: %w", err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
