package tui

import (
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
)

// CallKind is how a program calls the human.
type CallKind int

// The kinds.
const (
	CallBell   CallKind = iota // BEL
	CallNotify                 // a desktop notification: Title and Text
	CallCopy                   // Text for the clipboard; only where the project allows it
)

// Call is what the program in a pane wants of the human, shown or not. Title and
// Text are as hostile as that program.
type Call struct {
	Peer        router.PeerID
	Kind        CallKind
	Title, Text string
}

const (
	maxCalls  = 32          // that wait for the event loop
	callEvery = time.Second // a program calls no more often
)

// calls wait here for the event loop.
type calls struct {
	mu   sync.Mutex
	wait []Call
	last map[router.PeerID]time.Time // the event loop's: when each called last
}

// hear takes a call, from any goroutine.
func (m *model) hear(c Call) {
	m.calls.mu.Lock()
	if len(m.calls.wait) < maxCalls {
		m.calls.wait = append(m.calls.wait, c)
	}
	m.calls.mu.Unlock()
	m.pulse.markView()
}

// answerCalls passes on what programs want of the human.
func (m *model) answerCalls() {
	m.calls.mu.Lock()
	list := m.calls.wait
	m.calls.wait = nil
	m.calls.mu.Unlock()
	for _, c := range list {
		m.answerCall(c)
	}
}

func (m *model) answerCall(c Call) {
	p, known := m.view.Peer(c.Peer)
	if !known || m.opts.View {
		return
	}
	if c.Kind == CallCopy {
		m.dirty = true
		m.copied(c.Text)
		m.say(fmt.Sprintf("%s copied %d characters", p.Name, utf8.RuneCountInString(c.Text)))
		return
	}
	if m.awake && m.typing && m.focus == c.Peer || m.now.Sub(m.calls.last[c.Peer]) < callEvery {
		return // the human looks at it, or has just been called
	}
	if m.calls.last == nil {
		m.calls.last = map[router.PeerID]time.Time{}
	}
	m.calls.last[c.Peer] = m.now
	seq := "\a"
	if c.Kind == CallNotify {
		text := cells.Line("ccmux: " + p.Name + ": " + c.Title + " " + c.Text)
		if m.awake {
			m.dirty = true
			m.say(cells.Line(p.Name + ": " + c.Title + " " + c.Text))
			return
		}
		seq += environ(m.opts.Env).notify(text)
	}
	m.pulse.emit(seq)
}
