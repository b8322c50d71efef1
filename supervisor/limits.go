package supervisor

import (
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/supervisor/router"
)

// setLimits puts the guards and the retention of a team file in force, which the
// human has agreed to; what it does not name has its default. They hold for what
// is decided from now on, also after the state was rebuilt.
func (s *Supervisor) setLimits(c project.Config) {
	s.retention.Store(int64(c.Retention))
	l := s.limits(c.Limits)
	s.loop.read(func(state *router.State) {
		s.loop.limits = l
		state.SetLimits(l)
	})
}

func (s *Supervisor) limits(f project.Limits) router.Limits {
	return router.Limits{
		Depth: f.ChainDepth, PerMinute: f.ThreadPerMinute, Repeats: f.PathRepeats, Echo: f.NotesToAndFro,
		RulePerMinute: f.RulePerMinute, Proof: s.cfg.ProofTime,
	}
}
