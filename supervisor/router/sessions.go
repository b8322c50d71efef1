package router

import (
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// session is what is known of the child process behind a peer.
type session struct {
	State        SessionState               `json:"state,omitempty"`
	Detail       string                     `json:"detail,omitempty"`
	Since        time.Time                  `json:"since,omitzero"`
	LeftIdle     time.Time                  `json:"left_idle,omitzero"` // when it was idle last, or started
	Mode         string                     `json:"mode,omitempty"`
	Conversation string                     `json:"conversation,omitempty"`
	Said         string                     `json:"said,omitempty"`
	PID          int                        `json:"pid,omitempty"`
	Started      time.Time                  `json:"started,omitzero"`
	Birth        uint64                     `json:"birth,omitempty"`
	Version      string                     `json:"version,omitempty"`
	Routes       map[wire.Route]routeStatus `json:"routes,omitempty"`
	Outside      *OutsideView               `json:"outside,omitempty"`
}

// routeStatus says whether a route works, and how that is known.
type routeStatus struct {
	Proven bool   `json:"proven,omitempty"`
	Why    string `json:"why,omitempty"`
}

// Session returns what is known of a peer's session.
func (s *State) Session(id PeerID) SessionView {
	if p := s.peers[id]; p != nil {
		return p.sessionView()
	}
	return SessionView{}
}

func (p *peer) sessionView() SessionView {
	ses := &p.Session
	v := SessionView{
		State: ses.State, Detail: ses.Detail, Since: ses.Since, Mode: ses.Mode,
		Conversation: ses.Conversation, Said: ses.Said, PID: ses.PID, Started: ses.Started, Birth: ses.Birth, Version: ses.Version, Outside: ses.Outside,
	}
	v.Route, v.RouteWhy = ses.best()
	return v
}

func (c StartSession) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	switch {
	case err != nil:
		return err
	case p.Class != wire.ClassSession:
		return wrong("%s has no session", p.Name)
	case p.Session.State.Running() && p.Session.PID == c.PID && p.Session.Started.Equal(c.Started):
		return nil
	}
	if p.Session.State.Running() { // its end went by unseen
		d.end(p, SessionEnded{Peer: p.ID, State: Exited, Detail: "its end was not seen"})
	}
	d.emit(c.SessionStarted)
	d.rewait(p, session{State: Starting}, nil)
	return nil
}

func (e SessionStarted) apply(s *State, ev Event) {
	p := s.peers[e.Peer]
	if p == nil {
		return
	}
	p.Session = session{
		State: Starting, Since: ev.At, LeftIdle: ev.At, Mode: p.Session.Mode,
		Conversation: e.Conversation, Said: e.Said, PID: e.PID, Started: stamp(e.Started), Birth: e.Birth, Version: e.Version,
	}
	s.touchPeer(p)
}

func (c SetSession) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	if err != nil {
		return err
	}
	ses := p.Session
	switch {
	case !ses.State.Running():
		return wrong("no session of %s runs", p.Name)
	case !c.State.Running():
		return wrong("%s is not a state of a running session: its end is another command", shown(string(c.State)))
	}
	if c.Mode == "" {
		c.Mode = ses.Mode
	}
	if ses.State == c.State && ses.Detail == c.Detail && ses.Mode == c.Mode {
		return nil
	}
	d.emit(c.SessionStateChanged)
	ses.State, ses.Detail = c.State, c.Detail
	d.rewait(p, ses, nil)
	return nil
}

func (e SessionStateChanged) apply(s *State, ev Event) {
	p := s.peers[e.Peer]
	if p == nil {
		return
	}
	ses := &p.Session
	if ses.State != e.State {
		if ses.State == Idle {
			ses.LeftIdle = ev.At
		}
		ses.Since = ev.At
	}
	if (e.State == NeedsYou || e.State == Asks) && ses.Detail != e.Detail {
		ses.Since = ev.At // another question: nobody waits longer than it is open
	}
	ses.State, ses.Detail = e.State, e.Detail
	if e.Mode != "" {
		ses.Mode = e.Mode
	}
	s.touchPeer(p)
}

func (c EndSession) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	switch {
	case err != nil:
		return err
	case !p.Session.State.Running() && (c.State == Exited || c.State == p.Session.State):
		return wrong("no session of %s runs", p.Name) // one that ended by itself may still be stopped, or fail to start again
	case c.State != Exited && c.State != Failed && c.State != Stopped:
		return wrong("%s is not a way for a session to end", shown(string(c.State)))
	}
	d.end(p, c.SessionEnded)
	return nil
}

// end records the end of p's session. What it was offered and nobody saw is due
// again, and its open requests are void.
func (d *decision) end(p *peer, e SessionEnded) {
	d.emit(e)
	d.closePermissions(p.ID, "void: the session "+endWord(e.State))
	ses := session{State: e.State, Detail: e.Detail}
	why := reason(p.Name, &ses, true)
	d.rewait(p, ses, func(*delivery) string { return why })
}

func endWord(state SessionState) string {
	switch state {
	case Stopped:
		return "was stopped"
	case Failed:
		return "failed"
	default:
		return "ended"
	}
}

func (e SessionEnded) apply(s *State, ev Event) {
	p := s.peers[e.Peer]
	if p == nil {
		return
	}
	ses := &p.Session
	if ses.State == Idle {
		ses.LeftIdle = ev.At
	}
	ses.State, ses.Detail, ses.Since, ses.Routes, ses.PID = e.State, e.Detail, ev.At, nil, 0
	s.touchPeer(p)
}

func (c RefuseAccess) decide(d *decision) error {
	d.emit(c.AccessRefused)
	return nil
}

func (AccessRefused) apply(*State, Event) {}

func (c TrustConfig) decide(d *decision) error {
	switch {
	case c.Path == "" || c.Hash == "":
		return wrong("trust needs the path of the team file and the hash of its content")
	case c.By.Kind != ByHuman:
		return denied("only the human can trust a team file")
	case d.s.trust[c.Path] == c.Hash:
		return nil
	}
	d.emit(c.ConfigTrusted)
	return nil
}

func (e ConfigTrusted) apply(s *State, _ Event) {
	s.trust[e.Path] = e.Hash
	s.mark(docTrust, e.Path)
}

// Trusted returns the hash of the content of the team file at path that the
// human agreed to; "" when there is none.
func (s *State) Trusted(path string) string { return s.trust[path] }
