package session

import (
	"slices"
	"time"
)

// Backoff says how long to wait after a crash and when to give up. It is a
// value: Crash returns the one to go on with. The zero value has the usual
// limits.
type Backoff struct {
	First  time.Duration // wait after the first crash; 0 means 1 s
	Max    time.Duration // the wait doubles up to this; 0 means 60 s
	Burst  int           // so many crashes within Window are too many; 0 means 5
	Window time.Duration // 0 means 5 min

	crashes []time.Time
}

func (b Backoff) filled() Backoff {
	if b.First <= 0 {
		b.First = time.Second
	}
	if b.Max <= 0 {
		b.Max = time.Minute
	}
	if b.Burst <= 0 {
		b.Burst = 5
	}
	if b.Window <= 0 {
		b.Window = 5 * time.Minute
	}
	return b
}

// Crash records a crash at now. ok is false when there were too many; else
// wait is how long to wait before the next start.
func (b Backoff) Crash(now time.Time) (next Backoff, wait time.Duration, ok bool) {
	b = b.filled()
	b.crashes = slices.DeleteFunc(slices.Clone(b.crashes), func(t time.Time) bool {
		return now.Sub(t) >= b.Window
	})
	b.crashes = append(b.crashes, now)
	if len(b.crashes) >= b.Burst {
		return b, 0, false
	}
	wait = b.First
	for range len(b.crashes) - 1 {
		wait = min(2*wait, b.Max)
	}
	return b, min(wait, b.Max), true
}

// Reset forgets the crashes: the human asked for a start.
func (b Backoff) Reset() Backoff {
	b.crashes = nil
	return b
}

// Launch is how claude is to be called with regard to its conversation.
type Launch struct {
	Args    []string
	Resumed bool // it goes on with what was said before
	// Said is a sentence for the human when a conversation that was there
	// cannot be resumed, else "".
	Said string
}

// ResumeArgs decides between going on and beginning: a conversation with a
// transcript is resumed under its id, one without begins under it.
// transcriptExists comes from the file that claude wrote; --resume without one
// ends claude with exit 1, and so does --session-id with one. began says that the
// conversation ran before: then its missing transcript is worth a word.
func ResumeArgs(conversation string, transcriptExists, began bool) Launch {
	switch {
	case conversation == "":
		return Launch{}
	case transcriptExists:
		return Launch{Args: []string{"--resume", conversation}, Resumed: true}
	}
	l := Launch{Args: []string{"--session-id", conversation}}
	if began {
		l.Said = "there is no transcript of the earlier conversation: a fresh one begins"
	}
	return l
}
