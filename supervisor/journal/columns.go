package journal

import "github.com/ccmux/ccmux/supervisor/router"

// columns are what stands beside an event's body, so that people and searches
// find it. Each event has the one peer it is about.
type columns struct {
	peer    router.PeerID
	thread  router.ThreadID
	message router.MessageID
}

func columnsOf(b router.Body) columns {
	switch b := b.(type) {
	case router.Posted:
		return columns{b.Message.From, b.Message.Thread, b.Message.ID}
	case router.Offered:
		return columns{peer: b.Peer, message: b.Message}
	case router.Seen:
		return columns{peer: b.Peer, message: b.Message}
	case router.Answered:
		return columns{peer: b.Peer, message: b.Message}
	case router.Waiting:
		return columns{peer: b.Peer, message: b.Message}
	case router.Held:
		return columns{peer: b.Peer, message: b.Message}
	case router.Released:
		return columns{peer: b.Peer, message: b.Message}
	case router.Expired:
		return columns{peer: b.Peer, message: b.Message}
	case router.Refused:
		return columns{peer: b.Peer, message: b.Message}
	case router.Withdrawn:
		return columns{peer: b.Peer, message: b.Message}
	case router.MailRead:
		return columns{peer: b.Peer, message: b.Message}
	case router.MailArchived:
		return columns{peer: b.Peer, message: b.Message}
	}
	return columns{peer: peerOf(b)}
}

// peerOf is the peer of an event that is not about a message.
func peerOf(b router.Body) router.PeerID {
	switch b := b.(type) {
	case router.PeerJoined:
		return b.ID
	case router.PeerLeft:
		return b.ID
	case router.PeerRenamed:
		return b.ID
	case router.RoomCreated:
		return b.By
	case router.RoomJoined:
		return b.Peer
	case router.RoomLeft:
		return b.Peer
	case router.PermissionAsked:
		return b.Permission.Peer
	case router.PermissionAnswered:
		return b.By.Peer
	case router.ToolDenied:
		return b.Peer
	case router.RuleAdded:
		return b.By.Peer
	case router.RuleRemoved:
		return b.By.Peer
	case router.SessionStarted:
		return b.Peer
	case router.SessionStateChanged:
		return b.Peer
	case router.SessionEnded:
		return b.Peer
	case router.RouteProven:
		return b.Peer
	case router.RouteLost:
		return b.Peer
	case router.SaidOutside:
		return b.Peer
	case router.AccessRefused:
		return b.Who.Peer
	case router.ConfigTrusted:
		return b.By.Peer
	}
	return "" // RoomArchived, PermissionMoved, PermissionClosed
}
