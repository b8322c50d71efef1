package session

import (
	"testing"
	"time"
)

// TestGathering: only a program that goes on printing in small pieces is let
// gather, and never so much that it is held up.
func TestGathering(t *testing.T) {
	const every = 2 * time.Millisecond
	run := func(g *gather, reads, n int, every time.Duration) (pauses int) {
		now := time.Unix(0, 0)
		for range reads {
			if g.pause(n, now) {
				pauses++
				now = now.Add(gatherFor)
			}
			now = now.Add(every)
		}
		return pauses
	}
	for name, c := range map[string]struct {
		reads, n int
		every    time.Duration
		some     bool
	}{
		"a burst, as of a repaint":    {80, 1000, every, false},
		"a spinner":                   {1000, 300, 16 * time.Millisecond, false},
		"keys":                        {1000, 3, 30 * time.Millisecond, false},
		"full reads":                  {1000, 4095, every, false},
		"a build that goes on and on": {1000, 2000, every, true},
	} {
		if got := run(&gather{}, c.reads, c.n, c.every); got > 0 != c.some {
			t.Errorf("%s: %d pauses in %d reads; want some: %v", name, got, c.reads, c.some)
		}
	}
	g := &gather{}
	if run(g, 1000, 2000, every) == 0 || !g.on {
		t.Fatal("it does not gather")
	}
	for range 10 {
		g.pause(gatherFull, time.Unix(9, 0))
	}
	if g.pause(100, time.Unix(9, 0)) {
		t.Error("so much had gathered that the program was held up, and it waits again")
	}
	if g.pause(10, time.Unix(9, 0)); g.on {
		t.Error("almost nothing had gathered, and it goes on")
	}
}
