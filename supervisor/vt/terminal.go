package vt

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Config says how a Terminal meets its surroundings. Every field may be zero.
// See the package doc for the goroutines the callbacks run on.
type Config struct {
	// Scrollback is how many rows are kept above the screen; 0 keeps none.
	Scrollback int
	// ScrollbackBytes bounds the packed scrollback; 0 means 32 MiB.
	ScrollbackBytes int

	// Reply gets the answers to the program's queries, to be written to its pty.
	// It may block: it has a goroutine of its own behind a queue of 64 KiB, and
	// what does not fit is dropped whole.
	Reply func(p []byte)

	Title      func(title string)                  // OSC 0 and 2
	Bell       func()                              // BEL, at most once a Write
	Notify     func(title, body string)            // OSC 9 and 777
	WorkingDir func(url string)                    // OSC 7
	Progress   func(state, percent int)            // OSC 9;4
	Mark       func(kind byte, params string)      // OSC 133
	Other      func(code int, data string)         // OSC codes this package gives no meaning
	Clipboard  func(selection string, data []byte) // OSC 52; nil refuses
	// ReadClipboard answers OSC 52 queries; nil leaves them unanswered, since a
	// program that can read the clipboard can read passwords.
	ReadClipboard func(selection string) []byte

	// Now is the clock for synchronized updates; nil means time.Now.
	Now func() time.Time
	// SyncTimeout ends a synchronized update that is not ended; 0 means 150 ms.
	SyncTimeout time.Duration

	// Version answers XTVERSION; empty means "vt(1)".
	Version string
	// The colours answer OSC 10, 11 and 12 and decide dark or light (CSI ? 996 n).
	Foreground, Background, CursorColor Color
	// CellWidth and CellHeight are pixels a cell, for reports; 0 means 8×16.
	CellWidth, CellHeight int
}

// A Terminal is a screen with its parser. Make one with New.
type Terminal struct {
	cfg Config

	mu      sync.Mutex
	waiting atomic.Int32 // readers who want mu

	cols int
	nrow int
	main screen
	alt  screen
	scr  *screen // main or alt
	hist history
	// left and right are the margins, right exclusive; the whole width unless a
	// program set them (DECSLRM).
	left, right int

	cur   cursor
	pen   style
	penID uint32
	penOK bool // penID numbers pen
	bgID  uint32
	prot  bool // DECSCA

	// The open cluster: the text last printed, if nothing came in between.
	open      bool
	prevRune  rune
	prevClass class
	prevJoins bool // a joining mark is in it
	stuck     bool // it stands in the last column, under the cursor: no autowrap
	last      cell // what REP repeats

	modes  modes
	tabs   []bool
	sets   charsets
	kitty  [2]kittyStack // main, alternate
	modKey int           // modifyOtherKeys

	in   interner
	par  params
	str  stringState
	part [4]byte // an unfinished rune
	npar int
	st   state
	work int // see maxWork

	title    string
	titles   []string
	stamps   uint64
	out      []event
	spareOut []event // the writer's, to use again
	shape    CursorShape
	colors   *colorTable // what the program set; nil if nothing
	reflows  uint64      // resizes that wrapped anew
	resizes  uint64
	scratch  []byte

	gen     atomic.Uint64 // bumped when there is something new to see
	syncing atomic.Int64  // unix ns of the deadline while a synchronized update runs
	replies replyQueue
}

const (
	minSize = 1
	maxSize = 4096 // columns or rows; more is clamped
	// maxScrollback is more rows than any memory holds.
	maxScrollback = 1 << 30
	// writeSlice is how much is parsed under one hold of the lock, so that a
	// reader waits well under a millisecond.
	writeSlice = 16 << 10
	// maxWork is the same for sequences that cost more than their bytes: so many
	// cells may be erased, moved or repeated under one hold.
	maxWork = 256 << 10
)

// New returns a terminal of the given size. Sizes are clamped to 1–4096.
func New(cols, rows int, c Config) *Terminal {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.SyncTimeout <= 0 {
		c.SyncTimeout = 150 * time.Millisecond
	}
	if c.ScrollbackBytes <= 0 {
		c.ScrollbackBytes = 32 << 20
	}
	if c.Version == "" {
		c.Version = "vt(1)"
	}
	if c.CellWidth <= 0 || c.CellHeight <= 0 {
		c.CellWidth, c.CellHeight = 8, 16
	}
	t := &Terminal{cfg: c, cols: clampSize(cols), nrow: clampSize(rows)}
	t.replies.deliver = c.Reply
	t.in.init()
	t.hist.limit, t.hist.maxBytes = min(max(0, c.Scrollback), maxScrollback), c.ScrollbackBytes
	t.main.init(t.cols, t.nrow)
	t.alt.init(t.cols, t.nrow)
	t.scr = &t.main
	t.reset()
	return t
}

func clampSize(n int) int { return min(max(n, minSize), maxSize) }

// Write applies p to the screen. It always returns len(p), nil. It must not be
// called by two goroutines at once.
func (t *Terminal) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		k, out := t.apply(p[:min(len(p), writeSlice)])
		if len(out) > 0 {
			t.dispatch(out)
			clear(out)
		}
		t.spareOut = out[:0]
		if t.waiting.Load() > 0 {
			runtime.Gosched() // else the lock would be taken again before they wake
		}
		p = p[k:]
	}
	return n, nil
}

// apply parses p, or the beginning of it, and returns the callbacks to make.
// Should it panic, readers are not locked out.
func (t *Terminal) apply(p []byte) (n int, out []event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n = t.feed(p)
	t.settle()
	out = t.out
	t.out = t.spareOut
	return n, out
}

// lock is taken by everyone but the writer, who steps aside for them.
func (t *Terminal) lock() {
	t.waiting.Add(1)
	t.mu.Lock()
	t.waiting.Add(-1)
}

// settle ends a stretch of parsing: readers may see the screen now.
func (t *Terminal) settle() {
	if t.in.full() {
		t.collect()
	}
	if t.syncing.Load() == 0 {
		t.gen.Add(1)
	}
}

// Generation changes when there is something new to draw. It is one atomic
// load, and stands still during a synchronized update until its time-out.
func (t *Terminal) Generation() uint64 {
	if d := t.syncing.Load(); d != 0 && t.cfg.Now().UnixNano() >= d {
		t.lock()
		t.endSync()
		t.mu.Unlock()
	}
	return t.gen.Load()
}

// SyncDeadline tells when a running synchronized update times out: a caller that
// draws on demand should look at Generation again then.
func (t *Terminal) SyncDeadline() (deadline time.Time, running bool) {
	d := t.syncing.Load()
	return time.Unix(0, d), d != 0
}

func (t *Terminal) beginSync() {
	if t.syncing.Load() == 0 {
		t.syncing.Store(t.cfg.Now().Add(t.cfg.SyncTimeout).UnixNano())
	}
}

func (t *Terminal) endSync() {
	if t.syncing.Swap(0) != 0 {
		t.gen.Add(1)
	}
}

// Size returns the size in columns and rows.
func (t *Terminal) Size() (cols, rows int) {
	t.lock()
	defer t.mu.Unlock()
	return t.cols, t.nrow
}

// Title returns the window title the program set, cleaned of control characters.
func (t *Terminal) Title() string {
	t.lock()
	defer t.mu.Unlock()
	return t.title
}

// Close stops the delivery of replies; what is queued is dropped. The screen
// stays readable. It does not wait for a Reply that is running: use Flush.
func (t *Terminal) Close() { t.replies.close() }

// Flush waits until every reply queued so far was handed to Config.Reply.
func (t *Terminal) Flush() { t.replies.flush() }
