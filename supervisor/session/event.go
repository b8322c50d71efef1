package session

import "time"

// EventKind tells what an Event is about.
type EventKind int

// The kinds of Event.
const (
	StateChanged EventKind = iota // Info differs from the one before
	TitleChanged
	BellRang
	Notified // the program asked for a desktop notification: Title, Body
	Copied   // the program put Body on the clipboard (Spec.Clipboard)
	Faulted  // something of ours broke: Body has the stack, for the log
)

// Event is something that happened in a session. Title and Body come from the
// program in the pane and are as hostile as that.
type Event struct {
	Kind  EventKind
	At    time.Time
	Info  Info // the state at that moment
	Title string
	Body  string
}

// maxEvents bounds what waits for OnEvent. The last state is never dropped.
const maxEvents = 256

// push queues e; the caller holds s.mu.
func (s *Session) push(e Event) {
	e.At, e.Info = s.spec.Clock(), s.m.last
	s.events = append(s.events, e)
	if len(s.events) > maxEvents {
		s.events = append(s.events[:0], s.events[len(s.events)-maxEvents:]...)
	}
	poke(s.wake)
}

// emit hands events to OnEvent until the session is over and none is left.
func (s *Session) emit() {
	for {
		s.mu.Lock()
		batch := s.events
		s.events = nil
		s.mu.Unlock()
		for _, e := range batch {
			s.deliver(e)
		}
		if len(batch) > 0 {
			continue
		}
		select {
		case <-s.wake:
		case <-s.over:
			s.mu.Lock()
			left := len(s.events)
			s.mu.Unlock()
			if left == 0 {
				return
			}
		}
	}
}

func (s *Session) deliver(e Event) {
	if s.spec.OnEvent == nil {
		return
	}
	defer s.recovered("event handler")
	s.spec.OnEvent(e)
}

// poke sets a flag that a goroutine waits for.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
