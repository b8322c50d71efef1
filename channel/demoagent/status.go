package demoagent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The words of claude's status file.
const (
	statusIdle    = "idle"
	statusBusy    = "busy"
	statusWaiting = "waiting"
)

// statusFile is $HOME/.claude/sessions/PID.json.
type statusFile struct {
	path string
	data statusData
}

type statusData struct {
	PID             int    `json:"pid"`
	SessionID       string `json:"sessionId"`
	Cwd             string `json:"cwd"`
	StartedAt       int64  `json:"startedAt"` // ms
	ProcStart       string `json:"procStart,omitempty"`
	Version         string `json:"version"`
	PeerProtocol    int    `json:"peerProtocol"`
	Kind            string `json:"kind"`
	Entrypoint      string `json:"entrypoint"`
	Name            string `json:"name"`
	NameSource      string `json:"nameSource,omitempty"`
	UpdatedAt       int64  `json:"updatedAt"`
	Status          string `json:"status,omitempty"`
	StatusUpdatedAt int64  `json:"statusUpdatedAt,omitempty"`
	WaitingFor      string `json:"waitingFor,omitempty"`
}

func newStatusFile(configDir string, s settings, cwd, version string) (*statusFile, error) {
	dir := filepath.Join(configDir, "sessions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("write status file: %w", err)
	}
	pid := os.Getpid()
	f := &statusFile{path: filepath.Join(dir, strconv.Itoa(pid)+".json")}
	f.data = statusData{
		PID: pid, SessionID: s.sessionID, Cwd: cwd, StartedAt: time.Now().UnixMilli(), ProcStart: procStart(),
		Version: version, PeerProtocol: 1, Kind: "interactive", Entrypoint: "cli", Name: s.name, NameSource: "user",
	}
	return f, f.set(statusIdle, "")
}

// set writes a new status.
func (f *statusFile) set(status, waitingFor string) error {
	now := time.Now().UnixMilli()
	f.data.Status, f.data.WaitingFor, f.data.UpdatedAt, f.data.StatusUpdatedAt = status, waitingFor, now, now
	b, err := json.Marshal(f.data)
	if err != nil {
		return fmt.Errorf("write status file: %w", err)
	}
	tmp := f.path + ".tmp"
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return fmt.Errorf("write status file: %w", err)
	}
	if err := os.Rename(tmp, f.path); err != nil {
		return fmt.Errorf("write status file: %w", err)
	}
	return nil
}

func (f *statusFile) remove() { _ = os.Remove(f.path) }

// procStart is the process's start time in clock ticks, as /proc has it; empty elsewhere.
func procStart() string {
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return ""
	}
	_, rest, ok := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return ""
	}
	return fields[19]
}
