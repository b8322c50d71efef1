package supervisor

import (
	"context"
	"fmt"
	"slices"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
)

// known is every session the project has had, as it was started last in this
// ccmux; one from before runs claude.
func (t *sessions) known() []wire.SessionSpec {
	var specs []wire.SessionSpec
	for _, p := range t.s.loop.look().Peers {
		if p.Class != wire.ClassSession {
			continue
		}
		spec := wire.SessionSpec{Name: p.Name, Dir: p.Dir}
		if e := t.entry(p.ID); e != nil {
			e.mu.Lock()
			spec = e.spec
			e.mu.Unlock()
		}
		specs = append(specs, spec)
	}
	return specs
}

// planned is one session of an up, before anything is done.
type planned struct {
	spec    wire.SessionSpec
	known   router.PeerID // "" for a new one
	running bool
}

func (t *sessions) plan(u wire.Up) ([]planned, error) {
	v := t.s.loop.look()
	var plan []planned
	for _, spec := range u.Sessions {
		if err := wire.CheckName(spec.Name); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(plan, func(p planned) bool { return p.spec.Name == spec.Name }) {
			return nil, fmt.Errorf("two sessions would be named %q: give each its own name", spec.Name)
		}
		p := planned{spec: spec}
		if peer, ok := v.Named(spec.Name); ok {
			if peer.Dir != spec.Dir {
				return nil, fmt.Errorf("the name %q belongs to a session in %s: give the one in %s another name with NAME=%s",
					spec.Name, peer.Dir, spec.Dir, spec.Dir)
			}
			p.known = peer.ID
			e := t.entry(peer.ID)
			p.running = e != nil && e.alive()
		}
		plan = append(plan, p)
	}
	return plan, nil
}

// entryFor finds or makes the entry of a planned session, and the peer with it.
func (t *sessions) entryFor(ctx context.Context, p planned, u wire.Up) (*entry, error) {
	id := p.known
	if id == "" {
		res, err := t.s.loop.submit(ctx, router.AddPeer{Name: p.spec.Name, Class: wire.ClassSession, Dir: p.spec.Dir})
		if err != nil {
			return nil, err
		}
		id = res.Peer
	}
	e := t.entry(id)
	if e == nil {
		e = &entry{s: t.s, peer: id}
		e.pane = newPane(e)
		e.slot = session.NewSlot(session.SlotConfig{Name: p.spec.Name, Build: e.build, OnChange: e.changed})
		t.mu.Lock()
		t.entries[id] = e
		t.mu.Unlock()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.name, e.spec, e.env = p.spec.Name, p.spec, u.Env
	e.fresh = u.Fresh || p.spec.Fresh
	return e, nil
}
