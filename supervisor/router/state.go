package router

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// State is the working state: everything open, and what ended lately. It is
// changed by Apply and Restore only, and belongs to one goroutine.
type State struct {
	seq    uint64
	at     time.Time // of the last event
	limits Limits
	next   counters

	peers     map[PeerID]*peer
	order     []*peer           // in the order of joining
	names     map[string]PeerID // every name ever used, and whose it is or was
	rooms     map[string]*room
	threads   map[ThreadID]*thread
	messages  map[MessageID]*message
	perms     map[string]*permission
	rules     []Rule // in the order of adding
	trust     map[string]string
	approvers []Approver

	// derived
	expiring map[MessageID]*message // open ones with a time of expiry
	posts    []time.Time            // of the last minute
	held     int

	keepThreads, keepMessages int // ended ones that stay in memory

	dirty  map[DocKey]struct{}
	labels map[PeerID]string // names for the view; nil when one changed
	line   []*thread         // in the order of opening
	trees  []ThreadView      // the view of all threads; nil when one changed

	endedThreads  ends[*thread]
	endedMessages ends[*message]
	endedPerms    ends[*permission]
}

// counters give the short ids.
type counters struct {
	Peer       int `json:"peer"`
	Thread     int `json:"thread"`
	Permission int `json:"permission"`
	Rule       int `json:"rule"`
}

// NewState returns the state before the first event.
func NewState() *State {
	return &State{
		limits:   DefaultLimits(),
		peers:    map[PeerID]*peer{},
		names:    map[string]PeerID{},
		rooms:    map[string]*room{},
		threads:  map[ThreadID]*thread{},
		messages: map[MessageID]*message{},
		perms:    map[string]*permission{},
		trust:    map[string]string{},
		expiring: map[MessageID]*message{},
		dirty:    map[DocKey]struct{}{},

		keepThreads:  keepThreads,
		keepMessages: keepMessages,
	}
}

// Seq is the number of the last event that was applied.
func (s *State) Seq() uint64 { return s.seq }

// Apply changes the state by one event. Events are applied in their order and
// must come from Decide of this version or from the journal; one that names
// something unknown changes nothing but Seq.
func (s *State) Apply(e Event) {
	s.seq, s.at = e.Seq, stamp(e.At)
	e.At = s.at
	s.mark(docMeta, "")
	e.Body.apply(s, e)
}

// stamp makes times equal to what comes back from a journal.
func stamp(t time.Time) time.Time { return t.UTC().Round(0) }

// decision is one command being decided. Rules read s and append events to
// out; nothing may change s.
type decision struct {
	s   *State
	at  time.Time
	out []Body
	res Result
}

func (d *decision) emit(b Body) { d.out = append(d.out, b) }

// Decide says which events a command causes in this state, and the answer for
// whoever gave it. It does not change s: apply the events, in order, before the
// next Decide. After an error there are no events. Errors are sentences for the
// model or the human who asked; *wire.Failure where a caller branches.
func Decide(s *State, at time.Time, c Command) ([]Body, Result, error) {
	d := &decision{s: s, at: stamp(at)}
	if err := c.decide(d); err != nil {
		return nil, Result{}, err
	}
	return d.out, d.res, nil
}

// wrong is a request that cannot be; the words say what to do.
func wrong(format string, args ...any) error {
	return &wire.Failure{Message: fmt.Sprintf(format, args...)}
}

// unknown is a request that names something there is not.
func unknown(format string, args ...any) error {
	return &wire.Failure{Code: wire.CodeUnknown, Message: fmt.Sprintf(format, args...)}
}

// denied is a request that this caller may not make.
func denied(format string, args ...any) error {
	return &wire.Failure{Code: wire.CodeDenied, Message: fmt.Sprintf(format, args...)}
}

// number reads the N of an id such as t-N; 0 when it has none.
func number(id string) int {
	_, digits, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// raise moves a counter past the id just used.
func raise(next *int, id string) { *next = max(*next, number(id)) }

// shown is text from outside as it may stand in an error.
func shown(s string) string { return strconv.Quote(wire.CleanLine(s, wire.MaxName)) }

// insertSorted adds v to list, which is sorted by less, after its equals.
func insertSorted[T any](list []T, v T, key func(T) uint64) []T {
	if n := len(list); n == 0 || key(list[n-1]) <= key(v) {
		return append(list, v)
	}
	i, _ := slices.BinarySearchFunc(list, key(v)+1, func(e T, k uint64) int {
		switch ek := key(e); {
		case ek < k:
			return -1
		case ek > k:
			return 1
		}
		return 0
	})
	return slices.Insert(list, i, v)
}
