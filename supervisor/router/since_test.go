package router

import (
	"testing"
	"time"
)

// TestAQuestionIsAsOldAsItself: the next question of a session is not as old as
// the first.
func TestAQuestionIsAsOldAsItself(t *testing.T) {
	w := team(t, "a")
	ask := func(detail string) time.Time {
		w.at = w.at.Add(time.Minute)
		w.do(SetSession{SessionStateChanged{Peer: w.id("a"), State: NeedsYou, Detail: detail}})
		return w.s.peers[w.id("a")].Session.Since
	}
	first := ask("folder trust")
	if same := ask("folder trust"); !same.Equal(first) {
		t.Errorf("the same question is a minute younger: %v, %v", first, same)
	}
	if next := ask("API key"); !next.Equal(w.at) {
		t.Errorf("a question of this moment counts from %v, not %v", next, w.at)
	}
}
