package vt

import (
	"sync/atomic"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// class says of a rune how wide it is and which cluster rules could make it
// join its neighbours. The rules themselves are the library's: class only saves
// asking it about the many runes that can never join.
type class uint16

const (
	widthBits class = 3
	joinsLeft class = 1 << (iota + 1) // joins whatever stands before it
	joinsNext                         // anything joins it (Prepend)
	isFlag                            // regional indicator
	isPicture                         // may follow a ZWJ
	isIndic                           // consonant: may follow a linker
	afterL                            // may follow a Hangul leading consonant
	afterV                            // may follow a Hangul vowel or syllable
	isHangulL                         // Hangul leading consonant
	isHangul                          // any Hangul that takes a vowel or final
	barren                            // nothing joins it, not even a mark

	mayJoinBits = joinsLeft | isFlag | isPicture | isIndic | afterL | afterV
)

// classPages holds the classes of 256 runes each, made when first needed;
// making one twice at the same time is harmless.
var classPages [0x110000 / 256]atomic.Pointer[[256]class]

func classOf(r rune) class {
	if r < 0 || r > utf8.MaxRune {
		return 1
	}
	p := classPages[r>>8].Load()
	if p == nil {
		p = makeClassPage(r &^ 0xff)
		classPages[r>>8].Store(p)
	}
	return p[r&0xff]
}

func makeClassPage(first rune) *[256]class {
	p := new([256]class)
	for i := range p {
		p[i] = makeClass(first + rune(i))
	}
	return p
}

func makeClass(r rune) class {
	if r >= 0xD800 && r <= 0xDFFF || r < 0x20 || r >= 0x7f && r < 0xa0 {
		return 0
	}
	s := string(r)
	c := class(displaywidth.Rune(r))
	for _, probe := range [...]struct {
		text string
		bit  class
	}{
		{"a" + s, joinsLeft},
		{s + "a", joinsNext},
		{"\U0001F1E6" + s, isFlag},
		{"\U0001F469\u200d" + s, isPicture},
		{"\u0915\u094d" + s, isIndic},
		{"\u1100" + s, afterL},
		{"\uac00" + s, afterV},
		{s + "\u1100", isHangulL},
		{s + "\u11a8", isHangul},
	} {
		if oneCluster([]byte(probe.text)) {
			c |= probe.bit
		}
	}
	if !oneCluster([]byte(s + "\u0301")) {
		c |= barren
	}
	if c&joinsLeft != 0 { // then every probe with a rune before it says yes
		c &^= isFlag | isPicture | isIndic | afterL | afterV
	}
	if c&joinsNext != 0 {
		c &^= isHangulL | isHangul
	}
	return c
}

// oneCluster tells whether b is a single grapheme cluster.
func oneCluster(b []byte) bool {
	n, _, err := graphemes.SplitFunc(b, true)
	return err == nil && n == len(b)
}

const (
	zwj  = 0x200d
	vs16 = 0xfe0f
	// maxCluster bounds the bytes of one cluster: marks beyond it are dropped.
	// The longest sequence Unicode recommends has 35 bytes.
	maxCluster = 128
)
