package rooms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
)

// Model is what one screen looks at of the rooms.
type Model struct {
	At    string // the chosen room
	above int    // rows scrolled up from the end of the timeline

	// Message draws one message of the timeline.
	Message func(c draw.Context, msg router.MessageView, w int) []string
}

// Chosen is the room under the cursor.
func (m *Model) Chosen(v *router.View) (router.RoomView, bool) {
	if len(v.Rooms) == 0 {
		return router.RoomView{}, false
	}
	return v.Rooms[m.index(v)], true
}

func (m *Model) index(v *router.View) int {
	return max(slices.IndexFunc(v.Rooms, func(r router.RoomView) bool { return r.Name == m.At }), 0)
}

// Open chooses a room and shows its end.
func (m *Model) Open(name string) { m.At, m.above = name, 0 }

// Key moves in the list by an action of the table.
func (m *Model) Key(id keys.ID, v *router.View, h int) {
	if len(v.Rooms) == 0 {
		return
	}
	i := m.index(v)
	switch id {
	case keys.Up:
		i--
	case keys.Down:
		i++
	case keys.PageUp:
		i -= h
	case keys.PageDown:
		i += h
	case keys.First:
		i = 0
	case keys.Last:
		i = len(v.Rooms) - 1
	default:
	}
	m.At = v.Rooms[min(max(i, 0), len(v.Rooms)-1)].Name
}

// Pick chooses the room in row y of the list.
func (m *Model) Pick(v *router.View, y, h int) bool {
	y += m.top(v, h)
	if y < 0 || y >= len(v.Rooms) {
		return false
	}
	m.At = v.Rooms[y].Name
	return true
}

func (m *Model) top(v *router.View, h int) int {
	return min(max(m.index(v)-h+1, 0), max(len(v.Rooms)-h, 0))
}

// Lines draws the list in h rows of w columns.
func (m *Model) Lines(c draw.Context, w, h int) []string {
	if len(c.View.Rooms) == 0 {
		return draw.Fit([]string{
			"", "  " + c.Bold.On("There is no room yet."), "",
			c.Dim.On("  A room keeps a talk of several together; who is offline gets it on return."),
			"  " + c.Key.On("c") + " creates one.",
		}, w, h)
	}
	at := m.index(c.View)
	var out []string
	for i := m.top(c.View, h); i < len(c.View.Rooms) && len(out) < h; i++ {
		r := c.View.Rooms[i]
		look := c.Room
		if r.Archived {
			look = c.Dim
		}
		left := " " + look.On("#"+cells.Line(r.Name)) + "  " + c.Names(r.Members, w/2)
		right := fmt.Sprintf("%d recent %s", len(r.Messages), plural(len(r.Messages), "message"))
		if r.Archived {
			right = "archived"
		}
		if age := c.Age(r.Updated); age != "" {
			right += "  " + age
		}
		line := cells.Sides(left, c.Dim.On(right)+" ", w)
		if i == at {
			line = c.Select.On(line)
		}
		out = append(out, line)
	}
	return draw.Fit(out, w, h)
}

// RoomKey scrolls the timeline of the chosen room.
func (m *Model) RoomKey(id keys.ID, c draw.Context, w, h int) {
	most := max(len(m.timeline(c, w))-m.body(c, w, h), 0)
	switch id {
	case keys.Up:
		m.above++
	case keys.Down:
		m.above--
	case keys.PageUp:
		m.above += h - 3
	case keys.PageDown:
		m.above -= h - 3
	case keys.First:
		m.above = most
	case keys.Last:
		m.above = 0
	default:
	}
	m.above = min(max(m.above, 0), most)
}

// RoomLines draws the chosen room: members, then the timeline.
func (m *Model) RoomLines(c draw.Context, w, h int) []string {
	r, ok := m.Chosen(c.View)
	if !ok {
		return draw.Fit(nil, w, h)
	}
	out := append(m.members(c, r, w), c.Frame.On(strings.Repeat(c.Thin.Top, w)))
	rows := m.timeline(c, w)
	body := h - len(out)
	if len(rows) == 0 {
		rows = []string{"", "  " + c.Dim.On("nothing was said yet")}
	}
	first := max(len(rows)-body-min(m.above, max(len(rows)-body, 0)), 0)
	return draw.Fit(append(out, rows[first:]...), w, h)
}

func (m *Model) body(c draw.Context, w, h int) int {
	r, _ := m.Chosen(c.View)
	return h - len(m.members(c, r, w)) - 1
}

// members says who is in the room and whether they hear it now.
func (m *Model) members(c draw.Context, r router.RoomView, w int) []string {
	var out []string
	row, used := " ", 1
	for _, id := range r.Members {
		p, _ := c.View.Peer(id)
		text := c.Bold.On(c.Name(id)) + " "
		if id == router.Human || p.Online {
			text += c.Good.On("online")
		} else {
			text += c.Dim.On("offline, gets it on return")
		}
		n := cells.Width(text) + 3
		if used > 1 && used+n > w {
			out = append(out, row)
			row, used = " ", 1
		}
		row += text + "   "
		used += n
	}
	if len(r.Members) == 0 {
		row = " " + c.Dim.On("nobody is in it any more; it is archived")
	}
	return append(out, cells.Cut(row, w))
}

func (m *Model) timeline(c draw.Context, w int) []string {
	r, ok := m.Chosen(c.View)
	if !ok || m.Message == nil {
		return nil
	}
	var out []string
	for i, msg := range r.Messages {
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, m.Message(c, msg, w)...)
	}
	return out
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
