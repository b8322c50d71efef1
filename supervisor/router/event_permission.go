package router

import (
	"encoding/json"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// Events about permissions and rules.
type (
	// PermissionAsked opens a request.
	PermissionAsked struct {
		Permission Permission `json:"permission"`
	}
	// PermissionAnswered is the first answer given through ccmux.
	PermissionAnswered struct {
		ID       string        `json:"id"`
		Behavior wire.Behavior `json:"behavior"`
		Scope    string        `json:"scope,omitempty"`
		By       Actor         `json:"by"`
		Why      string        `json:"why,omitempty"`
	}
	// PermissionMoved says that only the pane can answer from now on.
	PermissionMoved struct {
		ID  string `json:"id"`
		Why string `json:"why"`
	}
	// PermissionClosed ends a request.
	PermissionClosed struct {
		ID  string `json:"id"`
		How string `json:"how"` // "allowed by you", "answered in the pane", "void: ccmux ended"
	}
	// ToolDenied says that a rule stopped a tool before it ran; nobody was asked.
	// With Times it stands for so many that followed one another too fast to be
	// named one by one.
	ToolDenied struct {
		Peer  PeerID `json:"peer"`
		Tool  string `json:"tool,omitempty"`
		What  string `json:"what,omitempty"` // one clean line of the tool's input
		By    Actor  `json:"by"`
		Why   string `json:"why,omitempty"`
		Times int    `json:"times,omitempty"`
	}
	// RuleAdded puts a rule in force.
	RuleAdded struct {
		Rule Rule  `json:"rule"`
		By   Actor `json:"by"`
	}
	// RuleRemoved takes a rule out of force.
	RuleRemoved struct {
		ID string `json:"id"`
		By Actor  `json:"by"`
	}
)

// ApproversSet replaces the peers that may answer permission requests.
type ApproversSet struct {
	Approvers []Approver `json:"approvers"`
	By        Actor      `json:"by"`
}

// Approver is a peer that may answer a session's requests within a bound. The
// bound is no rule of the rulebook: it answers nothing by itself, and comes and
// goes with the approver.
type Approver struct {
	Session PeerID `json:"session"` // whose requests
	By      PeerID `json:"by"`      // who may answer
	Rule    string `json:"rule"`    // names the bound, for the audit
	Tool    string `json:"tool,omitempty"`
	Pattern string `json:"pattern,omitempty"`
}

// Bound is what the approver may allow, as a rule that allows.
func (a Approver) Bound() Rule {
	return Rule{ID: a.Rule, Effect: "allow", Peer: string(a.Session), Tool: a.Tool, Pattern: a.Pattern}
}

// Permission is one request to run a tool.
type Permission struct {
	ID      string          `json:"id"` // "r-12"
	Peer    PeerID          `json:"peer"`
	Agent   string          `json:"agent,omitempty"` // the kind of the peer's subagent that asks
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input,omitempty"`
	Dir     string          `json:"dir,omitempty"`
	Asked   time.Time       `json:"asked"`
	InPane  bool            `json:"in_pane,omitempty"` // only the pane can answer
	Moved   string          `json:"moved,omitempty"`   // why that became so
	Lasting bool            `json:"lasting,omitempty"` // it can be allowed for the session
	Source  string          `json:"source"`            // "hook", "relay", "status file"
	Also    []string        `json:"also,omitempty"`    // other sources that reported it
	Threads []ThreadID      `json:"threads,omitempty"` // the work it serves, nearest first
	Notice  MessageID       `json:"notice,omitempty"`  // the message that told its approvers
}

// Rule decides requests without the human.
type Rule struct {
	ID      string        `json:"id"`
	Effect  string        `json:"effect"`         // allow, deny, ask
	Peer    string        `json:"peer,omitempty"` // an id, or a name nobody has yet; empty is everybody
	Tool    string        `json:"tool,omitempty"`
	Pattern string        `json:"pattern,omitempty"`
	Dir     string        `json:"dir,omitempty"`
	Source  string        `json:"source"` // "team file", "card"
	Added   time.Time     `json:"added,omitzero"`
	MaxAge  time.Duration `json:"max_age,omitempty"`
}
