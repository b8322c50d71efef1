package tui

import (
	"strings"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
)

// status is the bottom line: the mode, then a notice or what keys do.
func (m *model) status(c draw.Context) string {
	mode := m.mode()
	left := c.Mode.On(" " + mode + " ")
	if m.opts.View {
		left += c.Dim.On(" looking only ")
	}
	if m.note.text != "" && m.now.Before(m.note.until) {
		look := c.Bold
		if m.note.bad {
			look = c.Bad
		}
		return cells.Pad(left+"  "+look.On(c.Words(cells.Line(m.note.text))), m.w)
	}
	bar := m.bar(c, m.w-cells.Width(left)-2)
	return cells.Pad(left+"  "+bar, m.w)
}

// mode names where keys go.
func (m *model) mode() string {
	if m.typing {
		return "typing"
	}
	return "watching"
}

// bar is the help for the keys of the mode, as much as fits.
func (m *model) bar(c draw.Context, w int) string {
	if m.typing {
		p, _ := m.peer()
		leader := m.opts.Leader
		text := c.Key.On(leader) + " watch   " + c.Key.On(leader+" "+leader) + " sends it   " +
			c.Dim.On("every other key goes to "+c.Name(p.ID))
		return cells.Cut(text, w)
	}
	return barOf(c, keys.Bar(keys.Watching), m.facts(), w)
}

// barOf shows bindings until the width is used up; what cannot be done now is
// dimmed.
func barOf(c draw.Context, bs []keys.Binding, f keys.Facts, w int) string {
	var b strings.Builder
	used := 0
	for i, k := range bs {
		text := c.Words(k.Key() + " " + k.Short)
		n := cells.Width(text)
		if i > 0 {
			n += 3
		}
		if used+n > w {
			break
		}
		if i > 0 {
			b.WriteString("   ")
		}
		if k.Why(f) != "" {
			b.WriteString(c.Off.On(text))
		} else {
			b.WriteString(c.Key.On(c.Words(k.Key())) + " " + c.Words(k.Short))
		}
		used += n
	}
	return b.String()
}
