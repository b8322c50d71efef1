package router

import (
	"slices"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

func (c AnswerPermission) decide(d *decision) error {
	r := d.s.perms[c.ID]
	switch {
	case r == nil:
		return unknown("there is no permission request %s", shown(c.ID))
	case c.Behavior != wire.Allow && c.Behavior != wire.Deny:
		return wrong("%s is not an answer: use allow or deny", shown(string(c.Behavior)))
	case c.Scope != "" && c.Scope != "once" && c.Scope != "session":
		return wrong("%s is not a scope: use once or session", shown(c.Scope))
	case r.Answered != nil:
		return wrong("request %s was answered already: %s by %s", r.ID, said(r.Answered.Behavior), d.s.who(r.Answered.By))
	case r.Closed != "":
		return wrong("request %s is over: %s", r.ID, r.Closed)
	case r.InPane:
		return wrong("request %s can be answered in its pane only", r.ID)
	}
	if err := d.mayAnswer(r, c); err != nil {
		return err
	}
	if c.Scope == "session" && c.Behavior == wire.Allow && !r.Lasting {
		return wrong("request %s can be allowed once only: claude offers nothing that would last for the session", r.ID)
	}
	d.emit(PermissionAnswered(c))
	d.unnotice(r)
	return nil
}

func said(b wire.Behavior) string {
	if b == wire.Allow {
		return "allowed"
	}
	return "denied"
}

// who names an actor.
func (s *State) who(a Actor) string {
	switch a.Kind {
	case ByHuman:
		return wire.You
	case ByPeer:
		return s.Name(a.Peer)
	case ByRule:
		return "rule " + a.Rule
	case ByCcmux:
	}
	return "ccmux"
}

// mayAnswer says whether the actor may give this answer.
func (d *decision) mayAnswer(r *permission, c AnswerPermission) error {
	switch c.By.Kind {
	case ByHuman:
		return nil
	case ByCcmux:
		if c.Behavior == wire.Deny {
			return nil
		}
		return denied("ccmux allows nothing by itself")
	case ByRule:
		return d.mayRule(r, c)
	case ByPeer:
		return d.mayPeer(r, c)
	}
	return denied("an answer needs somebody who gives it")
}

// mayRule holds an answer to a rule in force that says so for this request. The
// match of the pattern itself is package rules' part.
func (d *decision) mayRule(r *permission, c AnswerPermission) error {
	rule := d.s.rule(c.By.Rule)
	switch {
	case rule == nil:
		return denied("no rule %s is in force", shown(c.By.Rule))
	case rule.Effect != string(c.Behavior):
		return denied("rule %s says %s, not %s", rule.ID, rule.Effect, c.Behavior)
	case !d.s.concerns(rule, r, d.at):
		return denied("rule %s is not about this request", rule.ID)
	}
	if c.Behavior == wire.Allow {
		if n := d.s.allowedLately(&r.Permission, d.at); n >= d.s.limits.RulePerMinute {
			return wrong("the same request was allowed by a rule %d times within a minute: it looks like a loop, so the human is asked", n)
		}
	}
	return nil
}

// concerns says whether a rule's peer, age and tool fit a request. A tool with a
// wildcard is package rules' part, as the pattern is.
func (s *State) concerns(rule *Rule, r *permission, at time.Time) bool {
	if rule.Peer != "" && rule.Peer != wire.Everyone && rule.Peer != string(r.Peer) {
		return false
	}
	if rule.MaxAge > 0 && !rule.Added.IsZero() && at.After(rule.Added.Add(rule.MaxAge)) {
		return false
	}
	return rule.Tool == "" || rule.Tool == r.Tool || strings.ContainsAny(rule.Tool, `*?\`)
}

// mayPeer holds an answer to an approver that the trusted team file names for
// this session, within its bound. The match of the bound itself, and of the rules
// that deny or ask, is package rules' part. Nobody answers for themselves.
func (d *decision) mayPeer(r *permission, c AnswerPermission) error {
	if c.By.Peer == r.Peer {
		return denied("nobody can answer their own permission request")
	}
	i := slices.IndexFunc(d.s.approvers, func(a Approver) bool { return a.Session == r.Peer && a.By == c.By.Peer })
	switch {
	case i < 0:
		return denied("%s may not answer for %s: only the human can, or an approver that the trusted team file names", d.s.Name(c.By.Peer), d.s.Name(r.Peer))
	case c.Scope == "session":
		return denied("an approver can allow once only")
	case c.Behavior == wire.Deny:
		return nil
	case c.By.Rule == "" || c.By.Rule != d.s.approvers[i].Rule || !d.s.approvers[i].bounded():
		return denied("the request is outside of what %s may allow: the human is asked", d.s.Name(c.By.Peer))
	}
	return nil
}

// bounded says whether the approver's bound is known; an earlier version kept it
// among the rules.
func (a Approver) bounded() bool { return a.Tool != "" || a.Pattern != "" }

func (e PermissionAnswered) apply(s *State, ev Event) {
	r := s.perms[e.ID]
	if r == nil || r.Answered != nil {
		return
	}
	r.Answered = &e
	s.mark(docPermission, r.ID)
	if p := s.peers[r.Peer]; p != nil && e.By.Kind == ByRule && e.Behavior == wire.Allow {
		p.Auto = lastOf(append(lately(p.Auto, ev.At), autoYes{Request: requestKey(&r.Permission), At: ev.At.UnixMilli()}), maxTimes)
		s.touchPeer(p)
	}
}

// decide of a denial needs no rule in force: it is the past, and the rule may have
// gone since.
func (c RecordDenial) decide(d *decision) error {
	if _, known := d.s.peers[c.Peer]; !known {
		return unknown("no peer with the id %s", shown(string(c.Peer)))
	}
	d.emit(c.ToolDenied)
	return nil
}

func (ToolDenied) apply(*State, Event) {}

func (c MovePermission) decide(d *decision) error {
	r := d.s.perms[c.ID]
	switch {
	case r == nil || r.Closed != "":
		return unknown("there is no open permission request %s", shown(c.ID))
	case r.InPane:
		return nil
	}
	d.emit(PermissionMoved(c))
	d.unnotice(r)
	return nil
}

func (e PermissionMoved) apply(s *State, _ Event) {
	if r := s.perms[e.ID]; r != nil {
		r.InPane, r.Moved = true, e.Why
		s.mark(docPermission, r.ID)
	}
}

func (c ClosePermission) decide(d *decision) error {
	r := d.s.perms[c.ID]
	if r == nil || r.Closed != "" {
		return unknown("there is no open permission request %s", shown(c.ID))
	}
	how := c.How
	if how == "" {
		how = "ended"
	}
	d.emit(PermissionClosed{ID: r.ID, How: how})
	d.unnotice(r)
	return nil
}

func (c VoidPermissions) decide(d *decision) error {
	why := c.Why
	if why == "" {
		why = "ccmux ended"
	}
	d.closePermissions("", "void: "+why)
	return nil
}

// closePermissions closes the open requests of a peer, or all.
func (d *decision) closePermissions(id PeerID, how string) {
	for _, r := range d.s.openPermissions() {
		if id == "" || r.Peer == id {
			d.emit(PermissionClosed{ID: r.ID, How: how})
			d.unnotice(r)
		}
	}
}

func (e PermissionClosed) apply(s *State, _ Event) {
	if r := s.perms[e.ID]; r != nil && r.Closed == "" {
		r.Closed = e.How
		s.mark(docPermission, r.ID)
		s.endedPerms.add(&r.ended, r)
	}
}
