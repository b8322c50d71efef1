package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

// A search finds what was acknowledged before it began, while commits go on,
// however far the index is behind.
func TestSearchFindsWhatWasJustSaid(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	tl := &timeline{at: day}
	acked := make(chan uint64)
	ctx, stop := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		defer close(acked)
		for ctx.Err() == nil {
			var events []router.Event
			for range 40 {
				events = append(events, tl.post(int(tl.last), "t-1", "said just now"))
			}
			if err := j.Commit(ctx, events, nil); err != nil {
				failed <- err
				return
			}
			select {
			case acked <- tl.last:
			default: // nobody searches: go on
			}
		}
	}()
	for range 40 {
		n, ok := <-acked
		if !ok {
			t.Fatal(<-failed)
		}
		rows, _, err := j.History(t.Context(), Query{Text: "said now", Newest: true, Limit: 1})
		if err != nil || len(rows) != 1 || rows[0].Seq < n {
			t.Fatalf("event %d was acknowledged; found %v, %v", n, numbers(rows), err)
		}
	}
	stop()
	for range acked { // until it ended
	}
	select {
	case err := <-failed:
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	default:
	}
}

// A flood cannot outrun the index by more than some messages, and an index that
// is behind at the end is made up for at the next start.
func TestIndexKeepsUp(t *testing.T) {
	dir := newDir(t)
	j := mustOpen(t, dir, Options{})
	tl := &timeline{at: day}
	const batch, total = 100, 9000
	for tl.last < total {
		var events []router.Event
		for range batch {
			events = append(events, tl.post(int(tl.last), fmt.Sprintf("t-%d", tl.last), "flood"))
		}
		mustCommit(t, j, nil, events...)
		if w := j.index.waiting.Load(); w > 2*indexMax {
			t.Fatalf("%d messages wait for the index", w)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = mustOpen(t, dir, Options{})
	if err := j.index.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := count(t, j, "SELECT count(*) FROM search WHERE search MATCH 'flood'"); n != total {
		t.Fatalf("%d of %d messages are in the index", n, total)
	}
	if n := count(t, j, "SELECT count(*) "+waitingPosts); n != 0 || j.index.waiting.Load() != 0 {
		t.Fatalf("%d messages wait, and %d as counted", n, j.index.waiting.Load())
	}
}

// What a quiet moment indexes is not taken off what a flood has to: commits that
// leave a moment between them would outrun the index by all but a few posts.
func TestQuietStepsLeaveTheFloodItsShare(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	j.index.stop() // the steps are taken here
	tl := &timeline{at: day}
	var events []router.Event
	for range 500 {
		events = append(events, tl.post(int(tl.last), "t-1", "flood"))
	}
	mustCommit(t, j, nil, events...)
	for _, do := range []share{quietShare, floodShare} {
		if err := j.index.step(t.Context(), do); err != nil {
			t.Fatal(err)
		}
	}
	if n := j.index.waiting.Load(); n != 0 {
		t.Errorf("%d messages wait for the index after a flood's step", n)
	}
}

// What waits is indexed from memory, and from the tables where it is more than is
// kept there; what was pruned meanwhile comes into the index by neither way.
func TestWhatWaitsBeyondMemory(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	j.index.stop() // the steps are taken here
	tl := &timeline{at: day}
	found := func(word string) int {
		t.Helper()
		rows, _, err := j.History(t.Context(), Query{Text: word, Limit: 100}) // it catches up
		if err != nil {
			t.Fatal(err)
		}
		return len(rows)
	}
	for _, c := range []struct {
		posts, size int
		unread      bool
	}{{3, 10, false}, {5, recentMax / 4, true}, {2, 10, false}} {
		var events []router.Event
		for range c.posts {
			events = append(events, tl.post(int(tl.last), "t-1", "word "+strings.Repeat("x", c.size)))
		}
		mustCommit(t, j, nil, events...)
		if j.index.unread != c.unread {
			t.Errorf("%d posts of %d bytes: to be read back %v, want %v", c.posts, c.size, j.index.unread, c.unread)
		}
		if n := found("word"); uint64(n) != tl.last {
			t.Errorf("found %d of %d", n, tl.last)
		}
	}
	mustCommit(t, j, nil, tl.post(int(tl.last), "t-2", "gone"))
	if n, err := j.Prune(t.Context(), day.Add(time.Hour)); err != nil || n != 11 {
		t.Fatalf("pruned %d, %v", n, err)
	}
	if n := found("gone"); n != 0 {
		t.Errorf("%d pruned messages are in the index", n)
	}
}
