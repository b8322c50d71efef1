package router

import (
	"slices"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// thread is one piece of work and the messages about it.
type thread struct {
	ID      ThreadID  `json:"id"`
	Parent  ThreadID  `json:"parent,omitempty"`
	Depth   int       `json:"depth,omitempty"`
	Title   string    `json:"title,omitempty"`
	From    PeerID    `json:"from"`
	To      []PeerID  `json:"to"`
	Room    string    `json:"room,omitempty"`
	Members []PeerID  `json:"members"`        // who sent or got a message in it
	Path    []string  `json:"path,omitempty"` // who asked whom, from the root to here
	Updated time.Time `json:"updated"`
	trail

	// derived
	messages []*message // in memory, oldest first
	owed     map[*delivery]struct{}
	live     int  // deliveries that are not settled
	num      int  // of its id
	ended    bool // stands in the line of ended ones
	view     *ThreadView
}

// maxTitle is the longest title of a thread, in bytes.
const maxTitle = 120

// newThread makes the thread that m opens. parent may be nil.
func newThread(m *Message, parent *thread) *thread {
	th := &thread{
		ID: m.Thread, Parent: m.Parent, Title: m.Subject, From: m.From, To: m.To, Room: m.Room,
		owed: map[*delivery]struct{}{},
	}
	if th.Title == "" {
		first, _, _ := strings.Cut(strings.TrimSpace(m.Content), "\n")
		th.Title = first
	}
	th.Title = wire.CleanLine(th.Title, maxTitle)
	if parent != nil {
		th.Depth = parent.Depth + 1
		th.Path = slices.Clone(parent.Path)
	}
	th.Path = lastOf(append(th.Path, hop(m)), maxHops)
	return th
}

func (th *thread) has(id PeerID) bool { return slices.Contains(th.Members, id) }

func (th *thread) owe(del *delivery) {
	if th.owed == nil {
		th.owed = map[*delivery]struct{}{}
	}
	th.owed[del] = struct{}{}
}

// owedBy returns the open obligations of a peer in the thread, oldest first.
func (th *thread) owedBy(id PeerID) []*delivery {
	var out []*delivery
	for del := range th.owed {
		if del.Peer == id {
			out = append(out, del)
		}
	}
	slices.SortFunc(out, func(a, b *delivery) int { return compareSeq(a.m.seq, b.m.seq) })
	return out
}

// thread returns the thread in which from takes part.
func (d *decision) thread(id ThreadID, from *peer) (*thread, error) {
	th := d.s.threads[id]
	if th == nil {
		return nil, unknown("there is no task %s: leave task_id out to open a new one", shown(string(id)))
	}
	if !th.has(from.ID) {
		return nil, denied("you do not take part in task %s: leave task_id out to open one of your own", th.ID)
	}
	return th, nil
}

func (e Posted) apply(s *State, ev Event) {
	m := newMessage(ev.Seq, e.Message)
	if s.messages[m.ID] != nil {
		return
	}
	th := s.threads[m.Thread]
	if th == nil {
		th = newThread(&m.Message, s.threads[m.Parent])
		s.addThread(th)
		raise(&s.next.Thread, string(th.ID))
	}
	s.addMembers(th, &m.Message)
	th.Updated = ev.At
	th.record(&m.Message, s.classOf(m.From))
	if m.Replaces != "" {
		th.trail = trail{} // the human looked at it: the guards count anew
	}
	s.mark(docThread, string(th.ID))

	m.dels = make([]*delivery, len(m.To))
	for i, to := range m.To {
		m.dels[i] = &delivery{m: m, Delivery: Delivery{Peer: to, State: wire.Written, Since: ev.At}}
	}
	s.insert(m)
	s.mark(docDelivery, string(m.ID))
	s.contexts(th, &m.Message)
	if r := s.rooms[m.Room]; r != nil && m.Room != "" {
		s.touchRoom(r, ev.At)
	}
	s.posts = append(s.posts, ev.At)
	s.forgetPosts()
}

func (s *State) classOf(id PeerID) wire.Class {
	if p := s.peers[id]; p != nil {
		return p.Class
	}
	return ""
}

func (s *State) addMembers(th *thread, m *Message) {
	if m.From != Ccmux && !th.has(m.From) {
		th.Members = append(th.Members, m.From)
	}
	for _, id := range m.To {
		if !th.has(id) {
			th.Members = append(th.Members, id)
		}
	}
}

func (s *State) addThread(th *thread) {
	th.num = number(string(th.ID))
	s.threads[th.ID] = th
	s.line = insertSorted(s.line, th, threadNumber)
	s.trees = nil
}

// insert puts a message into the indexes; its deliveries are final.
func (s *State) insert(m *message) {
	s.messages[m.ID] = m
	th := s.threads[m.Thread]
	if th != nil {
		th.messages = insertSorted(th.messages, m, messageSeq)
	}
	if r := s.rooms[m.Room]; r != nil && m.Room != "" {
		r.messages = insertSorted(r.messages, m, messageSeq)
	}
	s.redraw(th, m.Room)
	for _, del := range m.dels {
		s.count(del, +1)
	}
	s.settle(m, th)
}

// contexts keeps track of who is to speak: a reply that needs context puts its
// task to the asker, and what the asker says next in the thread puts it back.
func (s *State) contexts(th *thread, m *Message) {
	if m.Reminder {
		if del := s.original(m); del != nil {
			s.alter(del, func() { del.Reminder = m.ID })
		}
		return
	}
	if m.Kind == wire.KindReply {
		if m.Status != wire.StatusNeedsContext {
			return
		}
		if task := s.messages[m.InReplyTo]; task != nil {
			if del := task.to(m.From); del != nil {
				s.alter(del, func() { del.Context = m.ID })
			}
		}
		return
	}
	for _, to := range m.To {
		for _, del := range th.owedBy(to) {
			if del.m.From == m.From && del.m.ID != m.ID && del.Context != "" {
				s.alter(del, func() { del.Context = "" })
			}
		}
	}
}

// original is the delivery of the task that a reminder is about.
func (s *State) original(m *Message) *delivery {
	if task := s.messages[m.InReplyTo]; task != nil && len(m.To) == 1 {
		return task.to(m.To[0])
	}
	return nil
}

// forgetPosts keeps the posts of the last minute.
func (s *State) forgetPosts() {
	old := 0
	for old < len(s.posts) && s.at.Sub(s.posts[old]) >= time.Minute {
		old++
	}
	s.posts = s.posts[old:]
}
