package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind tells what a line stands for.
type Kind int

// The kinds of Entry.
const (
	// Other is a line that says nothing here.
	Other Kind = iota
	// User is what was put to the model as a turn: typed, or an event.
	User
	// Background is what was put to the model in the middle of a turn, as
	// untrusted text beside a tool's result.
	Background
	// Result carries the results of tools.
	Result
	// Assistant is what the model said.
	Assistant
	// Enqueued is an event that waits. It proves nothing: a claude that is
	// killed forgets it.
	Enqueued
	// Blocked is an event that a hook kept from the model.
	Blocked
	// TurnEnd is claude's own note after a turn.
	TurnEnd
	// Interrupted is claude's note that the human broke a turn off.
	Interrupted
	// Skipped stands for a line that was too long, or was no JSON.
	Skipped
	// Rewound: the file was replaced or cut; what follows begins it anew.
	Rewound
)

// ToolUse is a tool the model called.
type ToolUse struct {
	ID, Name string
	Input    json.RawMessage
}

// Entry is one line of a transcript.
type Entry struct {
	Kind           Kind
	Type           string // claude's own word
	UUID           string
	PromptID       string
	ConversationID string
	Time           time.Time

	// OriginChannel: claude marked it as coming from a channel, OriginServer
	// from which ("plugin:NAME:KEY").
	OriginChannel bool
	OriginServer  string
	Sidechain     bool // a subagent's
	Text          string
	Tags          []Tag // the events in it, only where claude itself vouches
	Tools         []ToolUse
	// StopReason is why the model stopped ("end_turn", "tool_use").
	StopReason string
}

// Outside returns the calls of claude's own messenger in e: traffic between
// sessions that runs past ccmux.
func (e Entry) Outside() []ToolUse {
	var out []ToolUse
	for _, t := range e.Tools {
		if t.Name == "SendMessage" {
			out = append(out, t)
		}
	}
	return out
}

// EndsTurn reports whether the turn of the main conversation is over with e.
func (e Entry) EndsTurn() bool {
	if e.Sidechain {
		return false
	}
	switch e.Kind {
	case TurnEnd, Interrupted:
		return true
	case Assistant:
		return e.StopReason != "" && e.StopReason != "tool_use" && e.StopReason != "pause_turn" && len(e.Tools) == 0
	default:
		return false
	}
}

// continuesTurn reports whether with e a turn of the main conversation runs.
func (e Entry) continuesTurn() bool {
	if e.Sidechain || e.EndsTurn() {
		return false
	}
	return e.Kind == User || e.Kind == Result || e.Kind == Assistant || e.Kind == Background
}

type origin struct {
	Kind   string `json:"kind"`
	Server string `json:"server"`
}

// line is what is read of a line.
type line struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	Operation   string          `json:"operation"`
	UUID        string          `json:"uuid"`
	PromptID    string          `json:"promptId"`
	SessionID   string          `json:"sessionId"`
	Timestamp   string          `json:"timestamp"`
	IsSidechain bool            `json:"isSidechain"`
	IsMeta      bool            `json:"isMeta"`
	Origin      origin          `json:"origin"`
	Content     json.RawMessage `json:"content"`
	Message     struct {
		Content    json.RawMessage `json:"content"`
		StopReason string          `json:"stop_reason"`
	} `json:"message"`
	Attachment struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
		Origin origin          `json:"origin"`
	} `json:"attachment"`
}

type block struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// Parse reads one line. A line that is no JSON object is an error; one that is
// not known is an Entry of Kind Other.
func Parse(raw []byte) (Entry, error) {
	var l line
	if err := unmarshal(raw, &l); err != nil {
		return Entry{}, fmt.Errorf("transcript line: %w", err)
	}
	e := Entry{
		Type: l.Type, UUID: l.UUID, PromptID: l.PromptID, ConversationID: l.SessionID,
		Sidechain: l.IsSidechain, OriginChannel: l.Origin.Kind == "channel", OriginServer: l.Origin.Server,
	}
	if t, err := time.Parse(time.RFC3339Nano, l.Timestamp); err == nil {
		e.Time = t
	}
	switch l.Type {
	case "user":
		e.user(l)
	case "assistant":
		e.Kind, e.StopReason = Assistant, l.Message.StopReason
		e.Text, e.Tools, _ = content(l.Message.Content)
	case "attachment":
		e.attachment(l)
	case "queue-operation":
		if l.Operation == "enqueue" {
			e.Kind = Enqueued
			e.Text, _, _ = content(l.Content)
			e.Tags = ParseTags(e.Text)
		}
	case "system":
		e.system(l)
	}
	return e, nil
}

// unmarshal is json.Unmarshal which lets a field of another type than
// expected be: it belongs to a version not known here.
func unmarshal(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return nil
	}
	return err
}

func (e *Entry) user(l line) {
	var results bool
	e.Text, _, results = content(l.Message.Content)
	switch {
	case results:
		e.Kind = Result
		return
	case strings.HasPrefix(e.Text, "[Request interrupted by user"):
		e.Kind = Interrupted
		return
	case l.IsMeta && l.Origin.Kind == "": // claude's own reminders
		return
	}
	e.Kind = User
	e.vouched(l.Origin)
}

// attachment: an event that came while a tool ran is attached after it.
func (e *Entry) attachment(l line) {
	if l.Attachment.Type != "queued_command" {
		return
	}
	e.Kind = Background
	e.OriginChannel, e.OriginServer = l.Attachment.Origin.Kind == "channel", l.Attachment.Origin.Server
	e.Text, _, _ = content(l.Attachment.Prompt)
	e.vouched(l.Attachment.Origin)
}

// fromPeer is how claude introduces what came over its own messaging socket.
const fromPeer = "Another Claude session sent a message:\n"

// vouched reads the events of an entry which claude says it did not get from the
// human: over a channel, or over its own socket.
func (e *Entry) vouched(o origin) {
	switch o.Kind {
	case "channel":
		e.Tags = ParseTags(e.Text)
	case "peer":
		e.Tags = ParseTags(strings.TrimPrefix(e.Text, fromPeer))
	}
}

func (e *Entry) system(l line) {
	switch l.Subtype {
	case "turn_duration", "stop_hook_summary":
		e.Kind = TurnEnd
	case "informational":
		const blocked, prompt = "UserPromptSubmit operation blocked by hook", "Original prompt: "
		e.Text, _, _ = content(l.Content)
		if !strings.HasPrefix(e.Text, blocked) {
			return
		}
		if _, after, ok := strings.Cut(e.Text, prompt); ok {
			e.Kind, e.Tags = Blocked, ParseTags(after)
		}
	}
}

// content reads what is a string or a list of blocks: its text, the tools
// called in it, and whether it holds results of tools.
func content(raw json.RawMessage) (text string, tools []ToolUse, results bool) {
	if len(raw) == 0 {
		return "", nil, false
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, nil, false
	}
	var blocks []block
	if unmarshal(raw, &blocks) != nil {
		return "", nil, false
	}
	var texts []string
	for _, b := range blocks {
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "tool_use":
			tools = append(tools, ToolUse{ID: b.ID, Name: b.Name, Input: b.Input})
		case "tool_result":
			results = true
		}
	}
	return strings.Join(texts, "\n"), tools, results
}
