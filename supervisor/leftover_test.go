package supervisor

import (
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session/proc"
)

// TestWhatADeadCcmuxLeftIsGoneBeforeItIsResumed: also a child that does not mind
// the loss of its terminal; a process that only has its number is left alone.
func TestWhatADeadCcmuxLeftIsGoneBeforeItIsResumed(t *testing.T) {
	for name, c := range map[string]struct {
		session string
		born    uint64 // beside the truth
		ends    bool
	}{
		"ours":                 {session: "api", ends: true},
		"a number used again":  {session: "api", born: 1},
		"of another's session": {session: "web"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("sh", "-c", "trap '' HUP; echo up; sleep 600 & wait")
			cmd.Env = append(os.Environ(), "CCMUX_SESSION="+c.session)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
				_ = cmd.Wait() // it was killed
			})
			if _, err := out.Read(make([]byte, 3)); err != nil { // the trap is set
				t.Fatal(err)
			}
			id, err := proc.Identify(cmd.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			s := &Supervisor{log: slog.New(slog.DiscardHandler)}
			s.leftovers.clear(s, router.PeerView{ID: "p-2", Name: "api", Session: router.SessionView{
				PID: id.PID, Birth: id.Start + c.born,
			}})
			s.leftovers.await("p-2")
			if id.Alive() == c.ends {
				t.Errorf("when the next may start it runs: %v", id.Alive())
			}
		})
	}
}
