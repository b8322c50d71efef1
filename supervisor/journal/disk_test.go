package journal

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/supervisor/router"
)

// fillUp commits until the disk is full, makes room, and goes on.
func fillUp(t *testing.T, j *Journal, room func()) {
	t.Helper()
	tl := &timeline{at: day}
	big := func() []router.Event {
		var events []router.Event
		for range 4 {
			events = append(events, tl.post(int(tl.last), "t-1", strings.Repeat("lorem ipsum ", 1500)))
		}
		return events
	}
	acked := uint64(0)
	for refused := 0; refused < 3; { // in a row
		tl.last = acked
		events := big()
		err := j.Commit(t.Context(), events, []router.Doc{countDoc(events)})
		if err == nil {
			refused, acked = 0, tl.last
		} else {
			refused++
		}
		if err != nil && (!errors.Is(err, ErrStorage) || !strings.Contains(err.Error(), "nothing was saved") || !strings.Contains(err.Error(), "space")) {
			t.Fatalf("got %v", err)
		}
		if acked > 10_000 {
			t.Fatal("the disk does not get full")
		}
	}
	docs, _, last, err := j.LoadOpen(t.Context())
	if err != nil || last != acked || !strings.Contains(string(docs[0].JSON), fmt.Sprint(acked)) {
		t.Fatalf("docs %s, last %d of %d, %v", docs[0].JSON, last, acked, err)
	}
	room()
	tl.last = acked
	mustCommit(t, j, nil, big()...)
	if err := j.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("full after %d messages", acked)
}

func TestDatabaseFull(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	limit := func(pages int) {
		if _, err := j.w.conn.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(300)
	fillUp(t, j, func() { limit(1 << 20) })
}
