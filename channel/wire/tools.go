package wire

import "encoding/json"

// The tools of the protocol, by the names models know them under.
const (
	ToolSendToPeer        = "send_to_peer"
	ToolSendToPeers       = "send_to_peers"
	ToolSendToRoom        = "send_to_room"
	ToolCreateRoom        = "create_room"
	ToolJoinRoom          = "join_room"
	ToolLeaveRoom         = "leave_room"
	ToolListRooms         = "list_rooms"
	ToolRespondToPeer     = "respond_to_peer"
	ToolListPeers         = "list_peers"
	ToolRespondPermission = "respond_permission"
	ToolWhoami            = "whoami"
	ToolRegister          = "register"
	ToolInbox             = "inbox"
	ToolWatch             = "watch"
	ToolAck               = "ack"
	ToolArchive           = "archive"
	ToolHistory           = "history"
)

// Tools are the names of all tools, in the order they are listed.
var Tools = []string{
	ToolSendToPeer, ToolSendToPeers, ToolSendToRoom, ToolRespondToPeer,
	ToolCreateRoom, ToolJoinRoom, ToolLeaveRoom, ToolListRooms,
	ToolListPeers, ToolWhoami, ToolRegister, ToolRespondPermission,
	ToolInbox, ToolWatch, ToolAck, ToolArchive, ToolHistory,
}

// MessageArgs is what every send has in common.
type MessageArgs struct {
	Content      string          `json:"content"`
	Kind         Kind            `json:"kind,omitempty"` // note when empty
	TaskID       string          `json:"task_id,omitempty"`
	ParentTaskID string          `json:"parent_task_id,omitempty"`
	Subject      string          `json:"subject,omitempty"`
	Data         json.RawMessage `json:"data,omitempty"`
	ExpectsReply *bool           `json:"expects_reply,omitempty"`
	ExpiresIn    int             `json:"expires_in,omitempty"`  // seconds; 0 never
	AwaitReply   int             `json:"await_reply,omitempty"` // seconds, at most MaxAwait
}

// SendToPeerArgs are the arguments of send_to_peer.
type SendToPeerArgs struct {
	To string `json:"to"`
	MessageArgs
}

// Targets is a list of names. As JSON it may also be one string, such as "*".
type Targets []string

// UnmarshalJSON takes ["a","b"], "a" and "*".
func (t *Targets) UnmarshalJSON(b []byte) error {
	var one string
	if err := json.Unmarshal(b, &one); err == nil {
		*t = Targets{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// SendToPeersArgs are the arguments of send_to_peers; all get one task_id.
type SendToPeersArgs struct {
	To Targets `json:"to"`
	MessageArgs
}

// SendToRoomArgs are the arguments of send_to_room.
type SendToRoomArgs struct {
	Room string `json:"room"`
	MessageArgs
}

// CreateRoomArgs are the arguments of create_room.
type CreateRoomArgs struct {
	Name    string   `json:"name"`
	Members []string `json:"members,omitempty"`
}

// RoomArgs are the arguments of join_room and leave_room.
type RoomArgs struct {
	Room string `json:"room"`
}

// RespondArgs are the arguments of respond_to_peer.
type RespondArgs struct {
	TaskID    string          `json:"task_id"`
	Content   string          `json:"content"`
	Status    Status          `json:"status,omitempty"` // complete when empty
	Data      json.RawMessage `json:"data,omitempty"`
	InReplyTo string          `json:"in_reply_to,omitempty"`
}

// RespondPermissionArgs are the arguments of respond_permission.
type RespondPermissionArgs struct {
	Peer      string   `json:"peer"`
	RequestID string   `json:"request_id"`
	Behavior  Behavior `json:"behavior"`
	Reason    string   `json:"reason,omitempty"`
}

// RegisterArgs are the arguments of register.
type RegisterArgs struct {
	Name string `json:"name"`
}

// InboxArgs are the arguments of inbox.
type InboxArgs struct {
	Unread bool `json:"unread,omitempty"` // only what was not read yet
	Limit  int  `json:"limit,omitempty"`
}

// WatchArgs are the arguments of watch.
type WatchArgs struct {
	Timeout int `json:"timeout,omitempty"` // seconds, at most MaxWatch; 60 when 0
}

// MessageIDs are the arguments of ack and archive.
type MessageIDs struct {
	IDs []string `json:"message_ids"`
}

// HistoryArgs are the arguments of history. All that is set must match.
type HistoryArgs struct {
	Peer   string `json:"peer,omitempty"`
	Room   string `json:"room,omitempty"`
	TaskID string `json:"task_id,omitempty"`
	Text   string `json:"text,omitempty"`
	Limit  int    `json:"limit,omitempty"`
	Before string `json:"before,omitempty"` // a message_id: only what is older
}
