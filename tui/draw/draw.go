package draw

import (
	"fmt"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/theme"
)

// Context is what drawing depends on beside a part's own state.
type Context struct {
	*theme.Theme
	View *router.View
	Now  time.Time
	Home string // the human's folder, shown as ~

	tick *time.Time // the earliest time at which an age shown looks different
}

// NewContext returns a context; Tick gets the time at which something drawn with
// it becomes stale.
func NewContext(t *theme.Theme, v *router.View, now time.Time, home string) Context {
	return Context{Theme: t, View: v, Now: now, Home: home, tick: new(time.Time)}
}

// Tick is when the earliest age that was drawn changes; zero for never.
func (c Context) Tick() time.Time {
	if c.tick == nil {
		return time.Time{}
	}
	return *c.tick
}

func (c Context) tickIn(d time.Duration) {
	if c.tick == nil {
		return
	}
	if t := c.Now.Add(d); c.tick.IsZero() || t.Before(*c.tick) {
		*c.tick = t
	}
}

// Name is the name of a peer, harmless and short.
func (c Context) Name(id router.PeerID) string {
	if id == router.Human {
		return wire.You
	}
	return cells.Line(c.View.Name(id))
}

// Names joins the names of peers, as many as fit in width columns.
func (c Context) Names(ids []router.PeerID, width int) string {
	var b strings.Builder
	for i, id := range ids {
		n := c.Name(id)
		rest := len(ids) - i
		if i > 0 && b.Len()+1+cells.Width(n)+btoi(rest > 1)*4 > width {
			fmt.Fprintf(&b, " +%d", rest)
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(n)
	}
	return b.String()
}

// Age says how long ago t was: seconds under a minute, then minutes, hours and
// days.
func (c Context) Age(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	d := max(c.Now.Sub(t), 0)
	switch {
	case d < time.Minute:
		c.tickIn(time.Second - d%time.Second)
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		c.tickIn(time.Minute - d%time.Minute)
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		c.tickIn(time.Minute - d%time.Minute)
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}

// Clock says how long somebody waits for the human since t, as 0:12 or 12m.
func (c Context) Clock(t time.Time) string {
	d := max(c.Now.Sub(t), 0)
	if t.IsZero() || d >= time.Minute {
		return c.Age(t)
	}
	c.tickIn(time.Second - d%time.Second)
	return fmt.Sprintf("0:%02d", d/time.Second)
}

// Path shortens a folder or file for show.
func (c Context) Path(p string) string {
	p = cells.Line(p)
	if c.Home != "" && c.Home != "/" {
		if p == c.Home {
			return "~"
		}
		if rest, ok := strings.CutPrefix(p, c.Home+"/"); ok {
			return "~/" + rest
		}
	}
	return p
}

// State returns the symbol, the word and the look of a session's state.
func (c Context) State(s router.SessionState) (symbol, word string, look theme.Style) {
	switch s {
	case router.Busy:
		return c.Glyphs.Busy, "busy", c.Styles.Busy
	case router.Asks:
		return c.Glyphs.Asks, "asks", c.Styles.Asks
	case router.NeedsYou:
		return c.Needs, "needs you", c.Styles.Asks
	case router.Idle:
		return c.Idle, "idle", c.Dim
	case router.Starting:
		return c.Starting, "starting", c.Dim
	case router.Exited:
		return c.Ended, "exited", c.Bad
	case router.Failed:
		return c.Ended, "failed", c.Bad
	case router.Stopped:
		return c.Stopped, "stopped", c.Dim
	}
	return c.Dot, "not started", c.Dim
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
