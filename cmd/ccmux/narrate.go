package main

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/tty"
)

// Limits of what is printed of one event.
const (
	maxSentence = 400
	maxQuoted   = 120
	// maxKnown is how many messages a narrator remembers.
	maxKnown = 10_000
)

// noise are the events that a reader skips mostly: they stand dim.
var noise = []string{"SessionStateChanged", "Offered", "MailRead", "MailArchived", "RouteProven"}

// narrator prints events of the timeline: each as one sentence with names in
// place of ids, or as it is, in JSON. It is used by one goroutine.
type narrator struct {
	asJSON   bool
	numbered bool // with the number to go on from
	coloured bool
	names    map[string]string // of the event at hand
	known    map[router.MessageID]string
}

func newNarrator(asJSON bool) *narrator {
	return &narrator{asJSON: asJSON, coloured: coloured(), known: map[router.MessageID]string{}}
}

// coloured says whether what we print is looked at on a terminal with colours.
func coloured() bool {
	_, err := tty.Get(os.Stdout)
	return err == nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// frame prints the event in f, if it is one of the types; nil is all of them.
func (n *narrator) frame(f wire.Frame, types []string) error {
	if f.Type != wire.TypeEvent {
		return nil
	}
	var e wire.Event
	if err := f.Decode(&e); err != nil {
		return err
	}
	return n.event(e, types)
}

func (n *narrator) event(e wire.Event, types []string) error {
	switch {
	case types != nil && !slices.Contains(types, e.Type):
		return nil
	case n.asJSON:
		return printJSON(e, true)
	}
	_, err := fmt.Println(n.line(e))
	return err
}

// line is an event as it is printed.
func (n *narrator) line(e wire.Event) string {
	when := e.At.Local().Format(time.DateTime)
	if n.numbered {
		when = fmt.Sprintf("%6d  %s", e.Seq, when)
	}
	kind, words := fmt.Sprintf("%-20s", wire.CleanLine(e.Type, 40)), n.sentence(e)
	switch {
	case !n.coloured:
		return when + "  " + kind + " " + words
	case slices.Contains(noise, e.Type):
		return dim(when + "  " + kind + " " + words)
	}
	return dim(when+"  "+kind) + " " + words
}

func dim(s string) string { return "\x1b[2m" + s + "\x1b[22m" }

// sentence is an event in words. One of a later ccmux is shown as it is.
func (n *narrator) sentence(e wire.Event) string {
	body, err := router.DecodeBody(e.Type, 1, e.Body)
	if err != nil {
		return wire.CleanLine(string(e.Body), maxSentence)
	}
	n.names = e.Names
	for _, tell := range []func(router.Body) string{n.ofPeers, n.ofMessages, n.ofDeliveries, n.ofPermissions, n.ofRules, n.ofSessions} {
		if words := tell(body); words != "" {
			return wire.CleanLine(words, maxSentence)
		}
	}
	return wire.CleanLine(string(e.Body), maxSentence)
}

// name is the name of a peer; its id where nobody knows one.
func (n *narrator) name(id router.PeerID) string {
	if name := n.names[string(id)]; name != "" {
		return name
	}
	return string(id)
}

// quoted is a part of what somebody wrote.
func quoted(text string) string { return wire.CleanLine(text, maxQuoted) }

// because adds a reason, where there is one.
func because(words, why string) string {
	if why == "" {
		return words
	}
	return words + ": " + why
}
