package vt

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// keyModes is what of the terminal's state decides how keys are sent.
type keyModes struct {
	appCursor, appKeypad, newline bool
	modKey                        int
	flags                         KittyFlags
}

func (t *Terminal) keyModes() keyModes {
	t.lock()
	defer t.mu.Unlock()
	return keyModes{
		appCursor: t.modes.appCursor, appKeypad: t.modes.appKeypad, newline: t.modes.newline,
		modKey: t.modKey, flags: t.kitty[t.screenIndex()].flags,
	}
}

// EncodeKey returns the bytes a key sends under the modes in force: application
// cursor and keypad, modifyOtherKeys, the kitty keyboard flags. A key that sends
// nothing gives nil: releases nobody asked for, modifiers alone.
func (t *Terminal) EncodeKey(k Key) []byte {
	m := t.keyModes()
	if m.flags != 0 {
		return m.kitty(k)
	}
	if k.Action == KeyRelease {
		return nil
	}
	return m.legacy(k)
}

// keyForm is how a key without a character is sent: CSI num ; mods final.
type keyForm struct {
	num   int
	final byte
}

var keyForms = map[rune]keyForm{
	KeyUp: {1, 'A'}, KeyDown: {1, 'B'}, KeyRight: {1, 'C'}, KeyLeft: {1, 'D'}, KeyBegin: {1, 'E'},
	KeyEnd: {1, 'F'}, KeyHome: {1, 'H'},
	KeyFind: {1, '~'}, KeyInsert: {2, '~'}, KeyDelete: {3, '~'}, KeySelect: {4, '~'}, KeyPgUp: {5, '~'}, KeyPgDown: {6, '~'},
	KeyF1: {1, 'P'}, KeyF2: {1, 'Q'}, KeyF3: {1, 'R'}, KeyF4: {1, 'S'}, KeyF5: {15, '~'}, KeyF6: {17, '~'},
	KeyF7: {18, '~'}, KeyF8: {19, '~'}, KeyF9: {20, '~'}, KeyF10: {21, '~'}, KeyF11: {23, '~'}, KeyF12: {24, '~'},
	KeyMenu: {29, '~'},
}

// keypadKeys maps the keypad's keys without numbers to the ones they double.
var keypadKeys = map[rune]rune{
	KeyKpUp: KeyUp, KeyKpDown: KeyDown, KeyKpLeft: KeyLeft, KeyKpRight: KeyRight, KeyKpPgUp: KeyPgUp,
	KeyKpPgDown: KeyPgDown, KeyKpHome: KeyHome, KeyKpEnd: KeyEnd, KeyKpInsert: KeyInsert,
	KeyKpDelete: KeyDelete, KeyKpBegin: KeyBegin,
}

// keypadChars are what the other keys of the keypad type, and their final byte
// under the application keypad (ctlseqs, "VT220-Style Function Keys").
var keypadChars = map[rune]struct{ char, app byte }{
	KeyKpEnter: {'\r', 'M'}, KeyKpEqual: {'=', 'X'}, KeyKpMultiply: {'*', 'j'}, KeyKpPlus: {'+', 'k'},
	KeyKpComma: {',', 'l'}, KeyKpSep: {',', 'l'}, KeyKpMinus: {'-', 'm'}, KeyKpDecimal: {'.', 'n'}, KeyKpDivide: {'/', 'o'},
	KeyKp0: {'0', 'p'}, KeyKp1: {'1', 'q'}, KeyKp2: {'2', 'r'}, KeyKp3: {'3', 's'}, KeyKp4: {'4', 't'},
	KeyKp5: {'5', 'u'}, KeyKp6: {'6', 'v'}, KeyKp7: {'7', 'w'}, KeyKp8: {'8', 'x'}, KeyKp9: {'9', 'y'},
}

const legacyMods = ModShift | ModAlt | ModCtrl | ModMeta

func (m keyModes) legacy(k Key) []byte {
	if code, ok := keypadKeys[k.Code]; ok {
		k.Code = code
	}
	if kp, ok := keypadChars[k.Code]; ok {
		if m.appKeypad && k.Mod&ModNumLock == 0 {
			return ss3(kp.app, k.Mod&legacyMods)
		}
		k.Code = rune(kp.char)
	}
	if k.Code > KeyF12 && k.Code <= KeyF63 {
		k = highFunction(k)
	}
	if f, ok := keyForms[k.Code]; ok {
		return m.function(f, k.Mod&legacyMods)
	}
	if k.Code > unicode.MaxRune && k.Code != KeyExtended {
		return nil // locks, media keys and modifiers send nothing
	}
	switch k.Code {
	case KeyEnter, KeyTab, KeyBackspace, KeyEscape:
		return m.control(k)
	}
	return m.char(k)
}

func ss3(final byte, mod Mod) []byte {
	if mod == 0 {
		return []byte{0x1b, 'O', final}
	}
	return append(strconv.AppendInt([]byte("\x1bO"), int64(mod)+1, 10), final)
}

// highFunction turns F13 to F63 into the modified F1 to F12 that terminfo's
// xterm-256color names them by.
func highFunction(k Key) Key {
	n := int(k.Code - KeyF1)
	mods := [...]Mod{0, ModShift, ModCtrl, ModCtrl | ModShift, ModAlt, ModAlt | ModShift}
	k.Code, k.Mod = KeyF1+rune(n%12), k.Mod|mods[n/12]
	return k
}

func (m keyModes) function(f keyForm, mod Mod) []byte {
	if mod != 0 {
		b := strconv.AppendInt([]byte("\x1b["), int64(f.num), 10)
		return append(strconv.AppendInt(append(b, ';'), int64(mod)+1, 10), f.final)
	}
	switch {
	case f.final == '~':
		return append(strconv.AppendInt([]byte("\x1b["), int64(f.num), 10), '~')
	case f.final >= 'P' || m.appCursor:
		return []byte{0x1b, 'O', f.final}
	}
	return []byte{0x1b, '[', f.final}
}

// otherKey is the form of modifyOtherKeys.
func otherKey(mod Mod, code rune) []byte {
	b := strconv.AppendInt([]byte("\x1b[27;"), int64(mod)+1, 10)
	return append(strconv.AppendInt(append(b, ';'), int64(code), 10), '~')
}

// control sends Enter, Tab, Backspace and Escape.
func (m keyModes) control(k Key) []byte {
	mod := k.Mod & legacyMods
	if k.Code == KeyTab && mod&ModShift != 0 && mod&ModCtrl == 0 {
		return alted(mod, []byte("\x1b[Z"))
	}
	strong := k.Code == KeyEnter || k.Code == KeyTab
	if mod != 0 && (m.modKey == 2 || m.modKey == 1 && strong && mod&(ModCtrl|ModShift) != 0) {
		return otherKey(mod, k.Code)
	}
	b := []byte{byte(k.Code)}
	switch {
	case k.Code == KeyBackspace && mod&ModCtrl != 0:
		b[0] = 0x08
	case k.Code == KeyEnter && m.newline:
		b = append(b, '\n')
	}
	return alted(mod, b)
}

func alted(mod Mod, b []byte) []byte {
	if mod&(ModAlt|ModMeta) != 0 {
		return append([]byte{0x1b}, b...)
	}
	return b
}

// shifted returns the character the key types with its shift state.
func (k Key) shifted() rune {
	if k.Mod&ModShift == 0 {
		return k.Code
	}
	if k.ShiftedCode != 0 {
		return k.ShiftedCode
	}
	return unicode.ToUpper(k.Code)
}

func (m keyModes) char(k Key) []byte {
	mod := k.Mod & legacyMods
	if mod&^ModShift == 0 {
		if k.Text != "" {
			return []byte(k.Text)
		}
		if k.Code == KeyExtended {
			return nil
		}
		return utf8.AppendRune(nil, k.shifted())
	}
	if k.Code == KeyExtended {
		return alted(mod, []byte(k.Text))
	}
	ctrl, ok := controlCode(k.shifted())
	if k.Code >= utf8.RuneSelf && k.BaseCode >= 'a' && k.BaseCode <= 'z' {
		ctrl, ok = controlCode(k.BaseCode) // Ctrl-C on a Cyrillic keyboard
	}
	hasCtrl := mod&ModCtrl != 0
	if m.modKey == 2 || m.modKey == 1 && hasCtrl && !ok {
		return otherKey(mod, k.shifted())
	}
	if hasCtrl && ok {
		return alted(mod, []byte{ctrl})
	}
	return alted(mod, utf8.AppendRune(nil, k.shifted()))
}

// controlCode is what ctrl makes of a character, where anything.
func controlCode(r rune) (byte, bool) {
	switch {
	case r >= '@' && r <= '_':
		return byte(r) & 0x1f, true
	case r >= 'a' && r <= 'z':
		return byte(r) & 0x1f, true
	case r == ' ' || r == '2':
		return 0, true
	case r >= '3' && r <= '7':
		return byte(r-'3') + 0x1b, true
	case r == '8' || r == '?':
		return 0x7f, true
	case r == '/':
		return 0x1f, true
	case r == '`':
		return 0, true
	case r == '~':
		return 0x1e, true
	}
	return 0, false
}
