package session

import (
	"slices"
	"time"
)

// How long the machine waits before it believes a thing.
const (
	// askDelay is how long a dialog is open before the state says Asks: a
	// request that a rule answers at once must not blink.
	askDelay = 300 * time.Millisecond
	// paneDelay is how long claude waits with no request on record before that
	// is called a question in the pane: the hook may still be on its way.
	paneDelay = 500 * time.Millisecond
	// settle is how long two sources may differ before the status file, which
	// cannot be lost on the way, has the last word.
	settle = 2 * time.Second
	// maxOpen bounds the tools and requests on record; hooks can be lost.
	maxOpen = 64
)

// questionTool asks the human something; its request is no permission.
const questionTool = "AskUserQuestion"

// machine is the state of one session as a pure value: step takes a sign and a
// time and changes nothing but the machine. It holds what each source said
// last; info makes one state of it.
//
//	hooks ─────────┐
//	status file ───┼──► step ──► info ──► Info
//	screen, title ─┘      ▲
//	time, at deadline ────┘
type machine struct {
	now   time.Time
	began time.Time // the start of the process
	ended bool
	exit  Exit
	fail  string
	// atDialog is the dialog of the start that was open at the end.
	atDialog Dialog

	hook     opinion
	promptID string
	turnAt   time.Time
	inTurn   bool
	tools    []openTool
	requests []request
	// background are the subagents that are known to work by themselves, oldest
	// first.
	background []string
	notified   time.Time // claude said that it waits, by notification

	file       opinion
	fileSpoke  bool // it has had a status at least once
	waitingFor string

	screen ScreenSign
	title  string

	mode, conversation string

	last Info // what info said last, for Since
}

// opinion is what one source says about work, and since when.
type opinion struct {
	known bool
	state State // Idle, Busy or, for the file, NeedsYou (waiting)
	at    time.Time
}

type openTool struct {
	id, name, agent string
}

type request struct {
	id, tool, toolUseID, agent string
	at                         time.Time
	shown                      bool // a dialog was open since; it need not be its own
}

func newMachine(now time.Time, conversation string) machine {
	m := machine{now: now, began: now, conversation: conversation}
	m.last = m.info()
	return m
}

// step takes one sign at time now and returns the machine after it.
func (m machine) step(now time.Time, sign any) machine {
	if now.After(m.now) {
		m.now = now
	}
	m.tools, m.requests, m.background = slices.Clone(m.tools), slices.Clone(m.requests), slices.Clone(m.background)
	switch s := sign.(type) {
	case HookSign:
		if s.At.IsZero() || s.At.After(m.now) {
			s.At = m.now
		}
		m.takeHook(s)
	case StatusSign:
		m.takeStatus(s)
	case ScreenSign:
		m.screen = s
	case titleSign:
		m.title = string(s)
	case exitSign:
		m.ended, m.exit = true, Exit(s)
		if !m.ready() {
			m.atDialog = m.last.Dialog
		}
	case failSign:
		if m.fail == "" {
			m.fail = string(s)
		}
	case tickSign:
	}
	m.expire()
	m.last = m.info()
	return m
}

// ready reports whether claude has spoken: from then on dialogs of the start
// are over.
func (m *machine) ready() bool { return m.hook.known || m.fileSpoke }

func (m *machine) takeStatus(s StatusSign) {
	if s.Missing {
		m.file = opinion{}
		m.waitingFor = ""
		return
	}
	if s.ConversationID != "" {
		m.conversation = s.ConversationID
	}
	var state State
	switch s.Status {
	case "idle":
		state = Idle
	case "busy":
		state = Busy
	case "waiting":
		state = NeedsYou
	default: // it starts, or speaks a word of another version: no opinion
		m.file = opinion{}
		m.waitingFor = ""
		return
	}
	at := s.UpdatedAt
	if at.IsZero() || at.After(m.now) {
		at = m.now
		if m.file.known && m.file.state == state {
			at = m.file.at
		}
	}
	m.fileSpoke = true
	m.waitingFor = s.WaitingFor
	m.file = opinion{known: true, state: state, at: at}
	if state == NeedsYou {
		for i := range m.requests {
			m.requests[i].shown = true
		}
	} else {
		m.requests = slices.DeleteFunc(m.requests, func(r request) bool { return r.at.Before(at) && !m.behind(r) })
		m.notified = time.Time{}
	}
	if state == Idle {
		m.closeTurn(at)
	}
}

// closeTurn ends the turn on record if the idle of time at came after it.
func (m *machine) closeTurn(at time.Time) {
	if m.inTurn && m.turnAt.Before(at) && m.hook.at.Before(at) {
		m.inTurn = false
		m.tools = m.backgroundTools()
	}
}

// expire drops what time has overtaken: a request whose dialog the status file
// does not show.
func (m *machine) expire() {
	if !m.file.known || m.file.state == NeedsYou {
		return
	}
	m.requests = slices.DeleteFunc(m.requests, func(r request) bool { return m.now.Sub(r.at) >= settle && !m.behind(r) })
}
