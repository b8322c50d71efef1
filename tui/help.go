package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
	"github.com/ccmux/ccmux/tui/sidebar"
)

// sheet is a page of text to scroll: the keys, or the rules.
type sheet struct {
	title string
	top   int
	rows  []sheetRow
}

// sheetRow is a sentence of a sheet with what it is about before it.
type sheetRow struct {
	lead string // styled
	at   int    // the column of the sentence
	text string
}

// leastText is how many columns a sentence needs beside its lead; with fewer it
// stands below.
const leastText = 30

// lines breaks the row to w columns.
func (r sheetRow) lines(w int) (out []string) {
	if r.text == "" {
		return []string{cells.Cut(r.lead, w)}
	}
	at, lead := r.at, r.lead
	if lead != "" && w-at < leastText {
		out = append(out, cells.Cut(lead, w))
		at, lead = min(4, at), ""
	}
	for _, l := range cells.Wrap(cells.Line(r.text), max(w-at, 1)) {
		out = append(out, cells.Pad(lead, at)+l)
		lead = ""
	}
	return out
}

// lines are all rows of the sheet, w columns wide.
func (s *sheet) lines(w int) (out []string) {
	for _, r := range s.rows {
		out = append(out, r.lines(w)...)
	}
	return out
}

// openHelp shows every key, from the table.
func (m *model) openHelp(string) tea.Cmd {
	m.sheet = sheet{title: "help"}
	m.sheet.rows = m.cheatSheet()
	m.openPage(keys.Help)
	return nil
}

// cheatSheet is the table of keys in rows.
func (m *model) cheatSheet() []sheetRow {
	c := m.context()
	say := func(text string) sheetRow { return sheetRow{text: text} }
	title := func(text, more string) []sheetRow {
		return []sheetRow{{}, {lead: c.Bold.On(text) + more}}
	}
	out := []sheetRow{
		say("There are two modes, named at the bottom left. Watching: keys steer ccmux."),
		say("Typing: every key goes to the pane but " + m.opts.Leader + ", which comes back."),
		say("Pressed twice " + m.opts.Leader + " is sent to the pane."),
		say(m.opts.Leader + " and a key of a request answers it from wherever you are."),
	}
	if routes := m.detours(c); len(routes) > 0 {
		out = slices.Concat(out, title("Mail that takes another way", ""), routes)
	}
	f := m.facts()
	for _, ctx := range keys.Contexts() {
		out = append(out, title(ctx.Title(), "")...)
		for _, b := range keys.In(ctx) {
			row := sheetRow{lead: "  " + c.Key.On(keyNames(b)), at: 24, text: b.Long}
			if why := b.Why(f); why != "" && ctx == keys.Watching {
				row.text += " (now: " + why + ")"
			}
			out = append(out, row)
		}
	}
	out = append(out, title("Commands", "  after "+c.Key.On(":"))...)
	for _, cmd := range commands() {
		out = append(out, sheetRow{lead: "  " + c.Key.On(cmd.name+" "+cmd.args), at: 38, text: cmd.help})
	}
	out = append(out, title("Mouse", "")...)
	for _, text := range []string{
		"A click on a pane types there, on a session, thread or room opens it; the words of the bars are buttons.",
		"Dragging a line between panes moves it; ctrl and a click open a link.",
		"Dragging selects and copies; shift keeps the mouse from a program that uses it; alt selects a block.",
	} {
		out = append(out, sheetRow{at: 2, text: text})
	}
	return out
}

// detours are the whole reasons why mail does not come by the channel; in titles
// stands a word of them.
func (m *model) detours(c draw.Context) (out []sheetRow) {
	for _, p := range m.sessions {
		if by := sidebar.Detour(p); by != "" {
			out = append(out, sheetRow{lead: "  " + c.Bold.On(c.Name(p.ID)), at: 24, text: by + ": " + p.Session.RouteWhy})
		}
	}
	return out
}

// keyNames are all keys of a binding.
func keyNames(b keys.Binding) string {
	if b.Label != "" {
		return b.Label
	}
	out := b.Keys[0]
	for _, k := range b.Keys[1:] {
		out += ", " + k
	}
	return out
}

// showRules shows the rules in force.
func (m *model) showRules() {
	c := m.context()
	m.sheet = sheet{title: "rules"}
	if len(m.view.Rules) == 0 {
		m.sheet.rows = []sheetRow{{text: "No rule is in force: every request is asked."}, {}, {text: "A on a request makes one."}}
	}
	for _, r := range m.view.Rules {
		text := fmt.Sprintf("%s %s", r.Effect, r.Tool)
		if r.Peer != "" {
			text += " for " + r.Peer
		}
		if r.Dir != "" {
			text += " in " + r.Dir
		}
		if r.Pattern != "" {
			text += ": " + r.Pattern
		}
		m.sheet.rows = append(m.sheet.rows, sheetRow{lead: c.Key.On(cells.Line(r.ID)), at: 12, text: text + ", from " + r.Source})
	}
	m.openPage(keys.Help)
}

func (m *model) helpKey(id keys.ID, w, h int) {
	s := &m.sheet
	n := len(s.lines(w))
	switch id {
	case keys.Up:
		s.top--
	case keys.Down:
		s.top++
	case keys.PageUp:
		s.top -= h - 1
	case keys.PageDown:
		s.top += h - 1
	case keys.First:
		s.top = 0
	case keys.Last:
		s.top = n
	default:
	}
	s.top = min(max(s.top, 0), max(n-h, 0))
}

// visible is the part of the sheet on screen.
func (s *sheet) visible(c draw.Context, w, h int) []string {
	out := s.lines(w)
	out = out[min(s.top, max(len(out)-h, 0)):]
	if left := len(out) - h; left > 0 && h > 1 {
		out[h-1] = c.Dim.On(fmt.Sprintf("%d more %s below", left+1, plural(left+1, "line")))
	}
	return draw.Fit(out, w, h)
}
