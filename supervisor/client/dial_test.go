package client

import (
	"errors"
	"net"
	"os"
	"testing"

	"github.com/ccmux/ccmux/supervisor/project"
)

// TestADyingCcmuxIsNotRunning: a process that was just killed may still take a
// connection and then drops it.
func TestADyingCcmuxIsNotRunning(t *testing.T) {
	dir, err := os.MkdirTemp("", "ccmux-c-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	p := project.Project{Root: "/some/where"}
	if _, _, err := Dial(t.Context(), p, "test", nil); !errors.Is(err, ErrNotRunning) {
		t.Errorf("without a socket: %v; want %v", err, ErrNotRunning)
	}
	path, err := p.Socket()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Close()
		}
	}()
	if _, _, err := Dial(t.Context(), p, "test", nil); !errors.Is(err, ErrNotRunning) {
		t.Errorf("hung up on at hello: %v; want %v", err, ErrNotRunning)
	}
}
