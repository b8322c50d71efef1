package journal

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"github.com/ccmux/ccmux/supervisor/router"
)

// Limits of a search text.
const (
	maxText  = 1024 // bytes
	maxWords = 32
	// maxTerms is how many words a beginning may stand for; more are cheaper to
	// gather than to follow one by one.
	maxTerms = 64
)

// terms finds the words of the index that begin like this one. It fails to,
// without an error, when they are too many.
type terms func(word string) (found []string, ok bool, err error)

// match writes q in the language of FTS5. Nothing a person typed reaches that
// language outside a quoted string, so no text is a syntax error. It is empty
// when q asks for everything.
func (q *Query) match(begin terms) (string, error) {
	var parts []string
	if q.Text != "" {
		phrases, err := parseText(q.Text)
		if err != nil {
			return "", err
		}
		text, err := matchText(phrases, begin)
		if err != nil {
			return "", err
		}
		parts = append(parts, "body : ("+text+")")
	}
	for _, tag := range []string{
		tagOf('p', string(q.Peer)), tagOf('r', q.Room), tagOf('t', string(q.Thread)),
	} {
		if tag != "" {
			parts = append(parts, `about : "`+tag+`"`)
		}
	}
	if q.Reader != "" {
		may := []string{`"` + tagOf('p', string(q.Reader)) + `"`}
		for _, r := range q.Rooms {
			may = append(may, `"`+tagOf('r', r)+`"`)
		}
		parts = append(parts, "about : ("+strings.Join(may, " OR ")+")")
	}
	return strings.Join(parts, " AND "), nil
}

// searches says whether the index is needed.
func (q *Query) searches() bool {
	return q.Text != "" || q.Peer != "" || q.Room != "" || q.Thread != "" || q.Reader != ""
}

// check refuses what cannot be searched for.
func (q *Query) check() error {
	if q.Text == "" {
		return nil
	}
	if !q.Newest && q.Before != "" {
		return fmt.Errorf("%w: a search by relevance has no next page", ErrQuery)
	}
	_, err := parseText(q.Text)
	return err
}

// about is what a message is found by besides its words.
func about(m *router.Message) string {
	tags := []string{tagOf('t', string(m.Thread)), tagOf('r', m.Room), tagOf('p', string(m.From))}
	for _, p := range m.To {
		tags = append(tags, tagOf('p', string(p)))
	}
	return strings.Join(tags, " ")
}

// tagOf makes one word of a name, whatever characters it has.
func tagOf(kind byte, name string) string {
	if name == "" {
		return ""
	}
	return string(kind) + hex.EncodeToString([]byte(name))
}

// phrase is a part of a search text: words in a row.
type phrase struct {
	text   string
	prefix bool // the last word may go on
}

func parseText(text string) ([]phrase, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("%w: the text has %d bytes; the limit is %d", ErrQuery, len(text), maxText)
	}
	phrases := splitText(strings.ToValidUTF8(text, " "))
	if len(phrases) == 0 {
		return nil, fmt.Errorf("%w: %.40q has no letter or digit", ErrQuery, text)
	}
	if len(phrases) > maxWords {
		return nil, fmt.Errorf("%w: the text has %d words; the limit is %d", ErrQuery, len(phrases), maxWords)
	}
	return phrases, nil
}

func matchText(phrases []phrase, begin terms) (string, error) {
	var all []string
	for _, p := range phrases {
		one, err := p.match(begin)
		if err != nil {
			return "", err
		}
		all = append(all, one)
	}
	return strings.Join(all, " AND "), nil
}

// match writes one phrase. FTS5 gathers every match of a word's beginning before
// it gives the first; of words it gives the newest at once, so a beginning is
// written as the words it can be.
func (p phrase) match(begin terms) (string, error) {
	quoted := `"` + segment(p.text) + `"`
	if !p.prefix {
		return quoted, nil
	}
	word := strings.ToLower(strings.TrimRight(p.text, "*"))
	if strings.ContainsFunc(word, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		return quoted + " *", nil // it is not one word, or not written so in the index
	}
	found, ok, err := begin(word)
	if err != nil || !ok {
		return quoted + " *", err
	}
	if len(found) == 0 {
		return quoted, nil // it finds nothing
	}
	return `("` + strings.Join(found, `" OR "`) + `")`, nil
}

// splitText cuts a text into words and, where there are quotation marks,
// phrases. What has no letter or digit is dropped: it is not in the index.
func splitText(text string) []phrase {
	var out []phrase
	add := func(s string, prefix bool) {
		s = strings.Map(func(r rune) rune {
			if r == 0 || r == '"' {
				return ' '
			}
			return r
		}, s)
		if strings.ContainsFunc(s, indexed) {
			out = append(out, phrase{s, prefix})
		}
	}
	parts := strings.Split(text, `"`)
	for i, part := range parts {
		if i%2 == 1 && i < len(parts)-1 { // between two marks
			add(part, false)
			continue
		}
		words := strings.Fields(part)
		for k, w := range words {
			typing := i == len(parts)-1 && k == len(words)-1 && strings.HasSuffix(text, w)
			add(w, typing || strings.HasSuffix(w, "*"))
		}
	}
	return out
}

// indexed says whether r can be part of a word of the index.
func indexed(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}

// segment puts spaces around the characters of scripts that write no spaces, so
// that each is a word, and words in them are found as phrases.
func segment(s string) string {
	if !strings.ContainsFunc(s, spaceless) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/2)
	for _, r := range s {
		if spaceless(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func spaceless(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
