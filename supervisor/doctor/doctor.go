package doctor

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
)

// Verdict is what became of one try.
type Verdict string

// The verdicts.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning"   // works, with a limit
	Problem Verdict = "problem"   // does not work
	Untried Verdict = "not tried" // could not be tried now
)

// Finding is one line of the report.
type Finding struct {
	What    string  `json:"what"`
	Verdict Verdict `json:"verdict"`
	Words   string  `json:"words"`        // what was found
	Do      string  `json:"do,omitempty"` // what to do about it
	Took    float64 `json:"ms,omitempty"` // milliseconds the try took
}

// Patient is what is looked at.
type Patient struct {
	Project project.Project
	Binary  string   // this program
	Env     []string // the caller's environment
	// Render writes a session's plugin, for claude to validate.
	Render func(dir, sessionFile string) error
	// List asks the running ccmux; it fails when there is none.
	List func(context.Context) (wire.List, error)
	// Storage has the running ccmux read its journal; it fails when there is none.
	Storage func(context.Context) (wire.Storage, error)
	// Terminal is where a screen would be shown; nil without one.
	Terminal *Terminal
}

// Terminal is what is known of the caller's terminal.
type Terminal struct{ Cols, Rows int }

// limit bounds one try.
const limit = 20 * time.Second

// Examine tries everything and returns the findings in the order of the report.
func Examine(ctx context.Context, p Patient) []Finding {
	var out []Finding
	add := func(f ...Finding) { out = append(out, f...) }
	claude, finding := p.claude(ctx)
	add(finding)
	if claude != "" {
		add(p.plugin(ctx, claude), p.settings())
	}
	add(p.teamFile(), p.channelProcess(ctx), p.hookProcess(ctx))
	add(p.stateFolder(), p.journal(ctx), p.socketFolder())
	add(p.sessions(ctx)...)
	add(p.terminal(), logout())
	return out
}

// Healthy says whether nothing is a problem.
func Healthy(findings []Finding) bool {
	for _, f := range findings {
		if f.Verdict == Problem {
			return false
		}
	}
	return true
}

var marks = map[Verdict]string{OK: "✓ ok     ", Warning: "! warning", Problem: "✗ problem", Untried: "- untried"}

// Write prints the report for people.
func Write(w io.Writer, findings []Finding) error {
	for _, f := range findings {
		if _, err := fmt.Fprintf(w, "%s  %-16s %s\n", marks[f.Verdict], f.What, f.Words); err != nil {
			return err
		}
		if f.Do != "" {
			if _, err := fmt.Fprintf(w, "           %-16s → %s\n", "", f.Do); err != nil {
				return err
			}
		}
	}
	return nil
}

// timed runs f and notes how long it took.
func timed(f func() Finding) Finding {
	start := time.Now()
	finding := f()
	finding.Took = float64(time.Since(start).Microseconds()) / 1000
	return finding
}
