package approvals

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
)

// Dialog is a question that a session's pane shows, with rows to choose from. It
// is what a program drew, and as hostile as that.
type Dialog struct {
	Name  string   // what kind it is, such as "folder trust"
	Title string   // its first line
	Text  []string // what it says above the rows, the title first
	Rows  []string
	Seen  any // names it to the one who answers it
}

// maxRows is how many rows have a key: 1 to 9.
const maxRows = 9

// key is the same for dialogs that say and offer the same, however their panes
// break the lines. What several sessions are answered at once for is all on the
// card.
func (d Dialog) key() string {
	words := strings.Join(strings.Fields(strings.Join(d.Text, " ")), " ")
	return d.Name + "\x00" + words + "\x00" + strings.Join(d.Rows, "\x00")
}

// wishes say in words what a kind of dialog asks for.
var wishes = map[string]string{
	"folder trust":         "trust this folder",
	"API key":              "use the API key of the environment",
	"development channels": "load development channels",
	"MCP server":           "use an MCP server",
	"onboarding":           "set it up",
	"auto mode":            "approve what auto mode cannot check",
	"permission":           "approve a tool",
	"question":             "answer a question",
	"notice":               "read a notice",
}

// Wish says what the card's dialog asks for.
func (c Card) Wish() string {
	name := c.Text
	if len(c.Dialogs) > 0 {
		name = c.Dialogs[0].Name
	}
	if w := wishes[name]; w != "" {
		return w
	}
	return cells.Line(name)
}

// Choices are the rows of the card's dialog, the same for all that show it; none
// when it could not be read.
func (c Card) Choices() []string {
	if len(c.Dialogs) == 0 || len(c.Dialogs) != len(c.Peers) {
		return nil
	}
	return c.Dialogs[0].Rows
}

// Group says whether the card stands for several sessions.
func (c Card) Group() bool { return c.Perm == nil && len(c.Peers) > 1 }

// Shown is how many rows of the dialog a card of height h shows whose keys take
// some rows; the others have no key. A row of what the dialog says stays above
// them: nobody is to answer what is not on screen.
func (c Card) Shown(h, keys int) int {
	all, room := len(c.Choices()), h-chrome-keys-1
	n := min(all, maxRows)
	if n+btoi(n < all) > room {
		return max(room-1, 0)
	}
	return n
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// choices draws the rows of the dialog that a card of height h shows.
func (m *Model) choices(c draw.Context, card Card, w, h, keys int) []string {
	all, n := card.Choices(), card.Shown(h, keys)
	var out []string
	for i, r := range all[:n] {
		text := reveal(c, strings.Join(strings.Fields(r), " "))
		out = append(out, cells.Cut(c.Key.On(fmt.Sprint(i+1))+"  "+text, w))
	}
	if n < len(all) && h > chrome+keys+1 {
		out = append(out, c.Dim.On(cells.Cut(fmt.Sprintf("%d more %s in the pane", len(all)-n, plural(len(all)-n, "row")), w)))
	}
	return out
}

// question is what the dialog says, in rows.
func (m *Model) question(c draw.Context, card Card, w int) []string {
	if len(card.Dialogs) == 0 {
		return nil
	}
	var out []string
	for i, l := range card.Dialogs[0].Text {
		plain, _ := cells.Reveal(l)
		for _, row := range cells.Wrap(strings.Join(strings.Fields(plain), " "), w) {
			switch {
			case card.Perm != nil:
				row = c.Dim.On(row)
			case i == 0:
				row = c.Bold.On(row)
			}
			out = append(out, row)
		}
	}
	if card.Group() {
		out = append(out, c.Dim.On(cells.Cut("in "+c.Names(card.Peers, w-3), w)))
	}
	for i, r := range card.Choices() { // a row that is cut below stands here in full
		if plain, _ := cells.Reveal(strings.Join(strings.Fields(r), " ")); i < maxRows && cells.Width(plain) > w-3 {
			out = append(out, dim(c, fmt.Sprintf("%d  %s", i+1, r), w)...)
		}
	}
	return out
}

// dialogs makes one card for each dialog, whoever shows it, or one for each
// session.
func (m *Model) dialogs(v *router.View, read map[router.PeerID]Dialog, asked map[router.PeerID]bool) []Card {
	var out []Card
	for _, p := range v.Peers {
		if p.Session.State != router.NeedsYou || asked[p.ID] {
			continue
		}
		c := Card{Text: strings.TrimSpace(p.Session.Detail), Since: p.Session.Since}
		if c.Text == "" {
			c.Text = "a question"
		}
		c.kind = c.Text
		d, ok := read[p.ID]
		if ok {
			c.kind = d.key()
		}
		c.ID = "dialog " + c.kind
		if m.each {
			c.ID += "\x00" + string(p.ID)
		}
		i := slices.IndexFunc(out, func(o Card) bool { return o.ID == c.ID })
		if i < 0 {
			out = append(out, c)
			i = len(out) - 1
		}
		out[i].Peers = append(out[i].Peers, p.ID)
		if ok {
			out[i].Dialogs = append(out[i].Dialogs, d)
		}
		if c.Since.Before(out[i].Since) {
			out[i].Since = c.Since
		}
	}
	return out
}

// Alike says whether the card on show is one of several sessions' same dialog,
// together or each for itself: Split changes that.
func (m *Model) Alike() bool {
	card, ok := m.Current()
	if !ok || card.Perm != nil {
		return false
	}
	return card.Group() || m.each && slices.ContainsFunc(m.cards, func(c Card) bool {
		return c.ID != card.ID && c.Perm == nil && c.kind == card.kind
	})
}

// Same says whether two dialogs say and offer the same.
func (d Dialog) Same(o Dialog) bool { return d.key() == o.key() }
