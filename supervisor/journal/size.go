package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Sizes says how much a journal holds.
type Sizes struct {
	Database int64     // bytes of the database file
	Free     int64     // bytes in it that hold nothing and will be used again
	WAL      int64     // bytes of the write-ahead log
	Last     uint64    // the last event's number
	Messages int64     // messages in the history
	Oldest   time.Time // when the first event kept happened; zero when there is none
}

// Size measures the journal. It counts the messages: about 10 ms a million.
func (j *Journal) Size(ctx context.Context) (Sizes, error) {
	var s Sizes
	err := j.read(ctx, "measure the journal", func(tx *sql.Tx) error {
		var pages, free, page int64
		var oldest string
		for _, q := range []struct {
			text string
			dst  any
		}{
			{"PRAGMA page_count", &pages},
			{"PRAGMA freelist_count", &free},
			{"PRAGMA page_size", &page},
			{"SELECT coalesce(max(seq), 0) FROM events", &s.Last},
			{"SELECT count(*) FROM posts", &s.Messages},
			{"SELECT coalesce((SELECT at FROM events ORDER BY seq LIMIT 1), '')", &oldest},
		} {
			if err := tx.QueryRowContext(ctx, q.text).Scan(q.dst); err != nil {
				return err
			}
		}
		s.Database, s.Free = pages*page, free*page
		if oldest == "" {
			return nil
		}
		var err error
		s.Oldest, err = parseAt(oldest)
		return err
	})
	s.WAL = j.walSize()
	return s, err
}

// Check reads the whole database and says whether it is sound. It takes about a
// second for each gigabyte; commits go on meanwhile.
func (j *Journal) Check(ctx context.Context) error {
	return j.read(ctx, "check the journal", func(tx *sql.Tx) error {
		var found string
		if err := tx.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
			return err
		}
		if found != "ok" {
			return j.damaged(found)
		}
		return nil
	})
}

// walSize never opens the file: closing it again would drop SQLite's locks.
func (j *Journal) walSize() int64 {
	st, err := os.Stat(j.path(dbFile + "-wal"))
	if errors.Is(err, fs.ErrNotExist) || err != nil {
		return 0
	}
	return st.Size()
}

// freeSpace says how much a user may still write to the disk of dir.
func freeSpace(dir string) string {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return "unknown space"
	}
	return megabytes(int64(st.Bavail) * int64(st.Bsize)) //nolint:unconvert // the types differ between systems
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// Readers are the other programs in the middle of reading the journal at this
// moment, as far as the system tells.
func (j *Journal) Readers() []Holder { return readers(j.path(dbFile)) }
