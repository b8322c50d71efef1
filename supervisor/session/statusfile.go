package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/ccmux/ccmux/supervisor/session/beat"
	"github.com/ccmux/ccmux/supervisor/session/proc"
)

const (
	// statusPoll is how often the status file is looked at when nothing is
	// heard of it. With settle it stays under the 5 s in which a lost hook must
	// be made good.
	statusPoll = 2 * time.Second
	// statusAgain is when a file that could not be read whole is read again;
	// claude writes it in place.
	statusAgain = 50 * time.Millisecond
	// maxStatus bounds what is read of a status file.
	maxStatus = 256 << 10
)

// statusFile is what claude keeps in $HOME/.claude/sessions/PID.json.
type statusFile struct {
	PID             int         `json:"pid"`
	SessionID       string      `json:"sessionId"`
	Status          string      `json:"status"`
	WaitingFor      string      `json:"waitingFor"`
	StatusUpdatedAt json.Number `json:"statusUpdatedAt"` // milliseconds since 1970
	StartedAt       json.Number `json:"startedAt"`
	ProcStart       any         `json:"procStart"` // Linux: start time in ticks, as text
}

var errTorn = errors.New("status file is not whole")

// parseStatus reads a status file. The file is written in place: a read may
// meet the head of the new text with the tail of the old, so what is not
// exactly one JSON object is refused.
func parseStatus(raw []byte) (statusFile, error) {
	var f statusFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return statusFile{}, fmt.Errorf("%w: %w", errTorn, err)
	}
	return f, nil
}

func (f statusFile) sign() StatusSign {
	s := StatusSign{Status: f.Status, WaitingFor: f.WaitingFor, ConversationID: f.SessionID}
	if ms, err := strconv.ParseInt(f.StatusUpdatedAt.String(), 10, 64); err == nil && ms > 0 {
		s.UpdatedAt = time.UnixMilli(ms)
	}
	return s
}

// of reports whether the file speaks of process id and not of an earlier one
// that had its pid.
func (f statusFile) of(id proc.Identity) bool {
	if f.PID != id.PID {
		return false
	}
	if start, ok := f.ProcStart.(string); ok && start != "" {
		if n, err := strconv.ParseUint(start, 10, 64); err == nil && !sameStart(n, id.Start) {
			return false
		}
	}
	return true
}

// sameStart compares two start times. Where claude uses another unit than
// package proc does they are far apart, and nothing can be said.
func sameStart(theirs, ours uint64) bool {
	if theirs == ours {
		return true
	}
	big, small := max(theirs, ours), min(theirs, ours)
	return small == 0 || big/small > 50
}

// readStatus returns what the status file of this session says.
func (s *Session) readStatus() (StatusSign, error) {
	path := filepath.Join(s.spec.StatusDir, strconv.Itoa(s.id.PID)+".json")
	f, err := loadStatus(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return s.findStatus()
	case err != nil:
		return StatusSign{}, err
	case !f.of(s.id):
		return StatusSign{Missing: true}, nil
	}
	return f.sign(), nil
}

// findStatus looks for claude as a descendant of the child: a wrapper script
// started it. Its file names the conversation.
func (s *Session) findStatus() (StatusSign, error) {
	missing := StatusSign{Missing: true}
	id := s.Info().ConversationID
	if id == "" {
		return missing, nil
	}
	names, err := filepath.Glob(filepath.Join(s.spec.StatusDir, "*.json"))
	if err != nil || len(names) == 0 {
		return missing, nil
	}
	for _, name := range names {
		f, err := loadStatus(name)
		if err != nil || f.SessionID != id || f.PID == s.id.PID {
			continue
		}
		p, err := proc.Stat(f.PID)
		if err != nil || p.Zombie || !f.of(p.Identity()) || p.SID != s.sid {
			continue
		}
		return f.sign(), nil
	}
	return missing, nil
}

func loadStatus(path string) (statusFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return statusFile{}, err
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxStatus))
	if err != nil {
		return statusFile{}, err
	}
	return parseStatus(raw)
}

// watchStatus follows the status file: by notice where the system gives one,
// by a slow look in any case (the folder may not exist yet, and notices get
// lost on some file systems).
func (s *Session) watchStatus() {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		w = &fsnotify.Watcher{} // nil channels: polling alone
	} else {
		defer w.Close() //nolint:errcheck // nothing to do about it
	}
	have, last := false, StatusSign{Status: "none yet"}
	tick, again := time.NewTicker(statusPoll), newTimer()
	defer tick.Stop()
	defer again.Stop()
	for {
		if !have && err == nil {
			have = w.Add(s.spec.StatusDir) == nil
		}
		sign, rerr := s.readStatus()
		switch {
		case rerr != nil:
			again.Reset(statusAgain)
		case sign != last: // saying it again would only wake others up
			last = sign
			s.step(sign)
		}
		tick.Reset(beat.Until(time.Now(), statusPoll))
		if !s.awaitStatus(w, tick.C, again.C, &have) {
			return
		}
	}
}

// awaitStatus returns when the status file is to be read again, false at the
// end.
func (s *Session) awaitStatus(w *fsnotify.Watcher, tick, again <-chan time.Time, have *bool) bool {
	for {
		select {
		case <-s.over:
			return false
		case <-tick:
			return true
		case <-again:
			return true
		case e, ok := <-w.Events:
			if ok && e.Name == s.spec.StatusDir { // the folder itself went
				*have = false
			}
			if ok && strings.HasSuffix(e.Name, ".json") && s.mine(e.Name) {
				return true
			}
		case err := <-w.Errors: // notices were lost: look, and watch anew
			*have = *have && err == nil
			return true
		}
	}
}

// mine reports whether a changed file may be this session's. Another session's
// is not read each time it changes; the slow look finds a wrapped claude.
func (s *Session) mine(name string) bool {
	return filepath.Base(name) == strconv.Itoa(s.id.PID)+".json"
}
