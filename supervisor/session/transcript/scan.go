package transcript

import (
	"context"
	"time"
)

// Seen is the proof that one event was put to the model.
type Seen struct {
	UUID     string
	PromptID string
	Time     time.Time
	// Background: in the middle of a turn, as untrusted text.
	Background bool
}

// Summary is what a transcript says as a whole.
type Summary struct {
	// Seen holds, by message_id, the events the model was given. If it was given
	// one twice, the stronger proof counts: in a turn before background.
	Seen map[string]Seen
	// Waiting holds the events that were queued and neither seen nor blocked.
	Waiting map[string]time.Time
	// InTurn: the last turn is not over. A resumed claude does not go on with it.
	InTurn  bool
	Lines   int
	Skipped int
	// Outside are the calls of claude's own messenger.
	Outside []ToolUse
	// Position is behind the last whole line: Tail goes on from there.
	Position Position
}

// maxOutside bounds the calls a Summary keeps.
const maxOutside = 1000

// Scan reads the whole transcript. A file that does not exist is an empty
// one.
func Scan(ctx context.Context, path string) (Summary, error) {
	s := Summary{Seen: map[string]Seen{}, Waiting: map[string]time.Time{}}
	t := NewTailer(path, Position{})
	err := t.Poll(ctx, s.Add)
	s.Position = t.Position()
	return s, err
}

// Add takes one more entry into account.
func (s *Summary) Add(e Entry) {
	if e.Kind == Rewound {
		return
	}
	if e.Kind == Skipped {
		s.Skipped++
	}
	s.Lines++
	if e.EndsTurn() {
		s.InTurn = false
	} else if e.continuesTurn() {
		s.InTurn = true
	}
	if room := maxOutside - len(s.Outside); room > 0 {
		out := e.Outside()
		s.Outside = append(s.Outside, out[:min(room, len(out))]...)
	}
	for _, tag := range e.Tags {
		id := tag.MessageID()
		if id == "" {
			continue
		}
		switch e.Kind {
		case Enqueued:
			if _, seen := s.Seen[id]; !seen {
				s.Waiting[id] = e.Time
			}
		case Blocked:
			delete(s.Waiting, id)
		case Other, Result, Assistant, TurnEnd, Interrupted, Skipped, Rewound: // carry none
		case User, Background:
			delete(s.Waiting, id)
			if old, seen := s.Seen[id]; !seen || (old.Background && e.Kind == User) {
				s.Seen[id] = Seen{UUID: e.UUID, PromptID: e.PromptID, Time: e.Time, Background: e.Kind == Background}
			}
		}
	}
}
