package supervisor

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

type mailData struct {
	MessageID router.MessageID `json:"message_id"`
	TaskID    router.ThreadID  `json:"task_id"`
	From      string           `json:"sender"`
	To        []string         `json:"to,omitempty"`
	Kind      wire.Kind        `json:"kind"`
	Room      string           `json:"room,omitempty"`
	Status    wire.Status      `json:"status,omitempty"`
	Reminder  bool             `json:"reminder,omitempty"` // ccmux repeats a task after a restart
	Subject   string           `json:"subject,omitempty"`
	At        time.Time        `json:"at"`
	Content   string           `json:"content"`
	Data      json.RawMessage  `json:"data,omitempty"`

	Deliveries []recipientData `json:"deliveries,omitempty"`

	text     string // the content and the data, as a model reads them
	replaces router.MessageID
}

// isReminder says that nobody wrote the task twice.
const isReminder = "a reminder by ccmux"

func mailOf(v *router.View, m router.Message) mailData {
	return mailData{
		MessageID: m.ID, TaskID: m.Thread, From: v.Name(m.From), To: names(v, m.To), Kind: m.Kind, Room: m.Room,
		Status: m.Status, Reminder: m.Reminder, Subject: m.Subject, At: m.At, Content: m.Content,
		Data: m.Data, text: contentOf(m), replaces: m.Replaces,
	}
}

func mailsOf(v *router.View, list []router.Message) []mailData {
	data := make([]mailData, len(list))
	for i, m := range list {
		data[i] = mailOf(v, m)
	}
	return data
}

// mailText shows messages as a model reads them: each a heading, with all it takes
// to answer, and its body. To whom it went is said of the reader's own ones.
func mailText(list []mailData, me, empty string) string {
	if len(list) == 0 {
		return empty
	}
	var b strings.Builder
	for i, m := range list {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "[%s %s from %s", m.Kind, m.TaskID, m.From)
		if m.From == me && len(m.To) > 0 {
			fmt.Fprintf(&b, " to %s", strings.Join(m.To, " and "))
		}
		if m.Room != "" {
			fmt.Fprintf(&b, " in #%s", m.Room)
		}
		if m.Status != "" {
			fmt.Fprintf(&b, ", %s", m.Status)
		}
		if m.Reminder {
			b.WriteString(", " + isReminder)
		}
		if m.Subject != "" { // quoted, so that it is no part of the heading
			fmt.Fprintf(&b, ", subject %s", strconv.Quote(wire.CleanLine(m.Subject, wire.MaxMeta)))
		}
		fmt.Fprintf(&b, ", %s, message_id %s]\n%s", m.At.UTC().Format(time.RFC3339), m.MessageID, m.text)
	}
	return b.String()
}

// humanText shows messages as a person reads them: who to whom, what became of it
// for each, and the body, set off so that it passes for no heading.
func humanText(list []mailData, empty string) string {
	if len(list) == 0 {
		return empty
	}
	instead := map[router.MessageID]router.MessageID{}
	for _, m := range list {
		if m.replaces != "" {
			instead[m.replaces] = m.MessageID
		}
	}
	var b strings.Builder
	for i, m := range list {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(m.heading())
		for _, r := range m.Deliveries {
			b.WriteString("\n  " + r.String())
			if by := instead[m.MessageID]; by != "" && r.State == wire.Withdrawn {
				b.WriteString(", replaced by [" + by.Short() + "]")
			}
		}
		b.WriteString("\n\n  " + strings.ReplaceAll(m.text, "\n", "\n  "))
	}
	return b.String()
}

// heading is a message in a line: "you → api, task t-1 [0196f1c2-7a53-7bd4], …".
func (m mailData) heading() string {
	to := strings.Join(m.To, ", ")
	if m.Room != "" {
		to = "#" + m.Room + " (" + to + ")"
	}
	words := fmt.Sprintf("%s → %s, %s %s [%s]", m.From, to, m.Kind, m.TaskID, m.MessageID.Short())
	if m.Status != "" {
		words += ", " + string(m.Status)
	}
	if m.Reminder {
		words += ", " + isReminder
	}
	if m.replaces != "" {
		words += ", in place of [" + m.replaces.Short() + "]"
	}
	words += ", " + m.At.Local().Format(time.DateTime)
	if m.Subject != "" {
		words += ": " + m.Subject
	}
	return wire.CleanLine(words, 1000)
}
