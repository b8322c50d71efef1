package supervisor

import (
	"context"
	"fmt"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

const (
	day = 24 * time.Hour
	// firstPrune is how long after its start ccmux looks for what is too old to
	// keep; then it does every day.
	firstPrune = time.Minute
	// minAge is the least age of what a human may have pruned: nothing that is
	// still talked about.
	minAge = time.Hour
)

// mindRetention deletes every day what is older than the trusted team file wants
// kept. Without a retention everything is kept for ever.
func (s *Supervisor) mindRetention(ctx context.Context) {
	for wait := firstPrune; ; wait = day {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		if err := s.pruneOld(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("prune the history", "err", err)
		}
	}
}

func (s *Supervisor) pruneOld(ctx context.Context) error {
	keep := time.Duration(s.retention.Load()) * day
	if keep == 0 {
		return nil
	}
	n, err := s.journal.Prune(ctx, s.loop.now().Add(-keep))
	if n > 0 {
		s.log.Info("pruned the history", "messages", n, "older_than", keep)
	}
	return err
}

// prune deletes what is older than the human says.
func (c *conn) prune(f wire.Frame) (any, error) {
	p, err := decode[wire.Prune](f)
	if err != nil {
		return nil, err
	}
	older := time.Duration(p.OlderSeconds) * time.Second
	if older < minAge || older/time.Second != time.Duration(p.OlderSeconds) {
		return nil, fmt.Errorf("only what is older than %v can be pruned", minAge)
	}
	n, err := c.s.journal.Prune(c.ctx, c.s.loop.now().Add(-older))
	if err != nil {
		return nil, fmt.Errorf("%w (%d messages were deleted before that)", err, n)
	}
	c.s.log.Info("pruned the history", "messages", n, "older_than", older)
	return wire.Pruned{Messages: n}, nil
}

// readAgain is between two looks at who reads the journal: a reader of both is a
// long one.
const readAgain = time.Second

// storage reads the whole journal and says how it is.
func (c *conn) storage(wire.Frame) (any, error) {
	j := c.s.journal
	size, err := j.Size(c.ctx)
	if err != nil {
		return nil, err
	}
	out := wire.Storage{
		Database: size.Database, Free: size.Free, WAL: size.WAL, Messages: size.Messages, Oldest: size.Oldest,
		RetentionDays: int(c.s.retention.Load()),
	}
	first := j.Readers()
	if err := j.Check(c.ctx); err != nil {
		out.Damaged = wire.CleanLine(err.Error(), 500)
	}
	if len(first) == 0 {
		return out, nil
	}
	select {
	case <-time.After(readAgain):
	case <-c.ctx.Done():
		return nil, c.ctx.Err()
	}
	for _, still := range j.Readers() {
		for _, r := range first {
			if r.PID == still.PID {
				out.Readers = append(out.Readers, fmt.Sprintf("%s with pid %d", wire.CleanLine(r.Name, 64), r.PID))
			}
		}
	}
	return out, nil
}
