package keys

import (
	"strings"
	"testing"
)

// together are contexts that are active at the same time.
var together = []Context{Watching, Card, Scroll, Marking, Threads, Talk, Rooms, Room, Search, Help, Line}

func TestNoKeyMeansTwoThings(t *testing.T) {
	for _, c := range together {
		seen := map[string]ID{}
		for _, b := range In(c) {
			for _, k := range b.Keys {
				if other, twice := seen[k]; twice {
					t.Errorf("%s: %q means %s and %s", c.Title(), k, other, b.ID)
				}
				seen[k] = b.ID
			}
		}
	}
}

// TestTheCardTakesOnlyWhatItMust: what a card takes from watching is enter (it
// goes to the pane either way) and shift+tab, and those are meant; a dialog's
// takes the numbers of its rows, and tab where several sessions show it.
func TestTheCardTakesOnlyWhatItMust(t *testing.T) {
	for _, b := range In(Card) {
		for _, k := range b.Keys {
			if w, ok := Find(k, Watching); ok && w.ID != Type && w.ID != Previous && b.ID != Choose && b.ID != Each {
				t.Errorf("%q is %s of the card and %s of watching", k, b.ID, w.ID)
			}
		}
	}
}

func TestEveryActionHasWords(t *testing.T) {
	for _, b := range All() {
		if len(b.Keys) == 0 || b.Short == "" || b.Long == "" || b.In == 0 {
			t.Errorf("%s lacks words, a key or a place: %+v", b.ID, b)
		}
		if strings.ContainsAny(b.Long, ".\n") && !strings.Contains(b.Long, "…") {
			t.Errorf("%s: help is one sentence without a full stop: %q", b.ID, b.Long)
		}
	}
	for _, c := range Contexts() {
		if c.Title() == "" || len(In(c)) == 0 {
			t.Errorf("context %b has no title or no keys", c)
		}
	}
}

func TestWhatCannotBeDoneSaysWhy(t *testing.T) {
	nothing := Facts{}
	for _, id := range []ID{Select, Type, Zoom, Restart} {
		b := byID(t, id)
		if b.Why(nothing) == "" {
			t.Errorf("%s can be done without a session", id)
		}
	}
	for _, id := range []ID{Allow, AllowSession, Always, Deny, DenyWhy} {
		b := byID(t, id)
		for _, f := range []Facts{{}, {Cards: 1, LookOnly: true}, {Cards: 1, InPane: true}, {Cards: 1, Answered: true}} {
			if b.Why(f) == "" {
				t.Errorf("%s can be done with %+v", id, f)
			}
		}
		if why := b.Why(Facts{Cards: 1}); why != "" {
			t.Errorf("%s cannot be done: %s", id, why)
		}
	}
}

func byID(t *testing.T, id ID) Binding {
	t.Helper()
	for _, b := range All() {
		if b.ID == id {
			return b
		}
	}
	t.Fatalf("there is no %s", id)
	return Binding{}
}

func TestBarsAreInTheirOrder(t *testing.T) {
	for _, c := range Contexts() {
		last := 0
		for _, b := range Bar(c) {
			if b.Bar < last {
				t.Errorf("%s: %s comes too late", c.Title(), b.ID)
			}
			last = b.Bar
		}
	}
}

func TestLeaders(t *testing.T) {
	for k, ok := range map[string]bool{
		"ctrl+]": true, "ctrl+a": true, "alt+x": true, "f12": true, "a": false, "": false, "enter": false,
		"ctrl+shift+a": false, "f": false, "ctrl+": false,
	} {
		if CheckLeader(k) != ok {
			t.Errorf("%q: %v", k, !ok)
		}
	}
}

// TestOneWording: where there is little room the words are fewer, never others.
func TestOneWording(t *testing.T) {
	for _, b := range All() {
		if !strings.Contains(b.Short, b.Brief) {
			t.Errorf("%s is called %q and %q", b.ID, b.Short, b.Brief)
		}
	}
}
