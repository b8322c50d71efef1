package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session"
	"github.com/ccmux/ccmux/supervisor/session/proc"
	"github.com/ccmux/ccmux/supervisor/session/transcript"
)

const (
	// proofTime is how long a start probe may take before the channel counts as
	// not working, where the configuration says nothing else.
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
	tail         *transcript.Tailer
	resumed      bool
	said         string // what the human should know of this start
	files        sessionFiles
	started      chan struct{} // closed when sess is set and the start is on record
	sess         *session.Session

	settling sync.Mutex // one look at the requests at a time

	mu      sync.Mutex
	closed  time.Time // when a request ended last
	channel *link
	probes  []string // nonces of this channel's probes, oldest first
	heard   bool     // one of them came back
	proven  bool     // the newest did: none is under way
	seq     uint64
	tools   []toolCall                    // unfinished ones, oldest first
	inPane  string                        // the open request that only the pane can answer
	asked   map[string]asker              // requests whose dialog was seen, and who asks
	handed  []router.MessageID            // mail a hook's answer gave, not yet proven
	hooked  bool                          // a hook came from it
	came    bool                          // a channel process was there
	how     string                        // why hooks are to carry the mail; "" while the channel may
	pulls   []*pull                       // calls for mail whose end is not known, oldest first
	inRow   int                           // turns lengthened by a Stop hook one after the other
	socket  *messaging                    // claude's own socket
	stop    context.CancelFunc            // ends what follows the child
	bundles map[string][]router.MessageID // events that stand for several messages
	unasked bool                          // this claude takes events during a tool without asking the prompt hook
	queued  map[router.MessageID]bool     // messages that wait in the queue of such a claude

	past outsideCalls // of claude's own messenger; only the reader of the transcript uses it
}

// toolCall is a tool that claude began and did not end.
type toolCall struct {
	id, name, agent string
	input           json.RawMessage
}

// link is the run's live channel process.
type link struct {
	conn   *conn
	pushes chan wire.Deliver
	lost   chan struct{} // filled when the channel was proven and is not any more
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
	r := &run{entry: e, peer: e.peer, credential: secret, mark: mark[:16], started: make(chan struct{}), socket: newMessaging(), bundles: map[string][]router.MessageID{}, queued: map[router.MessageID]bool{}, asked: map[string]asker{}}
	r.past.since = time.Now()
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
	case session.TitleChanged:
		r.entry.s.watchers.tell()
	case session.BellRang, session.Notified, session.Copied:
		call := Call{Peer: r.peer, Kind: e.Kind, Title: e.Title, Text: e.Body}
		r.entry.s.callers.each(func(f func(Call)) { f(call) })
	}
}

// report puts the session's state on record. Idle is said only when every
// source that speaks agrees, because tasks go out then.
func (r *run) report(i session.Info) {
	state, detail := stateOf(i)
	if state == "" || state == router.Idle && !i.Agreed {
		return
	}
	if state == router.Idle {
		r.queueEmpty()
	}
	cmd := router.SetSession{SessionStateChanged: router.SessionStateChanged{
		Peer: r.peer, State: state, Detail: detail, Source: i.Source.String(), Mode: i.PermissionMode,
	}}
	if _, err := r.entry.s.loop.submit(context.Background(), cmd); err != nil {
		r.entry.s.log.Debug("record a state", "session", r.entry.label(), "err", err)
		r.later(err)
	}
}

// retryEvery is how often what the disk refused is tried again.
const retryEvery = 2 * time.Second

// later looks at the session once more when the journal could not be written,
// so that a state or a request is not lost to a full disk.
func (r *run) later(err error) {
	var f *wire.Failure
	if !errors.As(err, &f) || f.Code != wire.CodeStorage {
		return
	}
	time.AfterFunc(retryEvery, func() {
		select {
		case <-r.sess.Done():
		default:
			r.again()
			r.settleRequests()
		}
	})
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

// delivered notes that claude was written to; the proof comes from the gate.
func (c *conn) delivered(wire.Frame) {}

// tool remembers what claude is about to run, for a dialog that no hook tells of.
func (r *run) toolBegan(in hookInput) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tools = append(r.tools, toolCall{id: in.ToolUseID, name: in.ToolName, agent: in.AgentID, input: in.ToolInput})
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
