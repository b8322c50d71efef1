package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/ccmux/ccmux/supervisor/router"
)

// Names in the folder. SQLite adds journal.db-wal and journal.db-shm.
const (
	markerFile = "ccmux-journal"
	lockFile   = "lock"
	dbFile     = "journal.db"
)

// format is the version of the folder's layout, as the marker has it. The
// tables have a version of their own, see schema.go.
const format = 1

const (
	markerHead  = "ccmux journal, format "
	markerReady = "ready"
)

// marker is what the marker file says. A folder is ready when its database was
// made completely; from then on a database that is missing was lost.
type marker struct {
	format int // 0: the file is empty, its maker did not get any further
	ready  bool
}

// Claim makes dir a folder of ccmux, or finds that it is one: only an empty
// folder, or none, can become one. A caller that keeps files of its own in dir
// claims it first. Open does it too.
func Claim(dir string) error {
	if err := ownFolder(dir); err != nil {
		return err
	}
	m, err := readMarker(dir)
	switch {
	case err == nil && m.format > format:
		return fmt.Errorf("%w: the journal in %s has format %d and this program knows %d: use the ccmux that wrote it, or a later one", router.ErrNewer, dir, m.format, format)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("claim the journal's folder: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%w: the folder %s holds other files (%s) and no file %s: nothing was changed: name an empty folder", ErrForeign, dir, entries[0].Name(), markerFile)
	}
	f, err := os.OpenFile(filepath.Join(dir, markerFile), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("claim the journal's folder: %w", err)
	}
	return f.Close()
}

// ownFolder makes dir when there is none, and sees to it that only we can read it.
func ownFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the journal's folder: %w", err)
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the journal's folder: %w", err)
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case !st.IsDir():
		return fmt.Errorf("%w: %s is not a folder: nothing was changed: name a folder", ErrForeign, dir)
	case !ok || int(sys.Uid) != os.Geteuid():
		return fmt.Errorf("%w: the folder %s belongs to another user: nothing was changed: name one of your own", ErrForeign, dir)
	case st.Mode().Perm()&0o077 == 0:
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look at the journal's folder: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%w: others may look into the folder %s (mode %#o): nothing was changed: chmod 700 it", ErrForeign, dir, st.Mode().Perm())
	}
	return os.Chmod(dir, 0o700)
}

func readMarker(dir string) (marker, error) {
	b, err := os.ReadFile(filepath.Join(dir, markerFile))
	if err != nil {
		return marker{}, fmt.Errorf("read the journal's marker: %w", err)
	}
	if len(b) == 0 {
		return marker{}, nil
	}
	lines := strings.Split(string(b), "\n")
	n, err := strconv.Atoi(strings.TrimPrefix(lines[0], markerHead))
	if err != nil || n < 1 || !strings.HasPrefix(lines[0], markerHead) {
		return marker{}, fmt.Errorf("%w: the file %s in %s is not ours: nothing was changed: move it away, or set XDG_STATE_HOME to another folder", ErrForeign, markerFile, dir)
	}
	return marker{format: n, ready: len(lines) > 1 && lines[1] == markerReady}, nil
}

// writeMarker says that the database is complete. It replaces the file at once,
// so that no reader sees half of it.
func writeMarker(dir string) error {
	name := filepath.Join(dir, markerFile)
	text := fmt.Sprintf("%s%d\n%s\nThe history of ccmux for one project. Read it with: sqlite3 %s\n", markerHead, format, markerReady, dbFile)
	f, err := os.OpenFile(name+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the journal's marker: %w", err)
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err == nil {
		err = syncDir(dir)
	}
	return wrap("write the journal's marker", err)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// lock makes this process the owner until the file is closed, which also
// happens when the process dies.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the journal: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		owner := make([]byte, 32)
		n, _ := f.ReadAt(owner, 0) // an owner that has not written yet stays unnamed
		return nil, errors.Join(inUse(dir, strings.TrimSpace(string(owner[:n]))), f.Close())
	}
	if err == nil {
		err = errors.Join(f.Truncate(0), writePID(f))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the journal: %w", err), f.Close())
	}
	return f, nil
}

// Remove deletes a journal's folder and all that is in it. It fails with ErrInUse,
// and deletes nothing, while a ccmux works with it.
func Remove(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, lockFile)); err == nil {
		f, err := lock(dir)
		if err != nil {
			return err
		}
		defer f.Close()
	}
	return wrap("remove the journal", os.RemoveAll(dir))
}

func writePID(f *os.File) error {
	_, err := f.WriteAt(strconv.AppendInt(nil, int64(os.Getpid()), 10), 0)
	return err
}

func inUse(dir, owner string) error {
	if owner == "" {
		owner = "unknown"
	}
	return fmt.Errorf("%w: %s is open in the ccmux with pid %s: attach to that one, or end it first", ErrInUse, dir, owner)
}
