package supervisor

import (
	"context"
	"fmt"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/router/rules"
)

// fromApprover is the source of the rules that earlier versions made of the
// bounds of approvers; they are taken out of force.
const fromApprover = "approver"

// boundOf is what the approver of a session may allow.
func boundOf(s project.Session, of, by router.PeerID) router.Approver {
	name := strings.TrimSpace("approver " + s.Approve.By + " for " + s.Name + ": " + strings.TrimSpace(s.Approve.Tool+" "+s.Approve.Match))
	return router.Approver{Session: of, By: by, Tool: s.Approve.Tool, Pattern: s.Approve.Match, Rule: wire.CleanLine(name, wire.MaxMeta)}
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
		a := boundOf(ses, of.ID, peer.ID)
		if err := rules.Check(a.Bound()); err != nil {
			return fmt.Errorf("%s: approver of session %s: %w", f.Path, ses.Name, err)
		}
		want = append(want, a)
	}
	_, err := s.loop.submit(ctx, router.SetApprovers{Approvers: want, By: by})
	return err
}

// boundFor names the bound that lets this peer allow this request; "" when the
// request is outside of what it may allow, or a rule that denies or asks may be
// about it.
func (s *Supervisor) boundFor(by router.PeerID, p router.PermissionView) string {
	var may []router.Approver
	s.loop.read(func(st *router.State) {
		for _, a := range st.Approvers() {
			if a.By == by && a.Session == p.Peer {
				may = append(may, a)
			}
		}
	})
	about := s.subject(p.Peer, hookInput{ToolName: p.Tool, ToolInput: p.Input, CWD: p.Dir})
	for _, a := range may {
		if rules.Bounded(a.Bound(), s.rules.rules(), about) {
			return a.Rule
		}
	}
	return ""
}

// teamFileAgain applies the approvers once more, for sessions that came since.
func (s *Supervisor) teamFileAgain(ctx context.Context) error {
	f := s.TeamFile()
	if f == nil || !s.trusted(f) {
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
