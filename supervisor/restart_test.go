package supervisor_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// TestARestartedSessionHoldsNothingUp: the child before has no end of its own
// when the human restarts a session; what stood behind it must end all the same.
func TestARestartedSessionHoldsNothingUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.task("api", "say: first")
	h.await("the answer", answered("first"))
	if err := h.human().Call(t.Context(), wire.TypeRestart, wire.Names{Names: []string{"api"}}, nil); err != nil {
		t.Fatal(err)
	}
	h.proven("api")
	h.task("api", "say: second")
	h.await("the answer of the next child", answered("second"))
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		h.stop()
	}()
	select {
	case <-stopped:
	case <-time.After(patience):
		t.Fatalf("ccmux did not stop within %v after a restart of a session", patience)
	}
}

// TestAnOpenRequestEndsWithItsSession: nobody has answered what its own end left
// open, and its dialog goes away all the same.
func TestAnOpenRequestEndsWithItsSession(t *testing.T) {
	t.Parallel()
	for verb, want := range map[wire.Type]string{
		wire.TypeDown: "void: the session was stopped", wire.TypeRestart: "void: the session was stopped", "crash": "void: the session ended",
	} {
		t.Run(string(verb), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.up(map[string]string{"api": "worker"})
			h.proven("api")
			h.task("api", "run: echo open")
			id := h.request().ID
			if verb == "crash" {
				p, _ := h.View().Named("api")
				if err := syscall.Kill(p.Session.PID, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			} else if err := h.human().Call(t.Context(), verb, wire.Names{Names: []string{"api"}}, nil); err != nil {
				t.Fatal(err)
			}
			h.await("the end of the request", func(v *router.View) bool {
				return !slices.ContainsFunc(v.Permissions, func(p router.PermissionView) bool { return p.ID == id })
			})
			if how, moved := h.ended(id); !strings.HasPrefix(how, want) || moved {
				t.Errorf("the request ended as %q, moved %v; want %q", how, moved, want)
			}
		})
	}
}
