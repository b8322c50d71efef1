package demoagent

import "context"

// item is something that waits to be said to the model.
type item struct {
	text  string
	event *event // nil when it was typed
	// act, when set, is what the turn does in place of the behaviour.
	act func(*turn) error
	// gate holds the hooks' answer when they ran as the text was typed.
	gate chan []hookOut
	late bool // it was typed in the middle of a turn
}

// enqueue adds an item; on the loop. As in the new version, what is typed during
// a turn goes to the hooks at once, with the prompt id of that turn.
func (a *agent) enqueue(it *item) {
	if a.leaving {
		return
	}
	busy := a.running != nil
	if it.event != nil || busy {
		a.note(a.tr.queue("enqueue", it.text, ""))
	}
	if it.event == nil && busy {
		it.late = true
		if !a.opt.old {
			it.gate = make(chan []hookOut, 1)
			id := a.promptID
			a.bg.Go(func() { it.gate <- a.promptHook(a.ctx, it.text, id) })
		}
	}
	a.queue = append(a.queue, it)
	a.poke()
}

func (a *agent) poke() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func (a *agent) promptHook(ctx context.Context, text, promptID string) []hookOut {
	return a.runHookAs(ctx, "UserPromptSubmit", "", promptID, map[string]any{"prompt": text, "session_title": a.set.name})
}

// turns runs one turn after the other until ctx ends.
func (a *agent) turns(ctx context.Context) {
	for ctx.Err() == nil {
		var t *turn
		a.do(func() { t = a.take(ctx) })
		if t == nil {
			select {
			case <-a.wake:
			case <-ctx.Done():
			}
			continue
		}
		t.run()
		t.cancel(nil)
	}
}

// take makes a turn of what waits: the new version takes all events up to what
// was typed, or one typed line; the old one takes everything.
func (a *agent) take(ctx context.Context) *turn {
	if len(a.queue) == 0 || a.leaving {
		return nil
	}
	n := 1
	for n < len(a.queue) && (a.opt.old || a.queue[n].event != nil && a.queue[0].event != nil) {
		n++
	}
	t := &turn{a: a, items: a.queue[:n:n]}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	a.queue = a.queue[n:]
	for _, it := range t.items {
		if it.event != nil || it.late {
			a.note(a.tr.queue("dequeue", "", ""))
		}
	}
	a.running = t
	a.setStatus(statusBusy, "")
	return t
}

// takeEvents takes the events that wait, for the middle of a turn; on the loop.
func (a *agent) takeEvents() []*item {
	var events, rest []*item
	for _, it := range a.queue {
		if it.event != nil {
			events = append(events, it)
		} else {
			rest = append(rest, it)
		}
	}
	a.queue = rest
	return events
}

func (a *agent) setStatus(status, waitingFor string) {
	if a.status != nil {
		a.note(a.status.set(status, waitingFor))
	}
}
