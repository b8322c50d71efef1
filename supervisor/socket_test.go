package supervisor

import (
	"testing"
	"time"
)

// TestTheSocketIsNeverOutrun: claude takes 30 messages of a sender, and one more
// every two seconds, and drops the rest without a word.
func TestTheSocketIsNeverOutrun(t *testing.T) {
	m := newMessaging()
	start := time.Unix(0, 0)
	now, claude, filled := start, 30.0, start
	for range 200 {
		for wait := m.pause(now); wait > 0; wait = m.pause(now) {
			now = now.Add(wait)
		}
		claude = min(30, claude+now.Sub(filled).Seconds()/2)
		filled = now
		if claude--; claude < 0 {
			t.Fatalf("after %v claude drops a message", now.Sub(start))
		}
		now = now.Add(time.Millisecond)
	}
	if took := now.Sub(start); took > 200*socketRefill {
		t.Errorf("200 messages took %v", took)
	}
}

// TestAProbeOfTheSocketCountsOnce, and one that is missing is over.
func TestAProbeOfTheSocketCountsOnce(t *testing.T) {
	m := newMessaging()
	m.nonce = "n"
	if m.probed("") || m.probed("x") || !m.probed("n") || m.probed("n") || !m.proven {
		t.Error("a probe is taken for another, or twice")
	}
	m.nonce = "o"
	if m.missing("n") || !m.missing("o") || m.missing("o") {
		t.Error("a missing probe is taken for another, or twice")
	}
}
