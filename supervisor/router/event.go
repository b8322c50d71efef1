package router

import (
	"encoding/json"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// PeerID never changes, whatever the peer's name becomes. It looks like "p-7".
type PeerID string

// Human is the id of the peer named you.
const Human PeerID = "p-0"

// Ccmux is the author of what ccmux itself says to sessions. It is no peer: it
// has no mail, takes part in no thread and nobody can write to it. Its id is its
// name.
const Ccmux PeerID = wire.Ccmux

// ThreadID names one thread of work; models know it as task_id ("t-214").
type ThreadID string

// MessageID is a UUIDv7, unique everywhere.
type MessageID string

// Short is as much of the id as people are shown. It is unique within a project:
// the time in a UUIDv7 and the number beside it, which do not repeat.
func (id MessageID) Short() string { return string(id[:min(len(id), len("0196f1c2-7a53-7bd4"))]) }

// Event is one fact of the timeline. Seq starts at 1 and has no gaps.
type Event struct {
	Seq  uint64
	At   time.Time
	Body Body
}

// Body is what happened. The set is closed: see the types below.
type Body interface {
	eventType() string
	apply(s *State, e Event) // e carries the body's sequence number and time
}

// Type is the event's name as it stands in the journal.
func (e Event) Type() string { return e.Body.eventType() }

// Actor says who did something, so that an audit can name them.
type Actor struct {
	Kind ActorKind `json:"kind"`
	Peer PeerID    `json:"peer,omitempty"`
	Rule string    `json:"rule,omitempty"` // the rule's id and text
	PID  int       `json:"pid,omitempty"`
	Exe  string    `json:"exe,omitempty"`
	TTY  string    `json:"tty,omitempty"`
}

// ActorKind is one of the kinds of actors.
type ActorKind string

// The kinds of actors.
const (
	ByHuman ActorKind = "human"
	ByPeer  ActorKind = "peer"
	ByRule  ActorKind = "rule"
	ByCcmux ActorKind = "ccmux"
)

// Message is one message as it was posted. It never changes afterwards.
type Message struct {
	ID         MessageID       `json:"id"`
	From       PeerID          `json:"from"`
	Thread     ThreadID        `json:"thread"`
	Parent     ThreadID        `json:"parent,omitempty"` // of a thread this message opens
	Opens      bool            `json:"opens,omitempty"`  // it is the first of its thread
	Kind       wire.Kind       `json:"kind"`
	Room       string          `json:"room,omitempty"`
	To         []PeerID        `json:"to"` // fixed at posting, for a room too
	Content    string          `json:"content"`
	Subject    string          `json:"subject,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	InReplyTo  MessageID       `json:"in_reply_to,omitempty"`
	Status     wire.Status     `json:"status,omitempty"` // of a reply
	WantsReply bool            `json:"wants_reply,omitempty"`
	ExpiresAt  time.Time       `json:"expires_at,omitzero"`
	Reminder   bool            `json:"reminder,omitempty"` // offers a seen and unanswered task once more
	At         time.Time       `json:"at"`
	// Replaces is the message in whose place By put this one.
	Replaces MessageID `json:"replaces,omitempty"`
	By       *Actor    `json:"by,omitempty"`
}

// Events about peers and rooms.
type (
	// PeerJoined makes a peer known for ever.
	PeerJoined struct {
		ID    PeerID     `json:"id"`
		Name  string     `json:"name"`
		Class wire.Class `json:"class"`
		Dir   string     `json:"dir,omitempty"`
	}
	// PeerLeft takes a peer from the roster; its mail and history stay.
	PeerLeft struct {
		ID PeerID `json:"id"`
	}
	// PeerRenamed changes a name; everything binds to the id.
	PeerRenamed struct {
		ID  PeerID `json:"id"`
		Old string `json:"old"`
		New string `json:"new"`
	}
	// RoomCreated makes a room, or brings an archived one back.
	RoomCreated struct {
		Room    string   `json:"room"`
		By      PeerID   `json:"by"`
		Members []PeerID `json:"members"`
	}
	// RoomJoined adds a member.
	RoomJoined struct {
		Room string `json:"room"`
		Peer PeerID `json:"peer"`
	}
	// RoomLeft takes a member away.
	RoomLeft struct {
		Room string `json:"room"`
		Peer PeerID `json:"peer"`
	}
	// RoomArchived ends a room that nobody is in.
	RoomArchived struct {
		Room string `json:"room"`
	}
)

// Events about messages. Message and Peer name one delivery.
type (
	// Posted makes a message part of the timeline; each recipient's delivery is
	// then written.
	Posted struct {
		Message Message `json:"message"`
	}
	// Offered says that a message was handed to a route.
	Offered struct {
		Message MessageID  `json:"message"`
		Peer    PeerID     `json:"peer"`
		Route   wire.Route `json:"route"`
	}
	// Seen says that a message is proven to be in the receiver's conversation.
	Seen struct {
		Message    MessageID  `json:"message"`
		Peer       PeerID     `json:"peer"`
		Route      wire.Route `json:"route,omitempty"`
		Proof      string     `json:"proof"`                // "gate", "transcript", "tool", "screen"
		Background bool       `json:"background,omitempty"` // it slipped into a running turn: a task is offered again
	}
	// Answered says that the task a message set was answered by reply.
	Answered struct {
		Message MessageID `json:"message"`
		Peer    PeerID    `json:"peer"`
		Reply   MessageID `json:"reply"`
	}
	// Waiting says why a message is not offered now.
	Waiting struct {
		Message MessageID `json:"message"`
		Peer    PeerID    `json:"peer"`
		For     string    `json:"for"`            // "backend is busy"
		Lost    bool      `json:"lost,omitempty"` // it was offered and did not arrive
		// Unseen: the gate had let it in, and the conversation does not hold it.
		Unseen bool `json:"unseen,omitempty"`
	}
	// Held stops a delivery until the human releases it. Without a message it
	// stops everything to the peer, or in the room, from now on.
	Held struct {
		Message MessageID `json:"message,omitempty"`
		Peer    PeerID    `json:"peer,omitempty"`
		Room    string    `json:"room,omitempty"`
		By      Actor     `json:"by"`
		Why     string    `json:"why"`
	}
	// Released lets a held delivery go on, or a peer or room that was held.
	Released struct {
		Message MessageID `json:"message,omitempty"`
		Peer    PeerID    `json:"peer,omitempty"`
		Room    string    `json:"room,omitempty"`
		By      Actor     `json:"by"`
	}
	// Expired ends a delivery whose time was over.
	Expired struct {
		Message MessageID `json:"message"`
		Peer    PeerID    `json:"peer"`
	}
	// Refused ends a delivery that cannot be made.
	Refused struct {
		Message MessageID `json:"message"`
		Peer    PeerID    `json:"peer"`
		Why     string    `json:"why"`
	}
	// Withdrawn ends a delivery that was taken back before it was seen.
	Withdrawn struct {
		Message MessageID `json:"message"`
		Peer    PeerID    `json:"peer"`
		By      Actor     `json:"by"`
	}
	// MailRead marks a mailbox entry as read by the receiver.
	MailRead struct {
		Message MessageID `json:"message"`
		Peer    PeerID    `json:"peer"`
	}
	// MailArchived takes a mailbox entry out of the inbox.
	MailArchived struct {
		Message MessageID `json:"message"`
		Peer    PeerID    `json:"peer"`
	}
)

// Events about sessions, routes and the door.
type (
	// SessionStarted says that a child process runs for a peer.
	SessionStarted struct {
		Peer         PeerID    `json:"peer"`
		PID          int       `json:"pid"`
		Started      time.Time `json:"started"`
		Birth        uint64    `json:"birth,omitempty"` // when the process began, as proc.Identity has it
		Conversation string    `json:"conversation"`
		Resumed      bool      `json:"resumed,omitempty"`
		Said         string    `json:"said,omitempty"` // what the human should know of this start
		Version      string    `json:"version,omitempty"`
	}
	// SessionStateChanged carries what is known of a session.
	SessionStateChanged struct {
		Peer   PeerID       `json:"peer"`
		State  SessionState `json:"state"`
		Detail string       `json:"detail,omitempty"` // which dialog, which tool
		Source string       `json:"source,omitempty"` // "hook", "status file", "screen"
		Mode   string       `json:"mode,omitempty"`   // claude's permission mode
	}
	// SessionEnded says that the child is gone.
	SessionEnded struct {
		Peer      PeerID       `json:"peer"`
		State     SessionState `json:"state"` // exited, failed or stopped
		Detail    string       `json:"detail,omitempty"`
		Survivors []int        `json:"survivors,omitempty"`
	}
	// RouteProven says that a route was seen to work.
	RouteProven struct {
		Peer  PeerID     `json:"peer"`
		Route wire.Route `json:"route"`
		How   string     `json:"how"`
	}
	// RouteLost says that a route is not to be trusted.
	RouteLost struct {
		Peer  PeerID     `json:"peer"`
		Route wire.Route `json:"route"`
		Why   string     `json:"why"`
	}
	// AccessRefused records somebody at the door who may not do what they asked.
	AccessRefused struct {
		Who  Actor  `json:"who"`
		Verb string `json:"verb"`
		Why  string `json:"why"`
	}
	// ConfigTrusted says that the human agreed to this content of the team file.
	ConfigTrusted struct {
		Path string `json:"path"`
		Hash string `json:"hash"` // sha256, hex
		By   Actor  `json:"by"`
	}
)

// SessionState is what a session is doing.
type SessionState string

// The states of a session.
const (
	Starting SessionState = "starting"
	NeedsYou SessionState = "needs you" // a dialog other than a permission request
	Idle     SessionState = "idle"
	Busy     SessionState = "busy"
	Asks     SessionState = "asks" // a permission request
	Exited   SessionState = "exited"
	Failed   SessionState = "failed"
	Stopped  SessionState = "stopped" // the human ended it
)

// Running says whether a child process stands behind the state.
func (s SessionState) Running() bool {
	return s == Starting || s == NeedsYou || s == Idle || s == Busy || s == Asks
}
