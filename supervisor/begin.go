package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/doctor"
	"github.com/ccmux/ccmux/supervisor/session"
)

const (
	// firstSecond is how long an `up` waits for a child that shows no sign of
	// life: one that cannot work mostly ends before.
	firstSecond = time.Second
	// versionTime bounds `claude --version`. One that takes longer is not held
	// against it.
	versionTime = 5 * time.Second
)

// CheckPrograms finds out whether the programs of sessions can be run in env,
// before a ccmux is started for them.
func CheckPrograms(specs []wire.SessionSpec, env []string) error {
	for _, spec := range specs {
		if _, err := findCommand(spec, env); err != nil {
			return err
		}
	}
	return nil
}

// checkPrograms finds out before anything starts whether what is to be started
// can be run, and whether it is a claude that works with ccmux.
func (t *sessions) checkPrograms(ctx context.Context, plan []planned, env []string) error {
	asked := map[string]bool{}
	for _, p := range plan {
		if p.running {
			continue
		}
		path, err := findCommand(p.spec, env)
		if err != nil {
			return err
		}
		if programOf(p.spec) != claudeName || asked[path] {
			continue
		}
		asked[path] = true
		if err := t.checkClaude(ctx, path, p.spec, env); err != nil {
			return err
		}
	}
	return nil
}

// checkClaude has a claude say its version.
func (t *sessions) checkClaude(ctx context.Context, path string, spec wire.SessionSpec, env []string) error {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Dir, cmd.Env, cmd.WaitDelay = spec.Dir, childEnv(env, spec), time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		t.s.log.Warn("claude --version gave no answer", "path", path, "within", versionTime)
		return nil
	case err != nil:
		return fmt.Errorf("%s --version failed (%w): %s; run it by hand and mend what it says", path, err, wire.CleanLine(strings.TrimSpace(string(out)), 200))
	}
	if version, old := doctor.TooOld(string(out)); old {
		return errors.New(path + " is claude " + version + ", and " + doctor.Update)
	}
	return nil
}

// endedAtOnce waits until each child has shown a sign of life or has ended, a
// second at most, and returns those that ended.
func endedAtOnce(ctx context.Context, begun []*entry) []wire.Ended {
	ctx, cancel := context.WithTimeout(ctx, firstSecond)
	defer cancel()
	var out []wire.Ended
	for _, e := range begun {
		s := e.slot.Session()
		if s == nil || !endsSoon(ctx, s) {
			continue
		}
		out = append(out, wire.Ended{Name: e.label(), Why: wire.CleanLine(s.Info().Why, wire.MaxMeta), Line: lastWords(s.Lines())})
	}
	return out
}

// endsSoon waits until s ended, or speaks, or ctx is over; it says whether it
// ended.
func endsSoon(ctx context.Context, s *session.Session) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-s.Done():
			return true
		case <-ctx.Done():
			return false
		case <-tick.C:
			if i := s.Info(); i.State != session.Starting && !i.State.Ended() {
				return false
			}
		}
	}
}

// maxLast is how many lines tell of an end: programs break a sentence over some.
const maxLast = 3

// lastWords are the last lines of text on the screen of s, in one.
func lastWords(lines []string) string {
	var last []string
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); line != "" {
			last = append(last, line)
		}
		if len(last) == maxLast {
			break
		}
	}
	slices.Reverse(last)
	return wire.CleanLine(strings.Join(last, " "), wire.MaxMeta)
}
