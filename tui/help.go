package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
)

// sheet is a page of text to scroll: the keys, or the rules.
type sheet struct {
	title string
	top   int
	rows  []string
}

// openHelp shows every key, from the table.
func (m *model) openHelp(string) tea.Cmd {
	m.sheet = sheet{title: "help"}
	m.sheet.rows = m.cheatSheet()
	m.openPage(keys.Help)
	return nil
}

// cheatSheet is the table of keys in rows.
func (m *model) cheatSheet() []string {
	c := m.context()
	out := []string{
		"There are two modes, named at the bottom left. " + c.Bold.On("Watching") + ": keys steer ccmux.",
		c.Bold.On("Typing") + ": every key goes to the pane but " + c.Key.On(m.opts.Leader) + ", which comes back.",
		"Pressed twice " + c.Key.On(m.opts.Leader) + " is sent to the pane.",
		c.Key.On(m.opts.Leader) + " and a key of a request answers it from wherever you are.",
	}
	f := m.facts()
	for _, ctx := range keys.Contexts() {
		out = append(out, "", c.Bold.On(ctx.Title()))
		for _, b := range keys.In(ctx) {
			text := "  " + c.Key.On(cells.Pad(keyNames(b), 22)) + b.Long
			if why := b.Why(f); why != "" && ctx == keys.Watching {
				text += c.Dim.On("  (now: " + why + ")")
			}
			out = append(out, text)
		}
	}
	out = append(out, "", c.Bold.On("Commands")+"  after "+c.Key.On(":"))
	for _, cmd := range commands() {
		out = append(out, "  "+c.Key.On(cells.Pad(cmd.name+" "+cmd.args, 36))+cmd.help)
	}
	return append(out, "", c.Bold.On("Mouse"),
		"  A click on a pane types there, on a session, thread or room opens it; the words of the bars are buttons.",
		"  Dragging a line between panes moves it; ctrl and a click open a link.",
		"  Dragging selects and copies; shift keeps the mouse from a program that uses it; alt selects a block.")
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
		m.sheet.rows = []string{"No rule is in force: every request is asked.", "", "A on a request makes one."}
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
		m.sheet.rows = append(m.sheet.rows, c.Key.On(cells.Pad(cells.Line(r.ID), 12))+cells.Line(text)+c.Dim.On("  from "+cells.Line(r.Source)))
	}
	m.openPage(keys.Help)
}

func (m *model) helpKey(id keys.ID, h int) {
	s := &m.sheet
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
		s.top = len(s.rows)
	default:
	}
	s.top = min(max(s.top, 0), max(len(s.rows)-h, 0))
}

// visible is the part of the sheet on screen.
func (s *sheet) visible(c draw.Context, w, h int) []string {
	top := min(s.top, max(len(s.rows)-h, 0))
	out := append([]string(nil), s.rows[top:]...)
	if left := len(out) - h; left > 0 && h > 1 {
		out[h-1] = c.Dim.On(fmt.Sprintf("%d more %s below", left+1, plural(left+1, "line")))
	}
	return draw.Fit(out, w, h)
}
