package supervisor

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/router/rules"
)

// up has the named sessions running.
func (c *conn) up(f wire.Frame) (any, error) {
	u, err := decode[wire.Up](f)
	if err != nil {
		return nil, err
	}
	return c.s.sessions.up(c.ctx, u)
}

// down ends sessions, all of them when none is named.
func (c *conn) down(f wire.Frame) (any, error) {
	n, err := decode[wire.Names](f)
	if err != nil {
		return nil, err
	}
	return c.s.sessions.each(c.ctx, n.Names, c.s.sessions.stop)
}

// restart ends sessions and starts them again in the same conversation.
func (c *conn) restart(f wire.Frame) (any, error) {
	n, err := decode[wire.Names](f)
	if err != nil {
		return nil, err
	}
	return c.s.sessions.each(c.ctx, n.Names, c.s.sessions.restart)
}

// list says what there is.
func (c *conn) list(wire.Frame) (any, error) {
	v := c.s.View()
	l := wire.List{
		Project: c.s.cfg.Project.Root, PID: c.s.guard.self.PID, Build: c.s.cfg.Build, News: v.News,
		Screens: c.s.screens.count(), Sessions: []wire.SessionInfo{},
	}
	for _, p := range v.Peers {
		if p.Class != wire.ClassSession {
			continue
		}
		info := wire.SessionInfo{
			Name: p.Name, Dir: p.Dir, State: string(p.Session.State), Detail: p.Session.Detail, Since: p.Session.Since,
			Route: p.Session.Route, RouteWhy: p.Session.RouteWhy, Unread: p.Unread, Conversation: p.Session.Conversation,
			Mode: p.Session.Mode, Version: p.Session.Version, Watches: slices.Contains(v.Watching, p.ID),
		}
		if p.Online {
			started := p.Session.Started
			info.PID, info.Started = p.Session.PID, &started
		}
		l.Sessions = append(l.Sessions, info)
	}
	return l, nil
}

// approvals lists the open permission requests, oldest first.
func (c *conn) approvals(wire.Frame) (any, error) {
	v := c.s.loop.look()
	out := wire.Approvals{Open: []wire.Approval{}, Seq: v.Seq}
	for _, p := range v.Permissions {
		if p.Answered != nil {
			continue
		}
		a := wire.Approval{
			ID: p.ID, Session: names(v, []router.PeerID{p.Peer})[0], Agent: p.Agent, Tool: p.Tool, Input: p.Input,
			Dir: p.Dir, Asked: p.Asked, InPane: p.InPane,
		}
		for _, t := range p.Threads {
			a.Threads = append(a.Threads, string(t))
		}
		out.Open = append(out.Open, a)
	}
	return out, nil
}

// verdict is the human's answer from the command line.
func (c *conn) verdict(f wire.Frame) (any, error) {
	v, err := decode[wire.Verdict](f)
	if err != nil {
		return nil, err
	}
	if v.Behavior != wire.Allow && v.Behavior != wire.Deny {
		return nil, fmt.Errorf("behavior is %q: use allow or deny", wire.CleanLine(string(v.Behavior), 32))
	}
	if v.Scope != "" && v.Scope != "once" && v.Scope != "session" {
		return nil, fmt.Errorf("scope is %q: use once or session", wire.CleanLine(v.Scope, 32))
	}
	if err := ofKind(v.ID, aRequest); err != nil {
		return nil, err
	}
	return nil, c.s.answer(c.ctx, v.ID, v.Behavior, v.Scope, v.Reason, c.caller.actor())
}

// tail sends the timeline from where the client stands, then as it grows. The
// request's answer comes when the following ends.
func (c *conn) tail(f wire.Frame) (any, error) {
	t, err := decode[wire.Tail](f)
	if err != nil {
		return nil, err
	}
	follow, cancel := c.s.timeline.add()
	defer cancel()
	last := t.From
	if t.From > 0 {
		if last, err = c.replay(t.From - 1); err != nil {
			return nil, err
		}
	}
	if t.Once {
		return nil, nil
	}
	for {
		select {
		case e, ok := <-follow.events:
			if !ok {
				return nil, fmt.Errorf("you are more than %d events behind: ask again from %d", maxBehind, last+1)
			}
			if e.Seq <= last {
				continue
			}
			if err := c.sendEvent(e); err != nil {
				return nil, err
			}
			last = e.Seq
		case <-c.ctx.Done():
			return nil, c.ctx.Err()
		}
	}
}

// replayPage is how many events are read from the journal at once.
const replayPage = 500

func (c *conn) replay(after uint64) (uint64, error) {
	for {
		events, err := c.s.journal.Events(c.ctx, after, replayPage)
		if err != nil {
			return after, err
		}
		for _, e := range events {
			if err := c.sendEvent(e); err != nil {
				return after, err
			}
			after = e.Seq
		}
		if len(events) == 0 {
			return after, nil
		}
	}
}

func (c *conn) sendEvent(e router.Event) error {
	w, err := wireEvent(e)
	if err != nil {
		return err
	}
	w.Names = namesIn(c.s.loop.look(), w.Body)
	return c.wire.Write(wire.TypeEvent, 0, w)
}

var anID = regexp.MustCompile(`"p-[0-9]+"`)

// namesIn are the names, as they are now, of the peers whose ids stand in a body.
func namesIn(v *router.View, body []byte) map[string]string {
	var out map[string]string
	for _, quoted := range anID.FindAll(body, -1) {
		id := string(quoted[1 : len(quoted)-1])
		name := v.Names[router.PeerID(id)]
		if name == "" {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[id] = name
	}
	return out
}

// trust asks or answers whether a team file's content has the human's yes.
func (c *conn) trust(f wire.Frame) (any, error) {
	t, err := decode[wire.Trust](f)
	if err != nil {
		return nil, err
	}
	if t.Agree {
		cmd := router.TrustConfig{ConfigTrusted: router.ConfigTrusted{Path: t.Path, Hash: t.Hash, By: c.caller.actor()}}
		if _, err := c.s.loop.submit(c.ctx, cmd); err != nil {
			return nil, err
		}
		if err := c.s.agreed(c.ctx, t.Path, t.Hash); err != nil {
			return nil, err
		}
		return wire.Trusted{Trusted: true}, nil
	}
	trusted := false
	if !c.s.loop.read(func(s *router.State) { trusted = s.Trusted(t.Path) == t.Hash }) {
		return nil, errStopping
	}
	return wire.Trusted{Trusted: trusted}, nil
}

// stop ends ccmux itself.
// stop answers first: the end of ccmux is the end of the connection.
func (c *conn) stop(f wire.Frame) {
	_ = c.wire.Write(wire.TypeAnswer, f.ID, nil) // who does not read it has its will all the same
	c.s.Stop()
}

func ruleInfo(r router.Rule) wire.RuleInfo {
	out := wire.RuleInfo{ID: r.ID, Effect: r.Effect, Peer: r.Peer, Tool: r.Tool, Match: r.Pattern, Dir: r.Dir, Source: r.Source, Added: r.Added}
	if r.MaxAge > 0 {
		out.MaxAge = r.MaxAge.String()
	}
	return out
}

func (c *conn) listRules(wire.Frame) (any, error) {
	out := wire.Rules{Rules: []wire.RuleInfo{}, News: c.s.news.of(aboutTeamFile)}
	for _, r := range c.s.loop.look().Rules {
		out.Rules = append(out.Rules, ruleInfo(r))
	}
	return out, nil
}

// testRule says what the rules would make of a tool's use; nothing is run.
func (c *conn) testRule(f wire.Frame) (any, error) {
	t, err := decode[wire.RuleTest](f)
	if err != nil {
		return nil, err
	}
	v := c.s.loop.look()
	p, ok := v.Named(t.Session)
	if !ok {
		return nil, unknownPeer(v, t.Session)
	}
	verdict, rule, why := c.s.match(p.ID, hookInput{ToolName: t.Tool, ToolInput: t.Input, CWD: p.Dir})
	out := wire.RuleVerdict{Verdict: verdict, Why: why}
	if rule != nil {
		info := ruleInfo(*rule)
		if q, ok := v.Peer(router.PeerID(info.Peer)); ok {
			info.Peer = q.Name
		}
		out.Rule = &info
	}
	return out, nil
}

func (c *conn) addRule(f wire.Frame) (any, error) {
	i, err := decode[wire.RuleInfo](f)
	if err != nil {
		return nil, err
	}
	r := router.Rule{Effect: i.Effect, Peer: i.Peer, Tool: i.Tool, Pattern: i.Match, Dir: i.Dir, Source: "command line"}
	if r.MaxAge, err = maxAge(i.MaxAge); err != nil {
		return nil, err
	}
	if err := rules.Check(r); err != nil {
		return nil, err
	}
	if err := c.s.knowsSession(i.Peer); err != nil {
		return nil, err
	}
	res, err := c.s.loop.submit(c.ctx, router.AddRule{Rule: r, By: c.caller.actor()})
	if err != nil {
		return nil, err
	}
	r.ID = res.Rule
	return ruleInfo(r), nil
}

// knowsSession says whether a rule may name this session: a rule for a name that
// was mistyped would protect nobody.
func (s *Supervisor) knowsSession(name string) error {
	if name == "" {
		return nil
	}
	v := s.loop.look()
	if _, known := v.Named(name); known {
		return nil
	}
	if f := s.TeamFile(); f != nil && slices.ContainsFunc(f.Sessions, func(o project.Session) bool { return o.Name == name }) {
		return nil
	}
	return unknownPeer(v, name)
}

func (c *conn) dropRule(f wire.Frame) (any, error) {
	i, err := decode[wire.RuleInfo](f)
	if err != nil {
		return nil, err
	}
	_, err = c.s.loop.submit(c.ctx, router.RemoveRule{ID: i.ID, By: c.caller.actor()})
	return nil, err
}
