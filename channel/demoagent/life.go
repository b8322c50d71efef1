package demoagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

var (
	errLeaving     = errors.New("the agent ends")
	errInterrupted = errors.New("interrupted by the user")
)

func newID() string { return uuid.NewString() }

// live is the life of a session from its first dialog to its last hook.
func (a *agent) live(ctx context.Context) {
	if a.begin(ctx) {
		a.opening()
		a.turns(ctx)
	}
	a.finish()
}

// begin asks the start dialogs, then shows the prompt, starts hooks and server.
func (a *agent) begin(ctx context.Context) bool {
	for _, name := range a.opt.dialogs {
		if !a.startDialog(ctx, name) {
			a.do(func() { a.leave("other", 1) })
			return false
		}
	}
	a.do(func() {
		a.banner()
		a.showPast()
		a.note(a.scr.write(queries))
		if a.set.hasChannel(a.plug.name) && !a.opt.channels {
			a.scr.add(sgrWarn, "▎ --dangerously-load-development-channels ignored (plugin:"+a.plug.name+"@inline)")
			a.scr.add(sgrWarn, "▎ Channels are not currently available")
		}
		var err error
		a.status, err = newStatusFile(configOf(a.tr), a.set, a.cwd, version(a.opt))
		a.note(err)
	})
	a.sideShows(ctx)
	pause(ctx, a.opt.startIn)
	source := "startup"
	if a.set.resume {
		source = "resume"
	}
	a.runHook(ctx, "SessionStart", "", map[string]any{"source": source, "model": "ccmux-demo", "session_title": a.set.name})
	a.connect(ctx)
	return ctx.Err() == nil
}

// connect starts the plugin's server. A server that does not start is told in
// the log only: claude shows less.
func (a *agent) connect(ctx context.Context) {
	if a.plug.server.path == "" || !a.opt.mcp {
		return
	}
	server, err := startServer(a.plug.server, a.cwd, a.env, a.onNote)
	if err == nil {
		var channels bool
		a.do(func() { a.server = server })
		_, channels, err = server.handshake(ctx, a.opt.old)
		a.do(func() { a.channels = channels && a.opt.channels && !a.opt.deaf && a.set.hasChannel(a.plug.name) })
	}
	if err != nil && ctx.Err() == nil {
		a.do(func() { a.note(fmt.Errorf("the plugin's server failed: %w", err)) })
	}
}

// onNote takes what the server says by itself.
func (a *agent) onNote(n note) {
	a.post(func() {
		switch n.method {
		case "notifications/claude/channel":
			a.pushed(n)
		case "notifications/claude/channel/permission":
			a.relayAnswer(n.params)
		}
	})
}

// pushed queues an event, or drops it where claude does.
func (a *agent) pushed(n note) {
	if n.early || !a.channels || a.leaving || a.opt.deafWhile != "" && exists(a.path(a.opt.deafWhile)) {
		return
	}
	e, ok := channelEvent(a.plug.source(), n.params)
	a.pushes++
	if !ok || a.pushes <= a.opt.deafFirst {
		return
	}
	a.enqueue(&item{event: &e, text: e.tag})
}

func (a *agent) relayAnswer(params json.RawMessage) {
	var p struct {
		RequestID string `json:"request_id"`
		Behavior  string `json:"behavior"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	if ch := a.relayed[p.RequestID]; ch != nil {
		delete(a.relayed, p.RequestID)
		ch <- p.Behavior
	}
}

// runHook runs the hooks of an event with claude's common fields.
func (a *agent) runHook(ctx context.Context, event, tool string, fields map[string]any) []hookOut {
	var promptID string
	a.do(func() { promptID = a.promptID })
	return a.runHookAs(ctx, event, tool, promptID, fields)
}

func (a *agent) runHookAs(ctx context.Context, event, tool, promptID string, fields map[string]any) []hookOut {
	fields["session_id"], fields["transcript_path"], fields["cwd"] = a.set.sessionID, a.tr.path, a.cwd
	fields["hook_event_name"] = event
	if promptID != "" {
		fields["prompt_id"] = promptID
	}
	if event != "SessionStart" && event != "SessionEnd" {
		fields["permission_mode"] = a.set.mode
	}
	if tool != "" || event == "Stop" {
		fields["effort"] = map[string]string{"level": "medium"}
	}
	input, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return a.hooks.run(ctx, event, tool, input)
}

// endLimit bounds the hooks that run at the end.
const endLimit = 10 * time.Second

// finish ends the server, then runs SessionEnd, in claude's order.
func (a *agent) finish() {
	a.do(func() { a.leave("other", 0) }) // ends what still waits
	a.bg.Wait()
	if a.server != nil {
		a.server.stop()
	}
	if a.status != nil {
		ctx, cancel := context.WithTimeout(context.Background(), endLimit)
		defer cancel()
		a.runHook(ctx, "SessionEnd", "", map[string]any{"reason": a.reason})
		a.status.remove()
	}
	a.tr.close()
}

// pause waits, less when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
