package journal

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors a caller branches on. Each comes wrapped in a sentence that says what
// happened and what to do. A version that is too new is router.ErrNewer.
var (
	// ErrStorage says that nothing was saved: the disk is full, failing or
	// read-only, or a reader blocks it. The same commit may succeed later.
	ErrStorage = errors.New("nothing was saved")
	// ErrForeign refuses a folder or database that is not a journal of ccmux.
	ErrForeign = errors.New("not a journal of ccmux")
	// ErrDamaged refuses a journal that is torn or incomplete.
	ErrDamaged = errors.New("the journal is damaged")
	// ErrInUse refuses a second owner; the sentence names the first one's pid.
	ErrInUse = errors.New("the journal is in use")
	// ErrSequence refuses events that do not continue the timeline.
	ErrSequence = errors.New("events out of sequence")
	// ErrQuery refuses a search that cannot be made.
	ErrQuery = errors.New("cannot search")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the journal is closed")
)

// explain turns what SQLite says into what a person can act on.
func (j *Journal) explain(act string, err error) error {
	var se *sqlite.Error
	if err == nil || !errors.As(err, &se) {
		return wrap(act, err)
	}
	switch code := se.Code(); code & 0xff {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s: %w: no space is left for %s (%s free): free some space and try again: %w", act, ErrStorage, j.dir, freeSpace(j.dir), err)
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("%s: %w: the disk of %s does not work as it should (%s free): %w", act, ErrStorage, j.dir, freeSpace(j.dir), err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%s: %w: %s cannot be written to: %w", act, ErrStorage, j.dir, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%s: %w: another program keeps the journal locked%s: end its transaction: %w", act, ErrStorage, named(lockHolders(j.path(dbFile))), err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return j.damaged(fmt.Sprintf("%s: %v", act, err))
	}
	return wrap(act, err)
}

func (j *Journal) damaged(what string) error {
	return fmt.Errorf("%w: %s: nothing was changed: move the folder %s away and put a backup in its place, or start without it", ErrDamaged, what, j.dir)
}

func wrap(act string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", act, err)
}
