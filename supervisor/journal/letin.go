package journal

import (
	"context"
	"database/sql"

	"github.com/ccmux/ccmux/supervisor/router"
)

const (
	// letInMost is how many messages LetIn returns: those a session can have in
	// hand, and had not written down when it died, are fewer.
	letInMost = 512
	// letInBack is how far LetIn looks back on the timeline.
	letInBack = 100_000
)

// LetIn returns the messages that the gate let into a peer's conversation since
// its session was started last, newest first: as far as a session that died just
// now can have lost them. Older ones it has written down for certain.
func (j *Journal) LetIn(ctx context.Context, peer router.PeerID) ([]router.MessageID, error) {
	var ids []router.MessageID
	err := j.read(ctx, "read what was let in", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			WITH near AS (SELECT seq, type, message, body FROM events
				WHERE seq > (SELECT coalesce(max(seq), 0) FROM events) - ? AND peer = ? AND type IN ('Seen', 'SessionStarted'))
			SELECT message FROM near
			WHERE type = 'Seen' AND json_extract(body, '$.proof') = 'gate'
				AND seq > (SELECT coalesce(max(seq), 0) FROM near WHERE type = 'SessionStarted')
			ORDER BY seq DESC LIMIT ?`, letInBack, string(peer), letInMost)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id router.MessageID
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return rows.Err()
	})
	return ids, err
}
