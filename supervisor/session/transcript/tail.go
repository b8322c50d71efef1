package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/ccmux/ccmux/supervisor/session/beat"
)

const (
	// MaxLine is the longest line that is read; a body of 1 MiB fits in many
	// times over, a picture of the user's may not.
	MaxLine = 16 << 20
	// chunk is how much is read at a time.
	chunk = 256 << 10
	// pollEvery is how often the file is looked at when nothing is heard of it.
	pollEvery = 2 * time.Second
)

// Position is a place in a transcript, between two lines.
type Position struct {
	Offset int64
	file   os.FileInfo // to know the file again; nil for any
}

// Tailer reads a transcript as it grows. It is safe for concurrent use: each line
// is told of once, in order.
type Tailer struct {
	path string

	mu   sync.Mutex
	at   Position // behind the last whole line that was read
	read int64    // how far it was read, in the middle of the next
	part []byte   // the beginning of the next
	skip bool     // in the middle of a line over MaxLine
	buf  []byte
}

// NewTailer reads path from a position on; the zero Position is its beginning.
func NewTailer(path string, from Position) *Tailer {
	return &Tailer{path: path, at: from, read: from.Offset}
}

// Position returns where the next line begins.
func (t *Tailer) Position() Position {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at
}

// Poll reads what has been written since, and calls emit for each line in
// order. When it returns, every line that stood in the file when it was called
// was told of. A file that does not exist yet has nothing to read.
func (t *Tailer) Poll(ctx context.Context, emit func(Entry)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.nothingNew() {
		return nil
	}
	f, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("transcript: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return fmt.Errorf("transcript: %w", err)
	}
	t.rewind(fi, emit)
	if t.buf == nil {
		t.buf = make([]byte, chunk)
	}
	for ctx.Err() == nil {
		n, err := f.ReadAt(t.buf, t.read)
		t.feed(t.buf[:n], emit)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("transcript: %w", err)
		}
	}
	return ctx.Err()
}

// nothingNew looks at the file without opening it: most looks find what was
// there before.
func (t *Tailer) nothingNew() bool {
	fi, err := os.Stat(t.path)
	return err == nil && t.at.file != nil && os.SameFile(t.at.file, fi) && fi.Size() == t.read
}

// rewind goes back to the beginning of a file that is not the one of before.
func (t *Tailer) rewind(fi os.FileInfo, emit func(Entry)) {
	known := t.at.file
	t.at.file = fi
	if fi.Size() >= t.read && (known == nil || os.SameFile(known, fi)) {
		return
	}
	t.at.Offset, t.read, t.part, t.skip = 0, 0, nil, false
	emit(Entry{Kind: Rewound})
}

// feed cuts p, which stands at t.read, into lines.
func (t *Tailer) feed(p []byte, emit func(Entry)) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			t.read += int64(len(p))
			t.keep(p, emit)
			return
		}
		t.read += int64(end + 1)
		t.at.Offset = t.read
		if !t.skip {
			emitLine(append(t.part, p[:end]...), emit)
		}
		t.part, t.skip = t.part[:0], false
		p = p[end+1:]
	}
}

// keep remembers the beginning of a line.
func (t *Tailer) keep(p []byte, emit func(Entry)) {
	if t.skip {
		return
	}
	if t.part = append(t.part, p...); len(t.part) > MaxLine {
		t.part, t.skip = nil, true
		emit(Entry{Kind: Skipped})
	}
}

func emitLine(raw []byte, emit func(Entry)) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return
	}
	e, err := Parse(raw)
	if err != nil {
		e = Entry{Kind: Skipped}
	}
	emit(e)
}

// Follow polls, as the file grows, until ctx ends. The file and its folder need
// not exist yet. It returns an error only when the file cannot be read.
func (t *Tailer) Follow(ctx context.Context, emit func(Entry)) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		w = &fsnotify.Watcher{} // no notices: polling alone
	} else {
		defer w.Close() //nolint:errcheck // nothing to do about it
	}
	heard := err == nil
	watched := false
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if heard && !watched {
			watched = w.Add(filepath.Dir(t.path)) == nil
		}
		if err := t.Poll(ctx, emit); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		tick.Reset(beat.Until(time.Now(), pollEvery))
		if !await(ctx, w, t.path, tick.C) {
			return nil
		}
	}
}

// await returns when the file is to be read again, false at the end of ctx.
func await(ctx context.Context, w *fsnotify.Watcher, path string, tick <-chan time.Time) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick:
			return true
		case e := <-w.Events:
			if e.Name == path {
				return true
			}
		case err := <-w.Errors: // notices were lost: look
			return err != nil || ctx.Err() == nil
		}
	}
}
