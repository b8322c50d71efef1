package supervisor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
	"github.com/ccmux/ccmux/supervisor/session/proc"
)

const (
	// proofTime is how long a start probe may take before the channel counts as
	// not working.
	proofTime = 10 * time.Second
	// maxPushes is how many pushes may wait for a channel process that does not
	// read; it is cut off then.
	maxPushes = 4096
	// maxTools is how many unfinished tool calls are remembered for a session.
	maxTools = 64
)

// run is one child of an entry, from its launch to its end.
type run struct {
	entry        *entry
	peer         router.PeerID
	credential   string // proves that a connection belongs to it
	mark         string // in the child's environment, to find what it left behind
	conversation string
	transcript   string
	resumed      bool
	files        sessionFiles
	started      chan struct{} // closed when sess is set and the start is on record
	sess         *session.Session

	mu      sync.Mutex
	channel *link
	probes  []string // nonces of this channel's probes, oldest first
	heard   bool     // one of them came back
	proven  bool     // the newest did: none is under way
	seq     uint64
	tools   []toolCall                    // unfinished ones, oldest first
	inPane  string                        // the open request that only the pane can answer
	asked   map[string]string             // requests whose dialog was seen, and the subagent that asks
	handed  []router.MessageID            // mail a hook's answer gave, not yet proven
	hooked  bool                          // a hook came from it
	inRow   int                           // turns lengthened by a Stop hook one after the other
	stop    context.CancelFunc            // ends what follows the child
	bundles map[string][]router.MessageID // events that stand for several messages
}

// toolCall is a tool that claude began and did not end.
type toolCall struct {
	id, name string
	input    json.RawMessage
}

// link is the run's live channel process.
type link struct {
	conn   *conn
	pushes chan wire.Deliver
}

func newRun(e *entry) (*run, error) {
	secret, err := newSecret()
	if err != nil {
		return nil, err
	}
	mark, err := newSecret()
	if err != nil {
		return nil, err
	}
	r := &run{entry: e, peer: e.peer, credential: secret, mark: mark[:16], started: make(chan struct{}), bundles: map[string][]router.MessageID{}, asked: map[string]string{}}
	e.s.sessions.issue(secret, r)
	return r, nil
}

// root is the process a member connection must descend from.
func (r *run) root() proc.Identity {
	<-r.started
	return r.sess.Identity()
}

// hook tells the session's state machine what a hook said.
func (r *run) hook(sign session.HookSign) {
	<-r.started
	r.sess.Hook(sign)
}

// midTurn says whether a prompt belongs to a turn that runs already.
func (r *run) midTurn(promptID string) bool {
	<-r.started
	info := r.sess.Info()
	return info.InTurn && promptID != "" && info.PromptID == promptID
}

// waits says whether claude waits for an answer at this moment.
func (r *run) waits() bool {
	<-r.started
	return r.sess.Info().DialogOpen
}

// event follows what the session reports. It runs on the session's own
// goroutine, one event at a time.
func (r *run) event(e session.Event) {
	<-r.started
	switch e.Kind {
	case session.StateChanged:
		r.report(e.Info)
		r.settleRequests()
	case session.Faulted:
		r.entry.s.log.Error("session fault", "session", r.entry.label(), "what", e.Body)
	case session.TitleChanged, session.BellRang, session.Notified:
		r.entry.s.watchers.tell()
	}
}

// report puts the session's state on record. Idle is said only when every
// source that speaks agrees, because tasks go out then.
func (r *run) report(i session.Info) {
	state, detail := stateOf(i)
	if state == "" || state == router.Idle && !i.Agreed {
		return
	}
	cmd := router.SetSession{SessionStateChanged: router.SessionStateChanged{
		Peer: r.peer, State: state, Detail: detail, Source: i.Source.String(), Mode: i.PermissionMode,
	}}
	if _, err := r.entry.s.loop.submit(context.Background(), cmd); err != nil {
		r.entry.s.log.Debug("record a state", "session", r.entry.label(), "err", err)
	}
}

// again reports the state once more: the gate took the session for busy, and
// then let nothing in.
func (r *run) again() {
	<-r.started
	r.report(r.sess.Info())
}

func stateOf(i session.Info) (router.SessionState, string) {
	switch i.State {
	case session.Starting:
		return router.Starting, ""
	case session.NeedsYou:
		return router.NeedsYou, wire.CleanLine(string(i.Dialog.Name), wire.MaxMeta)
	case session.Idle:
		return router.Idle, ""
	case session.Busy:
		return router.Busy, wire.CleanLine(i.Tool, wire.MaxMeta)
	case session.Asks:
		return router.Asks, wire.CleanLine(i.Tool, wire.MaxMeta)
	case session.Exited, session.Failed:
		return "", "" // the slot tells of the end
	}
	return "", ""
}

// ready takes the channel process as up and sends the start probe.
func (c *conn) ready(f wire.Frame) (any, error) {
	rd, err := decode[wire.Ready](f)
	if err != nil {
		return nil, err
	}
	l := &link{conn: c, pushes: make(chan wire.Deliver, maxPushes)}
	r := c.run
	r.mu.Lock()
	r.channel, r.probes, r.heard, r.proven = l, nil, false, false
	r.mu.Unlock()
	c.s.log.Info("channel process is up", "session", r.entry.label(), "claude", wire.CleanLine(rd.ClientVersion, 32))
	c.wg.Go(func() { c.pusher(l) })
	if err := r.probe(); err != nil {
		return nil, err
	}
	c.wg.Go(func() { c.awaitProof(l) })
	return nil, nil
}

// probe pushes what the prompt hook has to report for the channel to count,
// unless a probe came back already.
func (r *run) probe() error {
	nonce, err := newSecret()
	if err != nil {
		return err
	}
	nonce = nonce[:16]
	r.mu.Lock()
	heard := r.heard
	if !heard {
		r.probes = append(r.probes, nonce)
	}
	r.mu.Unlock()
	if heard {
		return nil
	}
	r.push("start probe of ccmux: it is blocked before the model is called", map[string]string{wire.MetaProbe: nonce})
	return nil
}

// pusher writes pushes in order; it ends with the connection.
func (c *conn) pusher(l *link) {
	for {
		select {
		case d := <-l.pushes:
			if err := c.wire.Write(wire.TypeDeliver, 0, d); err != nil {
				return
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// awaitProof gives the channel up when its probe does not come back in time. A
// dialog that is open holds the probe back, so the time counts without one.
func (c *conn) awaitProof(l *link) {
	left := proofTime
	for second := 1; left > 0; second++ {
		select {
		case <-time.After(time.Second):
		case <-c.ctx.Done():
			return
		}
		if !c.run.waits() {
			left -= time.Second
		}
		c.run.mu.Lock()
		over := c.run.channel != l || c.run.proven
		c.run.mu.Unlock()
		if over {
			return
		}
		// claude drops what comes before it listens, which on a busy machine is
		// later than any fixed wait: ask again, until one was heard.
		if second%3 == 0 && !c.run.waits() {
			if err := c.run.probe(); err != nil {
				break
			}
		}
	}
	c.run.lost(fmt.Sprintf("no probe came back within %v: channels are off in this claude (/mcp and ccmux doctor say more)", proofTime))
	c.run.byHook("channels are off: mail is handed over at the edge of a turn, or read with inbox")
}

// byHook takes the hooks as the route, if one was seen.
func (r *run) byHook(how string) {
	r.mu.Lock()
	hooked := r.hooked
	r.mu.Unlock()
	if !hooked {
		return
	}
	cmd := router.ProveRoute{RouteProven: router.RouteProven{Peer: r.peer, Route: wire.RouteHook, How: how}}
	if _, err := r.entry.s.loop.submit(context.Background(), cmd); err != nil {
		r.entry.s.log.Debug("record a route", "session", r.entry.label(), "err", err)
	}
}

// probeArrived says whether nonce is that of a probe of this channel, and
// whether it was the last one. Order is kept, so that behind the last none is under
// way. A message pushed behind a probe could come in one batch with it, and claude
// begins no turn for a batch whose first event is blocked.
func (r *run) probeArrived(nonce string) (mine, last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.probes, nonce)
	if i < 0 {
		return false, false
	}
	r.heard = true
	last = i == len(r.probes)-1
	r.proven = r.proven || last
	return true, last
}

// channelGone ends the route when its connection ends.
func (r *run) channelGone(c *conn) {
	r.mu.Lock()
	mine := r.channel != nil && r.channel.conn == c
	if mine {
		r.channel, r.probes, r.heard, r.proven = nil, nil, false, false
	}
	r.mu.Unlock()
	if mine {
		r.lost("the channel process ended: type /mcp reconnect " + wire.ChannelSource + " in the pane")
	}
}

func (r *run) lost(why string) {
	cmd := router.LoseRoute{RouteLost: router.RouteLost{Peer: r.peer, Route: wire.RouteChannel, Why: why}}
	if _, err := r.entry.s.loop.submit(context.Background(), cmd); err != nil {
		r.entry.s.log.Debug("record a lost route", "session", r.entry.label(), "err", err)
	}
}

// push queues one event for the channel process; it never blocks. False: there
// is none, or it does not read.
func (r *run) push(content string, meta map[string]string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.channel == nil {
		return false
	}
	select {
	case r.channel.pushes <- wire.Deliver{Seq: r.seq + 1, Content: content, Meta: meta}:
		r.seq++
		return true
	default:
		return false
	}
}

// delivered notes that claude was written to; the proof comes from the gate.
func (c *conn) delivered(wire.Frame) {}

// tool remembers what claude is about to run, for a dialog that no hook tells of.
func (r *run) toolBegan(in hookInput) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tools = append(r.tools, toolCall{id: in.ToolUseID, name: in.ToolName, input: in.ToolInput})
	if len(r.tools) > maxTools {
		r.tools = r.tools[1:]
	}
}

func (r *run) toolEnded(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, t := range r.tools {
		if t.id == id {
			r.tools = append(r.tools[:i:i], r.tools[i+1:]...)
			return
		}
	}
}

// lastTool is the newest unfinished tool call.
func (r *run) lastTool() (toolCall, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.tools) == 0 {
		return toolCall{}, false
	}
	return r.tools[len(r.tools)-1], true
}
