package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/supervisor/router"
)

// readForEver begins to read the journal as a shell would, and goes to sleep.
func readForEver() error {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(os.Getenv(dirEnv), dbFile)+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM events").Scan(&n); err != nil {
		return err
	}
	fmt.Println("reading")
	runtime.KeepAlive(tx)
	select {}
}

// lockForEver keeps the database locked for writing.
func lockForEver() error {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(os.Getenv(dirEnv), dbFile)+"?_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	fmt.Println("locked")
	runtime.KeepAlive(tx)
	select {}
}

// Another writer makes commits fail in words, not for ever.
func TestForeignWriter(t *testing.T) {
	dir := newDir(t)
	j := mustOpen(t, dir, Options{})
	tl := &timeline{at: day}
	mustCommit(t, j, nil, tl.post(0, "t-0", "x"))
	if _, err := j.w.conn.ExecContext(t.Context(), "PRAGMA busy_timeout = 20"); err != nil {
		t.Fatal(err)
	}
	cmd, lines := helper(t, "lock", dir)
	if line := <-lines; line != "locked" {
		t.Fatalf("got %q", line)
	}
	err := j.Commit(t.Context(), []router.Event{tl.post(1, "t-0", "x")}, nil)
	if !errors.Is(err, ErrStorage) || runtime.GOOS == "linux" && !strings.Contains(err.Error(), fmt.Sprintf("pid %d", cmd.Process.Pid)) {
		t.Fatalf("got %v, want pid %d", err, cmd.Process.Pid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for range lines { // until it is gone
	}
	tl.last--
	mustCommit(t, j, nil, tl.post(1, "t-0", "x"))
}

// grow commits until fn says stop or a commit fails.
func grow(t *testing.T, j *Journal, tl *timeline, stop func() bool) error {
	t.Helper()
	for range 5000 {
		if stop() {
			return nil
		}
		last := tl.last
		if err := j.Commit(t.Context(), []router.Event{tl.post(int(last), "t-1", strings.Repeat("word ", 200))}, nil); err != nil {
			tl.last = last
			return err
		}
	}
	t.Fatal("5000 commits, and nothing happened")
	return nil
}

// Without a reader the log stays small, however much is committed.
func TestLogStaysSmall(t *testing.T) {
	j := mustOpen(t, newDir(t), Options{MaxWAL: 8 << 20})
	tl := &timeline{at: day}
	largest := int64(0)
	err := grow(t, j, tl, func() bool {
		largest = max(largest, j.walSize())
		return tl.last == 1500
	})
	if err != nil {
		t.Fatal(err)
	}
	written := j.dog.written.Load()
	if largest > written/4 || largest > j.limits().refuse {
		t.Errorf("the log grew to %s of %s", megabytes(largest), megabytes(written))
	}
	t.Logf("the log grew to %s of %s", megabytes(largest), megabytes(written))
}

// A reader that does not end is named, commits stop at the limit and nothing
// grows any more; when it ends, all goes on.
func TestLongReader(t *testing.T) {
	dir := newDir(t)
	warnings := make(chan Warning, 100)
	j := mustOpen(t, dir, Options{MaxWAL: 2 << 20, Warn: func(w Warning) { warnings <- w }})
	tl := &timeline{at: day}
	mustCommit(t, j, nil, tl.post(0, "t-0", "x"))
	cmd, lines := helper(t, "read", dir)
	if line := <-lines; line != "reading" {
		t.Fatalf("got %q", line)
	}
	err := grow(t, j, tl, func() bool { return false })
	if !strings.Contains(fmt.Sprint(err), "nothing was saved") {
		t.Fatalf("got %v", err)
	}
	if size := j.walSize(); size > 3<<20 {
		t.Errorf("the log grew to %s", megabytes(size))
	}
	w := <-warnings
	if runtime.GOOS == "linux" && (len(w.Readers) != 1 || w.Readers[0].PID != cmd.Process.Pid || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", cmd.Process.Pid))) {
		t.Errorf("readers %v, want pid %d; %v", w.Readers, cmd.Process.Pid, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for range lines { // until it is gone
	}
	for w := range warnings { // the watchdog tries again by itself
		if w.Over {
			break
		}
	}
	mustCommit(t, j, nil, tl.post(1<<20, "t-0", "x"))
	if size := j.walSize(); size > 3<<20 {
		t.Errorf("the log still has %s", megabytes(size))
	}
}
