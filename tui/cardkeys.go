package tui

import (
	"slices"
	"strings"

	"github.com/ccmux/ccmux/tui/approvals"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
)

// cardLead stands before the keys of the card where others come first. After the
// leader its place stays empty: the rows of the card do not move under the hand.
func (m *model) cardLead(c draw.Context) string {
	lead := c.Key.On(m.opts.Leader) + c.Dim.On(" then ")
	switch {
	case m.typing, len(m.pages) > 0, m.entry != nil, m.scrolling:
		return lead
	case m.chord && m.from:
		return strings.Repeat(" ", cells.Width(lead))
	}
	return ""
}

// cardKeys are the rows of keys of the docked card, w columns wide: as many as
// all its keys need.
func (m *model) cardKeys(c draw.Context, card approvals.Card, w int) (approvals.Keys, [][]zone) {
	lead := m.cardLead(c)
	bs := keys.Bar(keys.Card)
	if !card.Request() {
		bs = m.dialogKeys(c, card, m.choicesShown(card))
	} else if !card.Perm.Lasting {
		bs = slices.DeleteFunc(bs, func(b keys.Binding) bool { return b.ID == keys.AllowSession })
	}
	f := m.facts()
	bs = slices.DeleteFunc(bs, func(b keys.Binding) bool {
		return b.ID == keys.Look && f.AtCard || b.Changes(f)
	})
	help, zones := barRows(c, lead, bs, f, w)
	quiet, _ := barRows(c, lead, bs, keys.Facts{Cards: 1, Answered: true}, w)
	if !card.Request() {
		for len(help) < m.dialogRows(card) {
			help, zones = append(help, ""), append(zones, nil)
		}
	}
	return approvals.Keys{Help: help, Quiet: quiet}, zones
}

// barRows shows all bindings, in several rows where one has too little room; lead
// stands before them.
func barRows(c draw.Context, lead string, bs []keys.Binding, f keys.Facts, w int) (rows []string, zones [][]zone) {
	indent := cells.Width(lead)
	for first := true; first || len(bs) > 0; first = false {
		n := len(bs)
		if short := brief(bs); barWidth(c, short, "  ") > w-indent {
			for n = 1; n < len(bs) && barWidth(c, short[:n+1], "  ") <= w-indent; n++ {
			}
		}
		text, z := barOf(c, bs[:n], f, w-indent)
		for i := range z {
			z[i].from += indent
			z[i].to += indent
		}
		rows, zones = append(rows, lead+text), append(zones, z)
		bs, lead = bs[n:], strings.Repeat(" ", indent)
	}
	return rows, zones
}

// brief are bindings in as few words as they have.
func brief(bs []keys.Binding) []keys.Binding {
	bs = slices.Clone(bs)
	for i := range bs {
		if bs[i].Brief != "" {
			bs[i].Short = bs[i].Brief
		}
	}
	return bs
}
