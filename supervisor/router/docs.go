package router

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Doc is one entity of the open state as a journal keeps it beside the events.
// A later Doc of the same Kind and ID replaces it. Open says that a start needs
// it; the others are loaded when Needs asks for them. What a message says has no
// doc: it stands in its Posted event, which never changes.
type Doc struct {
	Kind, ID string
	Open     bool
	JSON     []byte
}

// DocKey names a Doc.
type DocKey struct{ Kind, ID string }

// The kinds of docs.
const (
	docMeta       = "meta"       // one, without ID
	docPeer       = "peer"       // with its session and routes
	docRoom       = "room"       //
	docThread     = "thread"     // open while a delivery in it is not settled
	docDelivery   = "delivery"   // what became of a message, by its ID; open as the message is
	docPermission = "permission" // open until closed
	docRules      = "rules"      // one, without ID: rules and approvers
	docTrust      = "trust"      // by path
)

// kinds is the order of restoring.
var kinds = []string{docMeta, docPeer, docRoom, docRules, docTrust, docPermission, docThread, docDelivery}

type metaDoc struct {
	Seq  uint64    `json:"seq"`
	At   time.Time `json:"at"`
	Next counters  `json:"next"`
}

type rulesDoc struct {
	Rules     []Rule     `json:"rules,omitempty"`
	Approvers []Approver `json:"approvers,omitempty"`
}

func (s *State) mark(kind, id string) { s.dirty[DocKey{kind, id}] = struct{}{} }

func (s *State) markRules() { s.mark(docRules, "") }

// Touch makes TakeDirty return something, though nothing changed: whoever wants to
// know whether a journal can write needs something to be written.
func (s *State) Touch() { s.mark(docMeta, "") }

// TakeDirty returns every entity that changed since the last call, and forgets
// old ended ones that did not. Call it only when what it returned before is
// durable: what it forgets is asked for again by Needs.
func (s *State) TakeDirty() []Doc {
	s.forget()
	keys := make([]DocKey, 0, len(s.dirty))
	for k := range s.dirty {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b DocKey) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	docs := make([]Doc, 0, len(keys))
	for _, k := range keys {
		if d, ok := s.doc(k); ok {
			docs = append(docs, d)
		}
	}
	if len(s.dirty) > 1024 {
		s.dirty = map[DocKey]struct{}{} // a large empty map is slow to go through
	}
	clear(s.dirty)
	return docs
}

// doc writes one entity.
func (s *State) doc(k DocKey) (Doc, bool) {
	v, open := s.entity(k)
	if v == nil {
		return Doc{}, false
	}
	data, err := json.Marshal(v)
	if err != nil { // the types hold nothing that cannot be written, but for Data, which was checked
		panic(fmt.Sprintf("router: write %s %s: %v", k.Kind, k.ID, err))
	}
	return Doc{Kind: k.Kind, ID: k.ID, Open: open, JSON: data}, true
}

// entity returns what stands in a doc; nil when it is not in memory.
func (s *State) entity(k DocKey) (v any, open bool) {
	switch k.Kind {
	case docMeta:
		return metaDoc{s.seq, s.at, s.next}, true
	case docRules:
		return rulesDoc{s.rules, s.approvers}, true
	case docTrust:
		return s.trust[k.ID], true
	case docPeer:
		if p := s.peers[PeerID(k.ID)]; p != nil {
			return p, true
		}
	case docRoom:
		if r := s.rooms[k.ID]; r != nil {
			return r, true
		}
	case docThread:
		if th := s.threads[ThreadID(k.ID)]; th != nil {
			return th, th.live > 0
		}
	case docDelivery:
		if m := s.messages[MessageID(k.ID)]; m != nil {
			return m.deliveries(), m.live > 0
		}
	case docPermission:
		if r := s.perms[k.ID]; r != nil {
			return r, r.Closed == ""
		}
	}
	return nil, false
}

// deliveries returns copies, in the order of To.
func (m *message) deliveries() []Delivery {
	out := make([]Delivery, len(m.dels))
	for i, del := range m.dels {
		out[i] = del.Delivery
	}
	return out
}

// DeliveriesKey names the doc of what became of a message.
func DeliveriesKey(id MessageID) DocKey { return DocKey{docDelivery, string(id)} }

// PostOf names the message whose Posted event Restore wants beside a doc; "" for
// a doc of anything else.
func (k DocKey) PostOf() MessageID {
	if k.Kind == docDelivery {
		return MessageID(k.ID)
	}
	return ""
}

// Key returns what names the doc.
func (d Doc) Key() DocKey { return DocKey{d.Kind, d.ID} }

// ReadDeliveries reads such a doc: who the message was for, in the order of To.
func ReadDeliveries(d Doc) (list []Delivery, err error) {
	if err := json.Unmarshal(d.JSON, &list); err != nil {
		return nil, fmt.Errorf("read what became of message %s: %w", d.ID, err)
	}
	return list, nil
}
