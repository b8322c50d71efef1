package supervisor

import (
	"context"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session/transcript"
)

// transcriptOf is the file of a conversation, also of one not yet written down.
func transcriptOf(claude, dir, id string) string {
	if path, there := transcript.Locate(claude, dir, id); there {
		return path
	}
	return transcript.Path(claude, dir, id)
}

// follow reads the transcript as it grows: the second source of what the model
// was given, which repairs the record when a hook was lost. It ends with ctx.
func (r *run) follow(ctx context.Context) {
	defer r.entry.s.survive("transcript of " + r.entry.label())
	if err := r.tail.Follow(ctx, func(e transcript.Entry) { r.witness(ctx, e) }); err != nil {
		r.entry.s.log.Warn("follow the transcript", "session", r.entry.label(), "err", err)
	}
}

// catchUp puts on record all that the transcript proves at this moment. An old
// claude takes what it was pushed in the middle of a tool without a hook, and
// without this it would be handed over once more. A line is told of once: what is
// read goes on record also when the caller, a hook that claude kills, has gone.
func (r *run) catchUp(ctx context.Context) {
	<-r.started
	ctx = context.WithoutCancel(ctx)
	if err := r.tail.Poll(ctx, func(e transcript.Entry) { r.witness(ctx, e) }); err != nil {
		r.entry.s.log.Warn("read the transcript", "session", r.entry.label(), "err", err)
	}
}

// witness records the events that a line of the transcript proves.
func (r *run) witness(ctx context.Context, e transcript.Entry) {
	given := map[router.MessageID]bool{}
	r.read(e, given)
	r.observe(ctx, given)
	r.queue(e)
	r.outside(ctx, e)
}

// fedByStop is how claude writes down what a Stop hook made it go on with.
const fedByStop = "Stop hook feedback:\n"

// read adds the messages that an entry gave to the model; true means as
// background only.
func (r *run) read(e transcript.Entry, given map[router.MessageID]bool) {
	if text, fed := strings.CutPrefix(e.Text, fedByStop); fed && e.Kind == transcript.Other && e.Type == "user" {
		for _, id := range readBundle(text) {
			given[id] = false
		}
	}
	if e.Kind != transcript.User && e.Kind != transcript.Background {
		return
	}
	for _, tag := range e.Tags {
		if tag.Source != wire.ChannelSource {
			continue
		}
		for _, id := range r.inEvent(tag) {
			before, known := given[id]
			given[id] = e.Kind == transcript.Background && (before || !known)
		}
	}
}

// inEvent returns what one event stands for.
func (r *run) inEvent(tag transcript.Tag) []router.MessageID {
	id := router.MessageID(tag.MessageID())
	if id == "" {
		return nil
	}
	ids := r.bundled(id)
	if len(ids) == 1 && tag.Attr[wire.MetaTaskID] == "" {
		ids = readBundle(tag.Body)
	}
	return ids
}

// observe puts on record what the model was given and the gate did not tell of:
// its hook was killed, or came too late. Everything not yet seen is in memory;
// what is not there has ended.
func (r *run) observe(ctx context.Context, given map[router.MessageID]bool) {
	if len(given) == 0 {
		return
	}
	var news []router.Command
	r.entry.s.loop.read(func(s *router.State) {
		for id, background := range given {
			d, open := s.Delivery(id, r.peer)
			if open && !d.State.Ended() && (d.State != wire.Seen || d.Background && !background) {
				news = append(news, router.Observe{Peer: r.peer, Message: id, Proof: "transcript", Background: background})
			}
		}
	})
	if err := r.entry.s.loop.submitAll(ctx, news); err != nil {
		r.entry.s.log.Debug("events of the transcript", "session", r.entry.label(), "err", err)
	}
}

// letIn returns what the gate let into this conversation while the child before
// ran. It must be asked for before the new start is on record.
func (r *run) letIn(ctx context.Context) []router.MessageID {
	p, known := r.entry.s.loop.look().Peer(r.peer)
	if !known || p.Session.Conversation != r.conversation {
		return nil
	}
	ids, err := r.entry.s.journal.LetIn(ctx, r.peer)
	if err != nil {
		r.entry.s.log.Warn("read what was let in", "session", r.entry.label(), "err", err)
	}
	return ids
}

// recall brings the record in step with what the conversation holds: what was
// let in and is not there is due again, because claude died before it wrote it
// down. Each task that was seen and not answered is offered once more, because a
// resumed session does not go on by itself.
func (r *run) recall(ctx context.Context, let []router.MessageID) {
	given := map[router.MessageID]bool{}
	if err := r.tail.Poll(ctx, func(e transcript.Entry) { r.read(e, given) }); err != nil {
		r.entry.s.log.Warn("read the transcript", "session", r.entry.label(), "err", err)
		let = nil
	}
	r.observe(ctx, given)
	r.forgot(ctx, let, given)
	if !r.resumed {
		return
	}
	res, err := r.entry.s.loop.submit(ctx, router.Remind{Peer: r.peer, NewID: newID})
	if err != nil {
		r.entry.s.log.Error("remind of open tasks", "session", r.entry.label(), "err", err)
	}
	if len(res.Reminders) > 0 {
		r.entry.s.log.Info("reminders", "session", r.entry.label(), "tasks", len(res.Reminders))
	}
}

func (r *run) forgot(ctx context.Context, let []router.MessageID, given map[router.MessageID]bool) {
	var lost []router.MessageID
	for _, id := range let {
		if _, there := given[id]; !there {
			lost = append(lost, id)
		}
	}
	if len(lost) == 0 {
		return
	}
	r.entry.s.log.Info("let in and forgotten", "session", r.entry.label(), "messages", len(lost))
	if _, err := r.entry.s.loop.submit(ctx, router.Unsee{Peer: r.peer, Messages: lost}); err != nil {
		r.entry.s.log.Error("offer again what was forgotten", "session", r.entry.label(), "err", err)
	}
}
