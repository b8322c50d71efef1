package supervisor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

// maxBatch is how many commands become durable in one transaction.
const maxBatch = 128

// store is what the loop needs of a journal.
type store interface {
	Commit(ctx context.Context, events []router.Event, docs []router.Doc) error
	LoadOpen(ctx context.Context) ([]router.Doc, []router.Event, uint64, error)
	LoadState(ctx context.Context, keys []router.DocKey) ([]router.Doc, []router.Event, error)
}

// loop is the only writer of the state:
//
//	submit ──► pending ──► decide, apply ──► commit (its own goroutine)
//	                                            │ durable
//	   answers, follow-ups, view ◄── finish ◄───┘
//
// What follows at once from a batch is in the same commit. While one is under way
// the next batch gathers. Nothing is answered or published before it is durable.
// When a commit fails, its whole batch is refused and the state rebuilt.
type loop struct {
	store store
	log   *slog.Logger
	now   func() time.Time
	// ahead says, on the loop's goroutine, what follows at once from events that
	// were applied and are not durable yet. It must not block or change the state.
	ahead func(s *router.State, events []router.Event) []router.Command
	// settled is called on the loop's goroutine after a batch became durable;
	// it may call l.follow, and must not block.
	settled func(s *router.State, events []router.Event)
	storage storage

	in        chan *call
	reads     chan *read
	committed chan error
	done      chan struct{}

	// owned by the goroutine of run
	state   *router.State
	limits  router.Limits // of every state; zero fields are defaults
	seq     uint64
	pending []*call
	flying  []*call // in the commit under way
	events  []router.Event
	readers []*read // wait for the commit under way
	corrupt bool    // a panic left the working state half changed
	broken  error   // the state could not be rebuilt yet
	view    atomic.Pointer[router.View]
	stale   atomic.Bool
	wg      sync.WaitGroup
}

// call is one command on its way. answer may be nil for a follow-up.
type call struct {
	cmd    router.Command
	res    router.Result
	err    error
	after  func(*router.State, router.Result) // on the loop, once it is durable; may be nil
	answer chan struct{}                      // closed when res and err are final
}

func newLoop(st store, log *slog.Logger, now func() time.Time) *loop {
	return &loop{
		store: st, log: log, now: now,
		ahead:     func(*router.State, []router.Event) []router.Command { return nil },
		settled:   func(*router.State, []router.Event) {},
		in:        make(chan *call, maxBatch),
		reads:     make(chan *read),
		committed: make(chan error, 1),
		done:      make(chan struct{}),
	}
}

// load reads the open state from the journal; it must succeed before run.
func (l *loop) load(ctx context.Context) error {
	docs, posts, seq, err := l.store.LoadOpen(ctx)
	if err != nil {
		return fmt.Errorf("load the open state: %w", err)
	}
	s := router.NewState()
	if err := s.Restore(docs, posts); err != nil {
		return fmt.Errorf("load the open state: %w", err)
	}
	s.SetLimits(l.limits)
	l.state, l.seq = s, seq
	l.stale.Store(true)
	return nil
}

// follow queues a command from settled; nobody waits for it.
func (l *loop) follow(cmd router.Command) { l.pending = append(l.pending, &call{cmd: cmd}) }

// run works until ctx ends and what was taken in is durable.
func (l *loop) run(ctx context.Context) {
	defer close(l.done)
	defer l.wg.Wait()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if l.flying == nil && len(l.pending) > 0 {
			l.begin(ctx)
			continue
		}
		in := l.in
		if len(l.pending) >= maxBatch {
			in = nil // the rest waits outside
		}
		select {
		case c := <-in:
			l.pending = append(l.pending, c)
			l.gather()
		case err := <-l.committed:
			l.finish(ctx, err)
		case r := <-l.reads:
			l.serve(r)
		case <-tick.C:
			if l.state.TickDue(l.now()) {
				l.follow(router.Tick{})
			}
			l.tryAgain(ctx)
		case <-ctx.Done():
			l.drain()
			return
		}
	}
}

func (l *loop) gather() {
	for len(l.pending) < maxBatch {
		select {
		case c := <-l.in:
			l.pending = append(l.pending, c)
		default:
			return
		}
	}
}

// drain waits for the commit under way; what was only gathered is refused.
func (l *loop) drain() {
	if l.flying != nil {
		l.finish(context.Background(), <-l.committed)
	}
	for _, c := range l.pending {
		c.finish(errStopping)
	}
	l.pending = nil
}

func (c *call) finish(err error) {
	if err != nil {
		c.res, c.err = router.Result{}, err
	}
	if c.answer != nil {
		close(c.answer)
	}
}

// begin decides the waiting commands and starts their commit.
func (l *loop) begin(ctx context.Context) {
	n := min(len(l.pending), maxBatch)
	batch := l.pending[:n:n]
	l.pending = l.pending[n:]
	if l.view.Load() == nil {
		l.picture() // so that there is one to show during the commit
	}
	if !l.whole(ctx) {
		l.refuse(batch, l.broken)
		return
	}
	l.events = l.events[:0]
	at := l.now()
	for _, c := range batch {
		c.res, c.err = l.decide(ctx, at, c.cmd)
	}
	if len(l.events) > 0 && !l.corrupt {
		for _, cmd := range l.ahead(l.state, l.events) {
			_, _ = l.decide(ctx, at, cmd) // nobody waits for it: what it cannot do now is due again
		}
	}
	if l.corrupt {
		l.corrupt = false
		l.refuse(batch, errors.New("internal error: nothing was done; the log has more"))
		l.broken = l.load(ctx)
		return
	}
	if len(l.events) == 0 {
		l.conclude(batch)
		return
	}
	l.commit(ctx, batch)
}

// commit starts to make durable what a batch changed.
func (l *loop) commit(ctx context.Context, batch []*call) {
	l.flying = batch
	events, docs := l.events, l.state.TakeDirty()
	l.wg.Go(func() { l.committed <- l.store.Commit(context.WithoutCancel(ctx), events, docs) })
}

// decide runs one command against the working state. A panic in a rule becomes
// that command's error; one while applying leaves a state nobody can believe,
// so that the batch is refused and the state rebuilt.
func (l *loop) decide(ctx context.Context, at time.Time, cmd router.Command) (res router.Result, err error) {
	applying := false
	defer func() {
		if p := recover(); p != nil {
			l.log.Error("a rule panicked", "command", fmt.Sprintf("%T", cmd), "panic", p, "stack", string(debug.Stack()))
			res, err = router.Result{}, fmt.Errorf("internal error in %T: %v", cmd, p)
			l.corrupt = l.corrupt || applying
		}
	}()
	for range 2 { // a message that was loaded may need its thread
		keys := l.state.Needs(cmd)
		if len(keys) == 0 {
			break
		}
		docs, posts, err := l.store.LoadState(ctx, keys)
		if err != nil {
			return router.Result{}, err
		}
		if err := l.state.Restore(docs, posts); err != nil {
			return router.Result{}, err
		}
	}
	bodies, res, err := router.Decide(l.state, at, cmd)
	if err != nil {
		return router.Result{}, err
	}
	applying = true
	for _, b := range bodies {
		l.seq++
		e := router.Event{Seq: l.seq, At: at, Body: b}
		l.state.Apply(e)
		l.events = append(l.events, e)
	}
	return res, nil
}

// finish answers the batch whose commit ended, and lets what follows from it
// happen.
func (l *loop) finish(ctx context.Context, err error) {
	batch, events := l.flying, l.events
	l.flying, l.events = nil, nil
	if err != nil {
		if len(batch) > 0 {
			l.log.Error("commit failed", "err", err, "commands", len(batch))
		}
		l.refuse(batch, storageFailure(err))
		l.broken = l.load(ctx)
		l.ill(&l.storage.commit, "nothing can be recorded: "+err.Error())
		return
	}
	l.ill(&l.storage.commit, "")
	for _, r := range l.readers {
		r.f(l.state)
		close(r.done)
	}
	l.readers = nil
	l.stale.Store(true)
	l.conclude(batch)
	l.settled(l.state, events)
}

// conclude answers a batch that is durable.
func (l *loop) conclude(batch []*call) {
	for _, c := range batch {
		if c.after != nil && c.err == nil {
			c.after(l.state, c.res)
		}
		c.finish(c.err)
	}
}

func (l *loop) refuse(batch []*call, err error) {
	for _, c := range batch {
		c.finish(err)
	}
}
