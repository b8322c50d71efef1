package vt

import (
	"testing"
	"time"
)

func TestSynchronizedUpdate(t *testing.T) {
	now := time.Unix(1000, 0)
	tm := New(10, 2, Config{Now: func() time.Time { return now }})
	var f Frame
	write(tm, "old")
	tm.Frame(&f, View{})
	gen := tm.Generation()
	write(tm, "\x1b[?2026h\rnew")
	if tm.Generation() != gen || tm.Frame(&f, View{}) {
		t.Error("half an update is seen")
	}
	if d, on := tm.SyncDeadline(); !on || d.Sub(now) != 150*time.Millisecond {
		t.Errorf("deadline %v %v", d, on)
	}
	write(tm, "est\x1b[?2026l")
	if tm.Generation() == gen || !tm.Frame(&f, View{}) || string(f.AppendRow(nil, 0)) != "newest    " {
		t.Errorf("the update is not seen: %q", f.AppendRow(nil, 0))
	}

	gen = tm.Generation()
	write(tm, "\x1b[?2026h\rhalf")
	now = now.Add(149 * time.Millisecond)
	if tm.Generation() != gen {
		t.Error("seen before the time-out")
	}
	now = now.Add(time.Millisecond)
	if tm.Generation() == gen || !tm.Frame(&f, View{}) {
		t.Error("not seen after the time-out")
	}
	write(tm, "!")
	if !tm.Frame(&f, View{}) {
		t.Error("after a time-out output shows at once")
	}
}

// TestNothingChangesNothing holds that a quiet pane costs no frame.
func TestNothingChangesNothing(t *testing.T) {
	tm := New(10, 2, Config{})
	write(tm, "text")
	var f Frame
	tm.Frame(&f, View{})
	gen := tm.Generation()
	for range 1000 {
		if tm.Frame(&f, View{}) || tm.Generation() != gen {
			t.Fatal("a frame without a change")
		}
	}
	stamp := f.Stamp(1)
	write(tm, "more")
	if tm.Generation() == gen || !tm.Frame(&f, View{}) {
		t.Error("a change was not seen")
	}
	if f.Stamp(1) != stamp {
		t.Error("an untouched row was copied")
	}
}
