package router

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ccmux/ccmux/channel/wire"
)

// Restore puts docs into the state: at start every open one, later those that
// Needs asked for; with them come the Posted events of the messages that PostOf
// names, in any order. What is in memory already is newer and stays. A doc that
// cannot be read is an error, and the state is of no use then.
func (s *State) Restore(docs []Doc, posts []Event) error {
	by := map[string][]Doc{}
	for _, d := range docs {
		if !slices.Contains(kinds, d.Kind) {
			return fmt.Errorf("restore %s %s: this kind is not known here: %w", d.Kind, d.ID, ErrNewer)
		}
		by[d.Kind] = append(by[d.Kind], d)
	}
	fresh := map[MessageID]*message{}
	for _, e := range posts {
		p, ok := e.Body.(Posted)
		if !ok {
			return fmt.Errorf("restore event %d: a %s is not a message", e.Seq, e.Type())
		}
		if s.messages[p.Message.ID] == nil {
			fresh[p.Message.ID] = newMessage(e.Seq, p.Message)
		}
	}
	for _, kind := range kinds {
		for _, d := range by[kind] {
			if err := s.restore(d, fresh); err != nil {
				return fmt.Errorf("restore %s %s: %w", d.Kind, d.ID, err)
			}
		}
	}
	for _, m := range inOrder(fresh) {
		if len(m.dels) != len(m.To) {
			return fmt.Errorf("restore message %s: it has %d recipients and %d deliveries", m.ID, len(m.To), len(m.dels))
		}
		s.insert(m)
	}
	return nil
}

func inOrder(fresh map[MessageID]*message) []*message {
	list := make([]*message, 0, len(fresh))
	for _, m := range fresh {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *message) int { return compareSeq(a.seq, b.seq) })
	return list
}

func (s *State) restore(d Doc, fresh map[MessageID]*message) error {
	switch d.Kind {
	case docMeta:
		var v metaDoc
		if err := json.Unmarshal(d.JSON, &v); err != nil {
			return err
		}
		if v.Seq >= s.seq {
			s.seq, s.at, s.next = v.Seq, stamp(v.At), v.Next
		}
		return nil
	case docRules:
		var v rulesDoc
		if err := json.Unmarshal(d.JSON, &v); err != nil {
			return err
		}
		s.rules, s.approvers = v.Rules, v.Approvers
		return nil
	case docTrust:
		var hash string
		if err := json.Unmarshal(d.JSON, &hash); err != nil {
			return err
		}
		s.trust[d.ID] = hash
		return nil
	case docPeer, docRoom, docThread, docPermission:
		return s.restoreEntity(d)
	}
	return s.restoreDeliveries(d, fresh)
}

func (s *State) restoreEntity(d Doc) error {
	if v, _ := s.entity(d.Key()); v != nil {
		return nil
	}
	switch d.Kind {
	case docPeer:
		p := &peer{owed: map[*delivery]struct{}{}}
		if err := json.Unmarshal(d.JSON, p); err != nil {
			return err
		}
		s.addPeer(p)
		s.names[p.Name] = p.ID
		for _, n := range p.Former {
			s.names[n] = p.ID
		}
		s.labels = nil
	case docRoom:
		r := &room{}
		if err := json.Unmarshal(d.JSON, r); err != nil {
			return err
		}
		s.rooms[r.Name] = r
	case docThread:
		th := &thread{}
		if err := json.Unmarshal(d.JSON, th); err != nil {
			return err
		}
		s.addThread(th)
		s.adopt(th)
		if !d.Open {
			s.endedThreads.add(&th.ended, th)
		}
	case docPermission:
		r := &permission{}
		if err := json.Unmarshal(d.JSON, r); err != nil {
			return err
		}
		s.perms[r.ID] = r
		if r.Closed != "" {
			s.endedPerms.add(&r.ended, r)
		}
	}
	return nil
}

// adopt gives a thread that was loaded the messages of it that were loaded before.
func (s *State) adopt(th *thread) {
	for _, m := range s.messages {
		if m.Thread != th.ID {
			continue
		}
		th.messages = insertSorted(th.messages, m, messageSeq)
		for _, del := range m.dels {
			if !del.settled() {
				th.live++
			}
			if del.owes() {
				th.owe(del)
			}
		}
	}
	s.redraw(th, "")
}

func (s *State) restoreDeliveries(d Doc, fresh map[MessageID]*message) error {
	m := fresh[MessageID(d.ID)]
	switch {
	case s.messages[MessageID(d.ID)] != nil:
		return nil
	case m == nil:
		return errors.New("the message itself is not on record")
	}
	var v []Delivery
	if err := json.Unmarshal(d.JSON, &v); err != nil {
		return err
	}
	m.dels = nil
	for _, one := range v {
		m.dels = append(m.dels, &delivery{Delivery: one, m: m})
	}
	return nil
}

// Needs names the docs that deciding a command takes and that are not in
// memory. Load those there are and Restore them, then ask once more, because a
// message that was loaded may need its thread; then decide. What a journal does
// not have does not exist.
func (s *State) Needs(c Command) []DocKey {
	n := needs{s: s}
	switch c := c.(type) {
	case Send:
		n.thread(c.TaskID)
		n.thread(c.ParentTaskID)
	case Respond:
		n.thread(c.TaskID)
		n.messages(c.InReplyTo)
	case Offer:
		n.messages(c.Messages...)
	case Unoffer:
		n.messages(c.Messages...)
	case Admit:
		n.messages(c.Message)
	case AdmitAll:
		n.messages(c.Messages...)
	case Observe:
		n.messages(c.Message)
	case Unsee:
		n.messages(c.Messages...)
	case Read:
		n.messages(c.Messages...)
	case Archive:
		n.messages(c.Messages...)
	case Hold:
		n.messages(c.Message)
	case Release:
		n.messages(c.Message)
	case Withdraw:
		n.messages(c.Message)
	case Replace:
		n.messages(c.Message)
	case AnswerPermission:
		n.permission(c.ID)
	}
	return n.keys
}

type needs struct {
	s    *State
	keys []DocKey
}

func (n *needs) add(k DocKey) {
	if k.ID != "" && len(k.ID) <= wire.MaxMeta && !slices.Contains(n.keys, k) {
		n.keys = append(n.keys, k)
	}
}

func (n *needs) thread(id ThreadID) {
	if n.s.threads[id] == nil {
		n.add(DocKey{docThread, string(id)})
	}
}

func (n *needs) messages(ids ...MessageID) {
	for _, id := range ids {
		m := n.s.messages[id]
		if m == nil {
			n.add(DocKey{docDelivery, string(id)})
			continue
		}
		n.thread(m.Thread)
	}
}

func (n *needs) permission(id string) {
	if n.s.perms[id] == nil {
		n.add(DocKey{docPermission, id})
	}
}
