package modelapi

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Match is a condition on what the model was sent. It looks at the request
// only: the server is locked while it runs.
type Match func(*Request) bool

// Rule is one line of a persona's script. The first rule that matches and is
// not used up answers.
type Rule struct {
	server *Server
	name   string
	match  Match
	reply  func(*Request) []Part
	left   int // how often it may still answer; below 0 is without limit
}

// Part is one piece of a reply, played in order. Make one with [Text],
// [Use], [Hold], [Pause] or [Fail].
type Part struct {
	text   string
	tool   string
	input  json.RawMessage
	gate   *Gate
	pause  time.Duration
	status int
	kind   string
}

// Text says s.
func Text(s string) Part { return Part{text: s} }

// Use calls a tool. It panics on an input that is no JSON: the script is wrong.
func Use(tool string, input any) Part {
	raw, err := json.Marshal(input)
	if err != nil {
		panic("modelapi: tool input: " + err.Error())
	}
	return Part{tool: tool, input: raw}
}

// Hold keeps the reply at this place until the gate is opened or the client
// hangs up.
func Hold(g *Gate) Part { return Part{gate: g} }

// Pause waits in the middle of a reply, for traffic that has to look slow.
func Pause(d time.Duration) Part { return Part{pause: d} }

// Fail refuses the request with an HTTP status, such as 401 authentication_error
// or 529 overloaded_error. It has to be the first part.
func Fail(status int, kind, message string) Part {
	return Part{status: status, kind: kind, text: message}
}

// Gate holds replies until the test lets them go on.
type Gate struct {
	reached, opened         chan struct{}
	reachedOnce, openedOnce sync.Once
}

// NewGate makes a closed gate.
func NewGate() *Gate {
	return &Gate{reached: make(chan struct{}), opened: make(chan struct{})}
}

// Reached is closed once a reply waits at the gate.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// Open lets all go on, those that come later too.
func (g *Gate) Open() { g.openedOnce.Do(func() { close(g.opened) }) }

// wait reports whether the gate was opened before the client left.
func (g *Gate) wait(left <-chan struct{}) bool {
	g.reachedOnce.Do(func() { close(g.reached) })
	select {
	case <-g.opened:
		return true
	case <-left:
		return false
	}
}

// Any matches every turn.
func Any() Match { return func(*Request) bool { return true } }

// Says matches a turn the user began with text that holds s.
func Says(s string) Match {
	return func(r *Request) bool { return strings.Contains(r.UserText(), s) }
}

// SaysLike matches a turn the user began with text that fits the expression.
func SaysLike(re *regexp.Regexp) Match {
	return func(r *Request) bool { return re.MatchString(r.UserText()) }
}

// Gets matches a turn that begins with a channel message of the given kind
// (any kind when empty) whose body holds s. One that came as background in
// the middle of a turn does not match.
func Gets(kind, s string) Match {
	return func(r *Request) bool {
		_, ok := r.Event(kind, s)
		return ok
	}
}

// Event finds the channel message [Gets] matches on.
func (r *Request) Event(kind, s string) (Event, bool) {
	for _, e := range r.Events() {
		if !e.Background && (kind == "" || e.Attr["kind"] == kind) && strings.Contains(e.Body, s) {
			return e, true
		}
	}
	return Event{}, false
}

// After matches a request that brings a result of the tool whose text holds s.
func After(tool, s string) Match {
	return func(r *Request) bool {
		for _, res := range r.ToolResults() {
			if res.Tool == tool && strings.Contains(res.Text, s) {
				return true
			}
		}
		return false
	}
}

// Offers matches when the tool can be called.
func Offers(tool string) Match {
	return func(r *Request) bool { return r.HasTool(tool) }
}

// All matches when every one does.
func All(ms ...Match) Match {
	return func(r *Request) bool {
		for _, m := range ms {
			if !m(r) {
				return false
			}
		}
		return true
	}
}

// Not turns a condition round.
func Not(m Match) Match { return func(r *Request) bool { return !m(r) } }

// Tool is the tool this part calls, "" when it calls none.
func (p Part) Tool() string { return p.tool }
