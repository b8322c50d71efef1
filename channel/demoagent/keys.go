package demoagent

import (
	"bytes"
	"time"
	"unicode/utf8"
)

// key is one thing the keyboard said: a named key, a character, or pasted text.
type key struct {
	name string // enter, esc, up, down, left, right, backspace, ctrl+c …; empty for text
	text string
}

// escTime is how long a lone ESC waits for what may follow it.
const escTime = 50 * time.Millisecond

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

var finals = map[byte]string{'A': "up", 'B': "down", 'C': "right", 'D': "left", 'H': "home", 'F': "end"}

// decodeKeys reads keys from buf and returns what is left of it. With final an
// ESC at the end is the key; else it may be the start of a sequence.
func decodeKeys(buf []byte, final bool) (keys []key, rest []byte) {
	for len(buf) > 0 {
		k, n := decodeKey(buf, final)
		if n == 0 {
			break
		}
		if k != (key{}) {
			keys = append(keys, k)
		}
		buf = buf[n:]
	}
	return keys, buf
}

// decodeKey reads one key; n is 0 when more bytes are needed. Reports of the
// terminal give an empty key.
func decodeKey(b []byte, final bool) (k key, n int) {
	if b[0] == 0x1b {
		return decodeEscape(b, final)
	}
	switch b[0] {
	case '\r':
		return key{name: "enter"}, 1
	case '\n':
		return key{text: "\n"}, 1
	case 0x7f, 0x08:
		return key{name: "backspace"}, 1
	case '\t':
		return key{name: "tab"}, 1
	}
	if b[0] < 0x20 {
		return key{name: "ctrl+" + string(b[0]+'a'-1)}, 1
	}
	if !utf8.FullRune(b) && !final {
		return key{}, 0
	}
	_, n = utf8.DecodeRune(b)
	return key{text: string(b[:n])}, n
}

func decodeEscape(b []byte, final bool) (key, int) {
	if len(b) == 1 {
		if final {
			return key{name: "esc"}, 1
		}
		return key{}, 0
	}
	switch b[1] {
	case '[':
		return decodeCSI(b, final)
	case 'O':
		if len(b) < 3 {
			return needMore(b, final)
		}
		return key{name: finals[b[2]]}, 3
	case ']', 'P', '_': // a report up to BEL or ST
		if i := bytes.IndexByte(b, 7); i >= 0 {
			return key{}, i + 1
		}
		if i := bytes.Index(b[2:], []byte("\x1b\\")); i >= 0 {
			return key{}, i + 4
		}
		return needMore(b, final)
	}
	return key{name: "esc"}, 1
}

func needMore(b []byte, final bool) (key, int) {
	if final {
		return key{}, len(b)
	}
	return key{}, 0
}

func decodeCSI(b []byte, final bool) (key, int) {
	if bytes.HasPrefix(b, pasteStart) {
		i := bytes.Index(b, pasteEnd)
		if i < 0 {
			return key{}, 0 // a paste may be slow, also when ESC would not be
		}
		return key{name: "paste", text: string(b[len(pasteStart):i])}, i + len(pasteEnd)
	}
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			if i == 2 {
				return key{name: finals[b[i]]}, i + 1
			}
			return key{}, i + 1
		}
	}
	return needMore(b, final)
}
