package journal

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
)

// Warning says that a reader keeps the write-ahead log from being emptied.
type Warning struct {
	WAL     int64    // bytes it has now
	Max     int64    // over it commits are refused
	Readers []Holder // empty when they could not be found out
	Over    bool     // it is over: the log was emptied, Readers are the last known
}

// Holder is a process that keeps a lock on the database.
type Holder struct {
	PID  int
	Name string // of its executable
}

// String says it for the human.
func (w Warning) String() string {
	if w.Over {
		return "the journal's log is emptied again"
	}
	return fmt.Sprintf("the journal's log has grown to %s (commits stop at %s), because a program keeps reading the journal%s: end its transaction", megabytes(w.WAL), megabytes(w.Max), named(w.Readers))
}

func named(hs []Holder) string {
	if len(hs) == 0 {
		return ""
	}
	var names []string
	for _, h := range hs {
		names = append(names, fmt.Sprintf("%s with pid %d", h.Name, h.PID))
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// limits are sizes of the log in bytes.
type limits struct {
	passive int64 // copy it into the database beside the commits
	restart int64 // hold the commits up for a moment, so that it starts anew
	warn    int64 // a reader must have been in the way of that
	refuse  int64
}

func (j *Journal) limits() limits {
	m := j.opts.MaxWAL
	return limits{passive: min(4<<20, m/16), restart: min(16<<20, m/8), warn: min(64<<20, m/4), refuse: m}
}

// recheck is how often a blocked log is tried again when no commit asks for it.
const recheck = 2 * time.Second

// frameBytes is what one page takes in the log.
const frameBytes = 4096 + 24

// watchdog keeps the log bounded. Checkpoints run on a connection and a
// goroutine of their own, so that a commit does not wait for them. The log's
// file keeps its size when the log starts anew: overwriting is faster.
type watchdog struct {
	j       *Journal
	limits  limits
	kick    chan struct{}
	cancel  context.CancelFunc
	done    chan struct{}
	written atomic.Int64            // bytes that went into the log since Open
	tried   atomic.Int64            // how many when a checkpoint was last tried
	blocked atomic.Pointer[Warning] // set while a reader is in the way
}

func startWatchdog(j *Journal) *watchdog {
	ctx, cancel := context.WithCancel(context.Background())
	d := &watchdog{j: j, limits: j.limits(), kick: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	d.kick <- struct{}{} // a log left by a crash
	go d.run(ctx)
	return d
}

func (d *watchdog) stop() {
	d.cancel()
	<-d.done
}

// wrote is told after a transaction how many pages it put into the log.
func (d *watchdog) wrote(pages int) {
	written := d.written.Add(int64(pages) * frameBytes)
	if written-d.tried.Load() < d.limits.passive {
		return
	}
	select {
	case d.kick <- struct{}{}:
	default:
	}
}

// pageCount is how many pages a connection has put into the log.
type pageCount int

// since returns how many there are more than when it was last asked.
func (p *pageCount) since(conn *sql.Conn) int {
	before := *p
	err := conn.Raw(func(c any) error {
		n, _, err := c.(sqlite.DBStatus).Status(sqlite.DBStatusCacheWrite, false)
		*p = pageCount(n)
		return err
	})
	if err != nil {
		return 0 // the connection is closed: nothing was written either
	}
	return int(*p - before)
}

// refusal is the error for a commit while the log may not grow any more.
func (d *watchdog) refusal() error {
	b := d.blocked.Load()
	if b == nil || d.j.walSize() < d.limits.refuse {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrStorage, b)
}

func (d *watchdog) run(ctx context.Context) {
	defer close(d.done)
	again := time.NewTimer(recheck)
	again.Stop()
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.kick:
		case <-again.C:
		}
		d.tried.Store(d.written.Load())
		d.checkpoint(ctx)
		if d.blocked.Load() != nil {
			again.Reset(recheck)
		}
	}
}

// checkpoint moves the log into the database as far as readers let it. Errors
// are not lost: a disk that does not work fails the next commit, with words.
func (d *watchdog) checkpoint(ctx context.Context) {
	size, through, err := d.try(ctx, "PASSIVE")
	// Commits went on meanwhile, so the log did not start anew by itself.
	if err == nil && size >= d.limits.restart {
		size, through, err = d.restart(ctx)
	}
	if err == nil {
		d.settle(size, through)
	}
}

// restart does the rest while no commit is under way: little is left, since a
// checkpoint beside the commits has just ended.
func (d *watchdog) restart(ctx context.Context) (size int64, through bool, err error) {
	if _, err := d.j.take(ctx); err != nil {
		return 0, false, err
	}
	defer d.j.give()
	return d.try(ctx, "RESTART")
}

// try runs one checkpoint, and says how large the log was and whether all of it
// is in the database now.
func (d *watchdog) try(ctx context.Context, mode string) (size int64, through bool, err error) {
	var busy, log, copied int64
	err = d.j.cdb.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &log, &copied)
	return log * frameBytes, busy == 0 && log == copied, err
}

// settle tells about a change: a log that a reader blocks, or no longer does.
func (d *watchdog) settle(size int64, through bool) {
	before := d.blocked.Load()
	switch {
	case through && before != nil:
		d.blocked.Store(nil)
		d.warn(Warning{WAL: size, Max: d.limits.refuse, Readers: before.Readers, Over: true})
	case !through && size >= d.limits.warn:
		now := &Warning{WAL: size, Max: d.limits.refuse, Readers: readers(d.j.path(dbFile))}
		d.blocked.Store(now)
		if before == nil || !slices.Equal(before.Readers, now.Readers) {
			d.warn(*now)
		}
	}
}

func (d *watchdog) warn(w Warning) {
	if d.j.opts.Warn != nil {
		d.j.opts.Warn(w)
	}
}
