package demoagent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

const metaProbe = wire.MetaProbe

// storyDelay is how long after its channel is proven frontend begins.
const storyDelay = time.Second

// story is what demo-frontend gives itself to do.
func story() string {
	cmd := "go version"
	if _, err := exec.LookPath("go"); err != nil {
		cmd = "uname -sr"
	}
	return `Ship the cart page with backend. (The demo types this.)
await backend
room ui backend you
post ui: I start on the cart page and need the cart API.
ask backend: Which toolchain builds the cart API? Run it.
| run: ` + cmd
}

// proven is called when the probe of the channel was seen; on the loop.
func (a *agent) proven() {
	if a.opt.behaviour != "demo-frontend" || a.set.resume || a.told {
		return
	}
	a.told = true
	a.bg.Go(func() {
		pause(a.ctx, storyDelay)
		a.post(func() { a.enqueue(&item{text: story()}) })
	})
}

// askBack makes demo-backend say in the room what it took on, and after the work
// ask frontend one question, so that there is a tree to see.
func askBack(t *turn, e event) string {
	if e.attr[wire.MetaSender] != "frontend" || !strings.Contains(e.body, "cart API") {
		return e.body
	}
	return "post ui: I take " + e.attr[wire.MetaTaskID] + ", the cart API.\n" + e.body +
		"\nask frontend: Which port does the cart page expect the API on?"
}

func frontendAnswer(prose string) string {
	if strings.Contains(prose, "port") {
		return "The cart page expects the API on port 8080."
	}
	return "done: " + firstLine(prose)
}

// opening queues the turns with which a test script begins.
func (a *agent) opening() {
	a.do(func() {
		if a.set.prompt != "" {
			a.enqueue(&item{text: a.set.prompt})
		}
		if c := a.opt.busyAt; c.on {
			a.enqueue(&item{text: "(script) be busy", act: func(t *turn) error {
				if err := t.until(c); err != nil {
					return err
				}
				return t.say("no longer busy.")
			}})
		}
		if c := a.opt.toolAt; c.on {
			a.enqueue(&item{text: "(script) run a tool", act: func(t *turn) error { return t.slowTool(c) }})
		}
	})
}

// slowTool plays a tool that needs no permission and takes its time.
func (t *turn) slowTool(c condition) error {
	u := toolUse{name: t.a.plug.toolPrefix() + "slow", input: map[string]any{"until": fmt.Sprint(c)}, head: "slow tool"}
	t.a.do(func() { t.a.allowed[u.key()] = true })
	_, err := t.use(u, func(context.Context, toolUse) toolResult {
		_ = t.until(c) // use sees the interrupt
		return toolResult{text: "the slow tool has ended", response: "ended"}
	})
	if err != nil {
		return err
	}
	return t.say("no longer busy.")
}

// arrived counts messages in the conversation, for the script that dies at one.
func (a *agent) arrived() {
	a.do(func() {
		a.heardCount++
		if a.opt.crashAt > 0 && a.heardCount == a.opt.crashAt {
			crash()
		}
	})
}

// sideShows starts what runs beside the conversation.
func (a *agent) sideShows(ctx context.Context) {
	if a.opt.exitIn > 0 {
		a.bg.Go(func() {
			pause(ctx, a.opt.exitIn)
			if ctx.Err() == nil {
				crash()
			}
		})
	}
	if a.opt.restless > 0 {
		a.bg.Go(func() { a.fidget(ctx) })
	}
	if a.opt.flood > 0 {
		a.bg.Go(func() { a.floodFrom(ctx) })
	}
}

// fidgetTool is how long the tool of a turn runs that the agent begins by itself.
const fidgetTool = 20 * time.Millisecond

// fidget begins turns at moments nobody can foresee, as a human does who types
// into the pane.
func (a *agent) fidget(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, time.Duration(rand.Int64N(int64(a.opt.restless))))
		a.do(func() {
			if a.running == nil && len(a.queue) == 0 {
				a.enqueue(&item{text: "(script) fidget", act: func(t *turn) error {
					return t.slowTool(condition{on: true, time: fidgetTool})
				}})
			}
		})
	}
}

// floodTick is the beat of the flood.
const floodTick = 10 * time.Millisecond

// floodFrom writes coloured lines at the rate the script asks for, or as fast as
// the terminal takes them.
func (a *agent) floodFrom(ctx context.Context) {
	tick := time.NewTicker(floodTick)
	defer tick.Stop()
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var b strings.Builder
		for b.Len() < a.opt.flood/int(time.Second/floodTick) {
			n++
			fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dmflood line %d of a program that does not stop\x1b[0m\r\n", n%256, n/3%256, n/7%256, n)
		}
		a.do(func() {
			if a.scr.raw([]byte(b.String())) != nil {
				a.leave("other", 1)
			}
		})
	}
}
