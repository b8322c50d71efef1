package wire

import (
	"encoding/json"
	"time"
)

// Role is what a connection is for. It decides which frames it may send.
type Role string

// The roles.
const (
	RoleChannel Role = "channel" // the MCP server of one session
	RoleHook    Role = "hook"    // one hook of one session
	RoleHuman   Role = "human"   // a terminal or a command of the human
)

// Hello opens a connection.
type Hello struct {
	Protocol   int    `json:"protocol"`
	Build      string `json:"build,omitempty"`
	Role       Role   `json:"role"`
	Credential string `json:"credential,omitempty"` // of a session; never the peer's name
}

// Welcome answers Hello.
type Welcome struct {
	Protocol int    `json:"protocol"`
	Build    string `json:"build,omitempty"`
	PID      int    `json:"pid"`
	Peer     string `json:"peer"`    // the name this connection speaks as
	Project  string `json:"project"` // its folder
}

// ToolCall asks for one tool of the protocol. The peer that calls is the
// connection's, never an argument.
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// ToolUse is claude's id of the call, as its hooks name it, where it says one.
	ToolUse string `json:"tool_use,omitempty"`
}

// Cancel says that nobody waits for the answer of a ToolCall any more, or that it
// came and was not passed on. What the tool did stays done; mail it gave was not
// read.
type Cancel struct {
	ID uint64 `json:"id"` // of the request
}

// ToolResult is what the model reads. Text is complete by itself; Data repeats
// it as structure.
type ToolResult struct {
	Text    string `json:"text"`
	Data    any    `json:"data,omitempty"`
	IsError bool   `json:"is_error,omitempty"`
}

// Ready says that the session's channel process stands between claude and
// ccmux and may be pushed to: a second has passed since claude listed its tools.
type Ready struct {
	ClientVersion string `json:"client_version"` // claude's own
	// Delivered is the last Seq of this run of ccmux that was written to claude.
	// It is not 0 when the connection is a second one: pushes above it were lost
	// with the first and did not reach claude.
	Delivered uint64 `json:"delivered,omitempty"`
	// MessagingSocket and MessagingToken are of claude's own messaging socket, as
	// the session's environment names them; empty where it has none.
	MessagingSocket string `json:"messaging_socket,omitempty"`
	MessagingToken  string `json:"messaging_token,omitempty"`
}

// Deliver is one event for the session's model. Seq grows by one for each push
// to a session within one run of ccmux.
type Deliver struct {
	Seq     uint64            `json:"seq"`
	Content string            `json:"content"`
	Meta    map[string]string `json:"meta"`
}

// Delivered says that everything up to Seq was written to claude. It is no proof
// that the model saw it.
type Delivered struct {
	Seq uint64 `json:"seq"`
}

// PermRequest is claude's own relay of a permission request.
type PermRequest struct {
	RequestID    string `json:"request_id"`
	ToolName     string `json:"tool_name"`
	Description  string `json:"description"`
	InputPreview string `json:"input_preview"`
}

// Behavior is the answer to a permission request.
type Behavior string

// The behaviors.
const (
	Allow Behavior = "allow"
	Deny  Behavior = "deny"
)

// PermVerdict answers a relayed PermRequest.
type PermVerdict struct {
	RequestID string   `json:"request_id"`
	Behavior  Behavior `json:"behavior"`
}

// HookCall reports one hook event of a session. Input is claude's JSON, whole.
type HookCall struct {
	Event string          `json:"event"`
	Input json.RawMessage `json:"input"`
}

// HookAction is what ccmux wants of a hook. The hook process renders it in
// claude's own format; None prints nothing, which claude takes as no opinion.
type HookAction string

// The actions.
const (
	HookNone   HookAction = ""
	HookBlock  HookAction = "block"  // UserPromptSubmit: drop the prompt; Stop: go on with Reason
	HookAllow  HookAction = "allow"  // PermissionRequest
	HookDeny   HookAction = "deny"   // PermissionRequest, PreToolUse
	HookAsk    HookAction = "ask"    // PreToolUse
	HookInject HookAction = "inject" // UserPromptSubmit, SessionStart: Reason is added as context
)

// HookVerdict answers HookCall. A PermissionRequest's may take a day.
type HookVerdict struct {
	Action  HookAction      `json:"action,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Updated json.RawMessage `json:"updated,omitempty"` // updatedPermissions of claude, for "allow this session"
	// DenyRules says that rules which deny are in force: a hook that later gets
	// no answer to a PreToolUse must then ask rather than stay silent.
	DenyRules bool `json:"deny_rules,omitempty"`
}

// Size is that of a terminal, in cells.
type Size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// Attach asks for a screen on the three descriptors that come with the frame.
type Attach struct {
	Size Size     `json:"size"`
	Env  []string `json:"env"` // TERM, COLORTERM, NO_COLOR, LANG … of the terminal
	View bool     `json:"view,omitempty"`
	TTY  string   `json:"tty,omitempty"`
}

// Bye ends a screen in order.
type Bye struct {
	Reason  string `json:"reason"`            // one line for the human; empty after a plain detach
	Stopped bool   `json:"stopped,omitempty"` // the screen ended because ccmux was told to end
}

// SessionSpec names a session to run.
type SessionSpec struct {
	Name    string   `json:"name"`
	Dir     string   `json:"dir"`               // absolute
	Command []string `json:"command,omitempty"` // in place of claude
	Args    []string `json:"args,omitempty"`    // added to claude's
	Env     []string `json:"env,omitempty"`     // NAME=value, over the caller's environment
	Fresh   bool     `json:"fresh,omitempty"`   // never resume a conversation

	Scrollback int  `json:"scrollback,omitempty"` // lines its pane keeps; 0 means the usual
	Clipboard  bool `json:"clipboard,omitempty"`  // it may put text on the human's clipboard
}

// Up asks ccmux to have these sessions running.
type Up struct {
	Sessions []SessionSpec `json:"sessions"`
	Env      []string      `json:"env"` // of the caller; the sessions get it, in memory only
	Fresh    bool          `json:"fresh,omitempty"`
	// Known asks for every session the project has had, in place of Sessions.
	Known bool `json:"known,omitempty"`
}

// UpResult says what became of each name.
type UpResult struct {
	Started []string `json:"started,omitempty"`
	Resumed []string `json:"resumed,omitempty"`
	Running []string `json:"running,omitempty"` // were already
	Notes   []string `json:"notes,omitempty"`   // sentences the human should read: a conversation that could not be resumed, say
	Ended   []Ended  `json:"ended,omitempty"`   // of the started and resumed: those that were gone again within a moment
}

// Ended is a session that ended as soon as it was started.
type Ended struct {
	Name string `json:"name"`
	Why  string `json:"why"`            // how it ended
	Line string `json:"line,omitempty"` // the last lines on its screen, in one
}

// Trust asks whether the content of a team file is trusted, or says so.
type Trust struct {
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Agree bool   `json:"agree,omitempty"` // the human has seen it and says yes
}

// Trusted answers Trust.
type Trusted struct {
	Trusted bool `json:"trusted"`
}

// Names is a list of sessions; empty means all.
type Names struct {
	Names []string `json:"names,omitempty"`
}

// SessionInfo is one line of `ccmux ls`.
type SessionInfo struct {
	Name         string     `json:"name"`
	Dir          string     `json:"dir"`
	State        string     `json:"state"`
	Detail       string     `json:"detail,omitempty"` // which dialog, which tool, which exit code
	Since        time.Time  `json:"since"`
	Route        Route      `json:"route,omitempty"`
	RouteWhy     string     `json:"route_why,omitempty"`
	Unread       int        `json:"unread"`
	PID          int        `json:"pid,omitempty"`
	Conversation string     `json:"conversation,omitempty"`
	Mode         string     `json:"permission_mode,omitempty"`
	Version      string     `json:"version,omitempty"`
	Started      *time.Time `json:"started,omitempty"`
	Watches      bool       `json:"watches,omitempty"` // it waits for mail, and none is due
}

// List answers TypeList.
type List struct {
	Project  string        `json:"project"`
	PID      int           `json:"pid"`
	Build    string        `json:"build"`
	Sessions []SessionInfo `json:"sessions"`
	Screens  int           `json:"screens"`
	News     []string      `json:"news,omitempty"` // what the human should know
}

// Approval is one open permission request.
type Approval struct {
	ID      string          `json:"id"`
	Session string          `json:"session"`
	Agent   string          `json:"agent,omitempty"` // the kind of its subagent that asks
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input,omitempty"`
	Dir     string          `json:"dir,omitempty"`
	Asked   time.Time       `json:"asked"`
	InPane  bool            `json:"in_pane,omitempty"` // only the pane can answer it
	Threads []string        `json:"threads,omitempty"` // the work it serves, nearest first
}

// MainInput is what a tool's input is mostly about (its command, file or URL), or
// all of it as JSON. It comes from a model: clean it before it is shown.
func MainInput(input json.RawMessage) string {
	var fields struct {
		Command string `json:"command"`
		Path    string `json:"file_path"`
		URL     string `json:"url"`
	}
	if json.Unmarshal(input, &fields) == nil {
		for _, s := range []string{fields.Command, fields.Path, fields.URL} {
			if s != "" {
				return s
			}
		}
	}
	return string(input)
}

// Approvals answers TypeApprovals.
type Approvals struct {
	Open []Approval `json:"open"`
	Seq  uint64     `json:"seq"` // the last event that they include
}

// Verdict is the human's answer to a permission request.
type Verdict struct {
	ID       string   `json:"id"`
	Behavior Behavior `json:"behavior"`
	Scope    string   `json:"scope,omitempty"` // once (default), session
	Reason   string   `json:"reason,omitempty"`
}

// Tail asks for the timeline: what came after From, then what comes.
type Tail struct {
	From uint64 `json:"from,omitempty"` // 0: only what comes
	Once bool   `json:"once,omitempty"` // end with what there is now
}

// RuleInfo is one rule in force.
type RuleInfo struct {
	ID     string `json:"id,omitempty"`
	Effect string `json:"effect"` // allow, deny, ask
	Peer   string `json:"session,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Match  string `json:"match,omitempty"`
	Dir    string `json:"dir,omitempty"`
	Source string `json:"source,omitempty"` // team file, card, command line

	Added  time.Time `json:"added,omitzero"`
	MaxAge string    `json:"max_age,omitempty"` // a duration such as 8h, after which it says nothing
}

// Rules answers TypeRules.
type Rules struct {
	Rules []RuleInfo `json:"rules"`
	News  []string   `json:"news,omitempty"` // what the human should know of the team file
}

// RuleTest asks what the rules say of a tool's use.
type RuleTest struct {
	Session string          `json:"session"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
}

// RuleVerdict answers RuleTest.
type RuleVerdict struct {
	Verdict string    `json:"verdict"` // allow, deny, ask; empty: no rule speaks, the human is asked
	Rule    *RuleInfo `json:"rule,omitempty"`
	Why     string    `json:"why,omitempty"`
}

// Event is one row of the timeline.
type Event struct {
	Seq  uint64          `json:"seq"`
	At   time.Time       `json:"at"`
	Type string          `json:"type"`
	Body json.RawMessage `json:"body"`

	Names map[string]string `json:"names,omitempty"` // of the peers whose ids stand in the body
}
