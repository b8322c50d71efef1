package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

// The search index follows the posts. It holds up no commit, because it can be
// made again from them:
//
//	Commit ──► posts ──(some are waiting)──► indexer ──► search
//	                                           ▲
//	History ──(wants to search)── catchUp ─────┘
//
// What is waiting is the posts after the last one in the index, so a crash loses
// no place. Each step holds the writer's turn for a few milliseconds. A step is
// taken when no commit came for a moment; when too much is waiting, after every
// few posts, and then a step does as many as came since the last, so that a
// flood of commits cannot outrun it.
const (
	indexQuiet = 3 * time.Millisecond
	indexStep  = 8       // posts that are indexed together in a quiet moment
	floodStep  = 32      // posts that make a step worth while in a flood
	indexMax   = 4096    // posts that may wait for a quiet moment
	recentMax  = 4 << 20 // bytes of waiting posts that are kept in memory
)

// share is how much one step does: so many posts, or so many bytes of them, and
// always one. No number means as many as came since the last such step.
type share struct {
	posts int64
	bytes int
}

var (
	quietShare = share{indexStep, 64 << 10}
	floodShare = share{0, 1 << 30}
	catchShare = share{128, 256 << 10} // while somebody waits for the search
)

// indexer is the connection that writes the index. Whoever uses it holds the
// turn. It does not sync: the next commit, or a checkpoint, does that.
type indexer struct {
	j       *Journal
	conn    *sql.Conn
	waiting atomic.Int64 // posts after the last one in the index
	came    atomic.Int64 // posts since the last step that a flood made necessary
	kick    chan struct{}
	cancel  context.CancelFunc
	done    chan struct{}
	pages   pageCount
	insert  *sql.Stmt
	next    *sql.Stmt

	// The waiting posts as the commits brought them, so that they need not be
	// read back; unread says that some are missing here. Guarded by the turn.
	recent      []Row
	recentBytes int
	unread      bool
}

const waitingPosts = "FROM posts WHERE seq > (SELECT coalesce(max(id), 0) FROM search_docsize)"

func startIndexer(ctx context.Context, j *Journal) (*indexer, error) {
	conn, err := j.idb.Conn(ctx)
	if err != nil {
		return nil, err
	}
	x := &indexer{j: j, conn: conn, kick: make(chan struct{}, 1), done: make(chan struct{})}
	if err := x.prepare(ctx); err != nil {
		return nil, errors.Join(err, x.close())
	}
	ctx, x.cancel = context.WithCancel(context.Background())
	go x.run(ctx)
	x.poke()
	return x, nil
}

func (x *indexer) prepare(ctx context.Context) (err error) {
	x.next, err = x.conn.PrepareContext(ctx, `SELECT p.seq, e.v, e.body FROM posts p CROSS JOIN events e ON e.seq = p.seq
		WHERE p.seq > (SELECT coalesce(max(id), 0) FROM search_docsize) ORDER BY p.seq LIMIT ?`)
	if err != nil {
		return err
	}
	x.insert, err = x.conn.PrepareContext(ctx, "INSERT INTO search (rowid, body, about) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	var n int64
	err = x.conn.QueryRowContext(ctx, "SELECT count(*) "+waitingPosts).Scan(&n)
	x.waiting.Store(n)
	x.unread = n > 0
	return err
}

func (x *indexer) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{x.next, x.insert} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(append(errs, x.conn.Close())...)
}

// stop ends the goroutine, which may be waiting for the turn.
func (x *indexer) stop() {
	x.cancel()
	<-x.done
}

// posted is told which posts a commit added, by whoever holds the turn.
func (x *indexer) posted(posts []Row) {
	for _, p := range posts {
		if x.recentBytes += sizeOf(p); x.recentBytes > recentMax {
			x.reread()
		}
		if !x.unread {
			x.recent = append(x.recent, p)
		}
	}
	x.waiting.Add(int64(len(posts)))
	x.came.Add(int64(len(posts)))
	x.poke()
}

// reread makes the next steps read what is waiting from the tables. Whoever calls
// it holds the turn.
func (x *indexer) reread() { x.unread, x.recent, x.recentBytes = true, nil, 0 }

func (x *indexer) poke() {
	select {
	case x.kick <- struct{}{}:
	default:
	}
}

// run indexes what is waiting, at good moments. An error needs no report here:
// a search tries again and tells it to whoever searches.
func (x *indexer) run(ctx context.Context) {
	defer close(x.done)
	quiet := time.NewTimer(indexQuiet)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.kick:
			quiet.Reset(indexQuiet)
			if x.came.Load() >= floodStep && x.waiting.Load() > indexMax {
				_ = x.step(ctx, floodShare)
			}
		case <-quiet.C:
			if x.waiting.Load() > 0 && x.step(ctx, quietShare) == nil {
				quiet.Reset(0)
			}
		}
	}
}

// catchUp indexes what is waiting, so that a search finds what was committed
// before. Under a flood of commits it ends with the first step that had all.
func (x *indexer) catchUp(ctx context.Context) error {
	for x.waiting.Load() > 0 {
		if err := x.step(ctx, catchShare); err != nil {
			return x.j.explain("index what was said last", err)
		}
	}
	return nil
}

// step indexes the first of the waiting posts.
func (x *indexer) step(ctx context.Context, do share) error {
	if _, err := x.j.take(ctx); err != nil {
		return err
	}
	defer x.j.give()
	ctx = context.WithoutCancel(ctx)
	if do.posts == 0 {
		do.posts = x.came.Swap(0)
	}
	posts, all, err := x.first(ctx, do)
	if err != nil {
		return err
	}
	err = transact(ctx, x.conn, func() error {
		for _, p := range posts {
			m := &p.Message
			if _, err := x.insert.ExecContext(ctx, p.Seq, segment(m.Subject+"\n"+m.Content), about(m)); err != nil {
				return fmt.Errorf("message of event %d: %w", p.Seq, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	x.indexed(posts, all)
	x.j.dog.wrote(x.pages.since(x.conn))
	return nil
}

// indexed takes posts off what is waiting.
func (x *indexer) indexed(posts []Row, all bool) {
	switch left := x.waiting.Add(-int64(len(posts))); {
	case all || left <= 0:
		x.waiting.Store(0) // some of the waiting may have been pruned
		x.unread, x.recent, x.recentBytes = false, nil, 0
	case !x.unread:
		for _, p := range posts {
			x.recentBytes -= sizeOf(p)
		}
		clear(x.recent[:len(posts)])
		x.recent = x.recent[len(posts):]
	}
}

func sizeOf(p Row) int { return len(p.Message.Subject) + len(p.Message.Content) + len(p.Message.Data) }

// first returns the first of the waiting posts, and whether they are all.
func (x *indexer) first(ctx context.Context, do share) (posts []Row, all bool, err error) {
	if x.unread {
		return x.read(ctx, do)
	}
	n := 0
	for size := 0; n < len(x.recent) && int64(n) < do.posts && size < do.bytes; n++ {
		size += sizeOf(x.recent[n])
	}
	return x.recent[:n], n == len(x.recent), nil
}

// read is first from the tables.
func (x *indexer) read(ctx context.Context, do share) (posts []Row, all bool, err error) {
	rows, err := x.next.QueryContext(ctx, do.posts)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	for size := 0; size < do.bytes; {
		if !rows.Next() {
			return posts, int64(len(posts)) < do.posts, rows.Err()
		}
		var seq uint64
		var v int
		var body []byte
		if err := rows.Scan(&seq, &v, &body); err != nil {
			return nil, false, err
		}
		b, err := router.DecodeBody("Posted", v, body)
		if err != nil {
			return nil, false, fmt.Errorf("event %d: %w", seq, err)
		}
		posted, ok := b.(router.Posted)
		if !ok {
			return nil, false, fmt.Errorf("event %d is not a message: %w", seq, ErrDamaged)
		}
		size += len(body)
		posts = append(posts, Row{Seq: seq, Message: posted.Message})
	}
	return posts, false, rows.Err()
}
