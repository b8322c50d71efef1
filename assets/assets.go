package assets

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/ccmux/ccmux/channel/wire"
)

// Plugin is what the templates of one session's plugin are filled with.
type Plugin struct {
	Binary      string // absolute path of ccmux
	SessionFile string // absolute path of the session file
	Version     string // of ccmux
}

//go:embed all:plugin
var pluginFiles embed.FS

// Render writes the plugin into the folder dir, which it makes with mode 0700
// if it is not there. Files that are there are replaced, each whole.
func Render(dir string, p Plugin) error {
	if err := errors.Join(checkPath(p.Binary), checkPath(p.SessionFile)); err != nil {
		return fmt.Errorf("render plugin: %w", err)
	}
	if p.Version == "" {
		p.Version = "0.0.0"
	}
	values := strings.NewReplacer("{{binary}}", quote(p.Binary), "{{session-file}}", quote(p.SessionFile), "{{version}}", quote(p.Version))
	err := fs.WalkDir(pluginFiles, "plugin", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.TrimPrefix(path, "plugin"))
		if d.IsDir() {
			return makeFolder(to)
		}
		return renderFile(to, path, values)
	})
	if err != nil {
		return fmt.Errorf("render plugin: %w", err)
	}
	return nil
}

// checkPath refuses what claude would not take as it is: it needs absolute
// paths in UTF-8, and puts the value of a variable where it reads "${".
func checkPath(path string) error {
	switch {
	case !filepath.IsAbs(path):
		return fmt.Errorf("%q is not an absolute path", path)
	case !utf8.ValidString(path) || strings.Contains(path, "${"):
		return fmt.Errorf("claude cannot be told the path %q: it must be UTF-8 and not contain \"${\"", path)
	}
	return nil
}

// makeFolder makes the folder, or takes the rights of others from the one that
// is there.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}

func renderFile(to, path string, values *strings.Replacer) error {
	raw, err := pluginFiles.ReadFile(path)
	if err != nil {
		return err
	}
	if filepath.Ext(path) == ".json" {
		raw = []byte(values.Replace(string(raw)))
		if !json.Valid(raw) {
			return fmt.Errorf("%s: the template does not give valid JSON", path)
		}
	}
	tmp := to + ".new"
	if err := os.WriteFile(tmp, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, to)
}

// quote writes s as a JSON string. A string in UTF-8 always can be.
func quote(s string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	return strings.TrimSpace(out.String())
}

//go:embed prompt.md
var promptText string

// SystemPrompt is the text appended to the system prompt of the session called
// name. Peers are those known when it starts, if any; the prompt says that they
// come and go. All are names that wire.CheckName lets through.
func SystemPrompt(name string, peers ...string) string {
	known := ""
	if len(peers) > 0 {
		known = " At your start the peers are: `" + strings.Join(peers, "`, `") + "`."
	}
	return strings.TrimSpace(strings.NewReplacer(
		"{{name}}", name, "{{peers}}", known, "{{source}}", wire.ChannelSource,
		"{{prefix}}", wire.ToolPrefix, "{{select}}", SelectTools(),
	).Replace(promptText))
}

// SelectTools is the query to claude's ToolSearch that loads every tool of
// ccmux by its full name.
func SelectTools() string {
	full := make([]string, len(wire.Tools))
	for i, t := range wire.Tools {
		full[i] = wire.ToolPrefix + t
	}
	return "select:" + strings.Join(full, ",")
}
