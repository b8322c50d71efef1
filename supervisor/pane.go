package supervisor

import (
	"sync"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
	"github.com/ccmux/ccmux/supervisor/vt"
)

const (
	minCols, minRows = 40, 10 // a pane is never made smaller
	// settleTime is how long a new size must stand before the child is told.
	settleTime = 100 * time.Millisecond
)

// Pane is the terminal of one peer, over all its children: what the last one
// left on the screen stays until the next one runs.
type Pane struct {
	entry *entry

	mu    sync.Mutex
	sess  *session.Session
	shown map[uint64]paneSize
	cols  int
	rows  int
	timer *time.Timer

	watchers watchers // of its output
}

type paneSize struct{ cols, rows int }

func newPane(e *entry) *Pane {
	return &Pane{entry: e, shown: map[uint64]paneSize{}, cols: 80, rows: 24}
}

// Pane returns a peer's terminal, nil when nothing has run there yet.
func (s *Supervisor) Pane(peer router.PeerID) *Pane {
	e := s.sessions.entry(peer)
	if e == nil || e.slot.Session() == nil {
		return nil
	}
	return e.pane
}

// Terminal is the emulator that holds the pane's screen now; a restart of the
// session brings another.
func (p *Pane) Terminal() *vt.Terminal {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sess == nil {
		return nil
	}
	return p.sess.Screen()
}

// Type queues keys for the child, all of b or nothing; it never waits.
func (p *Pane) Type(b []byte) error {
	p.mu.Lock()
	s := p.sess
	p.mu.Unlock()
	if s == nil {
		return session.ErrEnded
	}
	return s.Write(b)
}

// Surface tells the child the colours it is shown on. They stay for all that
// starts later, also in other panes: what runs in them asks as it begins, often
// before a screen shows it.
func (p *Pane) Surface(fg, bg vt.Color) {
	p.entry.s.screens.surface.Store(&surface{fg, bg})
	if t := p.Terminal(); t != nil {
		t.SetColors(fg, bg, vt.Default)
	}
}

// surface is the colours of a terminal's text and background.
type surface struct{ fg, bg vt.Color }

// Show says that a screen shows the pane in this size. The pane gets the
// smallest size of all that show it, a moment after the last change.
func (p *Pane) Show(screen uint64, cols, rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown[screen] = paneSize{cols, rows}
	p.settle()
}

// Hide says that a screen no longer shows the pane.
func (p *Pane) Hide(screen uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.shown, screen)
	p.settle()
}

// Changed has f called after output was applied, from the pty's goroutine; f
// must return at once.
func (p *Pane) Changed(f func()) (cancel func()) { return p.watchers.add(f) }

// output tells whoever watches; it runs on the pty's goroutine.
func (p *Pane) output() { p.watchers.tell() }

func (p *Pane) size() (cols, rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cols, p.rows
}

func (p *Pane) use(s *session.Session) {
	p.mu.Lock()
	p.sess = s
	p.settle()
	p.mu.Unlock()
	p.output()
}

// settle computes the size and tells the child a little later; the caller holds
// the lock. A pane nobody shows keeps its size.
func (p *Pane) settle() {
	if len(p.shown) == 0 {
		return
	}
	cols, rows := 1<<15, 1<<15
	for _, s := range p.shown {
		cols, rows = min(cols, s.cols), min(rows, s.rows)
	}
	p.cols, p.rows = max(cols, minCols), max(rows, minRows)
	if p.timer == nil {
		p.timer = time.AfterFunc(settleTime, p.resize)
		return
	}
	p.timer.Reset(settleTime)
}

func (p *Pane) resize() {
	p.mu.Lock()
	s, cols, rows := p.sess, p.cols, p.rows
	p.mu.Unlock()
	if s == nil {
		return
	}
	if c, r := s.Screen().Size(); c == cols && r == rows {
		return
	}
	if err := s.Resize(cols, rows); err != nil {
		p.entry.s.log.Debug("resize a pane", "session", p.entry.label(), "err", err)
	}
}
