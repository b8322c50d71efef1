package approvals

import (
	"fmt"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
)

// chrome is the rows of a card that are not its body.
const chrome = 3

// Want returns how many rows the card would like, at most limit; 0 when there is
// none.
func (m *Model) Want(c draw.Context, k Keys, w, limit int) int {
	card, ok := m.Current()
	if !ok {
		return 0
	}
	chrome := chrome + k.extra()
	rows := len(m.body(c, card, w-4))
	if n := len(card.Choices()); n > 0 {
		return min(rows+min(n, maxRows+1)+chrome, limit)
	}
	if card.Perm == nil || card.Perm.InPane {
		return min(chrome+min(rows, 2), limit)
	}
	return min(max(rows, 1)+chrome, limit)
}

// Keys are what the card's last rows say of keys, given by the screen.
type Keys struct {
	Help  []string // the keys, styled; rows enough for all of them
	Quiet []string // what is said instead while the card is not armed
}

// extra is how many rows the keys take beyond the one that every card has.
func (k Keys) extra() int { return max(len(k.Help)-1, 0) }

// Lines draws the card in h rows of w columns.
func (m *Model) Lines(c draw.Context, k Keys, w, h int) []string {
	card, ok := m.Current()
	if !ok || h < chrome {
		return draw.Fit(nil, w, h)
	}
	box := draw.Box{Box: c.Thin, Look: c.Card, Left: m.title(c, card)}
	if n := len(m.cards); n > 1 {
		box.Right = c.Bold.On(fmt.Sprintf("%d of %d", m.index()+1, n)) + c.Dim.On(" "+c.Dot+" shift+tab")
	}
	choices := m.choices(c, card, w-4, h)
	body := m.body(c, card, w-4)
	foot := m.keys(c, k, card)
	rows, own := m.room(len(body), foot, w-4, h-2-len(choices))
	top := min(m.top, max(len(body)-rows, 0))
	shown := make([]string, 0, rows+1)
	for i := top; i < len(body) && len(shown) < rows; i++ {
		shown = append(shown, body[i])
	}
	if len(shown) > 0 {
		shown[0] = m.withDir(c, card, shown[0], w-4)
	}
	for len(shown) < rows {
		shown = append(shown, "")
	}
	below := len(body) - top - rows
	shown = append(shown, choices...)
	more := more(c, top, below)
	if own {
		shown = append(shown, cells.PadLeft(more, w-4))
		more = ""
	}
	last := len(foot) - 1
	shown = append(shown, foot[:last]...)
	shown = append(shown, cells.Sides(foot[last], more, w-4))
	return box.Draw(shown, w, h, true)
}

// moreRoom is the width of the longest word about what is not on screen.
const moreRoom = len(" 9999 more lines space")

// room is how many of h rows are the body's. When the body does not fit and the
// keys leave no room beside them, the word about the rest has a row of its own:
// no key is dropped for it.
func (m *Model) room(body int, foot []string, w, h int) (rows int, own bool) {
	rows = h - len(foot)
	if body > rows && rows > 1 && cells.Width(foot[len(foot)-1])+moreRoom > w {
		return rows - 1, true
	}
	return rows, false
}

// title says who asks for what, since when and for which work.
func (m *Model) title(c draw.Context, card Card) string {
	age := c.Card.On(" "+c.Thin.Top+" ") + c.Bold.On(c.Clock(card.Since))
	if card.Perm == nil {
		if card.Group() {
			return c.Bold.On(fmt.Sprintf("%d sessions", len(card.Peers))) + " ask: " + card.Wish() + age
		}
		return c.Bold.On(c.Names(card.Peers, 30)) + " asks: " + card.Wish() + age
	}
	p := card.Perm
	asks := Asks(p.Tool)
	if p.InPane {
		asks = "asks in its pane: " + strings.TrimPrefix(asks, "asks ")
	}
	out := c.Bold.On(c.Name(p.Peer)) + " " + asks + age
	if len(p.Threads) > 0 {
		out += c.Card.On(" "+c.Thin.Top+" ") + "for " + c.Thread.On(cells.Line(string(p.Threads[0])))
		for _, t := range c.View.Threads {
			if t.ID == p.Threads[0] {
				out += ", asked by " + c.Name(t.From)
			}
		}
	}
	return out
}

// withDir puts the folder at the end of the first row, where there is room.
func (m *Model) withDir(c draw.Context, card Card, row string, w int) string {
	if card.Perm == nil || card.Perm.Dir == "" || card.Perm.Tool != "Bash" || m.top > 0 {
		return row
	}
	dir := c.Dim.On("in " + c.Path(card.Perm.Dir))
	if cells.Width(row)+cells.Width(dir)+2 > w {
		return row
	}
	return cells.Sides(row, dir, w)
}

// more says what is not on screen.
func more(c draw.Context, top, below int) string {
	switch {
	case below > 0:
		return c.Styles.Asks.On(fmt.Sprintf("%d more %s", below, plural(below, "line"))) + " " + c.Key.On("space")
	case top > 0:
		return c.Dim.On("the end") + " " + c.Key.On("backspace")
	}
	return ""
}

// keys are the rows about keys, always as many: a card does not change its size
// when it is armed or answered.
func (m *Model) keys(c draw.Context, k Keys, card Card) []string {
	out := k.Help
	if card.Perm != nil && card.Perm.Answered != nil {
		out = []string{m.answered(c, card)}
	} else if !m.Armed(c.Now) && len(k.Quiet) > 0 {
		out = k.Quiet
	}
	for len(out) < max(len(k.Help), 1) {
		out = append(out[:len(out):len(out)], "")
	}
	return out
}

// Confirmed is how long the effect of an answer may take to be seen.
const Confirmed = 5 * time.Second

// answered says which answer is on its way, and when it is not confirmed.
func (m *Model) answered(c draw.Context, card Card) string {
	a := card.Perm.Answered
	word, look := "denied", c.Bad
	if a.Behavior == wire.Allow {
		word, look = "allowed", c.Good
	}
	text := look.On(word)
	switch {
	case a.By.Rule != "":
		text += " by rule " + cells.Line(a.By.Rule)
	case a.By.Peer != "":
		text += " by " + c.Name(a.By.Peer)
	default:
		text += " by you"
	}
	since, ok := m.given[card.ID]
	if age := c.Clock(since); ok && c.Now.Sub(since) >= Confirmed {
		return text + "; " + c.Styles.Asks.On("not confirmed by the session for "+age) + "  " + c.Key.On("enter") + " answers in its pane"
	}
	return text + c.Dim.On("; on its way to the session")
}

// Page scrolls the body by pages of a card of w by h.
func (m *Model) Page(c draw.Context, k Keys, n, w, h int) {
	card, ok := m.Current()
	if !ok {
		return
	}
	body := len(m.body(c, card, w-4))
	rows, _ := m.room(body, m.keys(c, k, card), w-4, h-2-len(m.choices(c, card, w-4, h)))
	rows = max(rows, 1)
	m.top = min(max(m.top+n*rows, 0), max(body-rows, 0))
}
