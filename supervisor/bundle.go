package supervisor

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// bundle makes one event of many messages, each with its own heading, and
// remembers which they are: the gate decides about all of them at once.
func (r *run) bundle(state *router.State, messages []router.Message) (string, map[string]string) {
	kind := wire.KindNote
	for _, m := range messages {
		if m.Kind == wire.KindTask {
			kind = wire.KindTask
		}
	}
	bundle := string(newID())
	r.mu.Lock()
	r.bundles[bundle] = idsOf(messages)
	r.mu.Unlock()
	return bundleText(state, messages), map[string]string{
		wire.MetaSender: wire.Ccmux, wire.MetaKind: string(kind), wire.MetaMessageID: bundle,
	}
}

// bundleText is many messages as one text.
func bundleText(state *router.State, messages []router.Message) string {
	var b strings.Builder
	if len(messages) == 1 {
		b.WriteString("A message waited for you in ccmux. Deal with it as your ccmux instructions say for its kind.\n")
	} else {
		fmt.Fprintf(&b, "%d messages waited for you in ccmux, oldest first. Deal with each as if it had come alone.\n", len(messages))
	}
	for i, m := range messages {
		fmt.Fprintf(&b, "\n[%d] %s %s from %s", i+1, m.Kind, m.Thread, state.Name(m.From))
		for _, extra := range [][2]string{{"in room", m.Room}, {"status", string(m.Status)}, {"parent_task_id", string(m.Parent)}, {"in_reply_to", string(m.InReplyTo)}, {"subject", m.Subject}} {
			if extra[1] != "" {
				fmt.Fprintf(&b, ", %s %s", extra[0], extra[1])
			}
		}
		fmt.Fprintf(&b, ", message_id %s\n%s\n", m.ID, headingLike.ReplaceAllString(contentOf(m), " $0"))
	}
	return b.String()
}

// headingLike is a line of a body that could be taken for a heading: it is moved
// by a space, so that what a bundle stands for can be read from the transcript.
var (
	headingLike = regexp.MustCompile(`(?m)^\[\d+\] `)
	heading     = regexp.MustCompile(`(?m)^\[\d+\] .*, message_id (\S+)$`)
)

// readBundle returns the messages whose headings stand in a bundle's text. It
// serves where nothing remembers them: after a death of ccmux.
func readBundle(text string) []router.MessageID {
	var ids []router.MessageID
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		ids = append(ids, router.MessageID(m[1]))
	}
	return ids
}

// bundled returns what an event stands for: its messages, or itself.
func (r *run) bundled(id router.MessageID) []router.MessageID {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ids, ok := r.bundles[string(id)]; ok {
		return ids
	}
	return []router.MessageID{id}
}
