package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui/keys"
)

// lookBack scrolls the pane with the focus, and lets keys scroll it.
func (m *model) lookBack(string) tea.Cmd {
	m.scrolling = true
	return m.scrollKey("pgup")
}

// paneRows is the height of the pane with the focus.
func (m *model) paneRows() int {
	if at := slices.Index(m.slots, m.focus); at >= 0 && at < len(m.plan.Panes) {
		return m.plan.Panes[at].Inner.H
	}
	return 10
}

// scrollKey is a key while looking back.
func (m *model) scrollKey(name string) tea.Cmd {
	p := m.panes[m.focus]
	if p == nil {
		return nil
	}
	if p.Marking() {
		return m.markKey(p, name)
	}
	b, ok := keys.Find(name, keys.Scroll)
	if !ok {
		return m.unknown(name)
	}
	rows := m.paneRows()
	page := max(rows-2, 1)
	switch b.ID {
	case keys.Up:
		p.Scroll(-1, rows)
	case keys.Down:
		p.Scroll(1, rows)
	case keys.PageUp:
		p.Scroll(-page, rows)
	case keys.PageDown:
		p.Scroll(page, rows)
	case keys.First:
		p.Oldest(rows)
	case keys.Last:
		p.Follow()
	default:
		m.scrollAct(p, b.ID, rows)
	}
	return nil
}

// scrollAct does what is not moving.
func (m *model) scrollAct(p *paneState, id keys.ID, rows int) {
	switch id {
	case keys.Copy:
		text := p.Copied()
		if text == "" {
			text = p.Visible()
		}
		m.copied(text)
	case keys.FindText:
		m.openEntry(m.findEntry())
	case keys.Older:
		m.nextFound(p, -1, rows)
	case keys.Newer:
		m.nextFound(p, 1, rows)
	case keys.Mark:
		p.Mark(rows)
	case keys.Link:
		m.openLinkHere(p)
	case keys.Back:
		m.scrolling = false
		p.Follow()
		p.Clear()
	default:
	}
}

// markKey is a key while text is chosen with a cursor.
func (m *model) markKey(p *paneState, name string) tea.Cmd {
	b, ok := keys.Find(name, keys.Marking)
	if !ok {
		return nil
	}
	if by, moves := motions[b.ID]; moves {
		p.MoveMark(by, m.paneRows())
	} else {
		m.markAct(p, b.ID)
	}
	return nil
}

// motions are where keys move the cursor that chooses text.
var motions = map[keys.ID]vt.Motion{
	keys.Up: vt.MoveUp, keys.Down: vt.MoveDown, keys.MarkLeft: vt.MoveLeft, keys.MarkRight: vt.MoveRight,
	keys.PageUp: vt.MovePageUp, keys.PageDown: vt.MovePageDown, keys.MarkStart: vt.MoveLineStart, keys.MarkEnd: vt.MoveLineEnd,
	keys.MarkBack: vt.MoveWordLeft, keys.MarkWord: vt.MoveWordRight, keys.MarkTop: vt.MoveTop, keys.MarkLast: vt.MoveBottom,
}

func (m *model) markAct(p *paneState, id keys.ID) {
	switch id {
	case keys.Chars:
		p.Choose(vt.Chars)
	case keys.WordsOf:
		p.Choose(vt.Words)
	case keys.LinesOf:
		p.Choose(vt.Lines)
	case keys.Link:
		m.openLinkHere(p)
	case keys.CopyMarked:
		if text := p.Copied(); text != "" {
			m.copied(text)
			p.Unmark()
		} else {
			m.warn("nothing is chosen yet: v begins, w takes words, V lines")
		}
	case keys.Back:
		p.Unmark()
	default:
	}
}

// findEntry asks for the text to find in the pane with the focus.
func (m *model) findEntry() *entry {
	return &entry{
		label: "find in this pane: capital letters count when there are any", verb: "find",
		send: func(m *model, text string) bool { m.find(text); return true },
	}
}

// find searches a pane and its scrollback beside the event loop.
func (m *model) find(text string) {
	p := m.panes[m.focus]
	term := p.terminal()
	if term == nil {
		return
	}
	exact := strings.ContainsFunc(text, unicode.IsUpper)
	m.start(func(context.Context) func(*model) tea.Cmd {
		all := term.Search(text, vt.SearchOptions{MatchCase: exact})
		return func(m *model) tea.Cmd {
			if m.panes[m.focus] != p || p.terminal() != term {
				return nil
			}
			m.scrolling = true
			p.Found(all, m.paneRows())
			if len(all) == 0 {
				m.warn("it is not in this pane: " + text)
				return nil
			}
			m.sayFound(p)
			return nil
		}
	})
}

func (m *model) nextFound(p *paneState, n, rows int) {
	if _, of := p.FoundAt(); of == 0 {
		m.warn("nothing was searched for: / does that")
		return
	}
	if !p.NextFound(n, rows) {
		m.say("there is no other in that direction")
		return
	}
	m.sayFound(p)
}

func (m *model) sayFound(p *paneState) {
	n, of := p.FoundAt()
	m.say(fmt.Sprintf("%d of %d, counted from the newest; n goes to older, N to newer", n, of))
}
