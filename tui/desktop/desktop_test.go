package desktop

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fakes are tools that write what they were given into a file.
func fakes(t *testing.T, names ...string) (env []string, got func() string) {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	for _, n := range names {
		script := "#!/bin/sh\n{ printf '%s' '" + n + "'; for a; do printf ' %s' \"$a\"; done; printf ': '; /bin/cat; } > " + out + "\n"
		if err := os.WriteFile(filepath.Join(dir, n), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=relative:" + dir}, func() string {
		b, _ := os.ReadFile(out)
		return string(b)
	}
}

func TestCopy(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the tools are others there")
	}
	const text = "日本語 $(rm) `x`\n"
	env, got := fakes(t, "wl-copy", "xclip")
	for add, want := range map[string]string{
		"WAYLAND_DISPLAY=w": "wl-copy: " + text, "DISPLAY=:0": "xclip -selection clipboard: " + text,
	} {
		if err := Copy(context.Background(), append([]string{add}, env...), text); err != nil || got() != want {
			t.Errorf("%s: %q, %v", add, got(), err)
		}
	}
	for _, away := range [][]string{{}, {"DISPLAY=:0", "SSH_TTY=/dev/pts/1"}} {
		if err := Copy(context.Background(), append(away, env...), text); !errors.Is(err, ErrNone) {
			t.Errorf("%v: %v", away, err)
		}
	}
}

func TestOpen(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the tools are others there")
	}
	env, got := fakes(t, "xdg-open")
	env = append(env, "DISPLAY=:0")
	if err := Open(context.Background(), env, "https://go.dev/doc?a=$(x)"); err != nil || !strings.HasPrefix(got(), "xdg-open https://go.dev/doc?a=$(x)") {
		t.Errorf("%q, %v", got(), err)
	}
	for _, bad := range []string{"file:///etc/passwd", "javascript:x", "--help", "https://", "ssh://h", ""} {
		if err := Open(context.Background(), env, bad); err == nil {
			t.Errorf("%q was opened", bad)
		}
	}
}
