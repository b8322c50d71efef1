package wire

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// CleanBody returns content as it may go before a model or a screen: valid
// UTF-8, line ends as \n, without control characters (tab and newline stay),
// bidi controls and invisible tag characters, and with the openings of channel
// and system-reminder tags defused so that they can be read but not obeyed.
// It fails when the result is longer than MaxBody.
func CleanBody(content string) (string, error) {
	s := clean(strings.ReplaceAll(content, "\r\n", "\n"), true)
	s = defuse(s)
	if len(s) > MaxBody {
		return "", fmt.Errorf("content has %d bytes; the limit is %d: send a file's path instead", len(s), MaxBody)
	}
	return s, nil
}

// CleanMeta returns value as it may stand in an attribute of a channel tag: one
// line, without what CleanBody removes. It fails when it is longer than MaxMeta.
func CleanMeta(key, value string) (string, error) {
	s := defuse(clean(value, false))
	if len(s) > MaxMeta {
		return "", fmt.Errorf("%s has %d bytes; the limit is %d", key, len(s), MaxMeta)
	}
	return s, nil
}

// CleanLine returns s as one harmless line of at most limit bytes, for error
// texts and logs. What does not fit is cut and marked with an ellipsis.
func CleanLine(s string, limit int) string {
	s = clean(s, false)
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	return Cut(s, max(limit-len(mark), 0)) + mark
}

// Cut returns the longest beginning of s that has at most limit bytes and ends
// with a whole character.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// clean drops what no text from outside may hold. With lines false, tab and
// newline become spaces.
func clean(s string, lines bool) string {
	if isPlain(s, lines) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			if lines {
				b.WriteRune(r)
			} else {
				b.WriteByte(' ')
			}
		case Hidden(r):
		default:
			b.WriteRune(r) // an invalid byte arrives here as U+FFFD
		}
	}
	return b.String()
}

func isPlain(s string, lines bool) bool {
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c == 0x7f || c < ' ' && (!lines || c != '\n' && c != '\t') {
			return false
		}
	}
	return true
}

// Hidden says whether r is a character that changes or hides what a reader
// sees: a control (also tab and newline), a bidi control, a tag character, a
// line or paragraph separator, or another invisible format character. Joiners
// and variation selectors, which emoji and many scripts need, are not hidden.
func Hidden(r rune) bool {
	switch {
	case r < 0x20 || r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r == 0x061c || r == 0x200e || r == 0x200f: // bidi marks
		return true
	case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x206f: // bidi embeddings, isolates, deprecated
		return true
	case r == 0x2028 || r == 0x2029: // separators that break one line in two
		return true
	case r == 0x200b || r == 0x2060 || r >= 0x2061 && r <= 0x2064 || r == 0xfeff || r == 0x00ad || r == 0x180e:
		return true
	case r == 0x034f || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5 || r == 0x3164 || r == 0xffa0: // fillers without a shape
		return true
	case r >= 0xfff0 && r <= 0xfffb: // interlinear annotation and its unassigned neighbours
		return true
	case r >= 0x1bca0 && r <= 0x1bca3 || r >= 0x1d173 && r <= 0x1d17a: // shorthand and musical format controls
		return true
	case r >= 0xe0000 && r <= 0xe0fff: // tag characters, and variation selectors that can carry hidden text
		return true
	}
	return false
}

// forged are the tags claude gives a meaning of its own.
var forged = []string{"channel", "system-reminder", "teammate-message", "cross-session-message"}

// defuse puts a visible mark into every opening or closing of a tag in forged,
// however it is cased or spaced after the bracket: "<channel" becomes "<·channel".
func defuse(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i+1])
		s = s[i+1:]
		if opensForged(s) {
			b.WriteString("·")
		}
	}
}

func opensForged(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\n/\\")
	for _, tag := range forged {
		if len(rest) >= len(tag) && strings.EqualFold(rest[:len(tag)], tag) {
			return true
		}
	}
	return false
}
