package router

import (
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// View is what the screen and the read-only tools know: a picture of the state
// after event Seq. It and all it holds are immutable.
type View struct {
	Seq         uint64
	Peers       []PeerView   // the human first, then by id
	Threads     []ThreadView // open ones and the most recent ended ones; parents before children, newest tree first
	Rooms       []RoomView   // by name; archived ones last
	Permissions []PermissionView
	Rules       []Rule
	Watching    []PeerID          // sessions that wait for mail in the tool watch, and none is due; set by who runs them
	Names       map[PeerID]string // of every peer, also of those that left
	Held        int               // deliveries that wait for the human
	PerMinute   int               // messages posted in the last minute of event time
	Storage     string            // why nothing can be recorded, or kept; set by who keeps the state
	News        []string          // what the human should know of ccmux itself; set by who runs it
}

// PeerView is one peer.
type PeerView struct {
	ID      PeerID
	Name    string
	Class   wire.Class
	Dir     string
	Session SessionView // zero for the human
	Online  bool        // a session that runs; the human always is
	Unread  int         // mail neither read nor archived nor seen
	Pending int         // deliveries that are due and not seen
	Owes    int         // tasks it was set and has not answered
	Rooms   []string
	Held    bool // everything to it is held
}

// SessionView is what is known of a peer's session.
type SessionView struct {
	State        SessionState
	Detail       string
	Since        time.Time
	Mode         string
	Conversation string
	Said         string // what the human should know of its last start
	PID          int
	Started      time.Time
	Birth        uint64 // when the process began, in the platform's own unit; 0 when unknown
	Version      string
	Route        wire.Route   // the best proven one, empty when none is
	RouteWhy     string       // how it was proven, or why a better one is not
	Outside      *OutsideView // nil when it said nothing past ccmux
}

// ThreadView is one thread of work.
type ThreadView struct {
	ID       ThreadID
	Parent   ThreadID
	Children []ThreadID
	Depth    int    // 0 for a thread the human or a session opened by itself
	Title    string // the subject, or the first line of the first message
	From     PeerID
	To       []PeerID
	Room     string
	State    wire.Delivery // the least advanced delivery of the newest message that is owed an answer
	Open     bool          // somebody still owes an answer
	Owes     []Obligation
	Since    time.Time // of State
	Updated  time.Time
	Messages []MessageView // oldest first
}

// Obligation is a task that was not answered yet.
type Obligation struct {
	Message MessageID
	By      PeerID // who owes
	To      PeerID // who asked
	Since   time.Time
	Waiting bool // the receiver answered needs_context: the asker is to speak
}

// MessageView is one message with what became of it.
type MessageView struct {
	Message
	Deliveries []Delivery // in the order of To
}

// RoomView is one room.
type RoomView struct {
	Name     string
	Members  []PeerID // in the order of joining
	Archived bool
	Messages []MessageView // the most recent ones, oldest first
	Updated  time.Time
	Held     bool // everything in it is held
}

// PermissionView is one open request.
type PermissionView struct {
	Permission
	Answered *PermissionAnswered // given, its effect not seen yet
}

// Peer returns the peer with this id; ok is false when there is none.
func (v *View) Peer(id PeerID) (PeerView, bool) {
	for _, p := range v.Peers {
		if p.ID == id {
			return p, true
		}
	}
	return PeerView{}, false
}

// Named returns the peer with this name; ok is false when there is none.
func (v *View) Named(name string) (PeerView, bool) {
	for _, p := range v.Peers {
		if p.Name == name {
			return p, true
		}
	}
	return PeerView{}, false
}

// Name returns the name of a peer, also of one that left; the id when there is none.
func (v *View) Name(id PeerID) string {
	if n := v.Names[id]; n != "" {
		return n
	}
	if p, ok := v.Peer(id); ok {
		return p.Name
	}
	return string(id)
}

// Known returns the id of the peer with this name, also of one that left: what it
// said stays.
func (v *View) Known(name string) (PeerID, bool) {
	if p, ok := v.Named(name); ok {
		return p.ID, true
	}
	for id, n := range v.Names {
		if n == name {
			return id, true
		}
	}
	return "", false
}
