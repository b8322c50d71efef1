package session

import (
	"slices"
	"time"
)

// A subagent that works in the background asks otherwise than all others: claude
// runs its PermissionRequest hook first and opens a dialog only if that has no
// opinion. Until then the status file does not say that anybody waits. Both
// 2.1.332, where every subagent does so, and 2.1.197 were seen to do it.

// startsInBackground notes a subagent that works by itself.
func (m *machine) startsInBackground(agent string) {
	if agent == "" || m.inBackground(agent) {
		return
	}
	m.background = append(m.background, agent)
	if len(m.background) > maxOpen {
		m.background = m.background[1:]
	}
}

func (m *machine) inBackground(agent string) bool { return slices.Contains(m.background, agent) }

// behind says that claude waits for the request's hook without a dialog, so that
// the status file tells nothing of its end. A subagent that is not known to work
// in the background is taken for one as long as no dialog is seen.
func (m *machine) behind(r request) bool {
	return m.inBackground(r.agent) || r.agent != "" && m.file.known && !r.shown
}

// mayShow says that a dialog may be open for the request: the status file may
// be about to say so.
func (m *machine) mayShow(r request) bool {
	return !m.behind(r) || !m.inBackground(r.agent) && m.now.Sub(r.at) < paneDelay
}

// askedBehind tells of a request that no dialog shows.
func (m *machine) askedBehind(i *Info) {
	for _, r := range m.requests {
		if m.behind(r) {
			i.Behind = append(i.Behind, r.id)
		}
		if m.now.Sub(r.at) >= askDelay && !i.DialogOpen {
			i.State, i.Source, i.Why = Asks, FromHook, "a subagent asks to use "+r.tool
			i.Tool, i.ToolUseID = r.tool, r.toolUseID
		}
	}
}

// endTurn forgets what the turn was about. What runs in the background goes on.
func (m *machine) endTurn() {
	m.tools = m.backgroundTools()
	m.requests = slices.DeleteFunc(m.requests, func(r request) bool { return !m.behind(r) })
	m.notified = time.Time{}
}

func (m *machine) backgroundTools() []openTool {
	return slices.DeleteFunc(m.tools, func(t openTool) bool { return !m.inBackground(t.agent) })
}

// forget drops what ran in the background: the conversation is over.
func (m *machine) forget() { m.tools, m.requests, m.background = nil, nil, nil }
