package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Prune works in small transactions, so that commits get in between.
const (
	pruneThreads = 100  // looked at in one transaction
	sweepEvents  = 5000 // likewise
	vacuumPages  = 500  // given back to the file system in one go
	mergePages   = 200
)

// Prune deletes the messages of threads in which nothing was posted since
// before, with their events and docs, and gives the space back. It keeps every
// thread with an open doc (kind thread, or kind delivery of one of its messages),
// and the threads above such a thread. It returns how many messages it deleted,
// also when it fails half-way; what is left is deleted by the next Prune.
func (j *Journal) Prune(ctx context.Context, before time.Time) (n int, err error) {
	for after, end := "", false; !end; {
		err := j.inTurn(ctx, "prune", func(w *writer) error {
			deleted := 0
			err := transact(ctx, w.conn, func() (err error) {
				deleted, after, end, err = w.pruneThreads(ctx, after, before.UTC().Format(atLayout))
				return err
			})
			if deleted > 0 {
				j.index.reread() // some may have been waiting
			}
			if err == nil {
				n += deleted
			}
			return err
		})
		if err != nil {
			return n, err
		}
	}
	if err := j.sweep(ctx); err != nil {
		return n, err
	}
	return n, j.shrink(ctx)
}

// inTurn runs fn while nobody else writes.
func (j *Journal) inTurn(ctx context.Context, act string, fn func(*writer) error) error {
	w, err := j.take(ctx)
	if err != nil {
		return wrap(act, err)
	}
	defer j.give()
	if err := fn(w); err != nil {
		return j.explain(act, err)
	}
	j.dog.wrote(w.pages.since(w.conn))
	return nil
}

// The threads after one by name, with their newest message, that are old and
// not kept.
const oldThreads = `
WITH RECURSIVE keep (thread) AS (
	SELECT id FROM docs WHERE open = 1 AND kind = 'thread'
	UNION SELECT p.thread FROM docs d JOIN posts p ON p.id = d.id WHERE d.open = 1 AND d.kind = 'delivery'
	UNION SELECT p.parent FROM keep k JOIN posts p ON p.thread = k.thread WHERE p.parent <> ''
), some AS (
	SELECT thread, max(seq) AS newest FROM posts WHERE thread > ? GROUP BY thread ORDER BY thread LIMIT ?
)
SELECT s.thread, e.at < ? AND s.thread NOT IN (SELECT thread FROM keep)
FROM some s JOIN events e ON e.seq = s.newest ORDER BY s.thread`

func (w *writer) pruneThreads(ctx context.Context, after, before string) (n int, last string, end bool, err error) {
	rows, err := w.conn.QueryContext(ctx, oldThreads, after, pruneThreads, before)
	if err != nil {
		return 0, after, false, err
	}
	defer rows.Close()
	var old []string
	looked := 0
	for last = after; rows.Next(); looked++ {
		var gone bool
		if err := rows.Scan(&last, &gone); err != nil {
			return 0, after, false, err
		}
		if gone {
			old = append(old, last)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return 0, after, false, err
	}
	for _, thread := range old {
		k, err := w.pruneThread(ctx, thread)
		if err != nil {
			return 0, after, false, err
		}
		n += k
	}
	if n > 0 {
		err = setMeta(ctx, w.conn, "sweep", "due")
	}
	return n, last, looked < pruneThreads, err
}

// pruneThread deletes a thread's messages. The other events about them go in sweep.
func (w *writer) pruneThread(ctx context.Context, thread string) (int, error) {
	var n int64
	for _, text := range []string{
		"DELETE FROM docs WHERE kind = 'thread' AND id = ?",
		"DELETE FROM docs WHERE kind = 'delivery' AND id IN (SELECT id FROM posts WHERE thread = ?)",
		"DELETE FROM search WHERE rowid IN (SELECT seq FROM posts WHERE thread = ? AND seq <= (SELECT max(id) FROM search_docsize))",
		"DELETE FROM posts WHERE thread = ?",
	} {
		res, err := w.conn.ExecContext(ctx, text, thread)
		if err != nil {
			return 0, fmt.Errorf("thread %s: %w", thread, err)
		}
		if n, err = res.RowsAffected(); err != nil {
			return 0, err
		}
	}
	return int(n), nil
}

// sweep deletes the events about messages that are gone, in order of age. The
// very last event stays, because it says how far the numbers got.
func (j *Journal) sweep(ctx context.Context) error {
	var due string
	err := j.inTurn(ctx, "prune", func(w *writer) error {
		return w.conn.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'sweep'").Scan(&due)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	for from, end := uint64(0), false; !end; {
		err := j.inTurn(ctx, "prune", func(w *writer) error {
			return transact(ctx, w.conn, func() (err error) {
				from, end, err = w.sweep(ctx, from)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) sweep(ctx context.Context, from uint64) (next uint64, end bool, err error) {
	err = w.conn.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM (SELECT seq FROM events WHERE seq >= ? ORDER BY seq LIMIT ?)", from, sweepEvents).Scan(&next)
	if err != nil {
		return from, false, err
	}
	next++
	if end = next > w.last || next == 1; end {
		next = w.last
	}
	_, err = w.conn.ExecContext(ctx, `DELETE FROM events WHERE seq >= ? AND seq < ? AND message <> ''
		AND NOT EXISTS (SELECT 1 FROM posts p WHERE p.id = events.message)`, from, next)
	if err == nil && end {
		_, err = w.conn.ExecContext(ctx, "DELETE FROM meta WHERE key = 'sweep'")
	}
	return next, end, err
}

// shrink merges the search index and gives free pages back to the file system.
func (j *Journal) shrink(ctx context.Context) error {
	for end := false; !end; {
		err := j.inTurn(ctx, "prune", func(w *writer) (err error) {
			end, err = w.shrink(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) shrink(ctx context.Context) (end bool, err error) {
	var before, after, free int64
	changes := "SELECT total_changes()"
	if err := w.conn.QueryRowContext(ctx, changes).Scan(&before); err != nil {
		return false, err
	}
	if _, err := w.conn.ExecContext(ctx, "INSERT INTO search (search, rank) VALUES ('merge', ?)", mergePages); err != nil {
		return false, err
	}
	if err := w.conn.QueryRowContext(ctx, changes).Scan(&after); err != nil {
		return false, err
	}
	if _, err := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", vacuumPages)); err != nil {
		return false, err
	}
	err = w.conn.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free)
	return free == 0 && after-before < 2, err // FTS5 counts a merge that found nothing as one change
}
