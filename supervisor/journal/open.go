package journal

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
)

// Options of Open. The zero value is good.
type Options struct {
	// Build names this program, so that an older one can say which to use.
	Build string
	// MaxWAL is how many bytes the write-ahead log may reach when a reader
	// keeps it from being emptied; over it commits are refused. 1 GiB when 0.
	MaxWAL int64
	// Warn is told when a reader blocks the log, and when it no longer does. It
	// is called from one goroutine of the journal and must not call back.
	Warn func(Warning)
}

const defaultMaxWAL = 1 << 30

// Journal is an open journal. See the package comment for who may call what.
type Journal struct {
	dir  string
	opts Options
	lock *os.File

	turn   chan struct{} // held by whoever uses w
	w      *writer
	wdb    *sql.DB // one connection: w's
	rdb    *sql.DB // the readers' pool
	cdb    *sql.DB // one connection: the watchdog's
	idb    *sql.DB // one connection: the indexer's
	dog    *watchdog
	index  *indexer
	closed atomic.Bool
	once   sync.Once
	err    error // of Close
}

// Open opens the journal in dir, and makes one when dir is empty or missing.
// Nobody else can open it until Close.
func Open(ctx context.Context, dir string, opts Options) (*Journal, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	if opts.MaxWAL <= 0 {
		opts.MaxWAL = defaultMaxWAL
	}
	if err := Claim(dir); err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	j := &Journal{dir: dir, opts: opts, turn: make(chan struct{}, 1)}
	if j.lock, err = lock(dir); err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	if err := j.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open journal: %w", err), j.release())
	}
	return j, nil
}

// open does what needs the lock.
func (j *Journal) open(ctx context.Context) error {
	m, err := readMarker(j.dir)
	if err != nil {
		return err
	}
	if err := j.inspect(m); err != nil {
		return err
	}
	// Where it exists, fdatasync makes a commit as durable as fsync and faster.
	if _, err := sqlite.Fdatasync(true); err != nil && !errors.Is(err, sqlite.ErrFdatasyncUnavailable) {
		return err
	}
	if err := j.connect(!m.ready); err != nil {
		return err
	}
	if j.w, err = openWriter(ctx, j.wdb, j.opts.Build); err != nil {
		return j.explain("open the database", err)
	}
	if !m.ready {
		if err := j.ready(ctx); err != nil {
			return err
		}
	}
	j.dog = startWatchdog(j)
	if j.index, err = startIndexer(ctx, j); err != nil {
		return j.explain("open the search index", err)
	}
	return nil
}

// ready brings the new tables out of the log into the file, where inspect will
// look for them, and then says so in the marker.
func (j *Journal) ready(ctx context.Context) error {
	if _, err := j.w.conn.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return j.explain("make the database", err)
	}
	return writeMarker(j.dir)
}

func (j *Journal) path(name string) string { return filepath.Join(j.dir, name) }

// inspect looks at the database file before SQLite does, because SQLite would
// make, recover or change it. It must not run while SQLite has the file open:
// closing any descriptor of it drops the process's locks.
func (j *Journal) inspect(m marker) error {
	name := j.path(dbFile)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) && !m.ready {
		// Made here, so that nobody else can read it.
		f, err = os.OpenFile(name, os.O_CREATE|os.O_RDONLY, 0o600)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return j.damaged(dbFile + " is missing")
	case err != nil:
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if st.Size() == 0 && !m.ready {
		return nil
	}
	head := make([]byte, 100)
	if n, err := io.ReadFull(f, head); err != nil {
		return j.damaged(fmt.Sprintf("%s has only %d bytes", dbFile, n))
	}
	return j.inspectHeader(m, head, st.Size())
}

func (j *Journal) inspectHeader(m marker, head []byte, size int64) error {
	if string(head[:16]) != "SQLite format 3\x00" {
		return j.damaged(dbFile + " is not a SQLite database")
	}
	id := binary.BigEndian.Uint32(head[68:])
	if id == 0 && !m.ready {
		return nil // its maker did not get to the tables
	}
	if id != applicationID {
		return fmt.Errorf("%w: %s is a SQLite database of another program (application id %#x): nothing was changed: move it away", ErrForeign, j.path(dbFile), id)
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 65536
	}
	want := page * int64(binary.BigEndian.Uint32(head[28:]))
	// With a log, the file may lag behind what its first page says.
	if wal, err := os.Stat(j.path(dbFile + "-wal")); err == nil && wal.Size() > 0 {
		return nil
	}
	if size < want {
		return j.damaged(fmt.Sprintf("%s has %d bytes of %d", dbFile, size, want))
	}
	return nil
}

// dsn names the database for one kind of connection.
func (j *Journal) dsn(mode string, pragmas ...string) string {
	q := url.Values{"mode": {mode}, "_pragma": pragmas}
	if runtime.GOOS == "darwin" { // there fsync alone does not reach the disk
		q["_pragma"] = append(q["_pragma"], "fullfsync(1)", "checkpoint_fullfsync(1)")
	}
	u := url.URL{Scheme: "file", Path: j.path(dbFile), RawQuery: q.Encode()}
	return u.String()
}

func (j *Journal) connect(fresh bool) error {
	common := []string{"foreign_keys(1)", "temp_store(2)"}
	kinds := []struct {
		db      **sql.DB
		n       int
		mode    string
		pragmas []string
	}{
		{&j.wdb, 1, "rw", []string{
			"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)",
			"wal_autocheckpoint(0)", fmt.Sprintf("journal_size_limit(%d)", j.limits().restart), "cache_size(-4096)",
		}},
		{&j.rdb, 2, "ro", []string{"query_only(1)", "busy_timeout(5000)", "cache_size(-2048)"}},
		// No waiting: whoever is in the way is named instead.
		{&j.cdb, 1, "rw", []string{"synchronous(FULL)", "busy_timeout(0)", "wal_autocheckpoint(0)", "cache_size(-64)"}},
		// Little waiting, because it holds the writer's turn meanwhile.
		{&j.idb, 1, "rw", []string{"synchronous(NORMAL)", "busy_timeout(250)", "wal_autocheckpoint(0)", "cache_size(-2048)"}},
	}
	if fresh { // only possible before anything is written, and later it would be a write
		kinds[0].pragmas = append([]string{"auto_vacuum(2)"}, kinds[0].pragmas...)
	}
	for _, k := range kinds {
		db, err := sql.Open("sqlite", j.dsn(k.mode, append(k.pragmas, common...)...))
		if err != nil {
			return fmt.Errorf("open the database: %w", err)
		}
		db.SetMaxOpenConns(k.n)
		db.SetMaxIdleConns(k.n)
		*k.db = db
	}
	return nil
}

// Close waits for the commit under way, empties the log and gives up the lock.
func (j *Journal) Close() error {
	j.once.Do(func() {
		j.closed.Store(true)
		j.turn <- struct{}{}
		j.err = wrap("close journal", j.release())
		<-j.turn // whoever waited for it finds the journal closed
	})
	return j.err
}

// release undoes whatever Open did.
func (j *Journal) release() error {
	var errs []error // the order is: who uses a connection, then the connection
	if j.index != nil {
		j.index.stop()
		errs = append(errs, j.index.close())
	}
	if j.dog != nil {
		j.dog.stop()
	}
	if j.rdb != nil {
		errs = append(errs, j.rdb.Close())
	}
	if j.w != nil {
		errs = append(errs, j.w.close())
	}
	if j.idb != nil {
		errs = append(errs, j.idb.Close())
	}
	if j.cdb != nil {
		errs = append(errs, j.cdb.Close())
	}
	if j.wdb != nil {
		errs = append(errs, j.wdb.Close()) // the last connection empties the log
	}
	return errors.Join(append(errs, j.lock.Close())...)
}

// take waits for the writer; give gives it back.
func (j *Journal) take(ctx context.Context) (*writer, error) {
	if j.closed.Load() {
		return nil, ErrClosed
	}
	select {
	case j.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if j.closed.Load() {
		<-j.turn
		return nil, ErrClosed
	}
	return j.w, nil
}

func (j *Journal) give() { <-j.turn }
