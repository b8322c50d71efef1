package transcript

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoHome reports an environment that does not say where claude keeps its
// files.
var ErrNoHome = errors.New("neither CLAUDE_CONFIG_DIR nor HOME is set")

// ConfigDir returns the folder where claude, run with the environment env
// ("NAME=VALUE"), keeps its files. As with exec, the last entry of a name counts.
func ConfigDir(env []string) (string, error) {
	var home, config string
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "HOME="); ok {
			home = v
		}
		if v, ok := strings.CutPrefix(e, "CLAUDE_CONFIG_DIR="); ok {
			config = v
		}
	}
	switch {
	case config != "":
		return config, nil
	case home != "":
		return filepath.Join(home, ".claude"), nil
	}
	return "", ErrNoHome
}

// StatusDir returns the folder of claude's status files.
func StatusDir(configDir string) string { return filepath.Join(configDir, "sessions") }

// Path returns the file of conversation id, held in folder dir. Every
// character of dir but ASCII letters and digits becomes "-". Of very long
// folders claude shortens the name in a way of its own: see Locate.
func Path(configDir, dir, id string) string {
	return filepath.Join(configDir, "projects", folderName(dir), id+".jsonl")
}

func folderName(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, dir)
}

// Locate returns the file of conversation id if there is one: where Path says,
// or in another folder of projects, since an id is in the world only once.
func Locate(configDir, dir, id string) (string, bool) {
	if id == "" || id != filepath.Base(id) || strings.ContainsAny(id, `*?[\`) {
		return "", false
	}
	path := Path(configDir, dir, id)
	if isFile(path) {
		return path, true
	}
	entries, err := os.ReadDir(filepath.Join(configDir, "projects"))
	if err != nil {
		return "", false
	}
	for _, e := range entries {
		other := filepath.Join(configDir, "projects", e.Name(), id+".jsonl")
		if isFile(other) {
			return other, true
		}
	}
	return "", false
}

func isFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}
