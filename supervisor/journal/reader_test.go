package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ccmux/ccmux/supervisor/router"
)

func TestAReaderIsInNobodysWay(t *testing.T) {
	dir := filepath.Join(newDir(t), "state")
	if _, err := OpenReader(t.Context(), dir); !errors.Is(err, ErrNone) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a reader made the folder: %v", err)
	}
	tl := &timeline{at: day}
	want := oneOfEach(tl)
	owner := mustOpen(t, dir, Options{})
	mustCommit(t, owner, nil, want...)
	if _, _, err := owner.History(t.Context(), Query{Text: "bye"}); err != nil { // the index is whole after that
		t.Fatal(err)
	}
	if err := owner.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := r.Replay(t.Context(), 0, func(router.Event) error { n++; return nil }); err != nil || n != len(want) {
		t.Errorf("%d of %d events, %v", n, len(want), err)
	}
	if rows, _, err := r.History(t.Context(), Query{Text: "bye"}); err != nil || len(rows) != 1 {
		t.Errorf("%d messages found, %v", len(rows), err)
	}
	if posts, err := r.Posts(t.Context(), string(messageID(1))[:8], 2); err != nil || len(posts) != 1 {
		t.Errorf("%v, %v", posts, err)
	}
	if has, err := r.HasThread(t.Context(), "t-99"); err != nil || has {
		t.Errorf("a thread there is not: %v, %v", has, err)
	}
	if n, err := r.Unsearched(t.Context()); err != nil || n != 0 {
		t.Errorf("%d messages are not searched, %v", n, err)
	}
	if f, err := lock(dir); err != nil { // a ccmux that starts now
		t.Errorf("the lock while it is read: %v", err)
	} else if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, markerFile), []byte("something else\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenReader(t.Context(), dir); !errors.Is(err, ErrForeign) {
		t.Errorf("a foreign folder: %v", err)
	}
}
