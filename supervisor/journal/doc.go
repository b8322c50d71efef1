// Package journal makes the events of ccmux durable and searchable. It is one
// SQLite database in a folder of its own:
//
//	Commit(events, docs) ──► one transaction ──► fsync ──► nil
//	                           events   the timeline, one row an event
//	                           posts    which event posted which message
//	                           docs     the open state but for what messages say,
//	                                    which stands in their events alone
//	                        search follows a moment later; History waits for it
//
// It guarantees that what Commit acknowledged survives the death of the process
// and of the machine, that a Commit which failed left nothing behind, and that
// at most one process has a journal open. A folder, a database or a row that is
// not ours, is damaged, or is of a later version is refused with a sentence that
// says what to do, and is not changed. Order is by sequence number, so a clock
// that is set back disturbs nothing.
//
// It does not know a rule: it neither checks what an event means nor derives
// state from events. It takes from an event's body only the columns that people
// and searches need.
//
// The supervisor opens it and is the only one to call Commit; LoadOpen, LoadState,
// LoadDocs, Events, Replay, History, Size, Check and Prune may be called from any
// goroutine at any time and see all that was committed. Without the supervisor, a
// Reader reads. Any program may read the tables and the views messages, timeline
// and names with the sqlite3 shell while ccmux runs; one that keeps a read
// transaction open for long is named through Options.Warn, and commits are
// refused rather than letting the write-ahead log grow for ever.
//
// Tests kill a committing process at random, fill a disk, tear files, and search
// with arbitrary text; the benchmarks put every figure next to a bare fsynced
// append of the same run.
package journal
