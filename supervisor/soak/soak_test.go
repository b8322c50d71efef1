package soak

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// size reads a number from the environment.
func size(t *testing.T, name string, usual int) int {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		return usual
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		t.Fatalf("%s=%q: use a number", name, v)
	}
	return n
}

// build makes the program as people have it: without the race detector, which
// would cost every one of the many short processes a tenth of a second.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ccmux")
	cmd := exec.Command("go", "build", "-o", path, "github.com/ccmux/ccmux/cmd/ccmux")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build ccmux: %v\n%s", err, out)
	}
	return path
}

// folder is where a soak leaves everything; it stays when the test fails.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "soak-") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what it left is in %s", dir)
			return
		}
		os.RemoveAll(dir)
	})
	return dir
}

// TestABusyRaceLosesNoTask: 200 tasks, half for each version of claude, or as many as
// CCMUX_RACE_TASKS says.
func TestABusyRaceLosesNoTask(t *testing.T) {
	tasks := size(t, "CCMUX_RACE_TASKS", 200)
	r, err := Race(t.Context(), Config{Binary: build(t), Dir: folder(t), Agents: 8, Log: t.Logf}, tasks)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tasks: %d turned away at the gate, %d slipped into a running turn", r.Tasks, r.Turned, r.Slipped)
	for _, w := range r.Wrong {
		t.Error(w)
	}
	if tasks >= 100 && (r.Turned == 0 || r.Slipped == 0) {
		t.Errorf("%d were turned away and %d slipped in; without either nothing was tried", r.Turned, r.Slipped)
	}
}

// TestNothingIsLostWhateverDies is the soak. CCMUX_SOAK_MESSAGES, _KILLS,
// _AGENTS and _SEED size it; `make soak` is the long form.
func TestNothingIsLostWhateverDies(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("no /proc here to find the processes to kill")
	}
	cfg := Config{
		Binary: build(t), Dir: folder(t), Agents: size(t, "CCMUX_SOAK_AGENTS", 8), Old: size(t, "CCMUX_SOAK_OLD", 0),
		Messages: size(t, "CCMUX_SOAK_MESSAGES", 5000), Kills: size(t, "CCMUX_SOAK_KILLS", 20),
		Seed: uint64(size(t, "CCMUX_SOAK_SEED", 1)), Settle: 90 * time.Second, Log: t.Logf,
	}
	r, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v; load %v (%.0f deliveries/s), settled %v, kills %v, restarts by the human %d", r.Counts,
		r.Load.Round(time.Millisecond), float64(r.Deliveries)/r.Load.Seconds(), r.Settled.Round(time.Millisecond), r.Kills, r.Restarts)
	const shown = 40
	for i, w := range r.Wrong {
		if i == shown {
			t.Errorf("and %d more", len(r.Wrong)-shown)
			break
		}
		t.Error(w)
	}
	if int(r.Restarts) > r.Kills["channel"] { // nothing else needs the human
		t.Errorf("the human had to bring back %d sessions; %d channel processes were killed", r.Restarts, r.Kills["channel"])
	}
	if r.Deliveries < cfg.Messages*9/10 {
		t.Errorf("%d deliveries were judged; the soak is for %d", r.Deliveries, cfg.Messages)
	}
}
