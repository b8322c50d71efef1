package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

// atLayout is how times stand in the tables, always in UTC.
const atLayout = "2006-01-02T15:04:05.000000000Z"

// writer is the one connection that writes. Whoever uses it holds the turn.
type writer struct {
	conn    *sql.Conn
	build   string
	last    uint64              // the last durable sequence number
	written map[typeVersion]int // event versions that stand in the table written

	pages pageCount

	event, post, doc rowsStmt
	version, undoc   *sql.Stmt
}

// together is how many rows one statement inserts at most, and how many the
// smaller ones do: what a statement costs beside its rows is several times what a
// row costs.
var together = [...]int{8, 4, 2, 1}

// rowsStmt inserts rows of a table, some at a time.
type rowsStmt struct {
	columns int
	sized   [len(together)]*sql.Stmt // of as many rows as together says
}

// prepare makes the statements of their text before and behind the values.
func (s *rowsStmt) prepare(ctx context.Context, c *sql.Conn, columns int, before, behind string) (err error) {
	s.columns = columns
	row := "(" + strings.Repeat("?, ", columns-1) + "?)"
	for i, n := range together {
		if s.sized[i], err = c.PrepareContext(ctx, before+strings.Repeat(row+", ", n-1)+row+behind); err != nil {
			return err
		}
	}
	return nil
}

// insert writes rows, whose values stand one behind the other.
func (s *rowsStmt) insert(ctx context.Context, values []any) error {
	for i, rows := range together {
		for n := rows * s.columns; len(values) >= n; values = values[n:] {
			if _, err := s.sized[i].ExecContext(ctx, values[:n]...); err != nil {
				return err
			}
		}
	}
	return nil
}

type typeVersion struct {
	typ string
	v   int
}

// row is one event ready to be inserted.
type row struct {
	seq  uint64
	at   string
	typ  string
	v    int
	body []byte
	columns
	post *router.Message
}

func openWriter(ctx context.Context, db *sql.DB, build string) (*writer, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{conn: c, build: build, written: map[typeVersion]int{}}
	if err := w.start(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *writer) start(ctx context.Context) error {
	if err := migrate(ctx, w.conn, w.build); err != nil {
		return err
	}
	if err := w.loadVersions(ctx); err != nil {
		return err
	}
	if err := w.conn.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM events").Scan(&w.last); err != nil {
		return err
	}
	for _, s := range []struct {
		stmt           *rowsStmt
		columns        int
		before, behind string
	}{
		{&w.event, 8, "INSERT INTO events (seq, at, type, v, peer, thread, message, body) VALUES ", ""},
		{&w.post, 4, "INSERT INTO posts (seq, id, thread, parent) VALUES ", ""},
		{&w.doc, 4, "INSERT INTO docs (kind, id, open, json) VALUES ", " ON CONFLICT (kind, id) DO UPDATE SET open = excluded.open, json = excluded.json"},
	} {
		if err := s.stmt.prepare(ctx, w.conn, s.columns, s.before, s.behind); err != nil {
			return err
		}
	}
	for _, s := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&w.undoc, "DELETE FROM docs WHERE kind = ? AND id = ?"},
		{&w.version, "INSERT INTO written (type, v, build) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"},
	} {
		stmt, err := w.conn.PrepareContext(ctx, s.text)
		if err != nil {
			return err
		}
		*s.stmt = stmt
	}
	return nil
}

// loadVersions refuses a journal with an event that this program cannot read.
func (w *writer) loadVersions(ctx context.Context) error {
	rows, err := w.conn.QueryContext(ctx, "SELECT type, v, build FROM written")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var tv typeVersion
		var build string
		if err := rows.Scan(&tv.typ, &tv.v, &build); err != nil {
			return err
		}
		if _, err := router.DecodeBody(tv.typ, tv.v, []byte("{}")); errors.Is(err, router.ErrNewer) {
			return fmt.Errorf("%w: it holds %s events of version %d: use %s", router.ErrNewer, tv.typ, tv.v, orLater(build))
		}
		w.written[tv] = 1
	}
	return rows.Err()
}

func (w *writer) close() error {
	var errs []error
	for _, s := range slices.Concat(w.event.sized[:], w.post.sized[:], w.doc.sized[:], []*sql.Stmt{w.version, w.undoc}) {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// Commit makes events and docs durable, all or none, and returns when they are
// on the disk. Events must continue the timeline without a gap. A doc without
// JSON is deleted. Once begun it ignores the end of ctx, because a commit that
// was broken off may have happened or not.
func (j *Journal) Commit(ctx context.Context, events []router.Event, docs []router.Doc) error {
	rows, err := encode(events)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	w, err := j.take(ctx)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	defer j.give()
	if err := j.dog.refusal(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	ctx = context.WithoutCancel(ctx)
	if err := w.commit(ctx, rows, docs); err != nil {
		return j.explain("commit", err)
	}
	j.dog.wrote(w.pages.since(w.conn))
	var posts []Row
	for i := range rows {
		if m := rows[i].post; m != nil {
			posts = append(posts, Row{Seq: rows[i].seq, Message: *m})
		}
	}
	j.index.posted(posts)
	return nil
}

func encode(events []router.Event) ([]row, error) {
	rows := make([]row, len(events))
	for i, e := range events {
		at := e.At.UTC()
		if y := at.Year(); y < 0 || y > 9999 {
			return nil, fmt.Errorf("event %d: the year %d cannot be written", e.Seq, y)
		}
		v, body, err := router.EncodeBody(e.Body)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", e.Seq, err)
		}
		rows[i] = row{seq: e.Seq, at: at.Format(atLayout), typ: e.Type(), v: v, body: body, columns: columnsOf(e.Body)}
		if p, ok := e.Body.(router.Posted); ok {
			rows[i].post = &p.Message
		}
	}
	return rows, nil
}

func (w *writer) commit(ctx context.Context, rows []row, docs []router.Doc) error {
	for i := range rows {
		if want := w.last + 1 + uint64(i); rows[i].seq != want {
			return fmt.Errorf("%w: event %d comes where %d should", ErrSequence, rows[i].seq, want)
		}
	}
	var fresh []typeVersion
	for i := range rows {
		if tv := (typeVersion{rows[i].typ, rows[i].v}); w.written[tv] == 0 {
			fresh = append(fresh, tv)
		}
	}
	err := transact(ctx, w.conn, func() error {
		if err := w.insert(ctx, rows); err != nil {
			return err
		}
		for _, tv := range fresh {
			if _, err := w.version.ExecContext(ctx, tv.typ, tv.v, w.build); err != nil {
				return err
			}
		}
		return w.upsert(ctx, docs)
	})
	if err != nil {
		return err
	}
	for _, tv := range fresh {
		w.written[tv] = 1
	}
	w.last += uint64(len(rows))
	return nil
}

func (w *writer) insert(ctx context.Context, rows []row) error {
	var events, posts []any
	for i := range rows {
		r := &rows[i]
		events = append(events, r.seq, r.at, r.typ, r.v, string(r.peer), string(r.thread), string(r.message), string(r.body))
		if m := r.post; m != nil {
			posts = append(posts, r.seq, string(m.ID), string(m.Thread), string(m.Parent))
		}
	}
	if err := w.event.insert(ctx, events); err != nil {
		return fmt.Errorf("events from %d on: %w", rows[0].seq, err)
	}
	if err := w.post.insert(ctx, posts); err != nil {
		return fmt.Errorf("posts from %d on: %w", rows[0].seq, err)
	}
	return nil
}

func (w *writer) upsert(ctx context.Context, docs []router.Doc) error {
	var full []any
	for _, d := range docs {
		if len(d.JSON) > 0 {
			full = append(full, d.Kind, d.ID, d.Open, string(d.JSON))
			continue
		}
		if _, err := w.undoc.ExecContext(ctx, d.Kind, d.ID); err != nil {
			return fmt.Errorf("%s %s: %w", d.Kind, d.ID, err)
		}
	}
	if err := w.doc.insert(ctx, full); err != nil {
		return fmt.Errorf("docs: %w", err)
	}
	return nil
}

func parseAt(s string) (time.Time, error) {
	t, err := time.Parse(atLayout, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("not a time: %w", err)
	}
	return t, nil
}
