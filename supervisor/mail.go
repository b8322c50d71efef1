package supervisor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/journal"
	"github.com/ccmux/ccmux/supervisor/router"
)

const (
	defaultWatch = 60 * time.Second
	maxPage      = 200
)

// HistoryQuery says which messages to look for; all that is set must match.
type HistoryQuery struct {
	Text   string
	Peer   router.PeerID
	Thread router.ThreadID
	Room   string
	Before time.Time        // older than this
	After  router.MessageID // older than this message: the next page
	Limit  int              // 50 when 0
}

// History returns messages, newest first, and whether there are more.
func (s *Supervisor) History(ctx context.Context, q HistoryQuery) ([]router.MessageView, bool, error) {
	rows, more, err := s.journal.History(ctx, journal.Query{
		Peer: q.Peer, Room: q.Room, Thread: q.Thread, Text: q.Text, Before: q.After, Limit: q.Limit, Newest: true,
	})
	if err != nil {
		return nil, false, err
	}
	var out []router.MessageView
	s.loop.read(func(state *router.State) {
		for _, row := range rows {
			if !q.Before.IsZero() && !row.Message.At.Before(q.Before) {
				continue
			}
			v := router.MessageView{Message: row.Message}
			for _, to := range row.Message.To {
				if d, ok := state.Delivery(row.Message.ID, to); ok {
					v.Deliveries = append(v.Deliveries, d)
				}
			}
			out = append(out, v)
		}
	})
	return out, more, nil
}

// inbox returns mail: what was not seen yet first, and older mail from the
// journal when it is asked for.
func (c *conn) inbox(p *pull, raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.InboxArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	limit, err := pageSize(a.Limit)
	if err != nil {
		return wire.ToolResult{}, err
	}
	list, err := c.waitingMail(limit)
	if err == nil {
		list, err = c.give(p, list)
	}
	if err != nil {
		return wire.ToolResult{}, err
	}
	if !a.Unread && len(list) < limit {
		if list, err = c.withOlder(list, limit); err != nil {
			return wire.ToolResult{}, err
		}
	}
	return c.mailResult(list, "no mail")
}

// waitingMail is what this peer was not shown yet, oldest first.
func (c *conn) waitingMail(limit int) ([]router.Message, error) {
	if c.run != nil {
		c.run.catchUp(c.ctx)
	}
	var mail []router.Message
	if !c.s.loop.read(func(s *router.State) {
		if mail = s.Mail(c.peer); c.run != nil {
			mail = c.run.notPushed(s, mail)
		}
	}) {
		return nil, errStopping
	}
	return mail[:min(len(mail), limit)], nil
}

// withOlder fills a page with mail that was seen before, newest first.
func (c *conn) withOlder(list []router.Message, limit int) ([]router.Message, error) {
	have := map[router.MessageID]bool{}
	for _, m := range list {
		have[m.ID] = true
	}
	rows, _, err := c.s.journal.History(c.ctx, journal.Query{Peer: c.peer, Limit: limit, Newest: true})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.Message.From != c.peer && !have[row.Message.ID] && len(list) < limit {
			list = append(list, row.Message)
		}
	}
	return list, nil
}

func (c *conn) markSeen(list []router.Message) error {
	if len(list) == 0 {
		return nil
	}
	_, err := c.s.loop.submit(c.ctx, router.Read{Peer: c.peer, Messages: idsOf(list), Proof: c.proof()})
	return err
}

// mailPage is a page of messages as structure.
type mailPage struct {
	Messages []mailData `json:"messages"`
	More     bool       `json:"more"` // of older ones
}

// mailResult is a page of messages in the form for who asked. A model is given no
// structure beside the text: it would be given every body twice.
func (c *conn) mailResult(list []router.Message, empty string) (wire.ToolResult, error) {
	v := c.s.loop.look()
	if c.role == wire.RoleHuman {
		return past{c.s.journal, v}.page(c.ctx, list, empty)
	}
	return wire.ToolResult{Text: mailText(mailsOf(v, list), v.Name(c.peer), empty)}, nil
}

// watch waits until there is mail, and returns it.
func (c *conn) watch(p *pull, raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.WatchArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	if a.Timeout < 0 || a.Timeout > wire.MaxWatch {
		return wire.ToolResult{}, fmt.Errorf("timeout is %d; use 1 to %d seconds", a.Timeout, wire.MaxWatch)
	}
	limit := defaultWatch
	if a.Timeout > 0 {
		limit = time.Duration(a.Timeout) * time.Second
	}
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	wake, stop := c.s.posts.mailTo(c.peer)
	c.s.watchers.tell() // the screens show who waits
	defer func() {
		stop()
		c.s.watchers.tell()
	}()
	for {
		list, err := c.waitingMail(wire.PageSize)
		if err == nil {
			list, err = c.give(p, list)
		}
		if err != nil {
			return wire.ToolResult{}, err
		}
		if len(list) > 0 {
			return c.mailResult(list, "")
		}
		if c.run != nil && c.run.queues() {
			return c.mailResult(nil, "mail arrived: it comes into this conversation right after this answer")
		}
		select {
		case <-wake:
		case <-ctx.Done():
			if p.ctx.Err() != nil {
				return wire.ToolResult{}, errDropped
			}
			return c.mailResult(nil, fmt.Sprintf("no mail within %v", limit))
		}
	}
}

// history searches everything this peer may read: what it sent, what was sent
// to it, and what was said in the rooms it is in. The human reads all.
func (c *conn) history(raw json.RawMessage) (wire.ToolResult, error) {
	a, err := decodeArgs[wire.HistoryArgs](raw)
	if err != nil {
		return wire.ToolResult{}, err
	}
	p := past{c.s.journal, c.s.loop.look()}
	if c.role == wire.RoleHuman {
		return p.history(c.ctx, a)
	}
	q, err := p.query(c.ctx, a)
	if err != nil {
		return wire.ToolResult{}, err
	}
	q.Reader, q.Rooms = c.peer, c.rooms()
	list, more, err := p.find(c.ctx, q)
	if err != nil {
		return wire.ToolResult{}, err
	}
	res, err := c.mailResult(list, "nothing found")
	if more {
		res.Text += fmt.Sprintf("\n\nThere is more: ask again with before=%s", list[len(list)-1].ID)
	}
	return res, err
}

// rooms are those this peer is a member of.
func (c *conn) rooms() (mine []string) {
	for _, r := range c.s.loop.look().Rooms {
		if slices.Contains(r.Members, c.peer) {
			mine = append(mine, r.Name)
		}
	}
	return mine
}

func pageSize(limit int) (int, error) {
	switch {
	case limit < 0 || limit > maxPage:
		return 0, fmt.Errorf("limit is %d; use 1 to %d", limit, maxPage)
	case limit == 0:
		return wire.PageSize, nil
	}
	return limit, nil
}
