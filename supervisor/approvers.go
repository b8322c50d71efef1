package supervisor

import (
	"context"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/router/rules"
)

// fromApprover is the source of rules that bound what a peer may allow. Such a
// rule says ask, so that it answers nothing by itself.
const fromApprover = "approver"

// boundOf is the rule within which a session's approver may allow.
func boundOf(s project.Session) router.Rule {
	return router.Rule{Effect: rules.Ask, Peer: s.Name, Tool: s.Approve.Tool, Pattern: s.Approve.Match, Source: fromApprover}
}

// applyApprovers has exactly the file's approvers in force, as far as their
// sessions are known; it is called again when sessions come.
func (s *Supervisor) applyApprovers(ctx context.Context, f *project.File) error {
	by := router.Actor{Kind: router.ByCcmux}
	v := s.loop.look()
	var want []router.Approver
	for _, ses := range f.Sessions {
		if ses.Approve == nil {
			continue
		}
		of, known := v.Named(ses.Name)
		peer, there := v.Named(ses.Approve.By)
		if !known || !there {
			continue
		}
		id, err := s.ensureRule(ctx, boundOf(ses), by)
		if err != nil {
			return err
		}
		want = append(want, router.Approver{Session: of.ID, By: peer.ID, Rule: id})
	}
	_, err := s.loop.submit(ctx, router.SetApprovers{Approvers: want, By: by})
	return err
}

// ensureRule returns the id of the rule in force that says the same, adding it
// when there is none.
func (s *Supervisor) ensureRule(ctx context.Context, r router.Rule, by router.Actor) (string, error) {
	for _, have := range s.rules.rules() {
		if sameRule(have, r) {
			return have.ID, nil
		}
	}
	res, err := s.loop.submit(ctx, router.AddRule{Rule: r, By: by})
	return res.Rule, err
}

// boundFor finds the rule that lets this peer answer this request; "" when the
// request is outside of what it may allow.
func (s *Supervisor) boundFor(by router.PeerID, p router.PermissionView) string {
	var rule string
	s.loop.read(func(st *router.State) {
		for _, a := range st.Approvers() {
			if a.By == by && a.Session == p.Peer {
				rule = a.Rule
			}
		}
	})
	for _, r := range s.rules.rules() {
		if r.ID != rule {
			continue
		}
		asker, _ := s.loop.look().Peer(p.Peer)
		verdict, _, _ := rules.Match([]router.Rule{r}, rules.Request{
			Peer: p.Peer, Name: asker.Name, Tool: p.Tool, Input: p.Input, Dir: asker.Dir,
			Home: s.sessions.home(p.Peer), At: time.Now(), Resolve: resolve,
		})
		if verdict == rules.Ask {
			return rule
		}
	}
	return ""
}

// teamFileAgain applies the approvers once more, for sessions that came since.
func (s *Supervisor) teamFileAgain(ctx context.Context) error {
	f := s.cfg.Project.Config
	if f == nil {
		return nil
	}
	trusted := false
	s.loop.read(func(st *router.State) { trusted = st.Trusted(f.Path) == f.Hash })
	if !trusted {
		return nil
	}
	return s.applyApprovers(ctx, f)
}

// peerAnswer is a peer approver's verdict on an open request.
func (c *conn) peerAnswer(p router.PermissionView, a wire.RespondPermissionArgs) error {
	by := c.caller.actor()
	if c.peer != router.Human {
		by.Kind, by.Peer, by.Rule = router.ByPeer, c.peer, c.s.boundFor(c.peer, p)
	}
	return c.s.answer(c.ctx, p.ID, a.Behavior, "", a.Reason, by)
}
