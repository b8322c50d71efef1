package main

import (
	"fmt"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// ofPermissions tells of requests and of what rules denied.
func (n *narrator) ofPermissions(body router.Body) string {
	switch b := body.(type) {
	case router.PermissionAsked:
		p := b.Permission
		return fmt.Sprintf("%s %s asks to use %s: %s", p.ID, n.name(p.Peer), p.Tool, summary(p.Input))
	case router.PermissionAnswered:
		return b.ID + " " + n.verdict(b)
	case router.PermissionMoved:
		return b.ID + " " + b.Why
	case router.PermissionClosed:
		return b.ID + " " + b.How
	case router.ToolDenied:
		if b.Times > 0 {
			return fmt.Sprintf("%s was denied %d tools more by rules within a minute", n.name(b.Peer), b.Times)
		}
		return fmt.Sprintf("%s was denied %s: %s, by %s", n.name(b.Peer), b.Tool, wire.CleanLine(b.What, 200), b.Why)
	}
	return ""
}

// verdict is an answer: what, for how long, by whom and why.
func (n *narrator) verdict(b router.PermissionAnswered) string {
	words := string(b.Behavior)
	if b.Scope == "session" {
		words += " for the session"
	}
	return because(words+" by "+n.actor(b.By), strings.TrimPrefix(b.Why, b.By.Rule+": "))
}

// ofRules tells of what is in force, and of who was turned away.
func (n *narrator) ofRules(body router.Body) string {
	switch b := body.(type) {
	case router.RuleAdded:
		return b.Rule.ID + ": " + n.rule(b.Rule) + ", by " + n.actor(b.By)
	case router.RuleRemoved:
		return b.ID + " by " + n.actor(b.By)
	case router.ApproversSet:
		var list []string
		for _, a := range b.Approvers {
			list = append(list, a.Rule)
		}
		words := strings.Join(list, "; ")
		if words == "" {
			words = "none: only you answer requests"
		}
		return words + ", by " + n.actor(b.By)
	case router.AccessRefused:
		return because(b.Verb+" by "+n.actor(b.Who), b.Why)
	case router.ConfigTrusted:
		return b.Path + " by " + n.actor(b.By)
	}
	return ""
}

// rule is what a rule says.
func (n *narrator) rule(r router.Rule) string {
	words := strings.TrimSpace(r.Effect + " " + orAll(r.Tool) + " " + r.Pattern)
	if r.Peer != "" {
		words += " for " + n.name(router.PeerID(r.Peer))
	}
	if r.Dir != "" {
		words += " in " + r.Dir
	}
	if r.MaxAge > 0 {
		words += " for " + r.MaxAge.String()
	}
	return words + " (" + r.Source + ")"
}

// actor is who it was, and from where.
func (n *narrator) actor(a router.Actor) string {
	who := "ccmux"
	switch a.Kind {
	case router.ByHuman:
		who = wire.You
	case router.ByPeer:
		if who = n.name(a.Peer); a.Rule != "" {
			who += " as " + a.Rule
		}
	case router.ByRule:
		who = "rule " + a.Rule
	case router.ByCcmux:
	}
	if a.PID == 0 {
		return who
	}
	from := fmt.Sprintf("process %d", a.PID)
	for _, s := range []string{a.Exe, a.TTY} {
		if s != "" {
			from += " " + s
		}
	}
	return who + " (" + from + ")"
}

// ofSessions tells of sessions and of the routes to them.
func (n *narrator) ofSessions(body router.Body) string {
	switch b := body.(type) {
	case router.SessionStarted:
		words := fmt.Sprintf("%s runs as process %d", n.name(b.Peer), b.PID)
		if b.Resumed {
			words += ", in its conversation of before"
		}
		return because(words, b.Said)
	case router.SessionStateChanged:
		return because(n.name(b.Peer)+" is "+stateWords(b.State), b.Detail)
	case router.SessionEnded:
		words := because(n.name(b.Peer)+" "+stateWords(b.State), b.Detail)
		if len(b.Survivors) > 0 {
			words += fmt.Sprintf(", and left %d processes behind", len(b.Survivors))
		}
		return words
	case router.SaidOutside:
		return because(n.name(b.Peer)+" → "+b.To+", outside ccmux", quoted(b.Text))
	case router.RouteProven:
		return because(n.name(b.Peer)+" is reached by "+string(b.Route), b.How)
	case router.RouteLost:
		return because(n.name(b.Peer)+" is not reached by "+string(b.Route)+" any more", b.Why)
	}
	return ""
}

// stateWords are a session's state so that they go on from its name.
func stateWords(s router.SessionState) string {
	switch s {
	case router.NeedsYou:
		return "in a dialog"
	case router.Asks:
		return "asking"
	case router.Stopped:
		return "was stopped"
	case router.Starting, router.Idle, router.Busy, router.Exited, router.Failed:
	}
	return string(s)
}
