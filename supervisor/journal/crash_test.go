package journal

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

const dirEnv = "CCMUX_JOURNAL_TEST_DIR"

// helper starts this test binary in a role. It prints lines; the channel gives
// them, and closes when the process is gone. It is killed at the end.
func helper(t testing.TB, role, dir string) (*exec.Cmd, <-chan string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role, dirEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1<<16)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
		_ = cmd.Wait() // killed
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-gone
	})
	return cmd, lines
}

// commitForEver commits batches of one to nine messages, each with a doc that
// counts them, and prints the last number after every acknowledged commit.
func commitForEver() error {
	ctx := context.Background()
	// Small limits, so that checkpoints are hit too.
	j, err := Open(ctx, os.Getenv(dirEnv), Options{MaxWAL: 4 << 20})
	if err != nil {
		return err
	}
	_, _, last, err := j.LoadOpen(ctx)
	if err != nil {
		return err
	}
	tl := &timeline{last: last, at: day}
	for {
		var events []router.Event
		for range 1 + rand.IntN(9) {
			events = append(events, tl.post(int(tl.last), fmt.Sprintf("t-%d", tl.last), "crash test word "+strconv.Itoa(int(tl.last))))
		}
		if err := j.Commit(ctx, events, []router.Doc{countDoc(events)}); err != nil {
			return err
		}
		fmt.Println(tl.last)
	}
}

// countDoc says where a batch began and ended.
func countDoc(events []router.Event) router.Doc {
	b, err := json.Marshal(batch{events[0].Seq, events[len(events)-1].Seq})
	if err != nil {
		panic(err)
	}
	return doc("count", "1", true, string(b))
}

type batch struct{ First, Last uint64 }

func TestKillWhileCommitting(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	dir := newDir(t)
	var acked uint64
	for range rounds {
		cmd, lines := helper(t, "commit", dir)
		kill := time.NewTimer(time.Duration(rand.IntN(60)) * time.Millisecond)
		started := false
		for line := range lines {
			n, err := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			acked = n
			if !started { // the random time counts from the first commit
				started = true
				go func() { <-kill.C; _ = cmd.Process.Kill() }()
			}
		}
		checkAfterCrash(t, dir, acked)
	}
	t.Logf("%d acknowledged events over %d kills", acked, rounds)
}

// checkAfterCrash wants every acknowledged event, and whole batches only: the
// doc, the events, the posts and the search index agree.
func checkAfterCrash(t *testing.T, dir string, acked uint64) {
	t.Helper()
	j := mustOpen(t, dir, Options{})
	defer j.Close()
	docs, _, last, err := j.LoadOpen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if last < acked {
		t.Fatalf("event %d was acknowledged; the last one is %d", acked, last)
	}
	var b batch
	if err := json.Unmarshal(docs[0].JSON, &b); err != nil || b.Last != last {
		t.Fatalf("half a batch: doc %s, last event %d, %v", docs[0].JSON, last, err)
	}
	if err := j.index.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := uint64(0)
	for _, q := range []string{
		"SELECT count(*) FROM events", "SELECT count(*) FROM posts",
		"SELECT count(*) FROM search WHERE search MATCH 'crash'",
	} {
		if err := j.rdb.QueryRowContext(t.Context(), q).Scan(&n); err != nil || n != last {
			t.Fatalf("%s: %d of %d, %v", q, n, last, err)
		}
	}
	if err := j.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
}
