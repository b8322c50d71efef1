package approvals

import (
	"slices"
	"time"

	"github.com/ccmux/ccmux/tui/draw"
)

// seen is which rows of the card on show were on screen. It begins anew when what
// they say changes, or how it is broken into rows.
type seen struct {
	rows []string
	was  []bool
}

// placed is what of the body is on screen.
type placed struct{ top, rows, body int }

// Page scrolls the body by pages of what is on screen.
func (m *Model) Page(n int) {
	p := m.placed
	m.top = min(max(p.top+n*max(p.rows, 1), 0), max(p.body-p.rows, 0))
}

// Placed takes note that the card is drawn in h rows of w columns; in none when
// something else has its place. A card that comes back has to stand still again.
func (m *Model) Placed(c draw.Context, k Keys, w, h int, now time.Time) {
	card, ok := m.Current()
	if !ok {
		return
	}
	if h < chrome {
		m.away = true
		return
	}
	if m.away {
		m.away, m.armed = false, now.Add(Still)
	}
	p := m.parts(c, k, card, w, h)
	m.placed = placed{top: p.top, rows: p.rows, body: len(p.body)}
	if need := p.body[:p.need]; !slices.Equal(need, m.seen.rows) {
		m.seen = seen{rows: slices.Clone(need), was: make([]bool, p.need)}
	}
	for i := p.top; i < min(p.top+p.rows, p.need); i++ {
		m.seen.was[i] = true
	}
}

// Unseen is how many rows of what is asked were not on screen yet. While there
// are any, nothing may be allowed.
func (m *Model) Unseen() int {
	n := 0
	for _, was := range m.seen.was {
		n += btoi(!was)
	}
	return n
}
