package router

import (
	"maps"

	"github.com/ccmux/ccmux/channel/wire"
)

// pushRoutes can start a turn by themselves, best first.
var pushRoutes = []wire.Route{wire.RouteChannel, wire.RouteSocket}

// push returns the best proven route that can wake the session, or "".
func (ses *session) push() wire.Route {
	for _, r := range pushRoutes {
		if ses.Routes[r].Proven {
			return r
		}
	}
	return ""
}

// best returns the best proven route of any kind. why says why a better one is
// not proven, as far as that is known, else how this one was.
func (ses *session) best() (best wire.Route, why string) {
	for _, r := range []wire.Route{wire.RouteChannel, wire.RouteSocket, wire.RouteHook, wire.RouteInbox} {
		status := ses.Routes[r]
		if why == "" {
			why = status.Why
		}
		if status.Proven {
			return r, why
		}
	}
	return "", why
}

// lost says why no route can wake the session; "" when that is not known.
func (ses *session) lost() string {
	for _, r := range pushRoutes {
		if status := ses.Routes[r]; !status.Proven && status.Why != "" {
			return status.Why
		}
	}
	return ""
}

// Route returns the best proven route that can wake the session now; "" when
// there is none.
func (s *State) Route(id PeerID) wire.Route {
	if p := s.peers[id]; p != nil && p.Session.State.Running() {
		return p.Session.push()
	}
	return ""
}

func (c ProveRoute) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	switch {
	case err != nil:
		return err
	case !p.Session.State.Running():
		return wrong("no session of %s runs", p.Name)
	case !routeKnown(c.Route):
		return wrong("%s is not a route to a session", shown(string(c.Route)))
	case p.Session.Routes[c.Route] == routeStatus{Proven: true, Why: c.How}:
		return nil
	}
	d.emit(c.RouteProven)
	d.rewait(p, p.Session.with(c.Route, routeStatus{Proven: true, Why: c.How}), nil)
	return nil
}

func routeKnown(r wire.Route) bool {
	return r == wire.RouteChannel || r == wire.RouteSocket || r == wire.RouteHook || r == wire.RouteInbox
}

// with returns a copy of ses in which one route has this status.
func (ses *session) with(r wire.Route, status routeStatus) session {
	c := *ses
	c.Routes = maps.Clone(ses.Routes)
	if c.Routes == nil {
		c.Routes = map[wire.Route]routeStatus{}
	}
	c.Routes[r] = status
	return c
}

func (e RouteProven) apply(s *State, _ Event) {
	if p := s.peers[e.Peer]; p != nil {
		p.Session = p.Session.with(e.Route, routeStatus{Proven: true, Why: e.How})
		s.touchPeer(p)
	}
}

func (c LoseRoute) decide(d *decision) error {
	p, err := d.s.peer(c.Peer)
	switch {
	case err != nil:
		return err
	case !p.Session.State.Running():
		return wrong("no session of %s runs", p.Name)
	case !routeKnown(c.Route):
		return wrong("%s is not a route to a session", shown(string(c.Route)))
	}
	status, known := p.Session.Routes[c.Route]
	if known && status == (routeStatus{Why: c.Why}) && !p.offeredBy(c.Route) {
		return nil
	}
	d.loseRoute(p, c.RouteLost)
	return nil
}

// loseRoute records that a route is not to be trusted; what it was offered and
// nobody saw is due again.
func (d *decision) loseRoute(p *peer, e RouteLost) {
	d.emit(e)
	ses := p.Session.with(e.Route, routeStatus{Why: e.Why})
	d.rewait(p, ses, func(del *delivery) string {
		if del.Route != e.Route {
			return ""
		}
		return "the " + string(e.Route) + " route was lost: " + e.Why
	})
}

func (p *peer) offeredBy(r wire.Route) bool {
	found := false
	if p.outstanding > 0 {
		p.queue.each(func(del *delivery) bool {
			found = del.State == wire.Offered && del.Route == r
			return !found
		})
	}
	return found
}

func (e RouteLost) apply(s *State, _ Event) {
	if p := s.peers[e.Peer]; p != nil {
		p.Session = p.Session.with(e.Route, routeStatus{Why: e.Why})
		s.touchPeer(p)
	}
}
