package approvals

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
)

// chrome is the rows of a card that are neither its body nor its keys.
const chrome = 2

// bodyLeast is how many rows of what is asked a card shows however little room
// there is, if it has that many.
const bodyLeast = 2

// Want returns how many rows the card would like, at most limit, and those without
// which it is of no use: its keys, and some of what they would answer. Both are 0
// when there is no card.
func (m *Model) Want(c draw.Context, k Keys, w, limit int) (rows, least int) {
	card, ok := m.Current()
	if !ok {
		return 0, 0
	}
	body, _ := m.body(c, card, w-4)
	rows = max(len(body), 1)
	if n := len(card.Choices()); n > 0 {
		rows += min(n, maxRows+1)
	} else if card.Perm == nil || card.Perm.InPane {
		rows = min(len(body), bodyLeast)
	}
	around := chrome + k.Rows()
	return min(rows+around, limit), min(len(body), bodyLeast) + around
}

// Keys are what the card's last rows say of keys, given by the screen.
type Keys struct {
	Help  []string // the keys, styled; rows enough for all of them
	Quiet []string // what is said instead while the card is not armed
}

// Rows is how many rows the keys take.
func (k Keys) Rows() int { return max(len(k.Help), 1) }

// parts are the rows of a card of a certain size, between its lines.
type parts struct {
	body    []string // all of it
	need    int      // rows of body that have to be seen before a yes
	top     int      // the first row of body on screen
	rows    int      // how many are on screen
	choices []string
	foot    []string
}

// parts divides the card in h rows of w columns.
func (m *Model) parts(c draw.Context, k Keys, card Card, w, h int) parts {
	p := parts{choices: m.choices(c, card, w-4, h, k.Rows()), foot: m.keys(c, k, card)}
	p.body, p.need = m.body(c, card, w-4)
	p.rows = max(h-chrome-len(p.choices)-len(p.foot), 0)
	p.top = min(m.top, max(len(p.body)-p.rows, 0))
	return p
}

// Lines draws the card in h rows of w columns.
func (m *Model) Lines(c draw.Context, k Keys, w, h int) []string {
	card, ok := m.Current()
	if !ok || h < chrome {
		return draw.Fit(nil, w, h)
	}
	p := m.parts(c, k, card, w, h)
	box := draw.Box{Box: c.Thin, Look: c.Card, Left: m.title(c, card), Foot: more(c, p.top, len(p.body)-p.top-p.rows)}
	if n := len(m.cards); n > 1 {
		box.Right = c.Bold.On(fmt.Sprintf("%d of %d", m.index()+1, n)) + c.Dim.On(" "+c.Dot+" shift+tab")
	}
	shown := slices.Clone(p.body[p.top:min(p.top+p.rows, len(p.body))])
	for len(shown) < p.rows {
		shown = append(shown, "")
	}
	return box.Draw(slices.Concat(shown, p.choices, p.foot), w, h, true)
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
	who := c.Bold.On(c.Name(p.Peer))
	if p.Agent != "" {
		who += "'s " + cells.Line(p.Agent) + " agent"
	}
	out := who + " " + asks + age
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
	for len(out) < k.Rows() {
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
