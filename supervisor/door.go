package supervisor

import (
	"context"
	"fmt"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/router/rules"
)

// View is the picture of the last durable state. It is cheap to ask for often.
func (s *Supervisor) View() *router.View { return s.withNews(s.withWatching(s.loop.look())) }

// Watch has changed called, from another goroutine and without detail, whenever
// View may have changed. changed must return at once.
func (s *Supervisor) Watch(changed func()) (cancel func()) { return s.watchers.add(changed) }

// Project is the project's folder.
func (s *Supervisor) Project() string { return s.cfg.Project.Root }

// Submit has one command of the human decided and made durable. Text is cleaned
// and identifiers are given here; who it is from is set here too, whatever the
// command says.
func (s *Supervisor) Submit(ctx context.Context, cmd router.Command) (router.Result, error) {
	return s.SubmitBy(ctx, cmd, router.Actor{PID: s.guard.self.PID})
}

// SubmitBy is Submit for the human at a terminal that by tells of.
func (s *Supervisor) SubmitBy(ctx context.Context, cmd router.Command, by router.Actor) (router.Result, error) {
	cmd, err := s.asHuman(cmd, by)
	if err != nil {
		return router.Result{}, err
	}
	return s.loop.submit(ctx, cmd)
}

// asHuman completes the commands a screen may give, and refuses all others.
func (s *Supervisor) asHuman(cmd router.Command, me router.Actor) (router.Command, error) {
	me.Kind, me.Peer, me.Rule = router.ByHuman, "", ""
	switch c := cmd.(type) {
	case router.Send:
		c.From = router.Human
		return prepareSend(c)
	case router.Respond:
		c.From = router.Human
		return prepareRespond(c)
	case router.CreateRoom:
		c.From = router.Human
		return c, nil
	case router.JoinRoom:
		c.Peer = router.Human
		return c, nil
	case router.LeaveRoom:
		c.Peer = router.Human
		return c, nil
	case router.Read:
		c.Peer, c.Proof = router.Human, "screen"
		return c, nil
	case router.Archive:
		c.Peer = router.Human
		return c, nil
	case router.Hold:
		c.By = me
		return c, nil
	case router.Release:
		c.By, c.NewID = me, newID
		return c, nil
	case router.Withdraw:
		c.By, c.NewID = me, newID
		return c, nil
	case router.Replace:
		return prepareReplace(c, me)
	case router.AddRule:
		c.By, c.Rule.Source = me, "card"
		return c, rules.Check(c.Rule)
	case router.RemoveRule:
		c.By = me
		return c, nil
	}
	return nil, fmt.Errorf("a screen may not give %T", cmd)
}

// RuleSays tells in words what the rules in force would make of a request; ""
// when there are none. It resolves paths, so it may touch the disk.
func (s *Supervisor) RuleSays(_ context.Context, p router.Permission) string {
	if len(s.rules.rules()) == 0 {
		return ""
	}
	verdict, rule, why := s.match(p.Peer, hookInput{ToolName: p.Tool, ToolInput: p.Input, CWD: p.Dir})
	switch {
	case rule != nil:
		return fmt.Sprintf("%s, says %s (%s)", verdict, rule.ID, why)
	case verdict == rules.Ask:
		return "ask: " + why
	}
	return "no rule matches this"
}

// prepareSend cleans what a peer wrote and names the message.
func prepareSend(c router.Send) (router.Send, error) {
	var err error
	if c.Content, err = wire.CleanBody(c.Content); err != nil {
		return c, err
	}
	if c.Subject, err = wire.CleanMeta("subject", c.Subject); err != nil {
		return c, err
	}
	if c.Kind == "" {
		c.Kind = wire.KindNote
	}
	if c.ID == "" {
		c.ID = newID()
	}
	return c, nil
}

func prepareRespond(c router.Respond) (router.Respond, error) {
	var err error
	if c.Content, err = wire.CleanBody(c.Content); err != nil {
		return c, err
	}
	if c.Status == "" {
		c.Status = wire.StatusComplete
	}
	if c.ID == "" {
		c.ID = newID()
	}
	return c, nil
}

// nameOf is the name of a peer, or its id when it is not known.
func (s *Supervisor) nameOf(id router.PeerID) string {
	return s.loop.look().Name(id)
}

// settled runs on the loop's goroutine after a batch became durable.
func (s *Supervisor) settled(state *router.State, events []router.Event) {
	for _, e := range events {
		s.requests.saw(e)
		s.posts.saw(e)
	}
	s.ruled(state, events)
	s.deliver(state, events)
	s.timeline.publish(events)
	s.watchers.tell()
}

// names maps ids to names for results; unknown ids stay ids.
func names(v *router.View, ids []router.PeerID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = v.Name(id)
	}
	return out
}

func prepareReplace(c router.Replace, by router.Actor) (_ router.Replace, err error) {
	if c.Content, err = wire.CleanBody(c.Content); err != nil {
		return c, err
	}
	c.ID, c.By, c.NewID = newID(), by, newID
	return c, nil
}
