package tui

import (
	"slices"
	"strings"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
)

// status is the bottom line: the mode, then a notice or what keys do.
func (m *model) status(c draw.Context) string {
	left := m.statusLeft(c)
	if m.note.text != "" {
		look := c.Bold
		if m.note.bad {
			look = c.Bad
		}
		return cells.Pad(left+"  "+look.On(c.Words(cells.Line(m.note.text))), m.w)
	}
	bar, _ := m.bar(c, m.w-cells.Width(left)-2)
	return cells.Pad(left+"  "+bar, m.w)
}

// statusLeft is the mode, at the left of the bottom line.
func (m *model) statusLeft(c draw.Context) string {
	left := c.Mode.On(" " + m.mode() + " ")
	if m.opts.View {
		left += c.Dim.On(" looking only ")
	}
	return left
}

// mode names where keys go.
func (m *model) mode() string {
	switch {
	case m.typing:
		return "typing"
	case m.entry != nil:
		return "writing"
	case m.page() != 0:
		return "watching " + m.look.Dot + " " + lower(m.page().Title())
	case m.scrolling:
		return "watching " + m.look.Dot + " " + lower(m.where().Title())
	}
	return "watching"
}

// lower begins a title in a line of words.
func lower(s string) string { return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):] }

// where is the context whose keys the bar shows.
func (m *model) where() keys.Context {
	switch {
	case m.entry != nil:
		return keys.Line
	case m.page() != 0:
		return m.page()
	case m.scrolling && m.panes[m.focus] != nil && m.panes[m.focus].Marking():
		return keys.Marking
	case m.scrolling:
		return keys.Scroll
	}
	return keys.Watching
}

// bar is the help for the keys of the mode, as much as fits.
func (m *model) bar(c draw.Context, w int) (string, []zone) {
	if m.typing {
		p, _ := m.peer()
		leader := m.opts.Leader
		text := c.Key.On(leader) + " watch   " + c.Key.On(leader+" "+leader) + " sends it   " +
			c.Dim.On("every other key goes to "+c.Name(p.ID))
		return cells.Cut(text, w), nil
	}
	f := m.facts()
	bs := slices.DeleteFunc(keys.Bar(m.where()), func(b keys.Binding) bool { return b.Changes(f) || b.ID == keys.Select && f.Choices > 0 })
	if m.where() == keys.Watching && m.enterLooks() {
		for i := range bs {
			if bs[i].ID == keys.Type { // enter is the card's
				bs[i].Keys = []string{"i"}
			}
		}
	}
	if e := m.entry; e != nil {
		bs = slices.DeleteFunc(bs, func(b keys.Binding) bool {
			return b.ID == keys.Kind && e.what() == "" || b.ID == keys.Complete && e.complete == nil
		})
		for i := range bs {
			switch {
			case bs[i].ID == keys.Send && e.verb != "":
				bs[i].Short = e.verb
			case bs[i].ID == keys.Kind && e.answers:
				bs[i].Short = "done, needs more or failed"
			}
		}
	}
	return barOf(c, bs, f, w)
}

// zone is a word of a bar that can be clicked.
type zone struct {
	from, to int
	binding  keys.Binding
}

// keepLast is how many bindings at the end of a bar are shown before others: the
// way out and the help.
const keepLast = 2

// barOf shows bindings in w columns; what cannot be done now is dimmed. Where
// there is too little room the words are shorter, then those before the last
// ones are left out.
func barOf(c draw.Context, bs []keys.Binding, f keys.Facts, w int) (string, []zone) {
	gap := "   "
	if barWidth(c, bs, gap) > w {
		bs = slices.Clone(bs)
		for i := range bs {
			if bs[i].Brief != "" {
				bs[i].Short = bs[i].Brief
			}
		}
	}
	if barWidth(c, bs, gap) > w {
		gap = "  "
	}
	for barWidth(c, bs, gap) > w && len(bs) > 1 {
		at := max(len(bs)-1-keepLast, 0)
		bs = slices.Delete(bs, at, at+1)
	}
	var b strings.Builder
	var zones []zone
	used := 0
	for i, k := range bs {
		if i > 0 {
			b.WriteString(gap)
			used += len(gap)
		}
		text := barText(c, k)
		if k.Why(f) != "" {
			b.WriteString(c.Off.On(text))
		} else {
			b.WriteString(c.Key.On(c.Words(k.Key())) + " " + c.Words(k.Short))
		}
		n := cells.Width(text)
		zones = append(zones, zone{used, used + n, k})
		used += n
	}
	return cells.Cut(b.String(), w), zones
}

func barText(c draw.Context, k keys.Binding) string { return c.Words(k.Key() + " " + k.Short) }

func barWidth(c draw.Context, bs []keys.Binding, gap string) int {
	n := len(gap) * max(len(bs)-1, 0)
	for _, k := range bs {
		n += cells.Width(barText(c, k))
	}
	return n
}
