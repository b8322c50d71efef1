//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Status is claude's own word on a session, $HOME/.claude/sessions/PID.json.
type Status struct {
	PID        int    `json:"pid"`
	SessionID  string `json:"sessionId"`
	Cwd        string `json:"cwd"`
	Name       string `json:"name"`
	Version    string `json:"version"`
	Status     string `json:"status"`
	WaitingFor string `json:"waitingFor"`
	Socket     string `json:"messagingSocketPath"`
	StartedAt  int64  `json:"startedAt"` // ms
}

// Statuses are all sessions that say something about themselves.
func (r *Rig) Statuses() []Status {
	paths, err := filepath.Glob(filepath.Join(r.Home, ".claude", "sessions", "*.json"))
	if err != nil {
		return nil
	}
	var all []Status
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // the session ended while we looked
		}
		var s Status
		if json.Unmarshal(raw, &s) == nil {
			all = append(all, s)
		}
	}
	return all
}

// StatusOf is the newest session in a folder.
func (r *Rig) StatusOf(dir string) (Status, bool) {
	var found Status
	for _, s := range r.Statuses() {
		if s.Cwd == dir && s.StartedAt > found.StartedAt {
			found = s
		}
	}
	return found, found.PID != 0
}

// WaitStatus waits until claude says it is idle, busy or waiting.
func (r *Rig) WaitStatus(dir, status string) Status {
	r.T.Helper()
	var last Status
	r.Eventually(fmt.Sprintf("status %q in %s", status, filepath.Base(dir)), func() bool {
		s, ok := r.StatusOf(dir)
		last = s
		return ok && s.Status == status
	})
	return last
}

// WaitsFor waits until claude says that it waits, and for what: "permission
// prompt", or "dialog open" for any other.
func (r *Rig) WaitsFor(dir, what string) {
	r.T.Helper()
	r.Eventually(fmt.Sprintf("a session in %s that waits for %q", filepath.Base(dir), what), func() bool {
		s, ok := r.StatusOf(dir)
		return ok && s.Status == "waiting" && s.WaitingFor == what
	})
}
