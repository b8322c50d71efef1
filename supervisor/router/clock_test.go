package router

import (
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestAnOfferIsNotProvenForeverWhenTheClockWasSetBack(t *testing.T) {
	w := team(t, "api")
	task := w.send("you", wire.KindTask, "api").ID
	w.offer("api", task)
	if w.s.TickDue(w.at) {
		t.Error("a tick is due at once")
	}
	w.at = w.at.Add(-time.Hour)
	if !w.s.TickDue(w.at) {
		t.Fatal("no tick is due: the offer would stay open for an hour")
	}
	w.do(Tick{})
	w.wantState("api", task, wire.Waiting)
	w.wantDue("api", task)
	w.offer("api", task)
	if w.s.TickDue(w.at.Add(9*time.Second)) || !w.s.TickDue(w.at.Add(10*time.Second)) {
		t.Error("the next offer does not have its ten seconds")
	}
}
