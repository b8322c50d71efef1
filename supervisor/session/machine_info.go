package session

import (
	"strings"
	"time"
)

// info makes one state of what the sources said.
func (m *machine) info() Info {
	i := Info{
		PermissionMode: m.mode, ConversationID: m.conversation, Title: m.title, Exit: m.exit,
		PromptID: m.promptID, WaitingFor: m.waitingFor,
	}
	switch {
	case m.fail != "":
		i.State, i.Source, i.Why, i.Agreed = Failed, FromProcess, m.fail, true
	case m.ended:
		i.State, i.Source, i.Why, i.Agreed = Exited, FromProcess, m.exit.String(), true
		if i.Dialog = m.atDialog; i.Dialog.Name != "" {
			i.Why += " at the dialog: " + string(i.Dialog.Name)
		}
	case !m.ready():
		m.starting(&i)
	default:
		m.running(&i)
	}
	i.Since = m.since(i)
	return i
}

// since returns when the state of i began: unchanged while it stays the same.
func (m *machine) since(i Info) time.Time {
	if i.State == Busy && i.InTurn && m.inTurn {
		return m.turnAt
	}
	l := m.last
	if !l.Since.IsZero() && l.State == i.State && l.Dialog.Name == i.Dialog.Name && l.Tool == i.Tool {
		return l.Since
	}
	if !l.Since.IsZero() && l.State == i.State && (i.State == Idle || i.State == Busy) {
		return l.Since
	}
	return m.now
}

// starting: only the screen can tell a dialog of the start.
func (m *machine) starting(i *Info) {
	if m.screen.Dialog.Name != "" {
		i.State, i.Source, i.Agreed = NeedsYou, FromScreen, true
		i.Dialog, i.DialogOpen, i.WaitingInPane = m.screen.Dialog, true, true
		i.Why = "the screen shows: " + m.screen.Dialog.Title
		return
	}
	i.State, i.Source, i.Why = Starting, FromProcess, "no hook and no status file has spoken yet"
}

func (m *machine) running(i *Info) {
	i.State, i.Source, i.Why, i.Agreed = m.idleOrBusy()
	i.InTurn = i.State == Busy
	if n := len(m.tools); n > 0 && i.InTurn {
		i.Tool, i.ToolUseID = m.tools[n-1].name, m.tools[n-1].id
	}
	open, since, source := m.dialogOpen()
	i.DialogOpen = open
	m.askedBehind(i)
	if !open {
		return
	}
	i.InTurn = i.InTurn || m.inTurn
	i.Agreed = source == FromBoth
	recorded := false
	for _, r := range m.requests {
		if m.mayShow(r) {
			recorded = true
			i.Tool, i.ToolUseID = r.tool, r.toolUseID
		}
	}
	wait := paneDelay
	if recorded {
		wait = askDelay
	}
	if m.now.Sub(since) < wait {
		i.State = Busy
		return
	}
	i.Source = source
	i.Dialog = m.screen.Dialog
	i.WaitingInPane = !recorded
	m.question(i, recorded)
}

// question tells a request for permission from what only the human can answer.
func (m *machine) question(i *Info, recorded bool) {
	name := i.Dialog.Name
	asks := recorded && i.Tool != questionTool
	if !recorded {
		asks = name == DialogPermission || name == DialogAutoMode ||
			(name == "" && i.Tool != "" && i.Tool != questionTool && m.waitingFor != "input needed")
	}
	if asks {
		i.State, i.Why = Asks, "asks to use "+i.Tool
		if i.WaitingInPane {
			i.Why = "asks in its pane"
		}
		return
	}
	i.State = NeedsYou
	if name == "" || (recorded && i.Tool == questionTool) {
		i.Dialog.Name = DialogUnknown
		if i.Tool == questionTool || m.waitingFor == "input needed" {
			i.Dialog.Name = DialogQuestion
		}
	}
	i.Why = "waits for an answer in its pane"
}

// dialogOpen reports whether claude waits for the human, since when, and who
// says so.
func (m *machine) dialogOpen() (bool, time.Time, Source) {
	var since time.Time
	for _, r := range m.requests {
		if m.mayShow(r) && (since.IsZero() || r.at.Before(since)) {
			since = r.at
		}
	}
	recorded := !since.IsZero()
	switch {
	case m.file.known && m.file.state == NeedsYou && recorded:
		if m.file.at.Before(since) {
			since = m.file.at
		}
		return true, since, FromBoth
	case m.file.known && m.file.state == NeedsYou:
		return true, m.file.at, FromStatusFile
	case recorded:
		return true, since, FromHook
	case m.file.known:
		return false, since, FromProcess
	case !m.notified.IsZero():
		return true, m.notified, FromHook
	case m.screen.Dialog.Name != "" && titleSays(m.title) != Busy:
		return true, m.began, FromScreen
	}
	return false, since, FromProcess
}

// idleOrBusy decides between idle and busy from the two sources.
//
// The newer word counts at once. When the older source does not follow within
// settle, the status file is right (a hook can be lost, a Stop can be answered
// with "go on"), unless the title agrees with the hook: then the file is stuck.
func (m *machine) idleOrBusy() (State, Source, string, bool) {
	h, f := m.hook, m.file
	if f.state == NeedsYou { // it works as far as this question goes
		f.state = Busy
	}
	switch {
	case h.known && f.known && h.state == f.state:
		return h.state, FromBoth, "hooks and status file agree", true
	case h.known && !f.known:
		return h.state, FromHook, "by hook; there is no status file", true
	case f.known && !h.known:
		return f.state, FromStatusFile, "by status file; no hook has come", true
	case !h.known: // neither: it has spoken once and fell silent
		if m.screen.Busy || titleSays(m.title) == Busy {
			return Busy, FromScreen, "by the screen", false
		}
		return Idle, FromScreen, "by the screen", false
	}
	newer := h.at
	if f.at.After(newer) {
		newer = f.at
	}
	if m.now.Sub(newer) < settle {
		if f.at.After(h.at) {
			return f.state, FromStatusFile, "by status file; hooks said otherwise before", false
		}
		return h.state, FromHook, "by hook; the status file has not followed yet", false
	}
	if t := titleSays(m.title); t == h.state && h.at.After(f.at) {
		return h.state, FromHook, "hook and title against the status file", false
	}
	return f.state, FromStatusFile, "the status file stays at it; a hook was lost", true
}

// titleSays reads claude's window title: Idle, Busy, or Starting for no idea.
func titleSays(title string) State {
	r := []rune(strings.TrimSpace(title))
	if len(r) == 0 {
		return Starting
	}
	switch {
	case r[0] == '✳':
		return Idle
	case r[0] == '◐' || r[0] == '◑' || r[0] == '◒' || r[0] == '◓' || (r[0] >= 0x2801 && r[0] <= 0x28FF):
		return Busy
	}
	return Starting
}

// deadline returns when time alone may change the state.
func (m *machine) deadline() (time.Time, bool) {
	var next time.Time
	add := func(at time.Time) {
		if at.After(m.now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if m.ended || m.fail != "" {
		return next, false
	}
	if open, since, _ := m.dialogOpen(); open {
		add(since.Add(askDelay))
		add(since.Add(paneDelay))
	}
	for _, r := range m.requests {
		add(r.at.Add(askDelay))
		add(r.at.Add(paneDelay))
		add(r.at.Add(settle))
	}
	if m.hook.known && m.file.known {
		add(m.hook.at.Add(settle))
		add(m.file.at.Add(settle))
	}
	return next, !next.IsZero()
}

// wantsScreen reports whether a look at the screen can tell something the
// other sources do not.
func (m *machine) wantsScreen() bool {
	if m.ended || m.fail != "" {
		return false
	}
	open, _, _ := m.dialogOpen()
	return !m.ready() || open || !m.file.known || m.screen.Dialog.Name != ""
}
