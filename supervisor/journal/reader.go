package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/ccmux/ccmux/supervisor/router"
)

// ErrNone says that there is no journal to read.
var ErrNone = errors.New("there is no journal")

// Reader reads a journal that this process does not own: mostly one whose ccmux
// does not run. It takes no lock, as any program may read, so that it is in the way
// of no ccmux that starts meanwhile; it makes and changes nothing in the journal,
// and refuses what Open refuses. A search finds what the owner had put in the
// index; Unsearched says how much that leaves out. The process that has the journal
// open itself must not open a Reader: that would drop its locks.
type Reader struct{ j *Journal }

// OpenReader opens the journal in dir for reading; ErrNone when there is none.
func OpenReader(ctx context.Context, dir string) (*Reader, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	m, err := readMarker(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !m.ready:
		return nil, fmt.Errorf("read journal: %w in %s", ErrNone, dir)
	case err == nil && m.format > format:
		err = fmt.Errorf("%w: the journal in %s has format %d and this program knows %d", router.ErrNewer, dir, m.format, format)
	}
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	j := &Journal{dir: dir}
	if err := j.inspect(m); err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	if j.rdb, err = sql.Open("sqlite", j.dsn("ro", "query_only(1)", "busy_timeout(5000)", "temp_store(2)")); err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	r := &Reader{j}
	if err := r.readable(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("read journal: %w", err), r.Close())
	}
	return r, nil
}

// readable refuses tables that this program does not know. An event of a later
// one is refused where it is read.
func (r *Reader) readable(ctx context.Context) error {
	var have int
	if err := r.j.rdb.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return r.j.explain("open the database", err)
	}
	switch {
	case have > len(migrations):
		return fmt.Errorf("%w: its tables have version %d and this program knows %d: use a later ccmux", router.ErrNewer, have, len(migrations))
	case have < len(migrations):
		return fmt.Errorf("its tables are of an earlier ccmux: ccmux up brings them up to date")
	}
	return nil
}

// Unsearched is how many messages a search leaves out, the newest ones.
func (r *Reader) Unsearched(ctx context.Context) (n int, err error) {
	err = r.j.read(ctx, "look at the search index", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT count(*) "+waitingPosts).Scan(&n)
	})
	return n, err
}

// History is Journal.History.
func (r *Reader) History(ctx context.Context, q Query) ([]Row, bool, error) {
	return r.j.History(ctx, q)
}

// LoadOpen is Journal.LoadOpen.
func (r *Reader) LoadOpen(ctx context.Context) ([]router.Doc, []router.Event, uint64, error) {
	return r.j.LoadOpen(ctx)
}

// LoadDocs is Journal.LoadDocs.
func (r *Reader) LoadDocs(ctx context.Context, keys []router.DocKey) ([]router.Doc, error) {
	return r.j.LoadDocs(ctx, keys)
}

// Replay is Journal.Replay.
func (r *Reader) Replay(ctx context.Context, after uint64, fn func(router.Event) error) error {
	return r.j.Replay(ctx, after, fn)
}

// Posts is Journal.Posts.
func (r *Reader) Posts(ctx context.Context, prefix string, limit int) ([]Post, error) {
	return r.j.Posts(ctx, prefix, limit)
}

// HasThread is Journal.HasThread.
func (r *Reader) HasThread(ctx context.Context, id router.ThreadID) (bool, error) {
	return r.j.HasThread(ctx, id)
}

// Close gives the journal up.
func (r *Reader) Close() error { return r.j.rdb.Close() }
