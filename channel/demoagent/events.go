package demoagent

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"strings"
)

// event is one channel message.
type event struct {
	attr map[string]string
	body string
	tag  string // as the model and the hooks get it
}

var metaKey = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

var attrEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")

var closingTag = regexp.MustCompile(`(?i)</(channel)`)

// channelEvent makes an event of the parameters of notifications/claude/channel.
// It fails on what claude's schema refuses.
func channelEvent(source string, params json.RawMessage) (event, bool) {
	var p struct {
		Content *string         `json:"content"`
		Meta    json.RawMessage `json:"meta"`
	}
	if json.Unmarshal(params, &p) != nil || p.Content == nil {
		return event{}, false
	}
	pairs, ok := orderedStrings(p.Meta)
	if !ok {
		return event{}, false
	}
	var b strings.Builder
	b.WriteString(`<channel source="` + attrEscaper.Replace(source) + `"`)
	for _, kv := range pairs {
		if metaKey.MatchString(kv[0]) {
			b.WriteString(" " + kv[0] + `="` + attrEscaper.Replace(kv[1]) + `"`)
		}
	}
	b.WriteString(">\n" + closingTag.ReplaceAllString(*p.Content, `<\/$1`) + "\n</channel>")
	list := readTags(b.String())
	if len(list) != 1 {
		return event{body: *p.Content, tag: b.String(), attr: map[string]string{}}, true
	}
	return list[0], true
}

// orderedStrings reads a JSON object of strings in the order it is written.
func orderedStrings(raw json.RawMessage) (pairs [][2]string, ok bool) {
	if len(raw) == 0 {
		return nil, true
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, false
		}
		v, err := d.Token()
		value, isString := v.(string)
		if err != nil || !isString {
			return nil, false
		}
		pairs = append(pairs, [2]string{k.(string), value})
	}
	return pairs, true
}

var (
	tagRE  = regexp.MustCompile(`(?s)<channel source="[^"]*"((?: [a-zA-Z_][a-zA-Z0-9_]*="[^"]*")*)>\n(.*?)\n</channel>`)
	attrRE = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="([^"]*)"`)
)

// readTags finds the channel messages in a text, such as the reason of a Stop hook.
func readTags(text string) []event {
	var list []event
	for _, m := range tagRE.FindAllStringSubmatch(text, -1) {
		e := event{attr: map[string]string{}, body: m[2], tag: m[0]}
		for _, a := range attrRE.FindAllStringSubmatch(m[1], -1) {
			if _, twice := e.attr[a[1]]; !twice {
				e.attr[a[1]] = html.UnescapeString(a[2])
			}
		}
		list = append(list, e)
	}
	return list
}
