package router

import "time"

// Limits are the guards' settings. They matter when a command is decided and
// never when an event is applied, so changing them changes no history.
type Limits struct {
	Depth         int           // of a chain of delegated threads; deeper is held
	PerMinute     int           // messages of sessions in one thread within a minute; at most maxTimes
	Repeats       int           // how often one ordered path of peers may be walked before it is held
	Echo          int           // notes going to and fro in a thread without a task
	Batch         int           // more waiting messages than this go to a peer as one event
	BatchMost     int           // messages in one event
	BatchBytes    int           // content bytes in one event, but for a single larger message
	Proof         time.Duration // an idle session that did not show an offer for so long did not get it
	Edge          time.Duration // not idle for so long: hand over at the next turn's edge
	RulePerMinute int           // the same request allowed by a rule within a minute
}

// DefaultLimits returns the limits a State starts with.
func DefaultLimits() Limits {
	return Limits{
		Depth:         8,
		PerMinute:     30,
		Repeats:       2,
		Echo:          10,
		Batch:         20,
		BatchMost:     100,
		BatchBytes:    256 << 10,
		Proof:         10 * time.Second,
		Edge:          5 * time.Minute,
		RulePerMinute: 10,
	}
}

// SetLimits replaces the limits. Zero fields keep their defaults.
func (s *State) SetLimits(l Limits) {
	d := DefaultLimits()
	for _, f := range []struct{ set, def *int }{
		{&l.Depth, &d.Depth},
		{&l.PerMinute, &d.PerMinute},
		{&l.Repeats, &d.Repeats},
		{&l.Echo, &d.Echo},
		{&l.Batch, &d.Batch},
		{&l.BatchMost, &d.BatchMost},
		{&l.BatchBytes, &d.BatchBytes},
		{&l.RulePerMinute, &d.RulePerMinute},
	} {
		if *f.set <= 0 {
			*f.set = *f.def
		}
	}
	if l.Proof <= 0 {
		l.Proof = d.Proof
	}
	if l.Edge <= 0 {
		l.Edge = d.Edge
	}
	l.PerMinute = min(l.PerMinute, maxTimes)
	s.limits = l
}
