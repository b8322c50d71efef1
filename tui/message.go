package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
)

// writeTo opens a line to write to the session with the focus, or to whom the
// human names.
func (m *model) writeTo(string) tea.Cmd {
	e := m.messageEntry()
	if p, ok := m.peer(); ok {
		e.guess = "@" + p.Name + " "
		e.line.Set(e.guess)
	}
	m.openEntry(e)
	return nil
}

func (m *model) messageEntry() *entry {
	return &entry{
		label: "message: @name … or #room, then the text", kinds: true,
		send: func(m *model, text string) bool {
			cmd, err := parseMessage(text, m.entry.task)
			if err != nil {
				m.entry.problem = err.Error()
				return false
			}
			m.submitLine(m.entry, cmd)
			return true
		},
		complete: (*model).completeName,
	}
}

// parseMessage reads "@a @b text" or "#room text".
func parseMessage(text string, task bool) (router.Send, error) {
	out := router.Send{Kind: wire.KindNote}
	if task {
		out.Kind = wire.KindTask
	}
	rest := text
	for rest != "" && (rest[0] == '@' || rest[0] == '#') {
		n := strings.IndexAny(rest, " \n")
		if n < 0 {
			n = len(rest)
		}
		name := rest[1:n]
		if name == "" {
			return out, errors.New("a name is missing after " + rest[:1])
		}
		if rest[0] == '#' {
			if out.Room != "" || len(out.To) > 0 {
				return out, errors.New("write to one room, or to sessions")
			}
			out.Room = name
		} else {
			if out.Room != "" {
				return out, errors.New("write to one room, or to sessions")
			}
			out.To = append(out.To, name)
		}
		rest = strings.TrimLeft(rest[n:], " ")
	}
	out.Content = strings.TrimSpace(rest)
	switch {
	case out.Room == "" && len(out.To) == 0:
		return out, errors.New("begin with @name, @* for all, or #room")
	case out.Content == "":
		return out, errors.New("there is no text yet")
	}
	return out, nil
}

// completeName offers the names of sessions and rooms.
func (m *model) completeName(before string) (word string, options []string) {
	word = lastWord(before)
	for _, p := range m.sessions {
		options = append(options, "@"+p.Name)
	}
	options = append(options, "@"+wire.Everyone)
	for _, r := range m.view.Rooms {
		if !r.Archived {
			options = append(options, "#"+r.Name)
		}
	}
	if word == "" || word[0] != '@' && word[0] != '#' {
		return word, nil
	}
	return word, options
}

func lastWord(s string) string { return s[strings.LastIndexAny(s, " \n")+1:] }

// submit hands a command to the door and shows how it went.
func (m *model) submit(c router.Command, failed string, told func(*model, router.Result) string) {
	m.order(func(ctx context.Context) func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, doorTime)
		defer cancel()
		res, err := m.door.Submit(ctx, c)
		if err != nil {
			return failure(failed, err)
		}
		return func(m *model) tea.Cmd {
			if told != nil {
				if text := told(m, res); text != "" {
					m.say(text)
				}
			}
			return nil
		}
	})
}

// submitLine sends what was typed in e. When it is refused the line comes back with
// its text and the reason, so that nothing has to be typed twice.
func (m *model) submitLine(e *entry, c router.Command) {
	m.order(func(ctx context.Context) func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, doorTime)
		defer cancel()
		res, err := m.door.Submit(ctx, c)
		return func(m *model) tea.Cmd {
			switch {
			case err == nil:
				m.say(sent(m, res))
			case m.entry == nil:
				e.problem = cells.Line(err.Error())
				m.openEntry(e)
			default: // another line is being typed by now
				m.warn(cells.Line(err.Error()) + ": the message was not sent")
			}
			return nil
		}
	})
}

// sent says what became of a message for each recipient, and no more than that.
func sent(m *model, res router.Result) string {
	if res.Message == nil {
		return ""
	}
	c := m.context()
	var parts []string
	for _, d := range res.Recipients {
		s := c.Name(d.Peer) + " " + string(d.State)
		if d.Reason != "" {
			s += " (" + cells.Line(d.Reason) + ")"
		}
		parts = append(parts, s)
	}
	return fmt.Sprintf("%s: %s", res.Message.Thread, strings.Join(parts, ", "))
}

// talkEntry opens a line into a conversation: an answer where the human owes
// one, else a message in the same thread.
func (m *model) talkEntry(t router.ThreadView, msg router.MessageView) *entry {
	if m.owed(t) {
		task := asked(t, msg)
		return &entry{
			label: "answer to " + m.context().Name(task.To) + " in " + string(t.ID), verb: "answer", answers: true,
			send: func(m *model, text string) bool {
				m.submitLine(m.entry, router.Respond{
					TaskID: t.ID, Content: text, Status: answerKinds[m.entry.answer].status, InReplyTo: task.Message,
				})
				return true
			},
		}
	}
	out := router.Send{TaskID: t.ID, Room: msg.Room}
	to := "#" + msg.Room
	if msg.Room == "" {
		out.To = m.others(msg)
		to = strings.Join(out.To, ", ")
	}
	return &entry{
		label: "to " + to + " in " + string(t.ID), kinds: true,
		send: func(m *model, text string) bool {
			if out.Room == "" && len(out.To) == 0 {
				m.entry.problem = "there is nobody else in this message"
				return false
			}
			cmd := out
			cmd.Content, cmd.Kind = text, wire.KindNote
			if m.entry.task {
				cmd.Kind = wire.KindTask
			}
			m.submitLine(m.entry, cmd)
			return true
		},
	}
}

// owed says whether the human owes an answer in t.
func (m *model) owed(t router.ThreadView) bool {
	return slices.ContainsFunc(t.Owes, func(o router.Obligation) bool { return o.By == router.Human })
}

// asked is what the human owes an answer to in t: the chosen message, else the
// newest of those that wait for it.
func asked(t router.ThreadView, msg router.MessageView) (newest router.Obligation) {
	for _, o := range t.Owes {
		if o.By != router.Human {
			continue
		}
		if o.Message == msg.ID {
			return o
		}
		if newest.Message == "" || o.Since.After(newest.Since) {
			newest = o
		}
	}
	return newest
}

// others are the names of those a message concerns, but the human and ccmux.
func (m *model) others(msg router.MessageView) []string {
	c := m.context()
	if msg.From != router.Human && msg.From != router.Ccmux {
		return []string{c.Name(msg.From)}
	}
	var out []string
	for _, id := range msg.To {
		if id != router.Human {
			out = append(out, c.Name(id))
		}
	}
	return out
}

func (m *model) roomEntry(r router.RoomView) *entry {
	return &entry{
		label: "to #" + r.Name, kinds: true, complete: (*model).completeName,
		send: func(m *model, text string) bool {
			cmd := router.Send{Room: r.Name, Content: text, Kind: wire.KindNote}
			if m.entry.task {
				cmd.Kind = wire.KindTask
			}
			m.submitLine(m.entry, cmd)
			return true
		},
	}
}

// read tells the router that the human has these messages on the screen.
func (m *model) read(ms []router.MessageView) {
	if m.opts.View {
		return
	}
	var ids []router.MessageID
	for _, msg := range ms {
		for _, d := range msg.Deliveries {
			if d.Peer == router.Human && !d.Read && !m.seen[msg.ID] {
				m.seen[msg.ID] = true
				ids = append(ids, msg.ID)
			}
		}
	}
	if len(ids) > 0 {
		m.submit(router.Read{Messages: ids}, "what you read was not recorded", nil)
	}
}
