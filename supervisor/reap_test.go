package supervisor_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// TestADaemonisedChildThatEndsIsCollected: it is left to ccmux when its parent
// ends, and must not stay a zombie.
func TestADaemonisedChildThatEndsIsCollected(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux leaves daemons to ccmux")
	}
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	file := filepath.Join(h.root, "daemon")
	h.task("api", "run: setsid -f sh -c 'echo $$ > "+file+".new; mv "+file+".new "+file+"'; until [ -e "+file+" ]; do sleep 0.05; done")
	if err := h.Answer(t.Context(), h.request().ID, wire.Allow, "", ""); err != nil {
		t.Fatal(err)
	}
	h.await("the answer", answered("run: setsid"))
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	limit, look := time.After(patience), time.NewTicker(50*time.Millisecond)
	defer look.Stop()
	for !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		select {
		case <-look.C:
		case <-limit:
			t.Fatalf("process %d ended and was not collected within %v", pid, patience)
		}
	}
}
