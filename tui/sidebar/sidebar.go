package sidebar

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
)

// Model is what the sidebar shows beside the view.
type Model struct {
	Sessions []router.PeerView
	Focus    router.PeerID
	Fresh    func(router.ThreadView) bool // news not seen yet
	Asking   func(router.ThreadID) bool   // a request serves this thread
}

// Target is what a line stands for; at most one field is set.
type Target struct {
	Session router.PeerID
	Thread  router.ThreadID
	Room    string
}

type entry struct {
	text   string
	rule   string // the title of a line across
	target Target
}

// Lines draws the sidebar in h rows of w columns.
func (m Model) Lines(c draw.Context, w, h int) []string {
	if w < 10 || h < 3 {
		return draw.Fit(nil, w, h)
	}
	box := draw.Box{Box: c.Thin, Look: c.Frame, Left: c.Dim.On("sessions")}
	out := make([]string, 0, h)
	out = append(out, box.TopLine(w))
	side := c.Frame.On(c.Thin.Left)
	for _, e := range m.entries(c, w-4, h-2) {
		if e.rule != "" {
			out = append(out, box.Rule(c.Dim.On(e.rule), w))
			continue
		}
		out = append(out, side+" "+cells.Pad(e.text, w-4)+" "+c.Frame.On(c.Thin.Right))
	}
	return append(out, box.BottomLine(w))
}

// Hit returns what the row y of the sidebar stands for.
func (m Model) Hit(c draw.Context, w, h, y int) Target {
	if es := m.entries(c, w-4, h-2); y >= 1 && y-1 < len(es) {
		return es[y-1].target
	}
	return Target{}
}

// entries returns exactly h of them.
func (m Model) entries(c draw.Context, w, h int) []entry {
	threads, rooms := m.threads(c, w), m.rooms(c, w)
	roomRows := min(len(rooms), max(h/5, 2))
	out := m.sessions(c, w, max(h-roomRows-8, 4))
	out = out[:min(len(out), h)]
	if left := h - len(out) - 1 - roomRows - 1; left >= 2 {
		out = append(out, entry{rule: "threads"})
		out = append(out, cut(c, threads, left)...)
		for len(out) < h-1-roomRows {
			out = append(out, entry{})
		}
		out = append(out, entry{rule: "rooms"})
		out = append(out, cut(c, rooms, roomRows)...)
	}
	for len(out) < h {
		out = append(out, entry{})
	}
	return out[:h]
}

// cut shortens es to n, and says how many are missing.
func cut(c draw.Context, es []entry, n int) []entry {
	if len(es) <= n {
		return es
	}
	out := append([]entry(nil), es[:n-1]...)
	return append(out, entry{text: c.Dim.On(fmt.Sprintf("%d more", len(es)-n+1))})
}

func (m Model) sessions(c draw.Context, w, h int) []entry {
	if len(m.Sessions) == 0 {
		return []entry{{text: c.Dim.On("none yet")}}
	}
	room := h - len(m.Sessions) // for second lines
	var out []entry
	for i, p := range m.Sessions {
		t := Target{Session: p.ID}
		out = append(out, entry{text: m.session(c, i, p, w), target: t})
		if note := Note(c, p); note != "" && room > 0 {
			out = append(out, entry{text: "  " + cells.Cut(note, w-2), target: t})
			room--
		}
	}
	return m.around(c, out, max(h, 1))
}

// around shortens the sessions to n lines around the one with the focus, and says
// how many are missing on either side.
func (m Model) around(c draw.Context, es []entry, n int) []entry {
	at := max(slices.IndexFunc(es, func(e entry) bool { return e.target.Session == m.Focus }), 0)
	if len(es) <= n || at < n-1 || n < 3 {
		return cut(c, es, n)
	}
	first := min(at-n+3, len(es)-n+1) // the line below the focus says what is missing
	out := append([]entry{{text: c.Dim.On(fmt.Sprintf("%d more above", first))}}, es[first:]...)
	return cut(c, out, n)
}

func (m Model) session(c draw.Context, i int, p router.PeerView, w int) string {
	symbol, word, look := c.State(p.Session.State)
	age := c.Age(p.Session.Since)
	if p.Session.State == router.Asks || p.Session.State == router.NeedsYou {
		age = c.Clock(p.Session.Since)
	}
	name := c.Name(p.ID)
	number := "  "
	if i < 9 {
		number = fmt.Sprintf("%d ", i+1)
	}
	const state = 11 // symbol, blank, and the longest usual word
	nameWidth := max(w-2-state-2-4, 6)
	if p.ID == m.Focus {
		name = c.Bold.On(cells.Pad(name, nameWidth))
	} else {
		name = cells.Pad(name, nameWidth)
	}
	left := c.Key.On(number) + name + " " + look.On(symbol+" "+word)
	return cells.Sides(left, c.Dim.On(age), w)
}

// Note is the second line of a session: what stands in the way of it, if
// anything does.
func Note(c draw.Context, p router.PeerView) string {
	s := p.Session
	switch {
	case s.State == router.NeedsYou && s.Detail != "":
		return c.Styles.Asks.On(cells.Line(s.Detail))
	case (s.State == router.Exited || s.State == router.Failed) && s.Detail != "":
		return c.Bad.On(cells.Line(s.Detail))
	case p.Held:
		return c.Styles.Asks.On("held by you: :release " + c.Name(p.ID))
	case Detour(p) != "":
		text := Detour(p)
		if p.Pending > 0 {
			text = fmt.Sprintf("%d to deliver, ", p.Pending) + text
		}
		return c.Styles.Asks.On(text)
	case p.Pending > 0:
		return c.Dim.On(fmt.Sprintf("%d to deliver", p.Pending))
	case slices.Contains(c.View.Watching, p.ID):
		return c.Dim.On("watches for mail")
	case outside(c, s.Outside):
		return c.Styles.Asks.On("outside ccmux " + c.Arrow + cells.Line(s.Outside.To))
	case p.Owes > 0 && s.State != router.Busy:
		return c.Dim.On(fmt.Sprintf("owes %d %s", p.Owes, plural(p.Owes, "answer")))
	case s.State.Running() && s.Said != "":
		return c.Dim.On("began anew: " + cells.Line(s.Said))
	}
	return ""
}

// outsideTime is how long the last word past ccmux shows.
const outsideTime = 10 * time.Minute

// outside says whether o went to another session lately: claude's messenger also
// reaches the agents inside of one, by names of their own.
func outside(c draw.Context, o *router.OutsideView) bool {
	if o == nil || c.Now.Sub(o.At) >= outsideTime {
		return false
	}
	_, known := c.View.Named(o.To)
	return known || strings.Contains(o.To, ":") // uds:PATH, bridge:ID
}

// Detour says in a word or two by what mail reaches a session whose channel does
// not work, "" for one whose channel does or is not known yet. The reason is in
// the help.
func Detour(p router.PeerView) string {
	s := p.Session
	if !s.State.Running() || s.State == router.Starting || s.Route == wire.RouteChannel || s.RouteWhy == "" {
		return ""
	}
	switch s.Route {
	case wire.RouteSocket:
		return "by socket"
	case wire.RouteHook:
		return "by hook only"
	case wire.RouteInbox:
		return "by inbox only"
	default:
	}
	return "no push"
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func (m Model) threads(c draw.Context, w int) []entry {
	if len(c.View.Threads) == 0 {
		return []entry{{text: c.Dim.On("no task or message yet")}}
	}
	tree := draw.Tree(c.View, nil)
	out := make([]entry, 0, len(tree))
	for _, n := range tree {
		out = append(out, entry{text: m.thread(c, n, w), target: Target{Thread: n.Thread.ID}})
	}
	return out
}

func (m Model) thread(c draw.Context, n draw.Node, w int) string {
	t := n.Thread
	mark := " "
	if m.Fresh != nil && m.Fresh(t) {
		mark = c.Styles.Fresh.On(c.Glyphs.Fresh)
	}
	who := c.Arrow + c.Names(t.To, 14)
	if t.Room != "" {
		who = c.Arrow + "#" + cells.Line(t.Room)
	}
	if t.Depth == 0 || n.Orphan {
		who = c.Name(t.From) + who
	}
	look := c.Thread
	if !t.Open {
		look = c.Dim
	}
	left := mark + c.Frame.On(n.Lines(c.Glyphs)) + look.On(string(t.ID)) + " " + who
	asks := m.Asking != nil && m.Asking(t.ID)
	word, wordLook := c.Delivery(t, asks)
	return cells.Sides(left, wordLook.On(word), w)
}

func (m Model) rooms(c draw.Context, w int) []entry {
	var out []entry
	for _, r := range c.View.Rooms {
		if r.Archived {
			continue
		}
		name := c.Room.On("#" + cells.Line(r.Name))
		left := name + " " + c.Dim.On(c.Names(r.Members, w-len(r.Name)-3))
		out = append(out, entry{text: left, target: Target{Room: r.Name}})
	}
	if len(out) == 0 {
		return []entry{{text: c.Dim.On("no room yet: r, then c")}}
	}
	return out
}
