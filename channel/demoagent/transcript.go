package demoagent

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/google/uuid"
)

// transcript is the conversation's file. Like claude's it begins with the first
// message: a session that never heard one leaves none and cannot be resumed.
type transcript struct {
	path    string
	head    []map[string]any // written before the first entry
	common  map[string]any   // fields of every entry of the conversation
	session string
	last    string // uuid of the last entry
	file    *os.File
}

// entry is what is read back of a line.
type entry struct {
	Type    string `json:"type"`
	Message struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Origin struct {
		Kind string `json:"kind"`
	} `json:"origin"`
	Attachment struct {
		Type   string `json:"type"`
		Prompt string `json:"prompt"`
	} `json:"attachment"`
	UUID      string          `json:"uuid"`
	ToolTask  string          `json:"demoTask"` // the thread a tool worked for
	ToolInput json.RawMessage `json:"demoInput"`
	ToolName  string          `json:"demoTool"`
}

var notAlnum = regexp.MustCompile(`[^a-zA-Z0-9]`)

func newTranscript(configDir string, s settings, cwd, version string) *transcript {
	dir := filepath.Join(configDir, "projects", notAlnum.ReplaceAllString(cwd, "-"))
	return &transcript{
		path:    filepath.Join(dir, s.sessionID+".jsonl"),
		session: s.sessionID,
		head: []map[string]any{
			{"type": "custom-title", "customTitle": s.name},
			{"type": "agent-name", "agentName": s.name},
			{"type": "mode", "mode": "normal"},
			{"type": "permission-mode", "permissionMode": s.mode},
		},
		common: map[string]any{"isSidechain": false, "userType": "external", "entrypoint": "cli", "cwd": cwd, "version": version, "gitBranch": "HEAD"},
	}
}

// load reads the file that is there. It errs with fs.ErrNotExist when there is none.
func (t *transcript) load() ([]entry, error) {
	f, err := os.Open(t.path)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	var list []entry
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break // a last line without its end was cut by a crash
		}
		var e entry
		if json.Unmarshal(line, &e) == nil {
			list = append(list, e)
			if e.UUID != "" {
				t.last = e.UUID
			}
		}
	}
	return list, nil
}

func (t *transcript) exists() bool {
	_, err := os.Stat(t.path)
	return !errors.Is(err, fs.ErrNotExist)
}

// add appends one entry of the conversation.
func (t *transcript) add(fields map[string]any) error {
	for k, v := range t.common {
		fields[k] = v
	}
	fields["parentUuid"] = nil
	if t.last != "" {
		fields["parentUuid"] = t.last
	}
	t.last = uuid.NewString()
	fields["uuid"] = t.last
	return t.raw(fields)
}

// queue appends a line about the queue.
func (t *transcript) queue(operation, content, reason string) error {
	fields := map[string]any{"type": "queue-operation", "operation": operation}
	if content != "" {
		fields["content"] = content
	}
	if reason != "" {
		fields["reason"] = reason
	}
	return t.raw(fields)
}

func (t *transcript) raw(fields map[string]any) error {
	if err := t.open(); err != nil {
		return err
	}
	fields["sessionId"] = t.session
	fields["timestamp"] = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	b, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	if _, err := t.file.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	return nil
}

func (t *transcript) open() error {
	if t.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	f, err := os.OpenFile(t.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	t.file = f
	for _, h := range t.head {
		if err := t.raw(h); err != nil {
			return err
		}
	}
	return nil
}

// configOf is claude's folder, which holds the transcripts' folder.
func configOf(t *transcript) string { return filepath.Dir(filepath.Dir(filepath.Dir(t.path))) }

func (t *transcript) close() {
	if t.file != nil {
		_ = t.file.Close()
	}
}
