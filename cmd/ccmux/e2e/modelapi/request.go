package modelapi

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Request is one call of POST /v1/messages as it arrived.
type Request struct {
	Seq      int       // 1, 2, … over the whole server
	At       time.Time // arrival
	Session  string    // the persona that answers, "" when none was found
	Side     string    // why it is no turn of the conversation, "" for a turn
	Rule     string    // the rule that answered, "" when none did
	ConvID   string    // claude's session id, when it was sent along
	Agent    string    // id of the subagent that asks, "" for the session itself
	Model    string
	Stream   bool
	System   string // all system blocks joined by newlines
	Tools    []Tool
	Messages []Message
	Header   http.Header
	Raw      json.RawMessage // the body, byte for byte
}

// Tool is one tool offered to the model.
type Tool struct {
	Name        string          `json:"name"`
	Type        string          `json:"type,omitempty"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
	Deferred    bool            `json:"defer_loading,omitempty"`
}

// Message is one message of the conversation; Role is user, assistant or system.
type Message struct {
	Role    string
	Content []Block
}

// Block is one content block. Which fields are set depends on Type.
type Block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
}

// ToolResult is what one tool call of the last assistant turn gave.
type ToolResult struct {
	Tool    string // the called tool's name
	ID      string
	Text    string // its text, or the raw JSON of a result without text
	IsError bool
}

// UnmarshalJSON reads content given as a string or as a list of blocks.
func (m *Message) UnmarshalJSON(b []byte) error {
	var wire struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(b, &wire); err != nil {
		return err
	}
	m.Role = wire.Role
	blocks, err := readBlocks(wire.Content)
	m.Content = blocks
	return err
}

// readBlocks reads content in either of its two forms.
func readBlocks(raw json.RawMessage) ([]Block, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] == '"' {
		var text string
		err := json.Unmarshal(raw, &text)
		return []Block{{Type: "text", Text: text}}, err
	}
	var blocks []Block
	err := json.Unmarshal(raw, &blocks)
	return blocks, err
}

// Tail is what came since the model last spoke.
func (r *Request) Tail() []Message {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "assistant" {
			return r.Messages[i+1:]
		}
	}
	return r.Messages
}

var reminder = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>`)

// UserText is what the user said since the model last spoke: text blocks of
// user messages, without claude's own reminders.
func (r *Request) UserText() string {
	return tailText(r.Tail(), "user")
}

// NoteText is the text of system messages since the model last spoke; claude
// hands over there what arrived in the middle of a turn.
func (r *Request) NoteText() string {
	return tailText(r.Tail(), "system")
}

func tailText(tail []Message, role string) string {
	var texts []string
	for _, m := range tail {
		if m.Role != role {
			continue
		}
		for _, b := range m.Content {
			text := strings.TrimSpace(reminder.ReplaceAllString(b.Text, ""))
			if b.Type == "text" && text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// ToolResults are the results since the model last spoke, in order.
func (r *Request) ToolResults() []ToolResult {
	names := map[string]string{}
	for _, m := range r.Messages {
		for _, b := range m.Content {
			if b.Type == "tool_use" {
				names[b.ID] = b.Name
			}
		}
	}
	var results []ToolResult
	for _, m := range r.Tail() {
		for _, b := range m.Content {
			if b.Type == "tool_result" {
				results = append(results, ToolResult{names[b.ToolUseID], b.ToolUseID, resultText(b.Content), b.IsError})
			}
		}
	}
	return results
}

func resultText(raw json.RawMessage) string {
	blocks, err := readBlocks(raw)
	if err != nil {
		return string(raw)
	}
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	if len(texts) == 0 {
		return string(raw)
	}
	return strings.Join(texts, "\n")
}

// HasTool reports whether the model could call the tool in this request: it
// is listed, and not merely announced for a later search.
func (r *Request) HasTool(name string) bool {
	return slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == name && !t.Deferred }) ||
		r.loaded(name)
}

// loaded reports whether a tool search has brought the tool in.
func (r *Request) loaded(name string) bool {
	if !slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == name }) {
		return false
	}
	want := `"tool_name":"` + name + `"`
	for _, m := range r.Messages {
		for _, b := range m.Content {
			if b.Type == "tool_result" && strings.Contains(string(b.Content), want) {
				return true
			}
		}
	}
	return false
}

// ToolNames lists the offered tools in order.
func (r *Request) ToolNames() []string {
	names := make([]string, len(r.Tools))
	for i, t := range r.Tools {
		names[i] = t.Name
	}
	return names
}
