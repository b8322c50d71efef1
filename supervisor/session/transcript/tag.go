package transcript

import "strings"

// Tag is one event as the model sees it:
//
//	<channel source="plugin:ccmux:peers" message_id="…" …>
//	BODY
//	</channel>
type Tag struct {
	Source string
	Attr   map[string]string // the first of each name counts
	Body   string
}

// MessageID returns the id under which ccmux sent the event, "" if another
// channel did.
func (t Tag) MessageID() string { return t.Attr["message_id"] }

const (
	tagOpen  = "<channel "
	tagClose = "</channel>"
)

// maxTags bounds what is read of one text.
const maxTags = 1024

// ParseTags reads the events a text consists of, one after the other from its
// very beginning. Text before, between or after them ends it: an event begins a
// prompt. claude escapes "</channel" in bodies, so the first close ends an event
// and a tag within a body is body.
func ParseTags(text string) []Tag {
	var out []Tag
	for len(out) < maxTags {
		text = strings.TrimLeft(text, " \t\r\n")
		if !strings.HasPrefix(text, tagOpen) {
			return out
		}
		t, rest, ok := parseTag(text[len(tagOpen):])
		if !ok {
			return out
		}
		out = append(out, t)
		text = rest
	}
	return out
}

func parseTag(s string) (t Tag, rest string, ok bool) {
	t.Attr = map[string]string{}
	for {
		s = strings.TrimLeft(s, " ")
		if after, found := strings.CutPrefix(s, ">"); found {
			s = after
			break
		}
		name, after, found := strings.Cut(s, `="`)
		if !found || !isName(name) {
			return Tag{}, "", false
		}
		value, after, found := strings.Cut(after, `"`)
		if !found {
			return Tag{}, "", false
		}
		if _, twice := t.Attr[name]; !twice {
			t.Attr[name] = unescape.Replace(value)
		}
		s = after
	}
	body, rest, found := strings.Cut(s, tagClose)
	if !found {
		return Tag{}, "", false
	}
	t.Body = strings.TrimSuffix(strings.TrimPrefix(body, "\n"), "\n")
	t.Source = t.Attr["source"]
	return t, rest, true
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")
