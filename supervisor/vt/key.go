package vt

// Mod is a set of modifier keys, with the bits Bubble Tea uses.
type Mod int

// Modifiers, and the states of the locks.
const (
	ModShift Mod = 1 << iota
	ModAlt
	ModCtrl
	ModMeta
	ModHyper
	ModSuper
	ModCapsLock
	ModNumLock
	ModScrollLock
)

// KeyAction is what happened to a key.
type KeyAction uint8

// Key actions; release is sent only to programs that asked for it.
const (
	KeyPress KeyAction = iota
	KeyRepeat
	KeyRelease
)

// A Key is one stroke. The fields and codes are those of Bubble Tea v2's Key, so
// a KeyPressMsg m becomes
//
//	vt.Key{Text: m.Text, Mod: vt.Mod(m.Mod), Code: m.Code, ShiftedCode: m.ShiftedCode, BaseCode: m.BaseCode}
type Key struct {
	Text        string // what it types, if it types anything
	Mod         Mod
	Code        rune // an unshifted character, or one of the Key constants
	ShiftedCode rune // what shift makes of it, if known
	BaseCode    rune // the same key on a US keyboard, if known
	Action      KeyAction
}

// Key codes, with the values of Bubble Tea's.
const (
	KeyExtended rune = 0x110000 + iota // Text holds several runes
	KeyUp
	KeyDown
	KeyRight
	KeyLeft
	KeyBegin
	KeyFind
	KeyInsert
	KeyDelete
	KeySelect
	KeyPgUp
	KeyPgDown
	KeyHome
	KeyEnd
	KeyKpEnter
	KeyKpEqual
	KeyKpMultiply
	KeyKpPlus
	KeyKpComma
	KeyKpMinus
	KeyKpDecimal
	KeyKpDivide
	KeyKp0
	KeyKp1
	KeyKp2
	KeyKp3
	KeyKp4
	KeyKp5
	KeyKp6
	KeyKp7
	KeyKp8
	KeyKp9
	KeyKpSep
	KeyKpUp
	KeyKpDown
	KeyKpLeft
	KeyKpRight
	KeyKpPgUp
	KeyKpPgDown
	KeyKpHome
	KeyKpEnd
	KeyKpInsert
	KeyKpDelete
	KeyKpBegin
	KeyF1
)

// Function keys go on from KeyF1: KeyF1+n-1 is F n, up to 63.
const (
	KeyF2  = KeyF1 + 1
	KeyF3  = KeyF1 + 2
	KeyF4  = KeyF1 + 3
	KeyF5  = KeyF1 + 4
	KeyF6  = KeyF1 + 5
	KeyF7  = KeyF1 + 6
	KeyF8  = KeyF1 + 7
	KeyF9  = KeyF1 + 8
	KeyF10 = KeyF1 + 9
	KeyF11 = KeyF1 + 10
	KeyF12 = KeyF1 + 11
	KeyF63 = KeyF1 + 62
)

// Locks, media and modifier keys.
const (
	KeyCapsLock = KeyF63 + 1 + iota
	KeyScrollLock
	KeyNumLock
	KeyPrintScreen
	KeyPause
	KeyMenu
	KeyMediaPlay
	KeyMediaPause
	KeyMediaPlayPause
	KeyMediaReverse
	KeyMediaStop
	KeyMediaFastForward
	KeyMediaRewind
	KeyMediaNext
	KeyMediaPrev
	KeyMediaRecord
	KeyLowerVol
	KeyRaiseVol
	KeyMute
	KeyLeftShift
	KeyLeftAlt
	KeyLeftCtrl
	KeyLeftSuper
	KeyLeftHyper
	KeyLeftMeta
	KeyRightShift
	KeyRightAlt
	KeyRightCtrl
	KeyRightSuper
	KeyRightHyper
	KeyRightMeta
	KeyIsoLevel3Shift
	KeyIsoLevel5Shift
)

// Keys that are control characters.
const (
	KeyBackspace rune = 0x7f
	KeyTab       rune = '\t'
	KeyEnter     rune = '\r'
	KeyEscape    rune = 0x1b
	KeySpace     rune = ' '
)
