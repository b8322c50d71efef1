package tui

import (
	"image/color"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui/theme"
)

// terminal takes what the terminal says of itself.
func (m *model) terminal(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.ColorProfileMsg:
		m.profile = msg.Profile
		m.retheme()
	case tea.ForegroundColorMsg:
		m.surface[0] = colorOf(msg.Color)
		m.tellColors()
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.surface[1] = colorOf(msg.Color)
		m.retheme()
		m.tellColors()
	case tea.ModeReportMsg:
		m.modeReport(msg)
	case tea.FocusMsg:
		m.awake, m.dirty = true, true
	case tea.BlurMsg:
		m.awake, m.dirty = false, true
	}
}

func (m *model) retheme() {
	m.look = theme.New(m.profile, m.dark, m.charset != anything)
	m.dirty = true
}

// tellColors tells the panes on which colours they are shown, so that what runs
// in them can choose its own. A screen that only looks has no say in it.
func (m *model) tellColors() {
	if m.opts.View || m.surface == [2]vt.Color{} {
		return
	}
	for _, p := range m.panes {
		if p.source != nil {
			p.source.Surface(m.surface[0], m.surface[1])
		}
	}
}

func colorOf(c color.Color) vt.Color {
	if c == nil {
		return vt.Default
	}
	r, g, b, _ := c.RGBA()
	return vt.RGB(uint8(r>>8), uint8(g>>8), uint8(b>>8))
}

// modeReport learns whether the terminal groups characters into clusters, as the
// panes do, and whether it knows synchronized updates.
func (m *model) modeReport(msg tea.ModeReportMsg) {
	knows := msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet
	switch {
	case !knows:
	case msg.Mode == ansi.ModeUnicodeCore && !m.graphemes:
		m.graphemes, m.dirty = true, true
		m.pulse.emit(group)
	case msg.Mode == ansi.ModeSynchronizedOutput && msg.Value != ansi.ModePermanentlySet:
		m.pulse.sync()
	}
}
