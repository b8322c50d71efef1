package supervisor

import (
	"context"
	"fmt"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/journal"
	"github.com/ccmux/ccmux/supervisor/router"
)

// archive is a journal to read from.
type archive interface {
	History(ctx context.Context, q journal.Query) ([]journal.Row, bool, error)
	LoadDocs(ctx context.Context, keys []router.DocKey) ([]router.Doc, error)
	Posts(ctx context.Context, prefix string, limit int) ([]journal.Post, error)
	HasThread(ctx context.Context, id router.ThreadID) (bool, error)
}

var (
	_ archive = (*journal.Journal)(nil)
	_ archive = (*journal.Reader)(nil)
)

// past reads what was said: from the journal, with the names and rooms of a view.
type past struct {
	journal archive
	view    *router.View
}

// query makes of what somebody asks for what the journal looks for. What is named
// and does not exist is an error that says so, not an empty page.
func (p past) query(ctx context.Context, a wire.HistoryArgs) (q journal.Query, err error) {
	q = journal.Query{
		Room: wire.RoomName(a.Room), Thread: router.ThreadID(a.TaskID), Text: a.Text,
		Before: router.MessageID(a.Before), Newest: true,
	}
	if q.Limit, err = pageSize(a.Limit); err != nil {
		return q, err
	}
	if a.Peer != "" {
		id, ok := p.view.Known(a.Peer)
		if !ok {
			return q, unknownPeer(p.view, a.Peer)
		}
		q.Peer = id
	}
	if err := p.knows(q.Room); err != nil {
		return q, err
	}
	return q, p.hasThread(ctx, q.Thread)
}

// knows says that there is no such room, and which there are.
func (p past) knows(room string) error {
	var known []string
	for _, r := range p.view.Rooms {
		if r.Name == room {
			return nil
		}
		known = append(known, "#"+r.Name)
	}
	if room == "" {
		return nil
	}
	there := "there are no rooms yet"
	if len(known) > 0 {
		there = "there are: " + strings.Join(known, ", ")
	}
	return &wire.Failure{Code: wire.CodeUnknown, Message: fmt.Sprintf("there is no room %q; %s", "#"+wire.CleanLine(room, wire.MaxName), there)}
}

func (p past) hasThread(ctx context.Context, id router.ThreadID) error {
	if id == "" {
		return nil
	}
	if err := ofKind(string(id), aThread); err != nil {
		return err
	}
	has, err := p.journal.HasThread(ctx, id)
	if err == nil && !has {
		err = &wire.Failure{Code: wire.CodeUnknown, Message: fmt.Sprintf("there is no thread %q: a task_id is wanted, such as t-12", wire.CleanLine(string(id), wire.MaxName))}
	}
	return err
}

// find returns the messages, newest first, and whether there are more.
func (p past) find(ctx context.Context, q journal.Query) (list []router.Message, more bool, err error) {
	rows, more, err := p.journal.History(ctx, q)
	for _, row := range rows {
		list = append(list, row.Message)
	}
	return list, more, err
}

// history is a page of all that was said, for the human.
func (p past) history(ctx context.Context, a wire.HistoryArgs) (wire.ToolResult, error) {
	if a.Before != "" {
		before, err := p.message(ctx, a.Before)
		if err != nil {
			return wire.ToolResult{}, err
		}
		a.Before = string(before.ID)
	}
	q, err := p.query(ctx, a)
	if err != nil {
		return wire.ToolResult{}, err
	}
	list, more, err := p.find(ctx, q)
	if err != nil {
		return wire.ToolResult{}, err
	}
	res, err := p.page(ctx, list, "nothing found")
	if data, ok := res.Data.(*mailPage); ok && more {
		data.More = true
		res.Text += "\n\nThere is more: go on with --before " + list[len(list)-1].ID.Short()
	}
	return res, err
}

// page shows messages to the human, with what became of each.
func (p past) page(ctx context.Context, list []router.Message, empty string) (wire.ToolResult, error) {
	data := mailsOf(p.view, list)
	if err := p.addDeliveries(ctx, data); err != nil {
		return wire.ToolResult{}, err
	}
	return wire.ToolResult{Text: humanText(data, empty), Data: &mailPage{Messages: data}}, nil
}

// addDeliveries says what became of messages, also of those that ended long ago.
func (p past) addDeliveries(ctx context.Context, data []mailData) error {
	keys := make([]router.DocKey, len(data))
	at := map[string]int{}
	for i, m := range data {
		keys[i] = router.DeliveriesKey(m.MessageID)
		at[keys[i].ID] = i
	}
	docs, err := p.journal.LoadDocs(ctx, keys)
	if err != nil {
		return err
	}
	for _, d := range docs {
		list, err := router.ReadDeliveries(d)
		if err != nil {
			return err
		}
		m := &data[at[d.ID]]
		for _, del := range list {
			m.Deliveries = append(m.Deliveries, p.recipient(del))
		}
	}
	return nil
}

func (p past) recipient(d router.Delivery) recipientData {
	to, _ := p.view.Peer(d.Peer)
	return recipientData{
		Peer: p.view.Name(d.Peer), State: d.State, Since: d.Since, Route: d.Route, Proof: d.Proof, Reason: d.Reason, Online: to.Online,
	}
}
