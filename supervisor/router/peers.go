package router

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

// peer is one address: a name, a session perhaps, and what waits for it.
type peer struct {
	ID      PeerID     `json:"id"`
	Name    string     `json:"name"`
	Class   wire.Class `json:"class"`
	Dir     string     `json:"dir,omitempty"`
	Left    bool       `json:"left,omitempty"`
	Former  []string   `json:"former,omitempty"` // names it had before
	Hold    *hold      `json:"hold,omitempty"`   // everything to it is held
	Session session    `json:"session,omitzero"`
	Auto    []autoYes  `json:"auto,omitempty"` // what rules allowed it within a minute

	// derived
	queue       queue // deliveries that were not seen, and tasks seen as background
	owed        map[*delivery]struct{}
	unread      int
	pending     int
	outstanding int // offered and not seen
	notes       int // notes among the pending that are not offered
}

// hold says who stopped everything to a peer or in a room.
type hold struct {
	By  Actor  `json:"by"`
	Why string `json:"why,omitempty"`
}

// roster returns the peers that have not left, in the order of joining.
func (s *State) roster() []*peer {
	in := make([]*peer, 0, len(s.order))
	for _, p := range s.order {
		if !p.Left {
			in = append(in, p)
		}
	}
	return in
}

// peer returns a peer of the roster.
func (s *State) peer(id PeerID) (*peer, error) {
	p := s.peers[id]
	if p == nil || p.Left {
		return nil, unknown("no peer with the id %s", shown(string(id)))
	}
	return p, nil
}

// named returns the peer of the roster that has this name now.
func (s *State) named(name string) (*peer, error) {
	if p := s.peers[s.names[name]]; p != nil && !p.Left {
		if p.Name == name {
			return p, nil
		}
		return nil, unknown("no peer is named %s now: %s has that mail, use the new name", shown(name), p.Name)
	}
	var known []string
	for _, p := range s.roster() {
		known = append(known, p.Name)
	}
	if len(known) == 0 {
		return nil, unknown("no peer is named %s: there are no peers yet", shown(name))
	}
	return nil, unknown("no peer is named %s: the peers are %s", shown(name), strings.Join(known, ", "))
}

// Name returns the name of a peer, also of one that left; the id when there is none.
func (s *State) Name(id PeerID) string {
	if p := s.peers[id]; p != nil {
		return p.Name
	}
	return string(id)
}

// Named returns the id of the peer of the roster that has this name.
func (s *State) Named(name string) (PeerID, bool) {
	p, err := s.named(name)
	if err != nil {
		return "", false
	}
	return p.ID, true
}

func (c AddPeer) decide(d *decision) error {
	class := c.Class
	if class == "" {
		class = wire.ClassSession
	}
	if class == wire.ClassHuman {
		return c.decideHuman(d)
	}
	if class != wire.ClassSession {
		return wrong("peers of class %s cannot join yet", shown(string(class)))
	}
	if err := checkName(c.Name); err != nil {
		return err
	}
	id := PeerID(fmt.Sprintf("p-%d", d.s.next.Peer+1))
	if known, ok := d.s.names[c.Name]; ok {
		p := d.s.peers[known]
		switch {
		case p.Name != c.Name:
			return wrong("the name %s belonged to the session that is now %s: use that name, or another one", shown(c.Name), p.Name)
		case !p.Left:
			return wrong("there is a session named %s already: give this one another name (name=dir)", shown(c.Name))
		case p.Dir != c.Dir:
			return wrong("the name %s belongs to a session in %s: give the one in %s another name (name=dir)", shown(c.Name), p.Dir, c.Dir)
		}
		id = p.ID // it comes back with its mail
	}
	d.emit(PeerJoined{ID: id, Name: c.Name, Class: class, Dir: c.Dir})
	d.res.Peer = id
	return nil
}

// checkName refuses what cannot be a session's name. What looks like an id is
// taken for one in rules.
func checkName(name string) error {
	if err := wire.CheckName(name); err != nil {
		return wrong("%s", err)
	}
	if n := number(name); n > 0 && name == fmt.Sprintf("p-%d", n) || name == string(Human) {
		return wrong("%s: %s is the form of ccmux's own ids: choose another name", wire.ErrName, shown(name))
	}
	return nil
}

// decideHuman makes the human known, once.
func (c AddPeer) decideHuman(d *decision) error {
	if c.Name != wire.You {
		return wrong("the human is named %q, not %s", wire.You, shown(c.Name))
	}
	d.res.Peer = Human
	if d.s.peers[Human] == nil {
		d.emit(PeerJoined{ID: Human, Name: wire.You, Class: wire.ClassHuman, Dir: c.Dir})
	}
	return nil
}

func (e PeerJoined) apply(s *State, _ Event) {
	p := s.peers[e.ID]
	if p == nil {
		p = &peer{ID: e.ID, owed: map[*delivery]struct{}{}}
		s.addPeer(p)
	}
	p.Name, p.Class, p.Dir, p.Left = e.Name, e.Class, e.Dir, false
	s.names[e.Name] = e.ID
	raise(&s.next.Peer, string(e.ID))
	s.rebind()
	s.touchPeer(p)
	s.labels = nil
}

func (s *State) addPeer(p *peer) {
	s.peers[p.ID] = p
	s.order = insertSorted(s.order, p, func(p *peer) uint64 { return uint64(number(string(p.ID))) })
}

func (s *State) touchPeer(p *peer) { s.mark(docPeer, string(p.ID)) }

func (c RemovePeer) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	switch {
	case err != nil:
		return err
	case p.ID == Human:
		return wrong("the human cannot leave")
	case p.Session.State.Running():
		return wrong("%s still runs: stop it first (ccmux down %s)", p.Name, p.Name)
	}
	for _, del := range p.open() {
		d.emit(Refused{Message: del.m.ID, Peer: p.ID, Why: p.Name + " left"})
	}
	d.closePermissions(p.ID, "void: "+p.Name+" left")
	for _, r := range d.s.roomsOf(p.ID) {
		d.leave(r, p.ID)
	}
	d.emit(PeerLeft{ID: p.ID})
	return nil
}

// open returns what p was not shown yet or owes an answer to, oldest first.
func (p *peer) open() []*delivery {
	all := p.queue.all()
	for del := range p.owed {
		if !del.queued {
			all = append(all, del)
		}
	}
	slices.SortFunc(all, func(a, b *delivery) int { return compareSeq(a.m.seq, b.m.seq) })
	return all
}

func (e PeerLeft) apply(s *State, _ Event) {
	if p := s.peers[e.ID]; p != nil {
		p.Left = true
		s.touchPeer(p)
	}
}

func (c Rename) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	if err != nil {
		return err
	}
	if p.ID == Human {
		return denied("the human is always named %q", wire.You)
	}
	if err := checkName(c.Name); err != nil {
		return err
	}
	if p.Name == c.Name {
		return wrong("you are named %s already", c.Name)
	}
	owner, known := d.s.names[c.Name]
	if known && owner != p.ID || slices.Contains(c.Taken, c.Name) {
		return denied("the name %s is known already: choose one that no peer ever had and that the team file does not use", shown(c.Name))
	}
	d.emit(PeerRenamed{ID: p.ID, Old: p.Name, New: c.Name})
	d.res.Peer = p.ID
	return nil
}

func (e PeerRenamed) apply(s *State, _ Event) {
	p := s.peers[e.ID]
	if p == nil {
		return
	}
	if !slices.Contains(p.Former, p.Name) {
		p.Former = append(p.Former, p.Name)
	}
	p.Name = e.New
	s.names[e.New] = p.ID
	s.touchPeer(p)
	s.labels = nil
}
