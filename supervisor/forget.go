package supervisor

import (
	"context"
	"fmt"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// forget takes sessions off the roster.
func (c *conn) forget(f wire.Frame) (any, error) {
	n, err := decode[wire.Names](f)
	if err != nil {
		return nil, err
	}
	return c.s.sessions.forget(c.ctx, n.Names)
}

// forget takes stopped sessions off the roster, all or none: lists and an `up`
// without names no longer have them. What they said stays, and their names stay
// theirs: an `up` that names one brings it back.
func (t *sessions) forget(ctx context.Context, wanted []string) (done wire.Names, err error) {
	t.upping.Lock()
	defer t.upping.Unlock()
	v := t.s.loop.look()
	var list []router.PeerView
	for _, name := range wanted {
		p, ok := v.Named(name)
		if !ok || p.Class != wire.ClassSession {
			return done, unknownPeer(v, name)
		}
		if e := t.entry(p.ID); p.Online || e != nil && e.alive() {
			return done, fmt.Errorf("%s still runs: stop it first (ccmux down %s)", p.Name, p.Name)
		}
		list = append(list, p)
	}
	for _, p := range list {
		if _, err := t.s.loop.submit(ctx, router.RemovePeer{Peer: p.ID}); err != nil {
			return done, err
		}
		t.drop(ctx, p.ID)
		done.Names = append(done.Names, p.Name)
	}
	return done, nil
}

// drop closes the place of a peer that left.
func (t *sessions) drop(ctx context.Context, id router.PeerID) {
	t.mu.Lock()
	e := t.entries[id]
	delete(t.entries, id)
	t.mu.Unlock()
	if e != nil {
		e.slot.Close(ctx)
	}
}
