package beat

import (
	"testing"
	"time"
)

func TestUntilTheNextBeat(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 4, 0, time.UTC)
	const d = 2 * time.Second
	for after, want := range map[time.Duration]time.Duration{
		0:                          d,
		time.Nanosecond:            d - time.Nanosecond,
		500 * time.Millisecond:     1500 * time.Millisecond,
		2*time.Second - 1:          1,
		7*time.Second + 1234567890: d - 234567890,
	} {
		if got := Until(at.Add(after), d); got != want {
			t.Errorf("%v after a beat the next is in %v; want %v", after, got, want)
		}
	}
}
