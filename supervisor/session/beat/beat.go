// Package beat lets goroutines that look at something every so often do it at the
// same moments, by the clock. On a machine that is idle, waking up costs far more
// than the look: ten sessions with two looks each at moments of their own kept
// ccmux waking ten times a second, and wake it once in two together.
//
// It guarantees nothing about when exactly a look is taken, as timers do not. It
// keeps no state and may be used from anywhere; its one function is tested with
// times around a beat.
package beat

import "time"

// Until returns how long after now the next beat is, when they are d apart. It is
// more than 0 and at most d, also when the clock is set.
func Until(now time.Time, d time.Duration) time.Duration {
	return d - now.Sub(now.Truncate(d))
}
