package router

import (
	"maps"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

// threadMessages is how many messages of a thread a view shows.
const threadMessages = 200

// View returns the picture of the state as it is now. It shares nothing that
// changes later. What did not change since the last View is not built again.
func (s *State) View() *View {
	s.forgetPosts()
	v := &View{
		Seq:       s.seq,
		Peers:     s.viewPeers(),
		Threads:   s.viewThreads(),
		Rooms:     s.viewRooms(),
		Rules:     s.viewRules(),
		Held:      s.held,
		PerMinute: len(s.posts),
	}
	if s.labels == nil {
		s.labels = make(map[PeerID]string, len(s.peers))
		for id, p := range s.peers {
			s.labels[id] = p.Name
		}
	}
	v.Names = s.labels
	for _, r := range s.openPermissions() {
		v.Permissions = append(v.Permissions, PermissionView{Permission: r.Permission, Answered: r.Answered})
	}
	return v
}

func (s *State) viewPeers() []PeerView {
	rooms := map[PeerID][]string{}
	for _, name := range slices.Sorted(maps.Keys(s.rooms)) {
		if r := s.rooms[name]; !r.Archived {
			for _, id := range r.Members {
				rooms[id] = append(rooms[id], name)
			}
		}
	}
	var out []PeerView
	for _, p := range s.roster() {
		v := PeerView{
			ID: p.ID, Name: p.Name, Class: p.Class, Dir: p.Dir, Unread: p.unread, Pending: p.pending,
			Owes: len(p.owed), Rooms: rooms[p.ID], Online: p.ID == Human || p.Session.State.Running(), Held: p.Hold != nil,
		}
		if p.ID != Human {
			v.Session = p.sessionView()
		}
		out = append(out, v)
	}
	return out
}

// viewThreads returns the trees of threads, newest tree first, each parent
// before its children.
func (s *State) viewThreads() []ThreadView {
	if s.trees != nil {
		return s.trees
	}
	children := map[ThreadID][]*thread{}
	for _, th := range s.line {
		if th.Parent != "" && s.threads[th.Parent] != nil {
			children[th.Parent] = append(children[th.Parent], th)
		}
	}
	s.trees = make([]ThreadView, 0, len(s.line))
	var add func(*thread)
	add = func(th *thread) {
		v, kids := *s.viewThread(th), children[th.ID]
		for _, k := range kids {
			v.Children = append(v.Children, k.ID)
		}
		s.trees = append(s.trees, v)
		for _, k := range kids {
			add(k)
		}
	}
	for _, th := range slices.Backward(s.line) {
		if th.Parent == "" || s.threads[th.Parent] == nil {
			add(th)
		}
	}
	return s.trees
}

// viewThread builds one thread, without its children.
func (s *State) viewThread(th *thread) *ThreadView {
	if th.view != nil {
		return th.view
	}
	v := &ThreadView{
		ID: th.ID, Parent: th.Parent, Depth: th.Depth, Title: th.Title, From: th.From, To: slices.Clone(th.To),
		Room: th.Room, Open: len(th.owed) > 0, Updated: th.Updated, Messages: viewMessages(lastOf(th.messages, threadMessages)),
	}
	owed := make([]*delivery, 0, len(th.owed))
	for del := range th.owed {
		owed = append(owed, del)
	}
	slices.SortFunc(owed, func(a, b *delivery) int {
		if c := compareSeq(a.m.seq, b.m.seq); c != 0 {
			return c
		}
		return strings.Compare(string(a.Peer), string(b.Peer))
	})
	for _, del := range owed {
		v.Owes = append(v.Owes, Obligation{
			Message: del.m.ID, By: del.Peer, To: del.m.From, Since: del.m.At, Waiting: del.Context != "",
		})
	}
	if least := leastAdvanced(th, owed); least != nil {
		v.State, v.Since = least.State, least.Since
	}
	th.view = v
	return v
}

// leastAdvanced is the delivery that tells how far a thread is: of its newest
// message that is owed an answer, else of its newest message.
func leastAdvanced(th *thread, owed []*delivery) *delivery {
	var m *message
	switch {
	case len(owed) > 0:
		m = owed[len(owed)-1].m
	case len(th.messages) > 0:
		m = th.messages[len(th.messages)-1]
	default:
		return nil
	}
	var least *delivery
	for _, del := range m.dels {
		if least == nil || advance(del.State) < advance(least.State) {
			least = del
		}
	}
	return least
}

// advance orders states by how much is left to happen.
func advance(d wire.Delivery) int {
	switch d {
	case wire.Held:
		return 0
	case wire.Waiting:
		return 1
	case wire.Written:
		return 2
	case wire.Offered:
		return 3
	case wire.Seen:
		return 4
	case wire.Refused, wire.Expired, wire.Withdrawn:
		return 5
	case wire.Answered:
	}
	return 6
}

func viewMessages(list []*message) []MessageView {
	out := make([]MessageView, len(list))
	for i, m := range list {
		out[i] = MessageView{Message: m.Message, Deliveries: m.deliveries()}
	}
	return out
}

func (s *State) viewRooms() []RoomView {
	out := make([]RoomView, 0, len(s.rooms))
	for _, r := range s.rooms {
		if r.view == nil {
			r.view = &RoomView{
				Name: r.Name, Members: slices.Clone(r.Members), Archived: r.Archived, Updated: r.Updated,
				Messages: viewMessages(lastOf(r.messages, roomMessages)), Held: r.Hold != nil,
			}
		}
		out = append(out, *r.view)
	}
	slices.SortFunc(out, func(a, b RoomView) int {
		if a.Archived != b.Archived {
			if a.Archived {
				return 1
			}
			return -1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out
}
