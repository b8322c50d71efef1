package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ccmux/ccmux/supervisor/router"
)

const (
	defaultLimit = 50
	maxLimit     = 1000
	// maxPage ends a page early, so that a thousand bodies of a megabyte are
	// not held at once.
	maxPage = 8 << 20
)

// Query says which messages History returns. All that is set must match.
type Query struct {
	Peer   router.PeerID    // sender or recipient
	Room   string           // posted to it
	Thread router.ThreadID  // part of it
	Text   string           // what a person typed, see below
	Before router.MessageID // only what is older than this one
	Limit  int              // at most 1000; 50 when 0
	// Reader is whom the messages are for: only what it sent, what was sent to it,
	// and what was posted in Rooms. Empty: everything.
	Reader router.PeerID
	Rooms  []string
	// Newest wants the newest first. Without it a search for Text comes by
	// relevance, which cannot be continued with Before and looks at every match.
	// Without Text the newest always come first.
	Newest bool
}

// Row is one message of the history.
type Row struct {
	Seq     uint64
	Message router.Message
}

// History returns the messages that match q, and whether there are more of them:
// then the next page is Before the last message of this one. A page may be
// shorter than Limit when its bodies are large.
//
// Text may be anything. Every word of it must occur in the subject or the body;
// the last one, unless a space follows, and one with a * after it may be the
// beginning of a word; words between quotation marks must follow each other. Case
// and accents do not count.
func (j *Journal) History(ctx context.Context, q Query) (rows []Row, more bool, err error) {
	if err := q.check(); err != nil {
		return nil, false, fmt.Errorf("history: %w", err)
	}
	if q.searches() && j.index != nil { // a Reader has none of its own
		if err := j.index.catchUp(ctx); err != nil {
			return nil, false, fmt.Errorf("history: %w", err)
		}
	}
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, maxLimit)
	err = j.read(ctx, "history", func(tx *sql.Tx) error {
		before, err := q.before(ctx, tx)
		if err != nil {
			return err
		}
		match, err := q.match(func(word string) ([]string, bool, error) { return termsLike(ctx, tx, word) })
		if err != nil {
			return err
		}
		found, err := q.find(ctx, tx, match, before)
		if err != nil {
			return err
		}
		defer found.Close()
		rows, more, err = page(found, q.Limit)
		return err
	})
	return rows, more, err
}

// Post is a message and the thread it stands in.
type Post struct {
	ID     router.MessageID
	Thread router.ThreadID
}

// Posts returns the messages whose ids begin with prefix, at most limit, oldest
// first. They are for the human, who may read all.
func (j *Journal) Posts(ctx context.Context, prefix string, limit int) (found []Post, err error) {
	err = j.read(ctx, "look for a message", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT id, thread FROM posts WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", prefix, prefix+"\U0010ffff", limit)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var p Post
			if err := rows.Scan(&p.ID, &p.Thread); err != nil {
				return err
			}
			found = append(found, p)
		}
		return rows.Err()
	})
	return found, err
}

// HasThread says whether a message of the thread is in the journal.
func (j *Journal) HasThread(ctx context.Context, id router.ThreadID) (has bool, err error) {
	err = j.read(ctx, "look for a thread", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM posts WHERE thread = ?)", string(id)).Scan(&has)
	})
	return has, err
}

// before is the sequence number to stay under.
func (q *Query) before(ctx context.Context, tx *sql.Tx) (int64, error) {
	if q.Before == "" {
		return 1<<63 - 1, nil
	}
	var seq int64
	err := tx.QueryRowContext(ctx, "SELECT seq FROM posts WHERE id = ?", string(q.Before)).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("%w: there is no message %.64q to go on before", ErrQuery, string(q.Before))
	}
	return seq, err
}

// termsLike walks over the words of the index that begin like word. To ask for
// the next one after each skips the places where one stands.
func termsLike(ctx context.Context, tx *sql.Tx, word string) (found []string, ok bool, err error) {
	const next = "SELECT term FROM terms WHERE term >= ? AND term <= ? LIMIT 1"
	for from, to := word, word+"\U0010ffff"; len(found) <= maxTerms; {
		var term string
		err := tx.QueryRowContext(ctx, next, from, to).Scan(&term)
		if errors.Is(err, sql.ErrNoRows) {
			return found, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		found = append(found, term)
		from = term + "\x01"
	}
	return nil, false, nil
}

const columnsFrom = "SELECT e.seq, e.at, e.type, e.v, e.body FROM "

func (q *Query) find(ctx context.Context, tx *sql.Tx, match string, before int64) (*sql.Rows, error) {
	switch {
	case match == "":
		return tx.QueryContext(ctx, columnsFrom+"posts p CROSS JOIN events e ON e.seq = p.seq WHERE p.seq < ? ORDER BY p.seq DESC LIMIT ?", before, q.Limit+1)
	case q.Text != "" && !q.Newest:
		return tx.QueryContext(ctx, columnsFrom+"search s CROSS JOIN events e ON e.seq = s.rowid WHERE s.search MATCH ? ORDER BY s.rank LIMIT ?", match, q.Limit+1)
	}
	return tx.QueryContext(ctx, columnsFrom+"search s CROSS JOIN events e ON e.seq = s.rowid WHERE s.search MATCH ? AND s.rowid < ? ORDER BY s.rowid DESC LIMIT ?", match, before, q.Limit+1)
}

// page reads up to limit messages; the query was for one more.
func page(found *sql.Rows, limit int) (rows []Row, more bool, err error) {
	total := 0
	for found.Next() {
		if len(rows) == limit || total > maxPage {
			return rows, true, nil
		}
		e, size, err := scanEvent(found)
		if err != nil {
			return nil, false, err
		}
		posted, ok := e.Body.(router.Posted)
		if !ok {
			return nil, false, fmt.Errorf("event %d is %s and not a message: %w", e.Seq, e.Type(), ErrDamaged)
		}
		total += size
		rows = append(rows, Row{Seq: e.Seq, Message: posted.Message})
	}
	return rows, false, found.Err()
}
