package router

import (
	"encoding/json"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// Command asks for a change. The set is closed: see the types below. At is when
// it came in; identifiers that must be unique everywhere come with it too, so
// that Decide stays pure.
type Command interface{ decide(d *decision) error }

// Commands about peers and rooms.
type (
	// AddPeer makes a peer known. The result names its id.
	AddPeer struct {
		Name  string
		Class wire.Class
		Dir   string
	}
	// RemovePeer takes a peer from the roster.
	RemovePeer struct{ Peer PeerID }
	// Rename gives a peer a name that the roster, the journal and Taken do not know.
	Rename struct {
		Peer  PeerID
		Name  string
		Taken []string // names of the team file
	}
	// CreateRoom makes a room; From is a member of it.
	CreateRoom struct {
		From    PeerID
		Room    string
		Members []string
	}
	// JoinRoom joins a room, and makes it when there is none.
	JoinRoom struct {
		Peer PeerID
		Room string
	}
	// LeaveRoom leaves a room; the last one to leave archives it.
	LeaveRoom struct {
		Peer PeerID
		Room string
	}
)

// Commands about messages.
type (
	// Send posts a message to peers by name, or to a room.
	Send struct {
		ID           MessageID
		From         PeerID
		To           []string // names; "*" is everyone but the sender
		Room         string   // instead of To
		Kind         wire.Kind
		Content      string // cleaned
		Subject      string
		Data         json.RawMessage
		TaskID       ThreadID
		ParentTaskID ThreadID
		WantsReply   *bool
		ExpiresAt    time.Time
	}
	// Respond answers the open task of a thread, to its sender only.
	Respond struct {
		ID        MessageID
		From      PeerID
		TaskID    ThreadID
		Content   string
		Status    wire.Status
		Data      json.RawMessage
		InReplyTo MessageID
	}
	// Offer records that messages were handed to a route, in this order.
	Offer struct {
		Peer     PeerID
		Messages []MessageID
		Route    wire.Route
	}
	// Unoffer takes back offers that did not end in the conversation: the
	// messages are due again. Empty Messages means every one offered and not
	// seen. Lost says that they certainly did not arrive at the session; a
	// message that is lost twice in a row costs its route the trust, so that the
	// route must be proven anew.
	Unoffer struct {
		Peer     PeerID
		Messages []MessageID
		Why      string
		Lost     bool
	}
	// Admit asks the gate whether a message may enter the conversation now.
	// The result says admitted, or why not.
	Admit struct {
		Peer    PeerID
		Message MessageID
		MidTurn bool // it would arrive in a running turn
	}
	// AdmitAll asks the gate about the messages of one event, in their order: all
	// of them enter, or none does and those that still can are due again.
	AdmitAll struct {
		Peer     PeerID
		Messages []MessageID
		MidTurn  bool
	}
	// Observe records a proof of seeing that did not come through the gate.
	Observe struct {
		Peer       PeerID
		Message    MessageID
		Proof      string
		Background bool
	}
	// Unsee takes back that messages were seen: the gate let them in, and the
	// conversation of a session that ended does not hold them. They are due again.
	Unsee struct {
		Peer     PeerID
		Messages []MessageID
		Why      string
	}
	// Read marks mail as read (and seen, by the tool that returned it).
	Read struct {
		Peer     PeerID
		Messages []MessageID
		Proof    string // "tool" or "screen"
		Pulled   bool   // a tool that has ended gave them: nothing can take them back
	}
	// Archive takes mail out of the inbox.
	Archive struct {
		Peer     PeerID
		Messages []MessageID
	}
	// Remind offers each seen and unanswered task of a restarted session once
	// more. NewID is called once for each.
	Remind struct {
		Peer  PeerID
		NewID func() MessageID
	}
	// Hold stops deliveries that were not seen: one message, all to a peer, or
	// all in a room. A peer or room stays held for what is posted later.
	Hold struct {
		Message MessageID
		Peer    PeerID
		Room    string
		By      Actor
		Why     string
	}
	// Release lets held deliveries go on. NewID is called once for each note that
	// tells a session what became of what it sent; nil: none is told.
	Release struct {
		Message MessageID
		Peer    PeerID
		Room    string
		By      Actor
		NewID   func() MessageID
	}
	// Withdraw takes a message back from everyone who has not seen it. NewID is
	// that of Release.
	Withdraw struct {
		Message MessageID
		By      Actor
		NewID   func() MessageID
	}
	// Replace puts a message in the place of one that was not seen: with another
	// text, or for another receiver.
	Replace struct {
		ID      MessageID // of the new one
		Message MessageID
		Content string // cleaned; "": as it was
		To      string // a name; "": as it was
		By      Actor
		NewID   func() MessageID // as with Release
	}
	// Tick lets time pass: expiry, reasons for waiting, and offers that an idle
	// session did not show within Limits.Proof, which are lost.
	Tick struct{}
)

// Commands about permissions, rules, sessions and the door.
type (
	// AskPermission opens a request. The result names its id; a request that is
	// open already for the same tool and input from another source is joined.
	// Notice, when set, becomes the id of a perm-request message to the session's
	// approvers; without approvers there is none. Verdict, when set, is a rule's
	// answer to it, given in the same step; its ID is filled in.
	AskPermission struct {
		Permission Permission
		Notice     MessageID
		Verdict    *AnswerPermission
	}
	// AnswerPermission gives an answer; only the first counts, and a later one
	// is an error that says who was first.
	AnswerPermission struct {
		ID       string
		Behavior wire.Behavior
		Scope    string
		By       Actor
		Why      string
	}
	// MovePermission says that only the pane can answer now.
	MovePermission struct{ ID, Why string }
	// ClosePermission ends a request.
	ClosePermission struct{ ID, How string }
	// VoidPermissions closes every open request, after a death of ccmux.
	VoidPermissions struct{ Why string }
	// RecordDenial puts on record what a rule stopped before it ran.
	RecordDenial struct{ ToolDenied }
	// SetApprovers replaces the peers that may answer for the human, as the
	// trusted team file names them.
	SetApprovers struct {
		Approvers []Approver
		By        Actor
	}
	// AddRule puts a rule in force. A rule without an ID gets one; a rule that
	// is in force already as it is changes nothing.
	AddRule struct {
		Rule Rule
		By   Actor
	}
	// RemoveRule takes one out of force.
	RemoveRule struct {
		ID string
		By Actor
	}
	// StartSession records a started child.
	StartSession struct{ SessionStarted }
	// SetSession records what a session is doing; nothing is recorded when
	// nothing changed.
	SetSession struct{ SessionStateChanged }
	// EndSession records the child's end and closes its requests.
	EndSession struct{ SessionEnded }
	// ProveRoute records that a route works.
	ProveRoute struct{ RouteProven }
	// LoseRoute records that it does not; what it was offered and nobody saw is
	// due again.
	LoseRoute struct{ RouteLost }
	// RefuseAccess records a refusal at the door.
	RefuseAccess struct{ AccessRefused }
	// TrustConfig records the human's yes to a team file.
	TrustConfig struct{ ConfigTrusted }
)

// Result answers a command.
type Result struct {
	Peer       PeerID      // AddPeer
	Message    *Message    // Send, Respond
	Recipients []Delivery  // Send, Respond: what became of each
	Offered    []MessageID // Offer: those that were
	Permission string      // AskPermission: its id
	Rule       string      // AddRule: its id
	Joined     bool        // AskPermission: it was open already
	Admitted   bool        // Admit
	Reason     string      // Admit: why not; JoinRoom: "created" or "joined"
	Room       *RoomView   // room commands
	Reminders  []MessageID
}

// Delivery is one message for one recipient.
type Delivery struct {
	Peer   PeerID        `json:"peer"`
	State  wire.Delivery `json:"state"`
	Since  time.Time     `json:"since"`
	Route  wire.Route    `json:"route,omitempty"`
	Proof  string        `json:"proof,omitempty"`
	Reason string        `json:"reason,omitempty"` // of waiting, held, refused
	// Background says that it was seen inside a running turn, so that a task in
	// it counts as not done.
	Background bool `json:"background,omitempty"`
	Read       bool `json:"read,omitempty"`
	Archived   bool `json:"archived,omitempty"`
	Offers     int  `json:"offers,omitempty"`
	// Lost counts the offers in a row that did not arrive.
	Lost int `json:"lost,omitempty"`
	// Context is the reply that needs context: the asker is to speak.
	Context MessageID `json:"context,omitempty"`
	// Reminder is the latest message that offered this task once more.
	Reminder MessageID `json:"reminder,omitempty"`
}
