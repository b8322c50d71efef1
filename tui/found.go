package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
)

// found is what a search brought.
type found struct {
	text    string
	busy    bool
	more    bool
	problem string
	list    []router.MessageView
	at, top int
}

// openSearch opens the line of the search.
func (m *model) openSearch(string) tea.Cmd {
	m.openEntry(&entry{label: "search all messages", verb: "search", send: func(m *model, text string) bool {
		m.search(text)
		return true
	}})
	return nil
}

func (m *model) search(text string) {
	m.found = found{text: text, busy: true}
	m.openPage(keys.Search)
	m.findPage(HistoryQuery{Text: text})
}

// nextPage finds the next older ones of the last search.
func (m *model) nextPage() {
	f := &m.found
	if f.busy || len(f.list) == 0 {
		return
	}
	f.busy = true
	m.findPage(HistoryQuery{Text: f.text, After: f.list[len(f.list)-1].ID})
}

// findPage has a page of a search found and puts it below what is there.
func (m *model) findPage(q HistoryQuery) {
	m.start(func(ctx context.Context) func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, doorTime)
		defer cancel()
		list, more, err := m.door.History(ctx, q)
		return func(m *model) tea.Cmd {
			f := &m.found
			had := len(f.list)
			if f.text != q.Text || q.After != "" && (had == 0 || f.list[had-1].ID != q.After) {
				return nil // another search was begun since
			}
			f.busy = false
			switch {
			case err != nil && had > 0:
				m.warn("the next ones were not found: " + cells.Line(err.Error()))
				return nil
			case err != nil:
				f.problem = cells.Line(err.Error())
				return nil
			}
			f.list, f.more = append(f.list, list...), more
			if had > 0 && len(list) > 0 {
				f.at, f.top = had, had
			}
			return nil
		}
	})
}

func (m *model) foundKey(id keys.ID, h int) {
	f := &m.found
	if len(f.list) == 0 {
		return
	}
	msg := f.list[f.at]
	switch id {
	case keys.Up:
		f.at--
	case keys.Down:
		f.at++
	case keys.PageUp:
		f.at -= h / 2
	case keys.PageDown:
		f.at += h / 2
	case keys.First:
		f.at = 0
	case keys.Last:
		f.at = len(f.list) - 1
	case keys.NextPage:
		m.nextPage()
		return
	case keys.Open:
		m.openFound(msg)
	case keys.GoPane:
		m.goTo(msg.From, msg.To)
	default:
	}
	f.at = min(max(f.at, 0), len(f.list)-1)
	rows := max(h/2, 1)
	f.top = min(max(f.top, f.at-rows+1), f.at)
}

// openFound opens the thread of a message; an old one is fetched whole.
func (m *model) openFound(msg router.MessageView) {
	m.openTalk(msg.Thread)
	if _, ok := m.talk.Find(m.view); ok {
		return
	}
	m.start(func(ctx context.Context) func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, doorTime)
		defer cancel()
		list, _, err := m.door.History(ctx, HistoryQuery{Thread: msg.Thread, Limit: 200})
		if err != nil {
			return failure("the thread was not read", err)
		}
		return func(m *model) tea.Cmd {
			if m.talk.ID == msg.Thread {
				m.talk.Past(list)
			}
			return nil
		}
	})
}

// lines draws what was found, two rows a message, in h rows of w columns.
func (f *found) lines(c draw.Context, w, h int) []string {
	switch {
	case f.busy && len(f.list) == 0:
		return draw.Fit([]string{"", "  " + c.Dim.On("searching"+c.Ellipsis)}, w, h)
	case f.problem != "":
		return draw.Fit([]string{"", "  " + c.Bad.On(f.problem)}, w, h)
	case len(f.list) == 0:
		return draw.Fit([]string{"", "  nothing was found; all of the words have to occur"}, w, h)
	}
	var out []string
	for i := f.top; i < len(f.list) && len(out) < h; i++ {
		msg := f.list[i]
		to := c.Names(msg.To, 24)
		if msg.Room != "" {
			to = "#" + cells.Line(msg.Room)
		}
		head := " " + c.Bold.On(c.Name(msg.From)) + c.Arrow + c.Bold.On(to) + "  " +
			c.Thread.On(string(msg.Thread)) + "  " + c.Dim.On(foundKind(msg))
		line := cells.Sides(head, c.Dim.On(c.Age(msg.At)+" ago "), w)
		text := "   " + cells.Cut(excerpt(msg.Content, f.text), w-4)
		if i == f.at {
			line, text = c.Select.On(line), c.Select.On(cells.Pad(text, w))
		}
		out = append(out, line, text)
	}
	if f.more {
		out = append(out, c.Dim.On(" there are more: ")+c.Key.On("n")+c.Dim.On(" finds older ones, another word finds fewer"))
	}
	return draw.Fit(out, w, h)
}

// excerpt is the part of a message around the first word looked for.
func excerpt(content, words string) string {
	line := cells.Line(content)
	first, _, _ := strings.Cut(words, " ")
	i := strings.Index(strings.ToLower(line), strings.ToLower(first))
	if i < 40 {
		return line
	}
	start := strings.LastIndexByte(line[:min(i-20, len(line))], ' ') + 1
	return "…" + line[start:]
}

// foundKind is the kind of a message; a reminder is no second task.
func foundKind(msg router.MessageView) string {
	if msg.Reminder {
		return string(msg.Kind) + ", once more"
	}
	return string(msg.Kind)
}
