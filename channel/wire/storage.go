package wire

import "time"

// Prune asks for old messages to be deleted: those of threads in which nothing
// was posted for so long, and nothing is open.
type Prune struct {
	OlderSeconds int64 `json:"older_seconds"`
}

// Pruned answers Prune.
type Pruned struct {
	Messages int `json:"messages"`
}

// Storage is how the journal is; it was read whole for that.
type Storage struct {
	Database      int64     `json:"database"` // bytes
	Free          int64     `json:"free"`     // bytes of it that hold nothing
	WAL           int64     `json:"wal"`      // bytes of the write-ahead log
	Messages      int64     `json:"messages"`
	Oldest        time.Time `json:"oldest,omitzero"`
	RetentionDays int       `json:"retention_days,omitempty"` // 0: for ever
	Damaged       string    `json:"damaged,omitempty"`        // what is wrong with the database
	Readers       []string  `json:"readers,omitempty"`        // other programs that keep reading it
}
