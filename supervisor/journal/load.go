package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ccmux/ccmux/supervisor/router"
)

// replayPage is how many events Replay holds in memory at most, so that no read
// transaction of its own gets long.
const replayPage = 1000

// LoadOpen returns the open docs, the Posted events of the messages they are
// about, and the last sequence number that belongs to them.
func (j *Journal) LoadOpen(ctx context.Context) (docs []router.Doc, posts []router.Event, last uint64, err error) {
	err = j.read(ctx, "load the open state", func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM events").Scan(&last); err != nil {
			return err
		}
		if docs, err = openDocs(ctx, tx); err != nil {
			return err
		}
		posts, err = postsOf(ctx, tx, docs)
		return err
	})
	return docs, posts, last, err
}

func openDocs(ctx context.Context, tx *sql.Tx) (docs []router.Doc, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT kind, id, open, json FROM docs WHERE open = 1 ORDER BY kind, id")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		d, err := scanDoc(rows)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, rows.Err()
}

// postsOf reads the Posted events that router.State.Restore wants beside docs, in
// one query: a start may have many. Restore says whether one is missing.
func postsOf(ctx context.Context, tx *sql.Tx, docs []router.Doc) (posts []router.Event, err error) {
	ids := []router.MessageID{}
	for _, d := range docs {
		if id := d.Key().PostOf(); id != "" {
			ids = append(ids, id)
		}
	}
	list, err := json.Marshal(ids)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, `SELECT e.seq, e.at, e.type, e.v, e.body FROM json_each(?) j
		CROSS JOIN posts p ON p.id = j.value CROSS JOIN events e ON e.seq = p.seq`, string(list))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		e, _, err := scanEvent(rows)
		if err != nil {
			return nil, err
		}
		posts = append(posts, e)
	}
	return posts, rows.Err()
}

// LoadState is LoadDocs with the Posted events of the messages the docs are about.
func (j *Journal) LoadState(ctx context.Context, keys []router.DocKey) (docs []router.Doc, posts []router.Event, err error) {
	err = j.read(ctx, "load docs", func(tx *sql.Tx) error {
		if docs, err = docsOf(ctx, tx, keys); err != nil {
			return err
		}
		posts, err = postsOf(ctx, tx, docs)
		return err
	})
	return docs, posts, err
}

// LoadDocs returns those of the docs with these keys that exist, open or not, in
// the order of the keys.
func (j *Journal) LoadDocs(ctx context.Context, keys []router.DocKey) ([]router.Doc, error) {
	var docs []router.Doc
	err := j.read(ctx, "load docs", func(tx *sql.Tx) (err error) {
		docs, err = docsOf(ctx, tx, keys)
		return err
	})
	return docs, err
}

func docsOf(ctx context.Context, tx *sql.Tx, keys []router.DocKey) (docs []router.Doc, err error) {
	for _, k := range keys {
		d, err := scanDoc(tx.QueryRowContext(ctx, "SELECT kind, id, open, json FROM docs WHERE kind = ? AND id = ?", k.Kind, k.ID))
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

func scanDoc(row interface{ Scan(...any) error }) (router.Doc, error) {
	var d router.Doc
	err := row.Scan(&d.Kind, &d.ID, &d.Open, &d.JSON)
	return d, err
}

// Events returns at most limit events after the one with number after, oldest
// first; fewer when they are large, none when there are no more. A row of a later
// program is router.ErrNewer.
func (j *Journal) Events(ctx context.Context, after uint64, limit int) ([]router.Event, error) {
	var events []router.Event
	err := j.read(ctx, "read events", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT seq, at, type, v, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?", after, max(limit, 0))
		if err != nil {
			return err
		}
		defer rows.Close()
		for total := 0; total < maxPage && rows.Next(); {
			e, size, err := scanEvent(rows)
			if err != nil {
				return err
			}
			total += size
			events = append(events, e)
		}
		return rows.Err()
	})
	return events, err
}

// Replay calls fn with every event after the one with number after, in order,
// until fn fails. What was pruned is left out.
func (j *Journal) Replay(ctx context.Context, after uint64, fn func(router.Event) error) error {
	for {
		events, err := j.Events(ctx, after, replayPage)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			if err := fn(e); err != nil {
				return err
			}
			after = e.Seq
		}
	}
}

// scanEvent reads seq, at, type, v and body, and says how long the body was.
func scanEvent(rows *sql.Rows) (e router.Event, size int, err error) {
	var at, typ string
	var v int
	var body []byte
	if err := rows.Scan(&e.Seq, &at, &typ, &v, &body); err != nil {
		return e, 0, err
	}
	if e.At, err = parseAt(at); err == nil {
		e.Body, err = router.DecodeBody(typ, v, body)
	}
	if errors.Is(err, router.ErrNewer) {
		return e, 0, fmt.Errorf("event %d: %w", e.Seq, err) // it says what to use
	}
	if err != nil {
		return e, 0, fmt.Errorf("event %d (%s): %w: %w", e.Seq, typ, ErrDamaged, err)
	}
	return e, len(body), nil
}

// read runs fn in a read transaction: it sees one state of everything.
func (j *Journal) read(ctx context.Context, act string, fn func(*sql.Tx) error) error {
	if j.closed.Load() {
		return wrap(act, ErrClosed)
	}
	tx, err := j.rdb.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return j.explain(act, err)
	}
	defer func() { _ = tx.Rollback() }() // it wrote nothing
	return j.explain(act, fn(tx))
}
