package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/keys"
)

// chromeClick does what a click outside the terminals means.
func (m *model) chromeClick(x, y int) tea.Cmd {
	switch {
	case m.plan.Status.Contains(x, y):
		return m.barClick(x)
	case m.plan.Dock.Contains(x, y):
		return m.dockClick(x, y)
	case m.plan.Line.Contains(x, y):
		return nil
	case m.page() != 0 && m.plan.Body.Contains(x, y):
		return m.pageClick(y - m.plan.Body.Y - 1)
	case m.plan.Sidebar.Contains(x, y):
		if !m.grab(x, y) {
			m.sidebarClick(y)
		}
		return nil
	case m.plan.Head.Contains(x, y) && m.plan.Sidebar.Empty():
		m.tabClick(x)
		return nil
	}
	m.grab(x, y)
	for i, id := range m.slots {
		if i < len(m.plan.Panes) && m.plan.Panes[i].Frame.Contains(x, y) {
			m.setFocus(id)
		}
	}
	return nil
}

func (m *model) sidebarClick(y int) {
	r := m.plan.Sidebar
	switch t := m.sidebar().Hit(m.context(), r.W, r.H, y-r.Y); {
	case t.Session != "":
		m.setFocus(t.Session)
	case t.Thread != "":
		m.tree.At = t.Thread
		m.openTalk(t.Thread)
	case t.Room != "":
		m.openRoom(t.Room)
	}
}

func (m *model) tabClick(x int) {
	c := m.context()
	_, tabs, _ := m.tabs(c, m.headFacts(c))
	for _, t := range tabs {
		if x < t.End {
			m.pages = nil
			m.setFocus(t.Session)
			return
		}
	}
}

// barClick presses the key whose word in the bottom line is at x.
func (m *model) barClick(x int) tea.Cmd {
	c := m.context()
	left := cells.Width(m.statusLeft(c))
	_, zones := m.bar(c, m.w-left-2)
	for _, z := range zones {
		if x-left-2 >= z.from && x-left-2 < z.to && len(z.binding.Keys) <= 4 {
			return m.key(keyPress(z.binding.Keys[0]))
		}
	}
	return nil
}

// dockClick presses the key of the card whose word is at x; a click on the rest
// of the card goes to its pane.
func (m *model) dockClick(x, y int) tea.Cmd {
	card, ok := m.cards.Current()
	r := m.plan.Dock
	if !ok {
		return nil
	}
	_, zones := m.cardKeys(m.context(), card, r.W-4)
	row := y - (r.Y + r.H - 1 - len(zones))
	if n := m.choicesShown(card); row < 0 && row >= -n && len(card.Choices()) == n {
		cmd, _ := m.cardKey(strconv.Itoa(row + n + 1))
		return cmd
	}
	if row < 0 || row >= len(zones) {
		return nil
	}
	for _, z := range zones[row] {
		if x-r.X-2 >= z.from && x-r.X-2 < z.to {
			if z.binding.ID == keys.Choose {
				return nil // the rows are the buttons
			}
			if z.binding.ID == keys.Type {
				return m.act(z.binding, z.binding.Keys[0])
			}
			cmd, _ := m.cardKey(z.binding.Keys[0])
			return cmd
		}
	}
	return nil
}

// pageClick chooses row y of a view; a second click opens it.
func (m *model) pageClick(y int) tea.Cmd {
	_, h := m.pageSize()
	picked := false
	switch m.page() {
	case keys.Threads:
		before := m.tree.At
		picked = m.tree.Pick(m.view, y) && before == m.tree.At
	case keys.Rooms:
		before := m.rooms.At
		picked = m.rooms.Pick(m.view, y, h) && before == m.rooms.At
	case keys.Search:
		at := m.found.top + y/2
		if at < len(m.found.list) {
			picked = at == m.found.at
			m.found.at = at
		}
	default:
	}
	if picked {
		return m.pageKey("enter")
	}
	return nil
}

// pageWheel scrolls a view.
func (m *model) pageWheel(b tea.MouseButton) tea.Cmd {
	name := "down"
	if b == tea.MouseWheelUp {
		name = "up"
	}
	for range wheelRows {
		m.pageKey(name)
	}
	return nil
}

// keyPress is the press of a key by its name in the table.
func keyPress(name string) tea.KeyPressMsg {
	switch name {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	case "tab":
		return tea.KeyPressMsg{Code: tea.KeyTab}
	case "left":
		return tea.KeyPressMsg{Code: tea.KeyLeft}
	}
	if r, ok := strings.CutPrefix(name, "ctrl+"); ok && len(r) == 1 {
		return tea.KeyPressMsg{Code: rune(r[0]), Mod: tea.ModCtrl}
	}
	r := []rune(name)[0]
	return tea.KeyPressMsg{Code: r, Text: name}
}
