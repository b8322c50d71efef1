package router

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// world is a state with a journal around it, as the loop would drive them.
type world struct {
	t       testing.TB
	s       *State
	at      time.Time
	events  []Event
	journal map[DocKey]Doc
	posts   map[MessageID]Event
	ids     int
}

func emptyWorld(t testing.TB) *world {
	return &world{t: t, s: NewState(), at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), journal: map[DocKey]Doc{}, posts: map[MessageID]Event{}}
}

func newWorld(t testing.TB) *world {
	w := emptyWorld(t)
	w.do(AddPeer{Name: wire.You, Class: wire.ClassHuman})
	return w
}

// team is a world with sessions of these names that are idle and proven.
func team(t testing.TB, names ...string) *world {
	w := newWorld(t)
	for _, n := range names {
		w.do(AddPeer{Name: n, Dir: "/" + n})
		w.start(n)
	}
	return w
}

func (w *world) start(name string) {
	w.t.Helper()
	id := w.id(name)
	w.do(StartSession{SessionStarted{Peer: id, PID: 100 + number(string(id)), Started: w.at, Conversation: "c-" + name}})
	w.do(ProveRoute{RouteProven{Peer: id, Route: wire.RouteChannel, How: "probe"}})
	w.set(name, Idle)
}

func (w *world) set(name string, state SessionState) {
	w.t.Helper()
	w.do(SetSession{SessionStateChanged{Peer: w.id(name), State: state}})
}

func (w *world) id(name string) PeerID {
	w.t.Helper()
	id, ok := w.s.Named(name)
	if !ok {
		w.t.Fatalf("no peer %s", name)
	}
	return id
}

// load is what the loop does before Decide.
func (w *world) load(c Command) {
	w.t.Helper()
	for range 2 {
		var docs []Doc
		for _, k := range w.s.Needs(c) {
			if d, ok := w.journal[k]; ok {
				docs = append(docs, d)
			}
		}
		if err := w.s.Restore(docs, w.postsOf(docs)); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) try(c Command) (Result, error) {
	w.t.Helper()
	w.load(c)
	bodies, res, err := Decide(w.s, w.at, c)
	for _, b := range bodies {
		w.apply(b)
	}
	return res, err
}

// apply makes a body the next event.
func (w *world) apply(b Body) Event {
	e := Event{Seq: w.s.Seq() + 1, At: w.at, Body: b}
	w.s.Apply(e)
	w.events = append(w.events, e)
	if p, ok := b.(Posted); ok {
		w.posts[p.Message.ID] = e
	}
	return e
}

func (w *world) do(c Command) Result {
	w.t.Helper()
	res, err := w.try(c)
	if err != nil {
		w.t.Fatalf("%T: %v", c, err)
	}
	return res
}

// commit makes the journal hold what changed.
func (w *world) commit() {
	for _, d := range w.s.TakeDirty() {
		w.journal[d.Key()] = d
	}
}

// restart replaces the state by what the open docs give.
func (w *world) restart() {
	w.t.Helper()
	w.commit()
	s := NewState()
	s.keepThreads, s.keepMessages, s.limits = w.s.keepThreads, w.s.keepMessages, w.s.limits
	docs := openDocs(w.journal)
	if err := s.Restore(docs, w.postsOf(docs)); err != nil {
		w.t.Fatal(err)
	}
	w.s = s
}

func openDocs(journal map[DocKey]Doc) []Doc {
	var docs []Doc
	for d := range maps.Values(journal) {
		if d.Open {
			docs = append(docs, d)
		}
	}
	return docs
}

// postsOf is what a journal gives beside docs.
func (w *world) postsOf(docs []Doc) (posts []Event) {
	for _, d := range docs {
		if e, ok := w.posts[d.Key().PostOf()]; ok {
			posts = append(posts, e)
		}
	}
	return posts
}

func (w *world) newID() MessageID {
	w.ids++
	return MessageID(fmt.Sprintf("m-%04d", w.ids))
}

func (w *world) send(from string, kind wire.Kind, to ...string) Message {
	w.t.Helper()
	return *w.do(Send{ID: w.newID(), From: w.id(from), To: to, Kind: kind, Content: "hello from " + from}).Message
}

func (w *world) due(name string) []MessageID {
	var ids []MessageID
	for _, m := range w.s.Due(w.id(name), w.at) {
		ids = append(ids, m.ID)
	}
	return ids
}

func (w *world) wantDue(name string, want ...MessageID) {
	w.t.Helper()
	if got := w.due(name); !slices.Equal(got, want) {
		w.t.Fatalf("due for %s: %v, want %v", name, got, want)
	}
}

func (w *world) wantState(name string, m MessageID, want wire.Delivery) Delivery {
	w.t.Helper()
	d, ok := w.s.Delivery(m, w.id(name))
	if !ok || d.State != want {
		w.t.Fatalf("%s for %s: %+v (known %v), want %s", m, name, d, ok, want)
	}
	return d
}

func (w *world) offer(name string, ids ...MessageID) {
	w.t.Helper()
	w.do(Offer{Peer: w.id(name), Messages: ids, Route: wire.RouteChannel})
}

func (w *world) admit(name string, id MessageID, midTurn bool) Result {
	w.t.Helper()
	return w.do(Admit{Peer: w.id(name), Message: id, MidTurn: midTurn})
}

// deliver brings one message through the channel and the gate.
func (w *world) deliver(name string, id MessageID) {
	w.t.Helper()
	w.wantDue(name, id)
	w.offer(name, id)
	if r := w.admit(name, id, false); !r.Admitted {
		w.t.Fatalf("%s was not admitted: %s", id, r.Reason)
	}
	w.wantState(name, id, wire.Seen)
}

// refused expects an error with this code and part of its words.
func (w *world) refused(c Command, code, words string) {
	w.t.Helper()
	before, seq := len(w.s.dirty), w.s.Seq()
	_, err := w.try(c)
	var f *wire.Failure
	if !errors.As(err, &f) || f.Code != code || !strings.Contains(f.Message, words) {
		w.t.Fatalf("%T: error %v (code %q), want code %q with %q", c, err, codeOf(err), code, words)
	}
	if w.s.Seq() != seq || len(w.s.dirty) != before {
		w.t.Fatalf("%T was refused and changed the state", c)
	}
}

func codeOf(err error) string {
	var f *wire.Failure
	if errors.As(err, &f) {
		return f.Code
	}
	return ""
}
