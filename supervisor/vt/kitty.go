package vt

import "fmt"

// KittyFlags are the progressive enhancements of the kitty keyboard protocol
// (https://sw.kovidgoyal.net/kitty/keyboard-protocol/).
type KittyFlags uint8

// The enhancements.
const (
	KittyDisambiguate KittyFlags = 1 << iota
	KittyEventTypes
	KittyAlternateKeys
	KittyAllKeys
	KittyText
	kittyAll = 1<<5 - 1
)

// maxKittyStack is how many pushes are kept; the oldest is dropped.
const maxKittyStack = 16

// kittyStack is the flags in force and those pushed under them.
type kittyStack struct {
	flags KittyFlags
	below []KittyFlags
}

// kittyKeys is CSI u with a prefix: query ?, push >, pop <, set =.
func (t *Terminal) kittyKeys(prefix byte) {
	k, p := &t.kitty[t.screenIndex()], &t.par
	switch prefix {
	case '?':
		t.reply(fmt.Sprintf("\x1b[?%du", k.flags))
	case '>':
		if len(k.below) == maxKittyStack {
			k.below = append(k.below[:0:0], k.below[1:]...)
		}
		k.below = append(k.below, k.flags)
		k.flags = KittyFlags(p.raw(0)) & kittyAll
	case '<':
		k.pop(p.at(0, 1))
	case '=':
		f := KittyFlags(p.raw(0)) & kittyAll
		switch p.at(1, 1) {
		case 1:
			k.flags = f
		case 2:
			k.flags |= f
		case 3:
			k.flags &^= f
		}
	}
}

func (k *kittyStack) pop(n int) {
	if n > len(k.below) {
		k.flags, k.below = 0, nil
		return
	}
	k.flags = k.below[len(k.below)-n]
	k.below = k.below[:len(k.below)-n]
}

// setModifyKeys is XTMODKEYS; only modifyOtherKeys (4) is kept.
func (t *Terminal) setModifyKeys() {
	switch p := &t.par; {
	case p.n == 1 && p.raw(0) == 0:
		t.modKey = 0
	case p.raw(0) == 4:
		t.modKey = min(p.raw(1), 2)
	}
}

func (t *Terminal) reportModifyKeys() {
	if t.par.raw(0) == 4 {
		t.reply(fmt.Sprintf("\x1b[>4;%dm", t.modKey))
	}
}
