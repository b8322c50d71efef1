package pane

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/vt"
)

// Key is a key of Bubble Tea as the emulator knows it: the codes are the same.
func Key(k tea.KeyPressMsg) vt.Key {
	action := vt.KeyPress
	if k.IsRepeat {
		action = vt.KeyRepeat
	}
	return vt.Key{
		Text: k.Text, Mod: vt.Mod(k.Mod), Code: k.Code,
		ShiftedCode: k.ShiftedCode, BaseCode: k.BaseCode, Action: action,
	}
}

// Mouse is an event of the mouse at x, y of a pane of h rows.
func (m *Model) Mouse(msg tea.MouseMsg, x, y, h int) vt.Mouse {
	e := msg.Mouse()
	out := vt.Mouse{X: x, Y: y + m.top(h), Button: vt.MouseButton(e.Button), Mod: vt.Mod(e.Mod)}
	switch msg.(type) {
	case tea.MouseReleaseMsg:
		out.Action = vt.MouseRelease
	case tea.MouseMotionMsg:
		out.Action = vt.MouseMotion
	}
	return out
}
