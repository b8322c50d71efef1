package demoagent

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

// mailHead is the line over each message where several come as one text: in a
// bundle, and in what inbox and watch return.
var mailHead = regexp.MustCompile(`(?m)^\[(?:\d+\] )?(task|reply|note|perm-request) (\S+) from ([^\s,]+)(.*), message_id ([^\]\s]+)\]?$`)

var (
	mailStatus = regexp.MustCompile(`\b(complete|needs_context|failed)\b`)
	mailReply  = regexp.MustCompile(`\bin_reply_to ([^\s,]+)`)
	mailRoom   = regexp.MustCompile(`(?:in room |in #)([^\s,]+)`)
)

// readMail finds the messages in such a text.
func readMail(text string) []event {
	heads := mailHead.FindAllStringSubmatchIndex(text, -1)
	list := make([]event, 0, len(heads))
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		part := func(n int) string { return text[h[2*n]:h[2*n+1]] }
		e := event{body: strings.Trim(text[h[1]:end], "\n"), attr: map[string]string{
			wire.MetaKind: part(1), wire.MetaTaskID: part(2), wire.MetaSender: part(3), wire.MetaMessageID: part(5),
		}}
		if m := mailStatus.FindString(part(4)); m != "" {
			e.attr[wire.MetaStatus] = m
		}
		if m := mailReply.FindStringSubmatch(part(4)); m != nil {
			e.attr[wire.MetaInReplyTo] = m[1]
		}
		if m := mailRoom.FindStringSubmatch(part(4)); m != nil {
			e.attr[wire.MetaRoom] = m[1]
		}
		list = append(list, e)
	}
	return list
}

// unbundle gives the messages of a bundle, or the event itself.
func unbundle(e event) []event {
	if e.attr[wire.MetaTaskID] == "" {
		if list := readMail(e.body); len(list) > 0 {
			return list
		}
	}
	return []event{e}
}

// handedOver finds the messages that a hook's answer brought.
func handedOver(text string) []event { return append(readTags(text), readMail(text)...) }

// tellsOfMail says whether a text asks to look into the inbox.
func tellsOfMail(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "mail") && strings.Contains(text, wire.ToolInbox)
}

// inbox reads the mail that waits.
func (t *turn) inbox() ([]event, error) {
	res, err := t.call("", wire.ToolInbox, wire.InboxArgs{Unread: true})
	if err != nil {
		return nil, err
	}
	var data struct {
		Messages []struct {
			ID      string `json:"message_id"`
			Task    string `json:"task_id"`
			Sender  string `json:"sender"`
			Kind    string `json:"kind"`
			Room    string `json:"room"`
			Status  string `json:"status"`
			Content string `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(res.structured, &data) != nil {
		return readMail(res.text), nil
	}
	var list []event
	for _, m := range data.Messages {
		list = append(list, event{body: m.Content, attr: map[string]string{
			wire.MetaMessageID: m.ID, wire.MetaTaskID: m.Task, wire.MetaSender: m.Sender, wire.MetaKind: m.Kind, wire.MetaRoom: m.Room, wire.MetaStatus: m.Status,
		}})
	}
	return list, nil
}
