package channel

import (
	"bytes"
	"encoding/json"

	"github.com/ccmux/ccmux/channel/wire"
)

// The shapes claude reads from a hook's stdout.
type (
	hookOutput struct {
		Decision string        `json:"decision,omitempty"`
		Reason   string        `json:"reason,omitempty"`
		Specific *hookSpecific `json:"hookSpecificOutput,omitempty"`
	}
	hookSpecific struct {
		Event              string              `json:"hookEventName"`
		AdditionalContext  string              `json:"additionalContext,omitempty"`
		PermissionDecision string              `json:"permissionDecision,omitempty"`
		PermissionReason   string              `json:"permissionDecisionReason,omitempty"`
		Decision           *permissionDecision `json:"decision,omitempty"`
	}
	permissionDecision struct {
		Behavior           wire.Behavior   `json:"behavior"`
		Message            string          `json:"message,omitempty"`
		UpdatedPermissions json.RawMessage `json:"updatedPermissions,omitempty"`
	}
)

// renderVerdict writes v in claude's format for event. A verdict that makes no
// sense for the event, and above all an allow where only the permission request
// may be allowed, comes out as no opinion.
func renderVerdict(event string, v wire.HookVerdict) []byte {
	var out hookOutput
	switch event {
	case "UserPromptSubmit":
		out = promptOutput(event, v)
	case "SessionStart":
		out.Specific = contextOutput(event, v)
	case "Stop", "SubagentStop":
		if v.Action == wire.HookBlock && v.Reason != "" { // without a reason claude would go on with nothing to do
			out = hookOutput{Decision: "block", Reason: v.Reason}
		}
	case "PreToolUse":
		if v.Action == wire.HookDeny || v.Action == wire.HookAsk {
			out.Specific = &hookSpecific{Event: event, PermissionDecision: string(v.Action), PermissionReason: orElse(v.Reason, "a rule of ccmux")}
		}
	case "PermissionRequest":
		out.Specific = permissionOutput(event, v)
	}
	if out == (hookOutput{}) {
		return nil
	}
	raw, err := json.Marshal(out)
	if err != nil { // only updatedPermissions could be at fault, and it was checked
		return nil
	}
	return raw
}

func promptOutput(event string, v wire.HookVerdict) hookOutput {
	if v.Action == wire.HookBlock {
		return hookOutput{Decision: "block", Reason: orElse(v.Reason, "ccmux: not now")}
	}
	return hookOutput{Specific: contextOutput(event, v)}
}

func contextOutput(event string, v wire.HookVerdict) *hookSpecific {
	if v.Action != wire.HookInject || v.Reason == "" {
		return nil
	}
	return &hookSpecific{Event: event, AdditionalContext: v.Reason}
}

func permissionOutput(event string, v wire.HookVerdict) *hookSpecific {
	switch v.Action {
	case wire.HookAllow:
		d := &permissionDecision{Behavior: wire.Allow}
		if updated := bytes.TrimSpace(v.Updated); bytes.HasPrefix(updated, []byte("[")) && json.Valid(updated) {
			d.UpdatedPermissions = updated
		}
		return &hookSpecific{Event: event, Decision: d}
	case wire.HookDeny:
		return &hookSpecific{Event: event, Decision: &permissionDecision{Behavior: wire.Deny, Message: orElse(v.Reason, "denied through ccmux")}}
	default:
		return nil
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
