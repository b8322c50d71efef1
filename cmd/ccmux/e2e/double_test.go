//go:build e2e

package e2e

import (
	"sync"
	"testing"
)

// behaviour is a row of the table.
type behaviour struct {
	name    string
	check   func(*double)
	only    *Version // nil for both
	script  string   // a word for the demo agent
	options []Option // claude's rig
}

// behaviours is what the demo agent imitates. A row provokes it in the same way
// in all subjects, and the check is one and the same.
var behaviours = [][]behaviour{channelRows, transcriptRows, toolRows, permissionRows, startRows, endRows, screenRows}

// doublesAtOnce bounds the sessions that run at one time. A session mostly
// waits, so it may be more than there are processors.
const doublesAtOnce = 5

// TestDemoAgentIsAsClaude is the table: each behaviour of the demo agent holds
// for it and for the claude it plays, both versions.
func TestDemoAgentIsAsClaude(t *testing.T) {
	free := make(chan struct{}, doublesAtOnce)
	var rows sync.WaitGroup
	for _, part := range behaviours {
		for _, row := range part {
			for _, s := range subjects {
				if row.only != nil && row.only != s.version {
					continue
				}
				free <- struct{}{}
				rows.Go(func() {
					defer func() { <-free }()
					t.Run(row.name+"/"+s.name, func(t *testing.T) {
						d := newDouble(t, s, row.options...)
						if row.script != "" {
							d.script = append(d.script, row.script)
						}
						row.check(d)
					})
				})
			}
		}
	}
	rows.Wait()
}
