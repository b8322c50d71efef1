package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// roleEnv makes the test binary act as another process: see roles.
const roleEnv = "CCMUX_JOURNAL_TEST_ROLE"

var roles = map[string]func() error{
	"commit": commitForEver,
	"hold":   holdOpen,
	"read":   readForEver,
	"lock":   lockForEver,
}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		if err := roles[role](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// The driver's interrupt goroutines end with their statement.
	goleak.VerifyTestMain(m)
}

var day = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

func newDir(t testing.TB) string { return filepath.Join(t.TempDir(), "journal") }

func mustOpen(t testing.TB, dir string, opts Options) *Journal {
	t.Helper()
	j, err := Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

// timeline makes events with the right numbers.
type timeline struct {
	last uint64
	at   time.Time
}

func (tl *timeline) event(b router.Body) router.Event {
	tl.last++
	tl.at = tl.at.Add(time.Millisecond)
	return router.Event{Seq: tl.last, At: tl.at, Body: b}
}

func messageID(n int) router.MessageID {
	return router.MessageID(fmt.Sprintf("0197a1b2-c3d4-7000-8000-%012x", n))
}

// post makes message n of a thread, from p-1 to p-2.
func (tl *timeline) post(n int, thread, content string, change ...func(*router.Message)) router.Event {
	m := router.Message{
		ID: messageID(n), From: "p-1", To: []router.PeerID{"p-2"}, Thread: router.ThreadID(thread),
		Kind: wire.KindTask, Content: content, At: tl.at,
	}
	for _, c := range change {
		c(&m)
	}
	return tl.event(router.Posted{Message: m})
}

func mustCommit(t testing.TB, j *Journal, docs []router.Doc, events ...router.Event) {
	t.Helper()
	if err := j.Commit(context.Background(), events, docs); err != nil {
		t.Fatal(err)
	}
}

func doc(kind, id string, open bool, json string) router.Doc {
	return router.Doc{Kind: kind, ID: id, Open: open, JSON: []byte(json)}
}
