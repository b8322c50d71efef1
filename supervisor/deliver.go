package supervisor

import (
	"slices"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// offers says what became due by events that are about to become durable; the
// offers do so in the same commit, so that mail for an idle session waits for the
// disk once:
//
//	Posted, Seen, idle ──► due? ──► Offer ──┐
//	      └────────────── one commit ◄──────┘ ──► push to the channel process
//
// An offer is on record before the push: a crash between the two is mended by
// the channel's absence, which makes everything offered and unseen due again.
func offers(state *router.State, events []router.Event) (cmds []router.Command) {
	var touched []router.PeerID
	for _, e := range events {
		if b, ok := e.Body.(router.Posted); ok {
			touched = append(touched, b.Message.To...)
		} else if p := peerOf(e.Body); p != "" {
			touched = append(touched, p)
		}
	}
	slices.Sort(touched)
	for _, p := range slices.Compact(touched) {
		if due := state.Due(p, events[len(events)-1].At); len(due) > 0 {
			cmds = append(cmds, router.Offer{Peer: p, Messages: idsOf(due), Route: state.Route(p)})
		}
	}
	return cmds
}

// deliver pushes what was offered, once that is durable.
func (s *Supervisor) deliver(state *router.State, events []router.Event) {
	offered, bySocket := map[router.PeerID][]router.Message{}, map[router.PeerID][]router.MessageID{}
	for _, e := range events {
		switch b := e.Body.(type) {
		case router.Offered:
			if m, ok := state.Message(b.Message); ok && b.Route == wire.RouteChannel {
				offered[b.Peer] = append(offered[b.Peer], m)
			} else if b.Route == wire.RouteSocket {
				bySocket[b.Peer] = append(bySocket[b.Peer], b.Message)
			}
		case router.RouteLost:
			s.routeLost(b)
		}
	}
	for p, messages := range offered {
		s.push(state, p, messages)
	}
	for p, ids := range bySocket {
		if r := s.sessions.current(p); r != nil { // else its end takes the offers back
			r.socket.give(ids)
		}
	}
}

// maxSingle is how many messages go to a peer as events of their own; more go
// as one event, because each event costs a run of the prompt hook.
const maxSingle = 20

// push hands offered messages to the session's channel process.
func (s *Supervisor) push(state *router.State, peer router.PeerID, messages []router.Message) {
	r := s.sessions.current(peer)
	ok := r != nil
	if ok && len(messages) > maxSingle {
		content, meta := r.bundle(state, messages)
		ok = r.push(content, meta)
	} else if ok {
		for _, m := range messages {
			ok = ok && r.push(contentOf(m), s.meta(state, m))
		}
	}
	// What it was offered becomes due again, by another route or later. A channel
	// that is gone has its own end on record for that, with what to do about it.
	if !ok && r != nil && r.linked() {
		s.loop.follow(router.LoseRoute{RouteLost: router.RouteLost{
			Peer: peer, Route: wire.RouteChannel, Why: "the channel process takes no more",
		}})
	}
}

// meta is the message's channel tag.
func (s *Supervisor) meta(state *router.State, m router.Message) map[string]string {
	meta := map[string]string{
		wire.MetaSender:    state.Name(m.From),
		wire.MetaKind:      string(m.Kind),
		wire.MetaTaskID:    string(m.Thread),
		wire.MetaMessageID: string(m.ID),
	}
	for key, value := range map[string]string{
		wire.MetaParent:    string(m.Parent),
		wire.MetaRoom:      m.Room,
		wire.MetaInReplyTo: string(m.InReplyTo),
		wire.MetaStatus:    string(m.Status),
		wire.MetaSubject:   m.Subject,
	} {
		if value != "" {
			meta[key] = value
		}
	}
	return meta
}

// tagValue reads one attribute of a channel tag's opening, as claude writes it:
// & < > " escaped.
func tagValue(prompt, key string) string {
	open, _, _ := strings.Cut(prompt, ">")
	_, rest, ok := strings.Cut(open, " "+key+`="`)
	if !ok {
		return ""
	}
	value, _, _ := strings.Cut(rest, `"`)
	return unescape.Replace(value)
}

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")

// peerOf names the peer whose deliveries an event may have made due.
func peerOf(b router.Body) router.PeerID {
	switch b := b.(type) {
	case router.Seen:
		return b.Peer
	case router.Answered:
		return b.Peer
	case router.Waiting:
		return b.Peer
	case router.Released:
		return b.Peer
	case router.Expired:
		return b.Peer
	case router.Refused:
		return b.Peer
	case router.Withdrawn:
		return b.Peer
	case router.MailRead:
		return b.Peer
	case router.SessionStarted:
		return b.Peer
	case router.SessionStateChanged:
		return b.Peer
	case router.RouteProven:
		return b.Peer
	case router.RouteLost:
		return b.Peer
	}
	return ""
}
