package journal

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ccmux/ccmux/supervisor/router"
)

// applicationID stands in the database's header ("ccmx").
const applicationID = 0x63636d78

// migrations bring a database from version i to i+1; PRAGMA user_version counts
// them. One that was published never changes.
//
// events.at is UTC with nine digits of a second, so that it sorts, and is exact
// and readable. What a message says stands once, in its Posted event; search is
// contentless, because it is given the text as segment cuts it.
//
// Version 2 takes the copies of messages out of docs, and the second tree under it.
var migrations = []string{`
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
CREATE TABLE written (type TEXT, v INTEGER, build TEXT NOT NULL, PRIMARY KEY (type, v)) WITHOUT ROWID, STRICT;

CREATE TABLE events (
	seq     INTEGER PRIMARY KEY,
	at      TEXT NOT NULL,
	type    TEXT NOT NULL,
	v       INTEGER NOT NULL,
	peer    TEXT NOT NULL,
	thread  TEXT NOT NULL,
	message TEXT NOT NULL,
	body    TEXT NOT NULL
) STRICT;
CREATE INDEX events_names ON events (peer, seq) WHERE type IN ('PeerJoined', 'PeerRenamed');

CREATE TABLE posts (
	seq    INTEGER PRIMARY KEY,
	id     TEXT NOT NULL UNIQUE,
	thread TEXT NOT NULL,
	parent TEXT NOT NULL
) STRICT;
CREATE INDEX posts_thread ON posts (thread, seq);

CREATE VIRTUAL TABLE search USING fts5 (
	body, about,
	content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE terms USING fts5vocab ('search', 'instance');
INSERT INTO search (search, rank) VALUES ('automerge', 8);

CREATE TABLE docs (
	kind TEXT NOT NULL,
	id   TEXT NOT NULL,
	open INTEGER NOT NULL,
	json TEXT NOT NULL,
	PRIMARY KEY (kind, id)
) STRICT;
CREATE INDEX docs_open ON docs (open) WHERE open = 1;

CREATE VIEW names AS
	SELECT e.peer AS id, coalesce(json_extract(e.body, '$.new'), json_extract(e.body, '$.name')) AS name
	FROM events e
	WHERE e.type IN ('PeerJoined', 'PeerRenamed') AND e.seq = (
		SELECT max(l.seq) FROM events l
		WHERE l.type IN ('PeerJoined', 'PeerRenamed') AND l.peer = e.peer);
CREATE VIEW messages AS
	SELECT p.seq, p.id, e.at, p.thread, p.parent, e.peer AS sender, n.name AS sender_name,
		json_extract(e.body, '$.message.to') AS recipients,
		json_extract(e.body, '$.message.room') AS room,
		json_extract(e.body, '$.message.kind') AS kind,
		json_extract(e.body, '$.message.status') AS status,
		json_extract(e.body, '$.message.subject') AS subject,
		json_extract(e.body, '$.message.content') AS body,
		json_extract(e.body, '$.message.in_reply_to') AS in_reply_to
	FROM posts p JOIN events e ON e.seq = p.seq LEFT JOIN names n ON n.id = e.peer;
CREATE VIEW timeline AS
	SELECT e.seq, e.at, e.type, coalesce(n.name, e.peer) AS peer, coalesce(p.thread, e.thread) AS thread,
		e.message, e.body
	FROM events e LEFT JOIN names n ON n.id = e.peer LEFT JOIN posts p ON p.id = e.message AND e.message <> '';
`, `
CREATE TABLE kept (
	kind TEXT NOT NULL,
	id   TEXT NOT NULL,
	open INTEGER NOT NULL,
	json TEXT NOT NULL,
	PRIMARY KEY (kind, id)
) WITHOUT ROWID, STRICT;
INSERT INTO kept SELECT kind, id, open, json FROM docs WHERE kind <> 'message' ORDER BY kind, id;
DROP TABLE docs;
ALTER TABLE kept RENAME TO docs;
CREATE INDEX docs_open ON docs (open) WHERE open = 1;
`}

// migrate brings the database up to date, and refuses one of a later program.
func migrate(ctx context.Context, c *sql.Conn, build string) error {
	var have int
	if err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have > len(migrations) {
		return fmt.Errorf("%w: its tables have version %d and this program knows %d: use %s", router.ErrNewer, have, len(migrations), newerBuild(ctx, c))
	}
	if have == len(migrations) {
		return nil
	}
	return transact(ctx, c, func() error {
		for _, m := range migrations[have:] {
			if _, err := c.ExecContext(ctx, m); err != nil {
				return err
			}
		}
		_, err := c.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(migrations)))
		if err == nil {
			err = setMeta(ctx, c, "build", build)
		}
		return err
	})
}

// newerBuild names the program that last changed the tables.
func newerBuild(ctx context.Context, c *sql.Conn) string {
	var build string
	if err := c.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'build'").Scan(&build); err != nil {
		return orLater("") // a later program may have renamed the table
	}
	return orLater(build)
}

func orLater(build string) string {
	if build == "" {
		return "a later ccmux"
	}
	return "ccmux " + build + " or later"
}

func setMeta(ctx context.Context, c *sql.Conn, key, value string) error {
	_, err := c.ExecContext(ctx, "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value)
	return err
}

// transact runs fn inside a transaction of c. SQLite ends the transaction by
// itself after some errors; then there is nothing to roll back.
func transact(ctx context.Context, c *sql.Conn, fn func() error) error {
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := fn()
	if err == nil {
		_, err = c.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		_, _ = c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	}
	return err
}
