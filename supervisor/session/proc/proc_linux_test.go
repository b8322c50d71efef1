package proc

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline, tick := time.NewTimer(20*time.Second), time.NewTicker(2*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline.C:
			t.Fatalf("never came: %s", what)
		case <-tick.C:
		}
	}
}

// child starts a shell that runs until its input ends and returns it with its
// output.
func child(t *testing.T, script string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = append(os.Environ(), "PROC_TEST=yes")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewReader(out)
}

func readPID(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestStat(t *testing.T) {
	cmd, out := child(t, "echo $$; read x")
	pid := readPID(t, out)
	p, err := Stat(pid)
	if err != nil {
		t.Fatal(err)
	}
	if p.PID != cmd.Process.Pid || p.PPID != os.Getpid() || p.SID != pid || p.PGID != pid || p.Comm != "sh" || p.TTY != 0 || p.Zombie {
		t.Errorf("%+v", p)
	}
	self, err := Self()
	if err != nil || self.PID != os.Getpid() || p.Start < self.Start || !self.Alive() {
		t.Errorf("self %v, child %v, %v", self, p.Start, err)
	}
	if (Identity{pid, p.Start + 1}).Alive() {
		t.Error("a process with another start time passes for this one")
	}
	if exe, err := Exe(pid); err != nil || !filepath.IsAbs(exe) {
		t.Errorf("program %q, %v", exe, err)
	}
	for entry, want := range map[string]bool{"PROC_TEST=yes": true, "PROC_TEST=ye": false, "PROC_TEST": false} {
		if has, err := HasEnv(pid, entry); err != nil || has != want {
			t.Errorf("%s: %v, %v", entry, has, err)
		}
	}
	for _, pid := range []int{0, -1, 1 << 30} {
		if _, err := Stat(pid); !errors.Is(err, ErrGone) {
			t.Errorf("pid %d: %v", pid, err)
		}
	}
}

func TestParseStat(t *testing.T) {
	const tail = " 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 55641 3133440 406"
	p, err := parseStat([]byte("12 (a) R 1 2) (x\n) S 7 8 9 34816" + tail))
	if err != nil || p.PID != 12 || p.Comm != "a) R 1 2) (x\n" || p.PPID != 7 || p.PGID != 8 || p.SID != 9 || p.TTY != 34816 || p.Zombie {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := parseStat([]byte("12 (a) Z 7 8 9 0" + tail)); err != nil || !p.Zombie {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{"", "12", "12 (a)", "12 (a) S 1", "x (a) S 7 8 9 0" + tail, ") (", "12 (a) S 7 8 x 0" + tail} {
		if _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestSessionAndDescendants(t *testing.T) {
	cmd, out := child(t, "sleep 1000 >/dev/null & echo $!; read x; kill $!")
	kid := readPID(t, out)
	has := func(list []Process, err error) map[int]bool {
		if err != nil {
			t.Fatal(err)
		}
		m := map[int]bool{}
		for _, p := range list {
			m[p.PID] = true
		}
		return m
	}
	if in := has(Session(cmd.Process.Pid)); len(in) != 2 || !in[cmd.Process.Pid] || !in[kid] {
		t.Errorf("session: %v", in)
	}
	if below := has(Descendants(cmd.Process.Pid)); len(below) != 1 || !below[kid] {
		t.Errorf("descendants of the child: %v", below)
	}
	if self := has(Descendants(os.Getpid())); !self[cmd.Process.Pid] || !self[kid] {
		t.Errorf("descendants of the test: %v", self)
	}
}

// TestDaemonIsFound: what daemonised below this process is found through the
// subreaper, though its own parents are gone.
func TestDaemonIsFound(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid program")
	}
	if on, err := SubreaperOn(); err != nil || !on {
		t.Fatalf("subreaper: %v, %v", on, err)
	}
	t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
	file := filepath.Join(t.TempDir(), "pid")
	cmd := exec.Command("sh", "-c", "setsid -f sh -c 'echo $$ > "+file+"; exec sleep 1000'")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	daemon := 0
	waitFor(t, "the daemon", func() bool {
		raw, err := os.ReadFile(file)
		if err != nil || len(raw) == 0 {
			return false
		}
		daemon, err = strconv.Atoi(strings.TrimSpace(string(raw)))
		return err == nil
	})
	waitFor(t, "the daemon to be left to us", func() bool { p, err := Stat(daemon); return err == nil && p.PPID == os.Getpid() })
	id, err := Identify(daemon)
	if err != nil {
		t.Fatal(err)
	}
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	if from, err := FromSession(id, []Identity{self}); !from || err != nil {
		t.Errorf("%v, %v", from, err)
	}
	reapOrphan(t, daemon, id)
}

// reapOrphan ends the daemon and sees the Reaper take it, by its pid, and not
// before it has seen it dead once.
func reapOrphan(t *testing.T, daemon int, id Identity) {
	t.Helper()
	if err := syscall.Kill(daemon, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "its end", func() bool { p, err := Stat(daemon); return err == nil && p.Zombie })
	if id.Alive() {
		t.Error("a zombie counts as alive")
	}
	if from, err := FromSession(id, nil); !from || !errors.Is(err, ErrGone) {
		t.Errorf("a dead peer: %v, %v", from, err)
	}
	var r Reaper
	kept := func(pid int) bool { return pid == daemon }
	for range 3 {
		if got, err := r.Sweep(kept); err != nil || len(got) != 0 {
			t.Errorf("kept, but collected %v, %v", got, err)
		}
	}
	if got, err := r.Sweep(nil); err != nil || len(got) != 0 {
		t.Errorf("collected at first sight: %v, %v", got, err)
	}
	got, err := r.Sweep(nil)
	if err != nil || len(got) != 1 || got[0].Identity() != id {
		t.Errorf("collected %v, %v", got, err)
	}
	if _, err := Stat(daemon); !errors.Is(err, ErrGone) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestReapChild(t *testing.T) {
	cmd := exec.Command("sh", "-c", "read x; exit 5")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if _, ok, err := ReapChild(pid); ok || err != nil {
		t.Errorf("it runs: %v, %v", ok, err)
	}
	_ = in.Close()
	if s, err := WaitChild(pid); err != nil || s.Code != 5 || s.Signal != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	_ = cmd.Process.Release()
	for _, pid := range []int{pid, 1, 0, -1} {
		if _, _, err := ReapChild(pid); !errors.Is(err, ErrNotChild) {
			t.Errorf("pid %d: %v", pid, err)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("12 (a) b) S 7 8 9 34816 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 55641 3133440 406"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if p, err := parseStat(raw); err == nil && !strings.Contains(string(raw), "("+p.Comm+")") {
			t.Errorf("name %q", p.Comm)
		}
	})
}
