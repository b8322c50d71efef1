package supervisor

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// memory is a store whose commits can be made to wait or to fail.
type memory struct {
	mu      sync.Mutex
	events  []router.Event
	docs    map[router.DocKey]router.Doc
	fail    error
	gate    chan struct{} // each commit takes one, when set
	commits int
}

func newMemory() *memory { return &memory{docs: map[router.DocKey]router.Doc{}} }

func (m *memory) Commit(_ context.Context, events []router.Event, docs []router.Doc) error {
	if m.gate != nil {
		<-m.gate
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.commits++
	m.events = append(m.events, slices.Clone(events)...)
	for _, d := range docs {
		m.docs[d.Key()] = d
	}
	return nil
}

func (m *memory) LoadOpen(context.Context) ([]router.Doc, []router.Event, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var open []router.Doc
	for _, d := range m.docs {
		if d.Open {
			open = append(open, d)
		}
	}
	return open, m.postsOf(open), uint64(len(m.events)), nil
}

func (m *memory) LoadState(_ context.Context, keys []router.DocKey) ([]router.Doc, []router.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []router.Doc
	for _, k := range keys {
		if d, ok := m.docs[k]; ok {
			found = append(found, d)
		}
	}
	return found, m.postsOf(found), nil
}

func (m *memory) postsOf(docs []router.Doc) (posts []router.Event) {
	for _, e := range m.events {
		if p, ok := e.Body.(router.Posted); ok && slices.ContainsFunc(docs, func(d router.Doc) bool { return d.Key().PostOf() == p.Message.ID }) {
			posts = append(posts, e)
		}
	}
	return posts
}

func (m *memory) setFail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

// startLoop runs a loop on st until the test ends, once before has changed it.
func startLoop(t *testing.T, st *memory, before ...func(*loop)) *loop {
	t.Helper()
	l := newLoop(st, slog.New(slog.DiscardHandler), time.Now)
	for _, change := range before {
		change(l)
	}
	if err := l.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go l.run(ctx)
	t.Cleanup(func() {
		cancel()
		<-l.done
	})
	return l
}

func mustSubmit(t *testing.T, l *loop, c router.Command) router.Result {
	t.Helper()
	res, err := l.submit(t.Context(), c)
	if err != nil {
		t.Fatalf("%T: %v", c, err)
	}
	return res
}

func TestAnswersComeAfterTheCommit(t *testing.T) {
	st := newMemory()
	st.gate = make(chan struct{})
	l := startLoop(t, st)
	answered := make(chan error, 1)
	go func() {
		_, err := l.submit(t.Context(), router.AddPeer{Name: "a"})
		answered <- err
	}()
	if v := l.look(); len(v.Peers) != 0 {
		t.Errorf("the view shows %d peers before the commit; want none", len(v.Peers))
	}
	select {
	case <-answered:
		t.Fatal("answered before the commit was through")
	default:
	}
	st.gate <- struct{}{}
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	if v := l.look(); len(v.Peers) != 1 {
		t.Errorf("the view shows %d peers after the commit; want 1", len(v.Peers))
	}
}

func TestCommandsOfABatchSeeEachOther(t *testing.T) {
	st := newMemory()
	st.gate = make(chan struct{}, 8)
	l := startLoop(t, st)
	errs := make(chan error, 3)
	for range 3 { // the first is committed alone, the rest gathers meanwhile
		go func() {
			_, err := l.submit(t.Context(), router.AddPeer{Name: "same"})
			errs <- err
		}()
	}
	for range 8 {
		st.gate <- struct{}{}
	}
	good := 0
	for range 3 {
		if err := <-errs; err == nil {
			good++
		}
	}
	if good != 1 {
		t.Errorf("%d of three peers with one name joined; want 1", good)
	}
}

func TestAFailedCommitRefusesItsBatchAndChangesNothing(t *testing.T) {
	st := newMemory()
	l := startLoop(t, st)
	mustSubmit(t, l, router.AddPeer{Name: "a"})
	st.setFail(errors.New("disk full"))
	_, err := l.submit(t.Context(), router.AddPeer{Name: "b"})
	var f *wire.Failure
	if !errors.As(err, &f) || f.Code != wire.CodeStorage {
		t.Fatalf("error = %v; want a storage failure", err)
	}
	if v := l.look(); !strings.Contains(v.Storage, "disk full") {
		t.Errorf("the view says %q of its storage; want the reason", v.Storage)
	}
	st.setFail(nil)
	res := mustSubmit(t, l, router.AddPeer{Name: "b"})
	if res.Peer != "p-2" {
		t.Errorf("after recovery b is %s; want p-2, as if the failed try had not been", res.Peer)
	}
	if v := l.look(); v.Storage != "" {
		t.Errorf("after recovery the view says %q of its storage", v.Storage)
	}
	for i, e := range st.events {
		if e.Seq != uint64(i+1) {
			t.Errorf("event %d has number %d", i+1, e.Seq)
		}
	}
}

func TestReadRunsOnDurableStateOnly(t *testing.T) {
	st := newMemory()
	st.gate = make(chan struct{}, 1)
	l := startLoop(t, st)
	answered := make(chan struct{})
	go func() {
		_, _ = l.submit(t.Context(), router.AddPeer{Name: "a"})
		close(answered)
	}()
	st.gate <- struct{}{}
	<-answered
	known := false
	if !l.read(func(s *router.State) { _, known = s.Named("a") }) || !known {
		t.Error("a read after the answer does not see the peer")
	}
}

func TestStoppingRefusesWhatComesLater(t *testing.T) {
	st := newMemory()
	l := newLoop(st, slog.New(slog.DiscardHandler), time.Now)
	if err := l.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go l.run(ctx)
	mustSubmit(t, l, router.AddPeer{Name: "a"})
	cancel()
	<-l.done
	if _, err := l.submit(context.Background(), router.AddPeer{Name: "b"}); !errors.Is(err, errStopping) {
		t.Errorf("error = %v; want %v", err, errStopping)
	}
	if l.read(func(*router.State) {}) {
		t.Error("a read ran after the end")
	}
}

func TestFollowUpsRunAfterTheirCause(t *testing.T) {
	st := newMemory()
	l := newLoop(st, slog.New(slog.DiscardHandler), time.Now)
	if err := l.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 8)
	l.settled = func(_ *router.State, events []router.Event) {
		for _, e := range events {
			if p, ok := e.Body.(router.PeerJoined); ok {
				seen <- p.Name
				if p.Name == "a" {
					l.follow(router.AddPeer{Name: "after-a"})
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	go l.run(ctx)
	t.Cleanup(func() { cancel(); <-l.done })
	mustSubmit(t, l, router.AddPeer{Name: "a"})
	if first, second := <-seen, <-seen; first != "a" || second != "after-a" {
		t.Errorf("order = %s, %s; want a, after-a", first, second)
	}
}

// What could not be written is tried again when nothing else is: nobody is told of
// a full disk that has room.
func TestRoomIsNoticedWhenNothingHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, told := newMemory(), make(chan struct{}, 10)
		l := startLoop(t, st, func(l *loop) { l.storage.tell = func() { told <- struct{}{} } })
		st.setFail(errors.New("disk full"))
		if _, err := l.submit(t.Context(), router.AddPeer{Name: "a"}); err == nil {
			t.Fatal("a commit that fails was acknowledged")
		}
		<-told
		if v := l.look(); !strings.Contains(v.Storage, "disk full") {
			t.Errorf("the view says %q of its storage; want the reason", v.Storage)
		}
		st.setFail(nil)
		<-told
		if v := l.look(); v.Storage != "" || len(v.Peers) != 0 || len(st.events) != 0 {
			t.Errorf("with room again: storage %q, %d peers, %d events; want nothing", v.Storage, len(v.Peers), len(st.events))
		}
	})
}
