package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// roomName is the room all agents are in.
const roomName = "all"

// senders is how many connections of the human send at once; each waits for the
// answers to its tasks, so that the load cannot run away from the agents.
const senders = 12

// awaitTask is how long a sender waits for the answer to a task before it goes
// on; the answer still has to come.
const awaitTask = 20 // seconds

// load is what is sent.
type load struct {
	h    *house
	sent atomic.Int64 // deliveries to agents that are sent or will be by the agents
	tags atomic.Int64 // makes each body one of its kind
}

func newLoad(h *house) *load { return &load{h: h} }

// run sends until enough is sent.
func (l *load) run(ctx context.Context) error {
	errs := make(chan error, senders)
	var wg sync.WaitGroup
	for i := range senders {
		rng := rand.New(rand.NewPCG(l.h.cfg.Seed, uint64(100+i)))
		wg.Go(func() { errs <- l.sender(ctx, rng) })
	}
	wg.Wait()
	close(errs)
	var all error
	for err := range errs {
		all = errors.Join(all, err)
	}
	return all
}

// sender is one connection, made again whenever ccmux dies.
func (l *load) sender(ctx context.Context, rng *rand.Rand) error {
	for {
		c, err := l.h.dial(ctx)
		if err != nil {
			return fmt.Errorf("soak: send: %w", err)
		}
		for err == nil && int(l.sent.Load()) < l.h.cfg.Messages {
			err = l.step(ctx, c, rng)
		}
		c.Close()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, new(*wire.Failure)) && !stopping(err):
			return fmt.Errorf("soak: send: %w", err)
		}
	}
}

// stopping says whether the refusal is that of a ccmux on its way out.
func stopping(err error) bool {
	var fail *wire.Failure
	return errors.As(err, &fail) && fail.Code == wire.CodeStopping
}

// step sends one of the kinds of messages there are.
func (l *load) step(ctx context.Context, c *wire.Client, rng *rand.Rand) error {
	switch n := rng.IntN(10); {
	case n < 3:
		return l.burst(ctx, c, rng)
	case n < 5:
		return l.send(ctx, c, l.h.cfg.Agents, wire.ToolSendToPeers, wire.SendToPeersArgs{To: wire.Targets{"*"}, MessageArgs: l.note()})
	case n < 6:
		return l.send(ctx, c, l.h.cfg.Agents, wire.ToolSendToRoom, wire.SendToRoomArgs{Room: roomName, MessageArgs: l.note()})
	default:
		return l.task(ctx, c, rng)
	}
}

func (l *load) note() wire.MessageArgs {
	return wire.MessageArgs{Kind: wire.KindNote, Content: fmt.Sprintf("note %d", l.tags.Add(1))}
}

// burst is many notes to one agent: what waits together comes as one event.
func (l *load) burst(ctx context.Context, c *wire.Client, rng *rand.Rand) error {
	to := l.any(rng)
	for range 1 + rng.IntN(30) {
		if err := l.send(ctx, c, 1, wire.ToolSendToPeer, wire.SendToPeerArgs{To: to, MessageArgs: l.note()}); err != nil {
			return err
		}
	}
	return nil
}

// task is work for one agent, most of which is to send something itself.
func (l *load) task(ctx context.Context, c *wire.Client, rng *rand.Rand) error {
	to := l.any(rng)
	all := l.h.cfg.Agents
	lines, deliveries := []string{fmt.Sprintf("say: task %d", l.tags.Add(1))}, 1
	for range 1 + rng.IntN(2) {
		tag := l.tags.Add(1)
		switch rng.IntN(5) {
		case 0:
			lines = append(lines, fmt.Sprintf("note %s: note %d", l.other(rng, to), tag))
			deliveries++
		case 1, 2:
			lines = append(lines, fmt.Sprintf("post %s: post %d", roomName, tag))
			deliveries += all - 1
		case 3:
			lines = append(lines, fmt.Sprintf(`tool send_to_peers {"to":["%s","%s"],"kind":"note","content":"fan %d"}`, l.other(rng, to), l.other(rng, to), tag))
			deliveries += 2
		default:
			lines = append(lines, fmt.Sprintf("ask %s: say: part %d", l.other(rng, to), tag))
			deliveries += 2
		}
	}
	m := wire.MessageArgs{Kind: wire.KindTask, Content: strings.Join(lines, "\n"), AwaitReply: awaitTask}
	return l.send(ctx, c, deliveries, wire.ToolSendToPeer, wire.SendToPeerArgs{To: to, MessageArgs: m})
}

func (l *load) any(rng *rand.Rand) string { return fmt.Sprintf("a%d", rng.IntN(l.h.cfg.Agents)) }

// other is an agent that is not this one.
func (l *load) other(rng *rand.Rand, not string) string {
	for {
		if a := l.any(rng); a != not {
			return a
		}
	}
}

// send calls a tool that stands for so many deliveries.
func (l *load) send(ctx context.Context, c *wire.Client, deliveries int, name string, args any) error {
	l.sent.Add(int64(deliveries))
	id, err := tool(ctx, c, name, args)
	if err == nil {
		l.h.ack(id)
	}
	return err
}

// errRefused says that a tool did not do what the load needs.
var errRefused = errors.New("refused")

// tool calls a tool of the human and returns the id of what it sent, if any.
func tool(ctx context.Context, c *wire.Client, name string, args any) (id string, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var res struct {
		Text    string          `json:"text"`
		IsError bool            `json:"is_error"`
		Data    json.RawMessage `json:"data"`
	}
	if err := c.Call(ctx, wire.TypeTool, wire.ToolCall{Name: name, Arguments: raw}, &res); err != nil {
		return "", err
	}
	if res.IsError {
		if strings.Contains(res.Text, "stopping") {
			return "", wire.ErrGone
		}
		return "", fmt.Errorf("%s: %w: %s", name, errRefused, res.Text)
	}
	var sent struct {
		ID string `json:"message_id"`
	}
	_ = json.Unmarshal(res.Data, &sent) // a tool that sends nothing says no id
	return sent.ID, nil
}
