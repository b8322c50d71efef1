package supervisor_test

import (
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
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
