package session

import (
	"slices"
	"time"
)

// takeHook records what a hook said.
func (m *machine) takeHook(s HookSign) {
	if s.PermissionMode != "" {
		m.mode = s.PermissionMode
	}
	if s.ConversationID != "" {
		m.conversation = s.ConversationID
	}
	switch s.Event {
	case SessionStart:
		if s.Detail == "compact" && m.hook.known { // in the middle of a turn
			return
		}
		m.rest(s.At)
		m.forget()
	case SessionEnd:
		m.rest(s.At)
		m.forget()
	case UserPromptSubmit:
		m.prompt(s)
	case PreToolUse:
		m.toolBegins(s)
	case PostToolUse, PostToolUseFailure, PermissionDenied:
		m.toolEnds(s)
	case PermissionRequest:
		m.asks(s)
	case RequestReturned:
		m.requests = slices.DeleteFunc(m.requests, func(r request) bool { return r.id == s.RequestID })
	case Notification:
		m.notification(s)
	case Stop, StopFailure:
		if s.Blocked {
			m.hook = opinion{known: true, state: Busy, at: s.At}
			return
		}
		m.rest(s.At)
	case SubagentStop:
		if s.AgentID != "" {
			m.tools = slices.DeleteFunc(m.tools, func(t openTool) bool { return t.agent == s.AgentID })
			m.requests = slices.DeleteFunc(m.requests, func(r request) bool { return r.agent == s.AgentID })
		}
	}
}

// rest records that no turn runs.
func (m *machine) rest(at time.Time) {
	m.hook = opinion{known: true, state: Idle, at: at}
	m.inTurn = false
	m.endTurn()
}

func (m *machine) prompt(s HookSign) {
	if s.Blocked { // no turn comes of it
		if !m.hook.known {
			m.hook = opinion{known: true, state: Idle, at: s.At}
		}
		return
	}
	if m.inTurn && s.PromptID != "" && s.PromptID == m.promptID { // an event that joined the running turn
		m.hook = opinion{known: true, state: Busy, at: s.At}
		return
	}
	m.hook = opinion{known: true, state: Busy, at: s.At}
	m.inTurn, m.turnAt, m.promptID = true, s.At, s.PromptID
	m.endTurn()
}

// work records that a tool moved. A subagent may work on after the turn has
// ended, so its signs do not start one.
func (m *machine) work(s HookSign) {
	if s.AgentID != "" && m.hook.known && m.hook.state == Idle {
		return
	}
	m.hook = opinion{known: true, state: Busy, at: s.At}
	if !m.inTurn { // the prompt's own hook was lost
		m.inTurn, m.turnAt = true, s.At
	}
	if s.PromptID != "" {
		m.promptID = s.PromptID
	}
}

func (m *machine) toolBegins(s HookSign) {
	m.work(s)
	m.tools = append(m.tools, openTool{id: s.ToolUseID, name: s.Tool, agent: s.AgentID})
	if len(m.tools) > maxOpen {
		m.tools = m.tools[1:]
	}
}

func (m *machine) toolEnds(s HookSign) {
	m.work(s)
	m.startsInBackground(s.Background)
	m.dropTool(s)
	m.dropRequest(s)
}

func (m *machine) dropTool(s HookSign) {
	for i := len(m.tools) - 1; i >= 0; i-- {
		t := m.tools[i]
		if t.id == s.ToolUseID && (t.id != "" || t.name == s.Tool) {
			m.tools = slices.Delete(m.tools, i, i+1)
			return
		}
	}
}

// dropRequest closes the request that this end of a tool answers: by the
// tool's id where the request has one, else by name, the oldest first.
func (m *machine) dropRequest(s HookSign) {
	for i, r := range m.requests {
		named := r.toolUseID == "" || s.ToolUseID == ""
		if (!named && r.toolUseID == s.ToolUseID) || (named && r.tool == s.Tool) {
			m.requests = slices.Delete(m.requests, i, i+1)
			return
		}
	}
}

func (m *machine) asks(s HookSign) {
	m.work(s)
	id := s.ToolUseID
	if id == "" { // the hook carries none: the last of this name that runs
		for _, t := range m.tools {
			if t.name == s.Tool && t.agent == s.AgentID {
				id = t.id
			}
		}
	}
	m.requests = append(m.requests, request{
		id: s.RequestID, tool: s.Tool, toolUseID: id, agent: s.AgentID, at: s.At,
		shown: m.file.known && m.file.state == NeedsYou,
	})
	if len(m.requests) > maxOpen {
		m.requests = m.requests[1:]
	}
}

func (m *machine) notification(s HookSign) {
	switch s.Detail {
	case "permission_prompt":
		m.notified = s.At
	case "idle_prompt":
		m.hook = opinion{known: true, state: Idle, at: s.At}
		m.closeTurn(s.At.Add(time.Nanosecond))
	}
}
