package approvals

import (
	"strings"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
)

// asked names the approvers that were asked beside the human.
func asked(c draw.Context, p *router.PermissionView) string {
	if p.Notice == "" || p.Answered != nil {
		return ""
	}
	for _, t := range c.View.Threads {
		for _, msg := range t.Messages {
			if msg.ID == p.Notice {
				return "also asked: " + c.Names(msg.To, 60)
			}
		}
	}
	return "an approver was asked too"
}

// work is the chain of tasks a request serves, nearest first.
func work(c draw.Context, p *router.PermissionView, w int) []string {
	if len(p.Threads) == 0 {
		return []string{c.Dim.On("it serves no task that ccmux knows of")}
	}
	var out []string
	for i, id := range p.Threads {
		mark := c.Dim.On(strings.Repeat("  ", min(i, 8)) + "for ")
		text := mark + c.Thread.On(cells.Line(string(id)))
		for _, t := range c.View.Threads {
			if t.ID == id {
				text += "  " + c.Bold.On(c.Name(t.From)) + c.Arrow + c.Bold.On(c.Names(t.To, 30)) + "  " + cells.Line(t.Title)
			}
		}
		out = append(out, cells.Cut(text, w))
	}
	return out
}
