package vt_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/vt"
)

// TestBubbleTeaCodes holds that Bubble Tea's keys, modifiers and buttons have
// the numbers this package uses, so that they can be converted as they are.
func TestBubbleTeaCodes(t *testing.T) {
	for _, c := range []struct {
		name      string
		ours, tea rune
	}{
		{"up", vt.KeyUp, tea.KeyUp},
		{"end", vt.KeyEnd, tea.KeyEnd},
		{"keypad enter", vt.KeyKpEnter, tea.KeyKpEnter},
		{"keypad 9", vt.KeyKp9, tea.KeyKp9},
		{"keypad begin", vt.KeyKpBegin, tea.KeyKpBegin},
		{"F1", vt.KeyF1, tea.KeyF1},
		{"F12", vt.KeyF12, tea.KeyF12},
		{"F63", vt.KeyF63, tea.KeyF63},
		{"caps lock", vt.KeyCapsLock, tea.KeyCapsLock},
		{"menu", vt.KeyMenu, tea.KeyMenu},
		{"media play", vt.KeyMediaPlay, tea.KeyMediaPlay},
		{"mute", vt.KeyMute, tea.KeyMute},
		{"left shift", vt.KeyLeftShift, tea.KeyLeftShift},
		{"level 5", vt.KeyIsoLevel5Shift, tea.KeyIsoLevel5Shift},
		{"backspace", vt.KeyBackspace, tea.KeyBackspace},
		{"tab", vt.KeyTab, tea.KeyTab},
		{"enter", vt.KeyEnter, tea.KeyEnter},
		{"escape", vt.KeyEscape, tea.KeyEscape},
		{"space", vt.KeySpace, tea.KeySpace},
		{"extended", vt.KeyExtended, tea.KeyExtended},
		{"shift", rune(vt.ModShift), rune(tea.ModShift)},
		{"alt", rune(vt.ModAlt), rune(tea.ModAlt)},
		{"ctrl", rune(vt.ModCtrl), rune(tea.ModCtrl)},
		{"meta", rune(vt.ModMeta), rune(tea.ModMeta)},
		{"hyper", rune(vt.ModHyper), rune(tea.ModHyper)},
		{"super", rune(vt.ModSuper), rune(tea.ModSuper)},
		{"num lock", rune(vt.ModNumLock), rune(tea.ModNumLock)},
		{"left", rune(vt.MouseLeft), rune(tea.MouseLeft)},
		{"wheel up", rune(vt.MouseWheelUp), rune(tea.MouseWheelUp)},
		{"wheel right", rune(vt.MouseWheelRight), rune(tea.MouseWheelRight)},
		{"button 11", rune(vt.MouseButton11), rune(tea.MouseButton11)},
	} {
		if c.ours != c.tea {
			t.Errorf("%s: %d here, %d in Bubble Tea", c.name, c.ours, c.tea)
		}
	}
}

// fromTea is the whole conversion.
func fromTea(m tea.KeyPressMsg) vt.Key {
	return vt.Key{Text: m.Text, Mod: vt.Mod(m.Mod), Code: m.Code, ShiftedCode: m.ShiftedCode, BaseCode: m.BaseCode}
}

// TestEveryBubbleTeaKey holds that every key Bubble Tea can report, with every
// modifier, sends something under every mode that could be in force, but those
// that have no legacy form.
func TestEveryBubbleTeaKey(t *testing.T) {
	silent := func(code rune) bool {
		return code >= tea.KeyCapsLock && code <= tea.KeyIsoLevel5Shift && code != tea.KeyMenu
	}
	for _, mode := range []string{"", "\x1b[?1h\x1b=", "\x1b[>4;1m", "\x1b[>4;2m", "\x1b[>1u", "\x1b[>5u", "\x1b[>31u"} {
		tm := vt.New(80, 24, vt.Config{})
		_, _ = tm.Write([]byte(mode))
		for mod := tea.KeyMod(0); mod <= tea.ModSuper<<1-1; mod++ {
			for code := rune(tea.KeyUp); code <= tea.KeyIsoLevel5Shift; code++ {
				got := tm.EncodeKey(fromTea(tea.KeyPressMsg{Code: code, Mod: mod}))
				if len(got) == 0 && !silent(code) {
					t.Fatalf("%q: key %d with %d sends nothing", mode, code, mod)
				}
			}
			for code := rune(' '); code < 0x7f; code++ {
				if got := tm.EncodeKey(fromTea(tea.KeyPressMsg{Code: code, Mod: mod})); len(got) == 0 {
					t.Fatalf("%q: %c with %d sends nothing", mode, code, mod)
				}
			}
		}
	}
}
