package fake

import (
	"errors"
	"sync"

	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui"
)

// Pane is a tui.Pane.
type Pane struct {
	term *vt.Terminal

	mu      sync.Mutex
	changed map[int]func()
	next    int
	typed   []byte
	shown   map[tui.ScreenID][2]int
	full    bool

	// OnType gets what is typed; OnSize the size after it changed.
	OnType func(p []byte)
	OnSize func(cols, rows int)
}

// Terminal implements tui.Pane.
func (p *Pane) Terminal() *vt.Terminal {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.term
}

// Feed is output of the child. It must not be called by two goroutines at once.
func (p *Pane) Feed(s string) {
	_, _ = p.Terminal().Write([]byte(s))
	p.mu.Lock()
	var fs []func()
	for _, f := range p.changed {
		fs = append(fs, f)
	}
	p.mu.Unlock()
	for _, f := range fs {
		f()
	}
}

// Typed is what was typed so far.
func (p *Pane) Typed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.typed)
}

// Full makes Type fail.
func (p *Pane) Full() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.full = true
}

// Type implements tui.Pane.
func (p *Pane) Type(b []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.full {
		return errors.New("the session does not read what is typed: its queue is full")
	}
	p.typed = append(p.typed, b...)
	if p.OnType != nil {
		p.OnType(append([]byte(nil), b...))
	}
	return nil
}

// Surface implements tui.Pane.
func (p *Pane) Surface(fg, bg vt.Color) { p.Terminal().SetColors(fg, bg, vt.Default) }

// Restart brings another terminal, as a restart of the session does.
func (p *Pane) Restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	cols, rows := p.term.Size()
	p.term = vt.New(cols, rows, vt.Config{Scrollback: 1000})
}

// Show implements tui.Pane.
func (p *Pane) Show(screen tui.ScreenID, cols, rows int) {
	p.mu.Lock()
	p.shown[screen] = [2]int{cols, rows}
	p.mu.Unlock()
	p.fit()
}

// Hide implements tui.Pane.
func (p *Pane) Hide(screen tui.ScreenID) {
	p.mu.Lock()
	delete(p.shown, screen)
	p.mu.Unlock()
	p.fit()
}

// Shown counts the screens that show the pane.
func (p *Pane) Shown() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.shown)
}

func (p *Pane) fit() {
	p.mu.Lock()
	cols, rows := 0, 0
	for _, s := range p.shown {
		if cols == 0 || s[0] < cols {
			cols = s[0]
		}
		if rows == 0 || s[1] < rows {
			rows = s[1]
		}
	}
	f := p.OnSize
	p.mu.Unlock()
	if cols == 0 {
		return
	}
	p.Terminal().Resize(cols, rows)
	if f != nil {
		f(cols, rows)
	}
}

// Changed implements tui.Pane.
func (p *Pane) Changed(f func()) func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.next
	p.next++
	p.changed[n] = f
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.changed, n)
	}
}
