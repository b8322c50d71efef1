package wire

import (
	"errors"
	"fmt"
	"strings"
)

// Protocol is the version of the frames. Both sides of a connection must have
// the same; a running ccmux of another version is told about in words.
const Protocol = 1

// Reserved names. You is the human; Everyone stands for all peers in an
// argument and is never a peer; Ccmux is the sender of what ccmux itself says,
// and cannot be written to.
const (
	You      = "you"
	Everyone = "*"
	Ccmux    = "ccmux"
)

// MaxName is the longest name of a peer or room, in bytes.
const MaxName = 64

// plain says whether name has only the characters of a name and is not too long.
// It is no expression: those are compiled at the start of every process, and a
// hook is over in milliseconds.
func plain(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c == '.', c == '-':
		default:
			return false
		}
	}
	return name != "" && len(name) <= MaxName
}

// ErrName is wrapped by every complaint about a name.
var ErrName = errors.New("not a usable name")

// CheckName says whether a session or room may be called name. Qualified names
// (origin/name, name@origin) belong to peers from elsewhere and are refused here.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("%w: it is empty", ErrName)
	case name == You || name == Everyone:
		return fmt.Errorf("%w: %q is reserved", ErrName, name)
	case name == Ccmux:
		return fmt.Errorf("%w: %q is ccmux's own: choose another name (name=dir for a session in a folder of that name)", ErrName, name)
	case !plain(name):
		return fmt.Errorf("%w: %q: use 1 to %d of the characters A-Z a-z 0-9 _ . -", ErrName, CleanLine(name, MaxName), MaxName)
	case name[0] == '-':
		return fmt.Errorf("%w: %q: a command line would take it for a flag", ErrName, name)
	case peerID(name):
		return fmt.Errorf("%w: %q is the form of ccmux's own ids", ErrName, name)
	case strings.Trim(name, ".") == "":
		return fmt.Errorf("%w: %q is made of dots only", ErrName, name)
	}
	return nil
}

// peerID says whether name looks like the id of a peer ("p-7").
func peerID(name string) bool {
	digits, ok := strings.CutPrefix(name, "p-")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// RoomName strips the "#" people and models write before a room's name.
func RoomName(name string) string { return strings.TrimPrefix(name, "#") }

// Kind says what a message asks of its receiver. The set is closed.
type Kind string

// The kinds.
const (
	KindTask        Kind = "task"         // do this and answer
	KindReply       Kind = "reply"        // the answer to a task
	KindNote        Kind = "note"         // for your information
	KindPermRequest Kind = "perm-request" // may this tool run? never sent by a tool
)

// Sendable says whether a peer may choose this kind for a message of its own.
func (k Kind) Sendable() bool { return k == KindTask || k == KindNote }

// Known says whether k is one of the kinds.
func (k Kind) Known() bool {
	return k == KindTask || k == KindReply || k == KindNote || k == KindPermRequest
}

// Status is what a reply says of its task.
type Status string

// The statuses. The empty one means complete.
const (
	StatusComplete     Status = "complete"
	StatusNeedsContext Status = "needs_context" // stays open, waiting for the asker
	StatusFailed       Status = "failed"
)

// Known says whether s is one of the statuses.
func (s Status) Known() bool {
	return s == StatusComplete || s == StatusNeedsContext || s == StatusFailed
}

// Class says what a peer is.
type Class string

// The classes. Only human and session exist today; the others are reserved.
const (
	ClassHuman   Class = "human"
	ClassSession Class = "session"
	ClassBridge  Class = "bridge"
	ClassRemote  Class = "remote"
)

// Delivery is the state of one message for one recipient. See the router for
// the rules; the words are the same in tool results, on screen and on disk.
type Delivery string

// The states of a delivery.
const (
	Written   Delivery = "written"   // durable, nothing more
	Waiting   Delivery = "waiting"   // cannot be offered now; a reason says why
	Offered   Delivery = "offered"   // handed to a route, no proof yet
	Seen      Delivery = "seen"      // proven to be in the model's conversation
	Answered  Delivery = "answered"  // the task it set has its reply
	Held      Delivery = "held"      // stopped by a guard or by the human
	Expired   Delivery = "expired"   // its time was over before it was seen
	Refused   Delivery = "refused"   // will never be delivered
	Withdrawn Delivery = "withdrawn" // taken back before it was seen
)

// Ended says whether the delivery can no longer change, but for Seen, which may
// still become Answered.
func (d Delivery) Ended() bool {
	return d == Answered || d == Expired || d == Refused || d == Withdrawn
}

// Route is a way a message reaches a session.
type Route string

// The routes, best first.
const (
	RouteChannel Route = "channel" // pushed through the channel process
	RouteSocket  Route = "socket"  // claude's own messaging socket
	RouteHook    Route = "hook"    // handed over by a hook at the turn's edge
	RouteInbox   Route = "inbox"   // the model pulls
	RouteScreen  Route = "screen"  // the human: it is on the screen
)
