package vt

import (
	"strconv"
	"unicode"
)

// kitty encodes a key under the kitty keyboard protocol.
func (m keyModes) kitty(k Key) []byte {
	all := m.flags&KittyAllKeys != 0
	if k.Action == KeyRelease && m.flags&KittyEventTypes == 0 {
		return nil
	}
	plain := k.Mod&(ModAlt|ModCtrl|ModMeta|ModHyper|ModSuper) == 0
	if m.flags&(KittyDisambiguate|KittyAllKeys) == 0 && k.Action == KeyPress {
		return m.legacy(k) // the others alone change no press
	}
	if kp, ok := keypadChars[k.Code]; ok && kp.char != '\r' && !all && plain {
		if k.Action == KeyRelease {
			return nil
		}
		return []byte{kp.char}
	}
	if f, ok := m.kittyForm(k.Code); ok {
		lone := f.num >= 57358 && f.num <= 57360 || f.num >= 57441
		if lone && !all {
			return nil // locks and modifiers alone
		}
		return m.kittySequence(k, f)
	}
	if !all && typesAsBefore(k, plain) {
		return m.typed(k)
	}
	if k.Code > KeyF1+34 && k.Code <= KeyF63 && k.Action != KeyRelease {
		return m.legacy(k) // the protocol has numbers up to F35
	}
	if k.Code > unicode.MaxRune { // text of several runes has no code
		if m.flags&KittyText == 0 || k.Action == KeyRelease {
			return []byte(k.Text)
		}
		k.Code = 0
	}
	return m.kittySequence(k, keyForm{int(unicode.ToLower(k.Code)), 'u'})
}

// typesAsBefore tells whether a key is sent as without the protocol: text, and
// Enter, Tab and Backspace without modifiers, so that a shell left in this mode
// by a crash can still be used.
func typesAsBefore(k Key, plain bool) bool {
	switch k.Code {
	case KeyEscape:
		return false
	case KeyEnter, KeyTab, KeyBackspace:
		return k.Mod&^(ModCapsLock|ModNumLock|ModScrollLock) == 0
	}
	return plain
}

func (m keyModes) typed(k Key) []byte {
	switch {
	case k.Action == KeyRelease:
		return nil
	case k.Code == KeyEnter || k.Code == KeyTab || k.Code == KeyBackspace:
		return m.control(k)
	}
	return m.char(k)
}

// kittyForm returns how a key that has no character is sent.
func (m keyModes) kittyForm(code rune) (keyForm, bool) {
	switch {
	case code == KeyF3:
		return keyForm{13, '~'}, true // CSI R is a cursor report
	case code == KeyMenu:
		return keyForm{57363, 'u'}, true
	case code > KeyF12 && code <= KeyF1+34:
		return keyForm{57376 + int(code-KeyF12) - 1, 'u'}, true
	case code >= KeyCapsLock && code <= KeyPause:
		return keyForm{57358 + int(kittyLocks[code-KeyCapsLock]), 'u'}, true
	case code >= KeyMediaPlay && code <= KeyMute:
		return keyForm{57428 + int(code-KeyMediaPlay), 'u'}, true
	case code >= KeyLeftShift && code <= KeyIsoLevel5Shift:
		return keyForm{57441 + int(kittyMods[code-KeyLeftShift]), 'u'}, true
	case code >= KeyKp0 && code <= KeyKp9:
		return keyForm{57399 + int(code-KeyKp0), 'u'}, true
	}
	if n, ok := kittyKeypad[code]; ok {
		return keyForm{n, 'u'}, true
	}
	f, ok := keyForms[code]
	return f, ok
}

var (
	kittyLocks = [...]uint8{0, 1, 2, 3, 4}
	// Bubble Tea's order is shift alt ctrl super hyper meta, kitty's shift ctrl alt.
	kittyMods   = [...]uint8{0, 2, 1, 3, 4, 5, 6, 8, 7, 9, 10, 11, 12, 13}
	kittyKeypad = map[rune]int{
		KeyKpDecimal: 57409, KeyKpDivide: 57410, KeyKpMultiply: 57411, KeyKpMinus: 57412, KeyKpPlus: 57413,
		KeyKpEnter: 57414, KeyKpEqual: 57415, KeyKpSep: 57416, KeyKpComma: 57416, KeyKpLeft: 57417, KeyKpRight: 57418,
		KeyKpUp: 57419, KeyKpDown: 57420, KeyKpPgUp: 57421, KeyKpPgDown: 57422, KeyKpHome: 57423, KeyKpEnd: 57424,
		KeyKpInsert: 57425, KeyKpDelete: 57426, KeyKpBegin: 57427,
	}
)

// kittyBits turns modifiers into kitty's, which has meta and super swapped.
func kittyBits(m Mod) int {
	b := int(m & (ModShift | ModAlt | ModCtrl | ModHyper))
	if m&ModSuper != 0 {
		b |= 8
	}
	if m&ModMeta != 0 {
		b |= 32
	}
	if m&ModCapsLock != 0 {
		b |= 64
	}
	if m&ModNumLock != 0 {
		b |= 128
	}
	return b
}

// kittySequence is CSI code:shifted:base ; mods:event ; text final.
func (m keyModes) kittySequence(k Key, f keyForm) []byte {
	mods := kittyBits(k.Mod)
	if m.flags&KittyAllKeys == 0 && f.final == 'u' && f.num < 57358 {
		mods &^= 64 | 128 // locks do not show on keys that type text
	}
	event := 0
	if m.flags&KittyEventTypes != 0 && k.Action != KeyPress {
		event = int(k.Action) + 1
	}
	text := m.flags&(KittyText|KittyAllKeys) == KittyText|KittyAllKeys && k.Text != "" && k.Action != KeyRelease
	b := []byte("\x1b[")
	if f.num != 1 || mods != 0 || event != 0 {
		b = strconv.AppendInt(b, int64(f.num), 10)
	}
	b = m.alternates(b, k, f)
	if mods != 0 || event != 0 || text {
		b = append(b, ';')
		if mods != 0 || event != 0 {
			b = strconv.AppendInt(b, int64(mods)+1, 10)
		}
	}
	if event != 0 {
		b = strconv.AppendInt(append(b, ':'), int64(event), 10)
	}
	if text {
		sep := byte(';')
		for _, r := range k.Text {
			b = strconv.AppendInt(append(b, sep), int64(r), 10)
			sep = ':'
		}
	}
	return append(b, f.final)
}

func (m keyModes) alternates(b []byte, k Key, f keyForm) []byte {
	if m.flags&KittyAlternateKeys == 0 || f.final != 'u' || f.num >= 57344 {
		return b
	}
	shift := k.Mod&ModShift != 0 && k.ShiftedCode != 0 && k.ShiftedCode != rune(f.num)
	base := k.BaseCode != 0 && k.BaseCode != rune(f.num)
	if shift {
		b = strconv.AppendInt(append(b, ':'), int64(k.ShiftedCode), 10)
	}
	if base {
		if !shift {
			b = append(b, ':')
		}
		b = strconv.AppendInt(append(b, ':'), int64(k.BaseCode), 10)
	}
	return b
}
