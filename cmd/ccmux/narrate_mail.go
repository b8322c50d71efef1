package main

import (
	"strings"

	"github.com/ccmux/ccmux/supervisor/router"
)

// ofPeers tells of peers and rooms.
func (n *narrator) ofPeers(body router.Body) string {
	switch b := body.(type) {
	case router.PeerJoined:
		return n.name(b.ID) + " joined, in " + b.Dir
	case router.PeerLeft:
		return n.name(b.ID) + " left"
	case router.PeerRenamed:
		return b.Old + " is named " + b.New + " now"
	case router.RoomCreated:
		return n.name(b.By) + " made #" + b.Room + " with " + n.all(b.Members)
	case router.RoomJoined:
		return n.name(b.Peer) + " joined #" + b.Room
	case router.RoomLeft:
		return n.name(b.Peer) + " left #" + b.Room
	case router.RoomArchived:
		return "#" + b.Room + " is archived: nobody is in it"
	}
	return ""
}

func (n *narrator) all(ids []router.PeerID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = n.name(id)
	}
	return strings.Join(names, ", ")
}

// ofMessages tells of what was said, and of what stops or ends it.
func (n *narrator) ofMessages(body router.Body) string {
	switch b := body.(type) {
	case router.Posted:
		return n.posted(b.Message)
	case router.Held:
		return because(n.held(b.Message, b.Peer, b.Room)+" is held by "+n.actor(b.By), b.Why)
	case router.Released:
		return n.held(b.Message, b.Peer, b.Room) + " was released by " + n.actor(b.By)
	case router.Expired:
		return n.of(b.Message, b.Peer) + " expired"
	case router.Refused:
		return because(n.of(b.Message, b.Peer)+" was refused", b.Why)
	case router.Withdrawn:
		return n.of(b.Message, b.Peer) + " was withdrawn by " + n.actor(b.By)
	}
	return ""
}

// ofDeliveries tells how a message comes to whom it is for.
func (n *narrator) ofDeliveries(body router.Body) string {
	switch b := body.(type) {
	case router.Offered:
		return n.of(b.Message, b.Peer) + " was offered by " + string(b.Route)
	case router.Seen:
		words := n.name(b.Peer) + " saw " + n.message(b.Message) + " (" + b.Proof + ")"
		if b.Background {
			words += ", in the background of a turn"
		}
		return words
	case router.Answered:
		return n.name(b.Peer) + " answered " + n.message(b.Message)
	case router.Waiting:
		return because(n.of(b.Message, b.Peer)+" waits", b.For)
	case router.MailRead:
		return n.name(b.Peer) + " read " + n.message(b.Message)
	case router.MailArchived:
		return n.name(b.Peer) + " archived " + n.message(b.Message)
	}
	return ""
}

// posted tells what was said, and remembers it for what becomes of it.
func (n *narrator) posted(m router.Message) string {
	if len(n.known) >= maxKnown {
		clear(n.known)
	}
	n.known[m.ID] = string(m.Kind) + " " + string(m.Thread)
	words := n.name(m.From) + " → " + n.all(m.To)
	if m.Room != "" {
		words = n.name(m.From) + " → #" + m.Room + " (" + n.all(m.To) + ")"
	}
	words += ", " + n.message(m.ID)
	if m.Status != "" {
		words += ", " + string(m.Status)
	}
	if m.Reminder {
		words += ", a reminder by ccmux"
	}
	for _, text := range []string{m.Subject, m.Content} {
		if text != "" {
			words += ": " + quoted(text)
		}
	}
	if m.By != nil {
		words += " (in place of " + m.Replaces.Short() + ", by " + n.actor(*m.By) + ")"
	}
	return words
}

// message is a message as one speaks of it, with enough of its id to name it.
func (n *narrator) message(id router.MessageID) string {
	what := n.known[id]
	if what == "" {
		what = "message"
	}
	return what + " [" + id.Short() + "]"
}

// of is one delivery.
func (n *narrator) of(id router.MessageID, to router.PeerID) string {
	return n.message(id) + " to " + n.name(to)
}

// held is a delivery, or everything to a peer or in a room.
func (n *narrator) held(id router.MessageID, peer router.PeerID, room string) string {
	switch {
	case id != "":
		return n.of(id, peer)
	case room != "":
		return "everything in #" + room
	}
	return "everything to " + n.name(peer)
}
