package session

import "time"

// HookEvent is the name of one of claude's hook events.
type HookEvent string

// The hook events that say something about a session's state.
const (
	SessionStart       HookEvent = "SessionStart"
	UserPromptSubmit   HookEvent = "UserPromptSubmit"
	PreToolUse         HookEvent = "PreToolUse"
	PostToolUse        HookEvent = "PostToolUse"
	PostToolUseFailure HookEvent = "PostToolUseFailure"
	PermissionRequest  HookEvent = "PermissionRequest"
	PermissionDenied   HookEvent = "PermissionDenied"
	Notification       HookEvent = "Notification"
	Stop               HookEvent = "Stop"
	StopFailure        HookEvent = "StopFailure"
	SubagentStop       HookEvent = "SubagentStop"
	SessionEnd         HookEvent = "SessionEnd"
	// RequestReturned is no event of claude's: the hook of request RequestID
	// ended without a verdict while the dialog stays (its time-out), so the
	// question is back in the pane.
	RequestReturned HookEvent = "RequestReturned"
)

// HookSign is what a hook told about the session, in the order it was told.
type HookSign struct {
	Event HookEvent
	// At is when it was received; the zero value means now.
	At time.Time
	// Blocked: the answer to this hook was "block". A blocked prompt starts no
	// turn, a blocked Stop ends none.
	Blocked bool

	ConversationID string // session_id
	PromptID       string // prompt_id
	PermissionMode string // permission_mode
	Tool           string // tool_name
	ToolUseID      string // tool_use_id, where the event has one
	AgentID        string // not empty: the event is a subagent's
	// Background is the subagent that this tool has started, where that works on
	// by itself.
	Background string
	// RequestID is the supervisor's own name for a permission request.
	RequestID string
	// Detail is the event's own word: source of SessionStart, reason of
	// SessionEnd, notification_type of Notification.
	Detail string
}

// StatusSign is what claude's status file says.
type StatusSign struct {
	// Missing: there is no such file, or it does not speak of this process.
	Missing        bool
	Status         string // idle, busy, waiting; "" while claude starts
	WaitingFor     string
	ConversationID string
	UpdatedAt      time.Time // statusUpdatedAt; zero where the file has none
}

// ScreenSign is what a look at the screen found.
type ScreenSign struct {
	Dialog Dialog // Name "" for none
	Busy   bool   // the words of a running turn
}

// titleSign is a new window title.
type titleSign string

// exitSign is the end of the process, failSign a fault of ours.
type (
	exitSign Exit
	failSign string
)

// tickSign only lets time pass.
type tickSign struct{}
