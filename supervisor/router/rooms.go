package router

import (
	"slices"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// room is a named group; it lasts as long as it has members.
type room struct {
	Name     string    `json:"name"`
	Members  []PeerID  `json:"members"` // in the order of joining
	Archived bool      `json:"archived,omitempty"`
	Updated  time.Time `json:"updated"`
	Hold     *hold     `json:"hold,omitempty"` // everything in it is held

	messages []*message // the most recent ones in memory, oldest first
	view     *RoomView  // nil when it changed
}

// roomMessages is how many messages of a room a view shows.
const roomMessages = 100

// maxRoom is how many members a room may have: a post goes to all of them.
const maxRoom = wire.MaxTargets

// byHand is how a peer does something: the human with a verb of the command line,
// a session with a tool.
func byHand(id PeerID, verb, tool string) string {
	if id == Human {
		return "ccmux " + verb
	}
	return "tool " + tool
}

// room returns a room that is not archived. by is who asks, for the words when
// there is none.
func (s *State) room(name string, by PeerID) (*room, error) {
	name = wire.RoomName(name)
	r := s.rooms[name]
	if r == nil || r.Archived {
		return nil, unknown("there is no room %s: join it to make it (%s); %s shows what there is",
			shown("#"+name), byHand(by, "rooms join "+wire.CleanLine(name, wire.MaxName), "join_room"), byHand(by, "rooms", "list_rooms"))
	}
	return r, nil
}

func (s *State) roomsOf(id PeerID) []*room {
	var in []*room
	for _, r := range s.rooms {
		if !r.Archived && slices.Contains(r.Members, id) {
			in = append(in, r)
		}
	}
	slices.SortFunc(in, func(a, b *room) int { return strings.Compare(a.Name, b.Name) })
	return in
}

func (s *State) touchRoom(r *room, at time.Time) {
	r.Updated, r.view = at, nil
	s.mark(docRoom, r.Name)
}

func (c CreateRoom) decide(d *decision) error {
	from, err := d.s.peer(c.From)
	if err != nil {
		return err
	}
	name := wire.RoomName(c.Room)
	if err := wire.CheckName(name); err != nil {
		return wrong("%s", err)
	}
	if r := d.s.rooms[name]; r != nil && !r.Archived {
		return wrong("the room #%s is there already: join it (%s)", name, byHand(from.ID, "rooms join "+name, "join_room"))
	}
	members := []PeerID{from.ID}
	for _, n := range c.Members {
		p, err := d.s.named(n)
		if err != nil {
			return err
		}
		if !slices.Contains(members, p.ID) {
			members = append(members, p.ID)
		}
	}
	if len(members) > maxRoom {
		return wrong("a room holds %d members; these are %d", maxRoom, len(members))
	}
	d.emit(RoomCreated{Room: name, By: from.ID, Members: members})
	d.res.Reason = "created"
	d.res.Room = &RoomView{Name: name, Members: members, Updated: d.at}
	return nil
}

func (e RoomCreated) apply(s *State, ev Event) {
	r := s.rooms[e.Room]
	if r == nil {
		r = &room{Name: e.Room}
		s.rooms[e.Room] = r
	}
	r.Archived, r.Members = false, slices.Clone(e.Members)
	s.touchRoom(r, ev.At)
}

func (c JoinRoom) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	if err != nil {
		return err
	}
	r, err := d.s.room(c.Room, p.ID)
	if err != nil {
		return CreateRoom{From: p.ID, Room: c.Room}.decide(d)
	}
	d.res.Reason = "joined"
	d.res.Room = &RoomView{Name: r.Name, Members: slices.Clone(r.Members), Updated: r.Updated}
	if slices.Contains(r.Members, p.ID) {
		return nil
	}
	if len(r.Members) >= maxRoom {
		return wrong("the room #%s is full: it has %d members", r.Name, len(r.Members))
	}
	d.emit(RoomJoined{Room: r.Name, Peer: p.ID})
	d.res.Room.Members = append(d.res.Room.Members, p.ID)
	d.res.Room.Updated = d.at
	return nil
}

func (e RoomJoined) apply(s *State, ev Event) {
	if r := s.rooms[e.Room]; r != nil && !slices.Contains(r.Members, e.Peer) {
		r.Members = append(slices.Clip(r.Members), e.Peer)
		s.touchRoom(r, ev.At)
	}
}

func (c LeaveRoom) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	if err != nil {
		return err
	}
	r, err := d.s.room(c.Room, p.ID)
	if err != nil {
		return err
	}
	if !slices.Contains(r.Members, p.ID) {
		return wrong("you are not in the room #%s", r.Name)
	}
	d.leave(r, p.ID)
	rest := slices.DeleteFunc(slices.Clone(r.Members), func(m PeerID) bool { return m == p.ID })
	d.res.Room = &RoomView{Name: r.Name, Members: rest, Archived: len(rest) == 0, Updated: d.at}
	return nil
}

// leave takes a member out of a room; the last one out archives it.
func (d *decision) leave(r *room, id PeerID) {
	d.emit(RoomLeft{Room: r.Name, Peer: id})
	if len(r.Members) == 1 {
		d.emit(RoomArchived{Room: r.Name})
	}
}

func (e RoomLeft) apply(s *State, ev Event) {
	if r := s.rooms[e.Room]; r != nil {
		r.Members = slices.DeleteFunc(slices.Clone(r.Members), func(m PeerID) bool { return m == e.Peer })
		s.touchRoom(r, ev.At)
	}
}

func (e RoomArchived) apply(s *State, ev Event) {
	if r := s.rooms[e.Room]; r != nil {
		r.Archived = true
		s.touchRoom(r, ev.At)
	}
}
