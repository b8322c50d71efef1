package modelapi

import (
	"regexp"
	"strings"
)

// Event is one pushed channel message as the model saw it.
type Event struct {
	Attr       map[string]string // attributes of the tag, entities resolved
	Body       string
	Background bool // it came as a system message in the middle of a turn
}

var (
	channelTag = regexp.MustCompile(`(?s)<channel((?:\s+[A-Za-z_][A-Za-z0-9_]*="[^"]*")*)\s*>\n?(.*?)\n?</channel>`)
	attribute  = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)="([^"]*)"`)
	entities   = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&amp;", "&")
)

// Events are the channel messages since the model last spoke, in order.
func (r *Request) Events() []Event {
	return events(r.Tail())
}

// AllEvents are the channel messages of the whole conversation, in order.
func (r *Request) AllEvents() []Event {
	return events(r.Messages)
}

func events(messages []Message) []Event {
	var all []Event
	for _, m := range messages {
		if m.Role == "assistant" {
			continue
		}
		for _, b := range m.Content {
			if b.Type != "text" {
				continue
			}
			for _, found := range channelTag.FindAllStringSubmatch(b.Text, -1) {
				e := Event{Attr: map[string]string{}, Body: found[2], Background: m.Role == "system"}
				for _, a := range attribute.FindAllStringSubmatch(found[1], -1) {
					e.Attr[a[1]] = entities.Replace(a[2])
				}
				all = append(all, e)
			}
		}
	}
	return all
}
