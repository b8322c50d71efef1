package vt

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MouseButton numbers the buttons as Bubble Tea does.
type MouseButton uint8

// Mouse buttons.
const (
	MouseNone MouseButton = iota
	MouseLeft
	MouseMiddle
	MouseRight
	MouseWheelUp
	MouseWheelDown
	MouseWheelLeft
	MouseWheelRight
	MouseBackward
	MouseForward
	MouseButton10
	MouseButton11
)

// MouseAction is what the mouse did.
type MouseAction uint8

// Mouse actions. Turning the wheel is a press.
const (
	MousePress MouseAction = iota
	MouseRelease
	MouseMotion
)

// A Mouse is an event at a column and row of the screen, both from 0.
type Mouse struct {
	X, Y   int
	Button MouseButton
	Mod    Mod
	Action MouseAction
}

// wheelKeys is how many arrows a notch of the wheel sends where it scrolls a
// program that knows no mouse.
const wheelKeys = 3

// EncodeMouse returns what a mouse event sends under the modes in force; nil if
// the program did not ask for it. On the alternate screen without a mouse mode
// the wheel sends arrow keys (mode 1007, on by default).
func (t *Terminal) EncodeMouse(m Mouse) []byte {
	t.lock()
	mo, cols, rows := t.modes, t.cols, t.nrow
	w, h := t.cfg.CellWidth, t.cfg.CellHeight
	t.mu.Unlock()
	if m.X < 0 || m.Y < 0 || m.X >= cols || m.Y >= rows || m.Button > MouseButton11 {
		return nil
	}
	wheel := m.Button >= MouseWheelUp && m.Button <= MouseWheelRight
	if mo.mouse == 0 {
		if wheel && m.Button <= MouseWheelDown && m.Action == MousePress && mo.alt && mo.altScroll {
			return wheelArrows(m.Button, mo.appCursor)
		}
		return nil
	}
	if !mo.wants(m, wheel) {
		return nil
	}
	return mo.encodeMouse(m, w, h)
}

// MouseMode tells whether the program asked for the mouse, so that a caller
// knows whether a click is the program's or its own.
func (t *Terminal) MouseMode() bool {
	t.lock()
	defer t.mu.Unlock()
	return t.modes.mouse != 0
}

// WantsMotion tells whether the program asked to hear of the mouse's every
// motion (mode 1003), not only of those with a button held.
func (t *Terminal) WantsMotion() bool {
	t.lock()
	defer t.mu.Unlock()
	return t.modes.mouse == 1003
}

func wheelArrows(b MouseButton, app bool) []byte {
	key := "\x1b[A"
	if b == MouseWheelDown {
		key = "\x1b[B"
	}
	if app {
		key = "\x1bO" + key[2:]
	}
	return bytes.Repeat([]byte(key), wheelKeys)
}

func (mo *modes) wants(m Mouse, wheel bool) bool {
	if wheel && m.Action == MouseRelease {
		return false // a wheel turns, it is never let go
	}
	switch mo.mouse {
	case 9:
		return m.Action == MousePress && m.Button >= MouseLeft && m.Button <= MouseRight
	case 1000:
		return m.Action != MouseMotion
	case 1002:
		return m.Action != MouseMotion || m.Button != MouseNone
	}
	return true
}

// buttonCode is the button as xterm numbers it, without the release's 3.
func buttonCode(b MouseButton) int {
	switch {
	case b == MouseNone:
		return 3
	case b <= MouseRight:
		return int(b - MouseLeft)
	case b <= MouseWheelRight:
		return 64 + int(b-MouseWheelUp)
	}
	return 128 + int(b-MouseBackward)
}

func (mo *modes) encodeMouse(m Mouse, w, h int) []byte {
	sgr := mo.sgrMouse || mo.pixelMouse
	code := buttonCode(m.Button)
	if m.Action == MouseRelease && !sgr {
		code = 3
	}
	if mo.mouse != 9 {
		if m.Mod&ModShift != 0 {
			code |= 4
		}
		if m.Mod&(ModAlt|ModMeta) != 0 {
			code |= 8
		}
		if m.Mod&ModCtrl != 0 {
			code |= 16
		}
	}
	if m.Action == MouseMotion {
		code |= 32
	}
	x, y := m.X+1, m.Y+1
	switch {
	case sgr:
		if mo.pixelMouse { // the middle of the cell
			x, y = m.X*w+w/2, m.Y*h+h/2
		}
		final := 'M'
		if m.Action == MouseRelease {
			final = 'm'
		}
		return fmt.Appendf(nil, "\x1b[<%d;%d;%d%c", code, x, y, final)
	case mo.urxvtMouse:
		return fmt.Appendf(nil, "\x1b[%d;%d;%dM", code+32, x, y)
	case mo.utf8Mouse:
		if x > 2015 || y > 2015 {
			return nil
		}
		b := utf8.AppendRune([]byte("\x1b[M"), rune(code+32))
		return utf8.AppendRune(utf8.AppendRune(b, rune(x+32)), rune(y+32))
	}
	if x > 223 || y > 223 {
		return nil // the old encoding cannot say it
	}
	return []byte{0x1b, '[', 'M', byte(code + 32), byte(x + 32), byte(y + 32)}
}

// EncodePaste returns what pasting s sends: line ends as carriage returns, every
// other control character but tab removed so that nothing in it acts as a key,
// and between brackets if the program asked for them (mode 2004).
func (t *Terminal) EncodePaste(s string) []byte {
	t.lock()
	bracket := t.modes.paste
	t.mu.Unlock()
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\r"), "\n", "\r")
	b := make([]byte, 0, len(s)+12)
	if bracket {
		b = append(b, "\x1b[200~"...)
	}
	for _, r := range s {
		if r == '\t' || r == '\r' || r >= 0x20 && (r < 0x7f || r > 0x9f) {
			b = utf8.AppendRune(b, r)
		}
	}
	if bracket {
		b = append(b, "\x1b[201~"...)
	}
	return b
}

// EncodeFocus returns what gaining or losing the focus sends, nil unless the
// program asked for it (mode 1004).
func (t *Terminal) EncodeFocus(in bool) []byte {
	t.lock()
	on := t.modes.focus
	t.mu.Unlock()
	switch {
	case !on:
		return nil
	case in:
		return []byte("\x1b[I")
	}
	return []byte("\x1b[O")
}
