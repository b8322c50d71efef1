package client

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
)

// projectIn makes a project with a socket folder of its own.
func projectIn(t *testing.T) project.Project {
	t.Helper()
	dir, err := os.MkdirTemp("", "ccmux-c-") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	return project.Project{Root: "/some/where"}
}

// listen stands where the project's ccmux would, for one connection.
func listen(t *testing.T, p project.Project, serve func(net.Conn)) {
	t.Helper()
	path, err := p.Socket()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c, err := l.Accept(); err == nil {
			serve(c)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
}

// TestAnotherProtocolIsNamedAndWhatToDo: the running ccmux is older or newer.
func TestAnotherProtocolIsNamedAndWhatToDo(t *testing.T) {
	p := projectIn(t)
	listen(t, p, func(nc net.Conn) {
		c := wire.NewConn(nc)
		defer c.Close()
		f, err := c.Read()
		if err != nil || f.Type != wire.TypeHello {
			t.Errorf("the first frame is %v, %v", f.Type, err)
			return
		}
		_ = c.Fail(f.ID, &wire.Failure{Code: wire.CodeVersion, Message: "the running ccmux (build 0.1, process 7) speaks protocol 1, this one (build 0.2) speaks 2"})
	})
	_, _, err := Dial(t.Context(), p, "0.2", nil)
	if err == nil || errors.Is(err, ErrNotRunning) {
		t.Fatalf("error = %v; want one that names both versions", err)
	}
	for _, part := range []string{"build 0.1, process 7", "run ccmux down --all with that version first, or use it"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error = %q; want %q in it", err, part)
		}
	}
}

// TestTheSocketFolderOfAnotherUserIsRefused: who owns it could stand between.
func TestTheSocketFolderOfAnotherUserIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to give a folder away")
	}
	p := projectIn(t)
	path, err := p.Socket()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(filepath.Dir(path), 12345, -1); err != nil {
		t.Skip(err)
	}
	if _, _, err := Dial(t.Context(), p, "test", nil); !errors.Is(err, project.ErrNotPrivate) || !strings.Contains(err.Error(), "belongs to another user: remove it, or set XDG_RUNTIME_DIR") {
		t.Errorf("error = %v; want a refusal that says what to do", err)
	}
}

// TestADyingCcmuxIsNotRunning: a process that was just killed may still take a
// connection and then drops it.
func TestADyingCcmuxIsNotRunning(t *testing.T) {
	p := projectIn(t)
	if _, _, err := Dial(t.Context(), p, "test", nil); !errors.Is(err, ErrNotRunning) {
		t.Errorf("without a socket: %v; want %v", err, ErrNotRunning)
	}
	listen(t, p, func(c net.Conn) { c.Close() })
	if _, _, err := Dial(t.Context(), p, "test", nil); !errors.Is(err, ErrNotRunning) {
		t.Errorf("hung up on at hello: %v; want %v", err, ErrNotRunning)
	}
}
