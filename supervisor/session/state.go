package session

import (
	"fmt"
	"slices"
	"syscall"
	"time"
)

// State is what a session is doing, in the one word the screen shows.
type State int

// The states of a session.
const (
	// Starting: the process runs and has not spoken yet.
	Starting State = iota
	// NeedsYou: a dialog is open that only the human may answer (Info.Dialog).
	NeedsYou
	// Idle: it waits for a prompt.
	Idle
	// Busy: it works on a turn, since Info.Since.
	Busy
	// Asks: it wants permission for Info.Tool.
	Asks
	// Exited: the process has ended (Info.Exit).
	Exited
	// Failed: it could not be started or something of ours broke (Info.Why).
	Failed
)

// String returns the word for s.
func (s State) String() string {
	switch s {
	case Starting:
		return "starting"
	case NeedsYou:
		return "needs you"
	case Idle:
		return "idle"
	case Busy:
		return "busy"
	case Asks:
		return "asks"
	case Exited:
		return "exited"
	case Failed:
		return "failed"
	}
	return fmt.Sprintf("state(%d)", int(s))
}

// Ended reports whether no process is behind the session any more.
func (s State) Ended() bool { return s == Exited || s == Failed }

// Source says whose word the state rests on.
type Source int

// The sources of a state, weakest first.
const (
	FromProcess Source = iota // only that it runs, or how it ended
	FromScreen                // words on the screen or in the title
	FromStatusFile
	FromHook
	FromBoth // hooks and status file agree
)

// String returns the word for s.
func (s Source) String() string {
	switch s {
	case FromProcess:
		return "process"
	case FromScreen:
		return "screen"
	case FromStatusFile:
		return "status file"
	case FromHook:
		return "hook"
	case FromBoth:
		return "hook and status file"
	}
	return fmt.Sprintf("source(%d)", int(s))
}

// Exit is how a process ended.
type Exit struct {
	Code   int            // -1 when a signal ended it, or when it is not known
	Signal syscall.Signal // 0 when it exited by itself
	// Unknown: the process was not a child of ours, only its end was seen.
	Unknown bool
}

// String returns "exit 1" or "killed".
func (e Exit) String() string {
	switch {
	case e.Unknown:
		return "ended"
	case e.Signal != 0:
		return e.Signal.String()
	}
	return fmt.Sprintf("exit %d", e.Code)
}

// Info is what is known about a session at one moment. It is a copy: it never
// changes, and nobody can change the session through it.
type Info struct {
	State  State
	Since  time.Time // when State began; for Busy, when the turn began
	Source Source
	// Why says in words what the state rests on, or why it failed.
	Why string

	// Dialog is the dialog on the screen, the zero value where none was read.
	Dialog Dialog
	// DialogOpen says that a dialog is or may be open: text typed now would
	// answer it. It comes at once, while Asks waits a moment so that a request
	// which a rule answers by itself draws no attention.
	DialogOpen bool
	// WaitingInPane: claude waits for the human and no permission request of
	// ours is on record, so it can be answered in its pane only.
	WaitingInPane bool
	// Behind are the requests of subagents for which claude opens no dialog while
	// their hooks run: that none is open does not mean that they are over.
	Behind []string
	// WaitingFor is claude's own word for it ("permission prompt").
	WaitingFor string

	// Tool is the tool asked for in Asks, else the one that runs in Busy, and
	// ToolUseID its id.
	Tool, ToolUseID string
	// InTurn says that a turn runs, and PromptID which; after it the last one.
	InTurn   bool
	PromptID string
	// Agreed: every source that speaks says the same. A task waits for Idle and
	// Agreed.
	Agreed bool

	PermissionMode string
	ConversationID string
	Title          string
	Exit           Exit
}

// same reports whether a reader of Info would see no difference.
func (i Info) same(o Info) bool {
	if !i.Dialog.Same(o.Dialog) || i.Dialog.Highlighted != o.Dialog.Highlighted {
		return false
	}
	return i.State == o.State && i.Since.Equal(o.Since) && i.Source == o.Source && i.Why == o.Why &&
		i.DialogOpen == o.DialogOpen && i.WaitingInPane == o.WaitingInPane && i.WaitingFor == o.WaitingFor &&
		i.Tool == o.Tool && i.ToolUseID == o.ToolUseID && i.InTurn == o.InTurn && i.PromptID == o.PromptID &&
		i.Agreed == o.Agreed && slices.Equal(i.Behind, o.Behind) && i.PermissionMode == o.PermissionMode && i.ConversationID == o.ConversationID &&
		i.Title == o.Title && i.Exit == o.Exit
}
