package desktop

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// ErrNone says that there is no tool for it on the terminal's desktop.
var ErrNone = errors.New("there is no desktop here to ask")

// toolTime bounds one tool; those that stay (a clipboard has to be served by
// somebody) do so in the background.
const toolTime = 5 * time.Second

// tool is a program and what the environment must have for it.
type tool struct {
	needs string // a variable, or "darwin"
	args  []string
}

var (
	clipboards = []tool{
		{"darwin", []string{"pbcopy"}},
		{"WAYLAND_DISPLAY", []string{"wl-copy"}},
		{"DISPLAY", []string{"xclip", "-selection", "clipboard"}},
		{"DISPLAY", []string{"xsel", "--clipboard", "--input"}},
	}
	openers = []tool{
		{"darwin", []string{"open"}},
		{"WAYLAND_DISPLAY", []string{"xdg-open"}},
		{"DISPLAY", []string{"xdg-open"}},
	}
)

// Copy puts text into the system's clipboard; env is the terminal's environment.
func Copy(ctx context.Context, env []string, text string) error {
	return use(ctx, env, clipboards, text)
}

// Open opens an address with the system's opener. Anything but http and https is
// refused: other schemes start programs.
func Open(ctx context.Context, env []string, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q is not opened: only http and https addresses are", address)
	}
	return use(ctx, env, openers, "", u.String())
}

func use(ctx context.Context, env []string, tools []tool, stdin string, more ...string) error {
	vars := map[string]string{}
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = v
	}
	if vars["SSH_CONNECTION"] != "" || vars["SSH_TTY"] != "" {
		return ErrNone
	}
	for _, t := range tools {
		if t.needs == "darwin" && runtime.GOOS != "darwin" || t.needs != "darwin" && vars[t.needs] == "" {
			continue
		}
		path, ok := find(vars["PATH"], t.args[0])
		if !ok {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, toolTime)
		defer cancel()
		c := exec.CommandContext(ctx, path, append(t.args[1:len(t.args):len(t.args)], more...)...)
		c.Env, c.Stdin, c.Dir = env, strings.NewReader(stdin), "/"
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := c.Run(); err != nil {
			return fmt.Errorf("run %s: %w", t.args[0], err)
		}
		return nil
	}
	return ErrNone
}

// find looks for a program in the terminal's PATH, absolute folders only.
func find(path, name string) (string, bool) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p, true
		}
	}
	return "", false
}
