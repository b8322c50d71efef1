package journal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

func count(t *testing.T, j *Journal, q string) int {
	t.Helper()
	var n int
	if err := j.rdb.QueryRowContext(t.Context(), q).Scan(&n); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	return n
}

func TestPrune(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{})
	tl := &timeline{at: day}
	n := 0
	say := func(thread string, change ...func(*router.Message)) {
		n++
		e := tl.post(n, thread, "word of "+thread, change...)
		mustCommit(t, j, nil, e, tl.event(router.Seen{Message: messageID(n), Peer: "p-2", Proof: "gate"}))
	}
	mustCommit(t, j, nil, tl.event(router.PeerJoined{ID: "p-1", Name: "frontend"}))
	say("t-1") // ended and old
	say("t-2") // open
	say("t-3") // parent of an open one
	say("t-4", func(m *router.Message) { m.Parent = "t-3" })
	say("t-5") // one of its messages has an open doc
	say("t-6") // something was said in it later
	mustCommit(t, j, []router.Doc{
		doc("thread", "t-1", false, `{}`), doc("thread", "t-2", true, `{}`), doc("thread", "t-3", false, `{}`),
		doc("thread", "t-4", true, `{}`), doc("delivery", string(messageID(5)), true, `{}`), doc("delivery", string(messageID(1)), false, `{}`),
		doc("room", "t-1", true, `{}`), // only its name is like a thread's
	})
	tl.at = day.Add(48 * time.Hour)
	say("t-6")
	for range 2 {
		n, err := j.Prune(t.Context(), day.Add(24*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if left := count(t, j, "SELECT count(*) FROM posts"); left != 6 {
			t.Fatalf("deleted %d, %d left", n, left)
		}
	}
	rows, _, err := j.History(t.Context(), Query{Text: "word", Newest: true})
	if err != nil || fmt.Sprint(numbers(rows)) != "[13 11 9 7 5 3]" {
		t.Fatalf("%v, %v", numbers(rows), err)
	}
	if k := count(t, j, "SELECT count(*) FROM events"); k != 13 {
		t.Errorf("%d events left", k)
	}
	docs, err := j.LoadDocs(t.Context(), []router.DocKey{{Kind: "thread", ID: "t-1"}, router.DeliveriesKey(messageID(1)), {Kind: "thread", ID: "t-3"}})
	if err != nil || len(docs) != 1 {
		t.Errorf("docs left: %+v, %v", docs, err)
	}
	if err := j.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// Pruning everything gives the space back and does not disturb the numbers.
func TestPruneGivesSpaceBack(t *testing.T) {
	dir := newDir(t)
	j := mustOpen(t, dir, Options{})
	tl := &timeline{at: day}
	var events []router.Event
	for i := range 1500 {
		events = append(events, tl.post(i, fmt.Sprintf("t-%d", i/3), strings.Repeat(fmt.Sprintf("word%d ", i), 100)))
	}
	mustCommit(t, j, nil, events...)
	before, err := j.Size(t.Context())
	if err != nil || before.Messages != 1500 || before.Last != 1500 || !before.Oldest.Equal(events[0].At) {
		t.Fatalf("%+v, %v", before, err)
	}
	n, err := j.Prune(t.Context(), day.Add(time.Hour))
	if err != nil || n != 1500 {
		t.Fatalf("pruned %d, %v", n, err)
	}
	after, err := j.Size(t.Context())
	if err != nil || after.Messages != 0 || after.Last != 1500 || after.Database > before.Database/4 {
		t.Fatalf("%+v, before %+v, %v", after, before, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = mustOpen(t, dir, Options{})
	mustCommit(t, j, nil, tl.post(2000, "t-x", "goes on"))
	t.Logf("%s before, %s after", megabytes(before.Database), megabytes(after.Database))
}
