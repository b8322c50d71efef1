package supervisor_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

// TestNoZombiesOfDeadSessions: what a killed session leaves to ccmux is collected.
func TestNoZombiesOfDeadSessions(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("needs /proc")
	}
	h := newHouse(t)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	p, _ := h.View().Named("api")
	if err := syscall.Kill(p.Session.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	h.await("the next run", func(v *router.View) bool {
		n, _ := v.Named("api")
		return n.Session.PID != 0 && n.Session.PID != p.Session.PID
	})
	limit := time.After(patience)
	for zombies(t, p.Session.PID) > 0 {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-limit:
			t.Fatalf("%d dead children of the killed session are left", zombies(t, p.Session.PID))
		}
	}
}

// zombies counts this process's dead children that belonged to a process session.
func zombies(t *testing.T, sid int) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		raw, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		var state string
		var ppid, pgrp, session int
		if _, err := fmt.Sscan(rest, &state, &ppid, &pgrp, &session); err == nil && state == "Z" && ppid == os.Getpid() && session == sid {
			n++
		}
	}
	return n
}
