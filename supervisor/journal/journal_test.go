package journal

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// oneOfEach has an event of every type, with what a type can hold.
func oneOfEach(tl *timeline) []router.Event {
	you := router.Actor{Kind: router.ByHuman, Peer: router.Human, PID: 7, Exe: "/bin/ccmux", TTY: "/dev/pts/1"}
	id := messageID(1)
	var out []router.Event
	for _, b := range []router.Body{
		router.PeerJoined{ID: "p-1", Name: "frontend", Class: wire.ClassSession, Dir: "/a"},
		router.PeerRenamed{ID: "p-1", Old: "frontend", New: "ui"},
		router.PeerLeft{ID: "p-1"},
		router.RoomCreated{Room: "api", By: "p-1", Members: []router.PeerID{"p-1"}},
		router.RoomJoined{Room: "api", Peer: "p-2"},
		router.RoomLeft{Room: "api", Peer: "p-2"},
		router.RoomArchived{Room: "api"},
		router.Posted{Message: router.Message{
			ID: id, From: "p-1", To: []router.PeerID{"p-2"}, Thread: "t-1", Parent: "t-0", Opens: true, Kind: wire.KindTask,
			Room: "api", Content: "say <hi> & \"bye\"\n", Subject: "s", Data: []byte(`{"a":1}`), WantsReply: true,
			ExpiresAt: day.Add(time.Hour), At: day,
		}},
		router.Offered{Message: id, Peer: "p-2", Route: wire.RouteChannel},
		router.Seen{Message: id, Peer: "p-2", Route: wire.RouteChannel, Proof: "gate", Background: true},
		router.Answered{Message: id, Peer: "p-2", Reply: messageID(2)},
		router.Waiting{Message: id, Peer: "p-2", For: "p-2 is busy"},
		router.Held{Message: id, Peer: "p-2", By: you, Why: "w"},
		router.Released{Message: id, Peer: "p-2", By: you},
		router.Expired{Message: id, Peer: "p-2"},
		router.Refused{Message: id, Peer: "p-2", Why: "w"},
		router.Withdrawn{Message: id, Peer: "p-2", By: you},
		router.MailRead{Message: id, Peer: "p-2"},
		router.MailArchived{Message: id, Peer: "p-2"},
		router.PermissionAsked{Permission: router.Permission{ID: "r-1", Peer: "p-2", Tool: "Bash", Input: []byte(`{"command":"ls"}`), Asked: day}},
		router.PermissionAnswered{ID: "r-1", Behavior: wire.Behavior("allow"), By: you},
		router.PermissionMoved{ID: "r-1", Why: "w"},
		router.PermissionClosed{ID: "r-1", How: "h"},
		router.ToolDenied{Peer: "p-2", Tool: "Bash", What: "rm x", By: router.Actor{Kind: router.ByRule, Rule: "rule-1"}, Why: "w"},
		router.RuleAdded{Rule: router.Rule{ID: "x", Effect: "allow", Added: day}, By: you},
		router.RuleRemoved{ID: "x", By: you},
		router.SessionStarted{Peer: "p-2", PID: 9, Started: day, Conversation: "c"},
		router.SessionStateChanged{Peer: "p-2", State: router.Busy},
		router.SessionEnded{Peer: "p-2", State: router.Exited, Survivors: []int{3}},
		router.RouteProven{Peer: "p-2", Route: wire.RouteHook, How: "h"},
		router.RouteLost{Peer: "p-2", Route: wire.RouteHook, Why: "w"},
		router.AccessRefused{Who: router.Actor{Kind: router.ByPeer, Peer: "p-2"}, Verb: "approve", Why: "w"},
		router.SaidOutside{Peer: "p-2", To: "p-1", Text: "t"},
		router.ConfigTrusted{Path: "/a/ccmux.toml", Hash: "00", By: you},
	} {
		out = append(out, tl.event(b))
	}
	return out
}

func TestEventsComeBackAsTheyWere(t *testing.T) {
	dir := newDir(t)
	tl := &timeline{at: day}
	want := oneOfEach(tl)
	j := mustOpen(t, dir, Options{})
	mustCommit(t, j, nil, want[:10]...)
	mustCommit(t, j, nil, want[10:]...)
	for range 2 {
		got, err := j.Events(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		j = mustOpen(t, dir, Options{})
	}
	got, err := j.Events(t.Context(), 3, 2)
	if err != nil || !reflect.DeepEqual(got, want[3:5]) {
		t.Fatalf("after 3, two: %+v, %v", got, err)
	}
}

// Every type of event has a peer or none on purpose, and a message when its
// body names one.
func TestColumns(t *testing.T) {
	tl := &timeline{at: day}
	seen := map[string]bool{}
	for _, e := range oneOfEach(tl) {
		seen[e.Type()] = true
		c := columnsOf(e.Body)
		nobody := slices.Contains([]string{"RoomArchived", "PermissionMoved", "PermissionClosed"}, e.Type())
		if (c.peer == "") != nobody {
			t.Errorf("%s: peer %q", e.Type(), c.peer)
		}
		f := reflect.ValueOf(e.Body).FieldByName("Message")
		if f.IsValid() && c.message != messageID(1) || !f.IsValid() && c.message != "" {
			t.Errorf("%s: message %q", e.Type(), c.message)
		}
	}
	if len(seen) != 34 {
		t.Errorf("%d types of events are tried here", len(seen))
	}
}

func TestReplayGoesOnUntilFnFails(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	tl := &timeline{at: day}
	var all []router.Event
	for range 2*replayPage + 5 {
		all = append(all, tl.event(router.PeerLeft{ID: "p-1"}))
	}
	mustCommit(t, j, nil, all...)
	var n uint64
	err := j.Replay(t.Context(), 4, func(e router.Event) error {
		if n == 0 {
			n = 4
		}
		if n++; e.Seq != n {
			t.Fatalf("event %d after %d", e.Seq, n-1)
		}
		return nil
	})
	if err != nil || n != uint64(len(all)) {
		t.Fatalf("replayed up to %d: %v", n, err)
	}
	stop := errors.New("stop")
	if err := j.Replay(t.Context(), 0, func(router.Event) error { return stop }); !errors.Is(err, stop) {
		t.Fatalf("got %v", err)
	}
}

func TestDocs(t *testing.T) {
	dir := newDir(t)
	j := mustOpen(t, dir, Options{})
	tl := &timeline{at: day}
	mustCommit(t, j, []router.Doc{doc("thread", "t-1", true, `{"a":1}`), doc("peer", "p-1", true, `{}`), doc("thread", "t-2", true, `{}`)}, tl.event(router.PeerLeft{ID: "p-1"}))
	mustCommit(t, j, []router.Doc{doc("thread", "t-1", true, `{"a":2}`), doc("thread", "t-2", false, `{"b":1}`)}, tl.event(router.PeerLeft{ID: "p-1"}))
	mustCommit(t, j, []router.Doc{{Kind: "peer", ID: "p-1"}})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = mustOpen(t, dir, Options{})
	open, _, last, err := j.LoadOpen(t.Context())
	if want := []router.Doc{doc("thread", "t-1", true, `{"a":2}`)}; err != nil || last != 2 || !reflect.DeepEqual(open, want) {
		t.Fatalf("open: %+v, last %d, %v", open, last, err)
	}
	got, err := j.LoadDocs(t.Context(), []router.DocKey{{Kind: "thread", ID: "t-2"}, {Kind: "peer", ID: "p-1"}, {Kind: "thread", ID: "t-1"}})
	want := []router.Doc{doc("thread", "t-2", false, `{"b":1}`), doc("thread", "t-1", true, `{"a":2}`)}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("by key: %+v, %v", got, err)
	}
}

// A commit that cannot be made leaves nothing of itself behind.
func TestCommitIsAllOrNothing(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	tl := &timeline{at: day}
	mustCommit(t, j, nil, tl.post(1, "t-1", "one"))
	bad := []router.Event{tl.post(2, "t-1", "two"), tl.post(1, "t-1", "the same id again")}
	if err := j.Commit(t.Context(), bad, []router.Doc{doc("thread", "t-1", true, `{}`)}); err == nil {
		t.Fatal("a message id was taken twice")
	}
	gap := []router.Event{{Seq: 3, At: day, Body: router.PeerLeft{}}}
	if err := j.Commit(t.Context(), gap, nil); !errors.Is(err, ErrSequence) {
		t.Fatalf("a gap: %v", err)
	}
	late := []router.Event{{Seq: 2, At: day.AddDate(9000, 0, 0), Body: router.PeerLeft{}}}
	if err := j.Commit(t.Context(), late, nil); err == nil {
		t.Fatal("a time beyond the calendar was taken")
	}
	docs, _, last, err := j.LoadOpen(t.Context())
	if err != nil || last != 1 || len(docs) != 0 {
		t.Fatalf("docs %v, last %d, %v", docs, last, err)
	}
	if rows, _, err := j.History(t.Context(), Query{Text: "two OR again", Newest: true}); err != nil || len(rows) != 0 {
		t.Fatalf("found %v, %v", rows, err)
	}
	tl.last = 1
	mustCommit(t, j, nil, tl.post(3, "t-1", "three"))
}

// When the clock is set back, order stays as it happened.
func TestClockSetBack(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	tl := &timeline{at: day}
	mustCommit(t, j, nil, tl.post(1, "t-1", "first"))
	tl.at = day.Add(-48 * time.Hour)
	mustCommit(t, j, nil, tl.post(2, "t-1", "second"))
	tl.at = time.Time{}
	mustCommit(t, j, nil, tl.post(3, "t-1", "third"))
	rows, _, err := j.History(t.Context(), Query{})
	if err != nil || len(rows) != 3 || rows[0].Message.Content != "third" || rows[2].Message.Content != "first" {
		t.Fatalf("%+v, %v", rows, err)
	}
	events, err := j.Events(t.Context(), 0, 10)
	if err != nil || events[2].Seq != 3 || !events[2].At.Before(events[1].At) {
		t.Fatalf("%+v, %v", events, err)
	}
}

func TestAfterClose(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	_, _, _, openErr := j.LoadOpen(ctx)
	_, _, histErr := j.History(ctx, Query{})
	_, pruneErr := j.Prune(ctx, day)
	for _, err := range []error{j.Commit(ctx, nil, nil), openErr, histErr, pruneErr} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
	if err := j.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// The tables say with the sqlite3 shell's means what happened.
func TestViews(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	tl := &timeline{at: day}
	mustCommit(t, j, nil, oneOfEach(tl)...)
	read := func(q string, dst ...any) {
		t.Helper()
		if err := j.rdb.QueryRowContext(t.Context(), q).Scan(dst...); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	var name, body, at, thread string
	read("SELECT sender_name, body, at FROM messages WHERE thread = 't-1' AND kind = 'task' AND room = 'api'", &name, &body, &at)
	if name != "ui" || !strings.HasPrefix(body, "say <hi>") || at != "2026-03-01T12:00:00.131456789Z" {
		t.Errorf("messages: %q %q %q", name, body, at)
	}
	read("SELECT thread, peer FROM timeline WHERE type = 'Seen'", &thread, &name)
	if thread != "t-1" || name != "p-2" {
		t.Errorf("timeline: %q %q", thread, name)
	}
}

// A journal of the first version comes along: messages whose copies stood among
// the docs are read from their events.
func TestFirstVersionIsBroughtUpToDate(t *testing.T) {
	dir := newDir(t)
	all := migrations
	migrations = all[:1]
	defer func() { migrations = all }()
	j := mustOpen(t, dir, Options{})
	tl := &timeline{at: day}
	open, over := tl.post(1, "t-1", "open"), tl.post(2, "t-2", "over")
	one, two := router.DeliveriesKey(messageID(1)), router.DeliveriesKey(messageID(2))
	mustCommit(t, j, []router.Doc{
		doc("thread", "t-1", true, `{"a":1}`), doc("message", one.ID, true, `{"seq":1}`), doc(one.Kind, one.ID, true, `[1]`),
		doc("message", two.ID, false, `{"seq":2}`), doc(two.Kind, two.ID, false, `[2]`),
	}, open, over)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	migrations = all
	j = mustOpen(t, dir, Options{})
	docs, posts, last, err := j.LoadOpen(t.Context())
	if want := []router.Doc{doc(one.Kind, one.ID, true, `[1]`), doc("thread", "t-1", true, `{"a":1}`)}; err != nil || last != 2 || !reflect.DeepEqual(docs, want) {
		t.Errorf("open: %+v, last %d, %v", docs, last, err)
	}
	if !reflect.DeepEqual(posts, []router.Event{open}) {
		t.Errorf("posts: %+v, want %+v", posts, open)
	}
	docs, posts, err = j.LoadState(t.Context(), []router.DocKey{two})
	if err != nil || len(docs) != 1 || !reflect.DeepEqual(posts, []router.Event{over}) {
		t.Errorf("the one that is over: %+v, %+v, %v", docs, posts, err)
	}
}
