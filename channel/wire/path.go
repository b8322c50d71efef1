package wire

import "time"

// Intervene is the human's word about messages on their way: a session's name,
// #ROOM or a message_id.
type Intervene struct {
	Target string `json:"target"`
	Why    string `json:"why,omitempty"`  // of a hold
	Edit   string `json:"edit,omitempty"` // the text to send instead
	To     string `json:"to,omitempty"`   // the peer to send it to instead
}

// Intervened answers Intervene.
type Intervened struct {
	MessageID string `json:"message_id,omitempty"` // of the message put in place of another
}

// HeldMessage is one delivery that waits for the human.
type HeldMessage struct {
	MessageID string    `json:"message_id"`
	TaskID    string    `json:"task_id"`
	From      string    `json:"sender"`
	To        string    `json:"to"`
	Kind      Kind      `json:"kind"`
	Why       string    `json:"why"`
	Since     time.Time `json:"since"`
	Content   string    `json:"content"`
}

// HeldList is what the human holds, and what guards hold for the human.
type HeldList struct {
	Standing []string      `json:"standing,omitempty"` // sessions and #rooms of which everything is held
	Messages []HeldMessage `json:"messages"`
}
