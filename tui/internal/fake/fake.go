package fake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/approvals"
)

// Door is a tui.Door.
type Door struct {
	Folder string

	mu       sync.Mutex
	view     *router.View
	watchers map[int]func()
	callers  map[int]func(tui.Call)
	next     int
	panes    map[router.PeerID]*Pane
	log      []string
	found    []router.MessageView
	refuse   error

	dialogs map[router.PeerID]approvals.Dialog

	// OnChoose is called after a row was chosen; it may change dialogs and view.
	OnChoose func(peer router.PeerID, row int)
	// Rules is what RuleSays tells.
	Rules string
	// OnAnswer is called after an answer was recorded; it may change the view.
	OnAnswer func(id string, b wire.Behavior, scope, why string)
	// OnSubmit is called with each command and gives its result.
	OnSubmit func(c router.Command) (router.Result, error)
}

// New returns a door with an empty view.
func New(folder string) *Door {
	return &Door{
		Folder: folder, view: &router.View{}, watchers: map[int]func(){}, callers: map[int]func(tui.Call){},
		panes: map[router.PeerID]*Pane{},
	}
}

// Set replaces the view.
func (d *Door) Set(v *router.View) {
	d.mu.Lock()
	d.view = v
	var fs []func()
	for _, f := range d.watchers {
		fs = append(fs, f)
	}
	d.mu.Unlock()
	for _, f := range fs {
		f()
	}
}

// Refuse makes everything that can fail do so from now on; nil ends that.
func (d *Door) Refuse(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refuse = err
}

// Find sets what History finds.
func (d *Door) Find(ms []router.MessageView) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found = ms
}

// Log is what the screen asked for, oldest first.
func (d *Door) Log() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.log...)
}

func (d *Door) record(format string, args ...any) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.log = append(d.log, fmt.Sprintf(format, args...))
	return d.refuse
}

// View implements tui.Door.
func (d *Door) View() *router.View {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.view
}

// Watch implements tui.Door.
func (d *Door) Watch(changed func()) func() {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.next
	d.next++
	d.watchers[n] = changed
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.watchers, n)
	}
}

// Watchers counts the screens that watch.
func (d *Door) Watchers() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.watchers)
}

// Submit implements tui.Door.
func (d *Door) Submit(_ context.Context, c router.Command) (router.Result, error) {
	if err := d.record("submit %T %+v", c, c); err != nil {
		return router.Result{}, err
	}
	if d.OnSubmit != nil {
		return d.OnSubmit(c)
	}
	return router.Result{}, nil
}

// Answer implements tui.Door.
func (d *Door) Answer(_ context.Context, id string, b wire.Behavior, scope, why string) error {
	if err := d.record("answer %s %s scope=%q why=%q", id, b, scope, why); err != nil {
		return err
	}
	if d.OnAnswer != nil {
		d.OnAnswer(id, b, scope, why)
	}
	return nil
}

// Ask has a peer's pane show a dialog; nil takes it away.
func (d *Door) Ask(peer router.PeerID, q *approvals.Dialog) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.dialogs, peer)
	if q != nil {
		if d.dialogs == nil {
			d.dialogs = map[router.PeerID]approvals.Dialog{}
		}
		d.dialogs[peer] = *q
	}
}

// Dialog implements tui.Door.
func (d *Door) Dialog(peer router.PeerID) (approvals.Dialog, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q, ok := d.dialogs[peer]
	return q, ok
}

// AnswerDialog implements tui.Door.
func (d *Door) AnswerDialog(_ context.Context, peer router.PeerID, seen approvals.Dialog, row int) error {
	if err := d.record("choose %s %s row %d", peer, seen.Name, row); err != nil {
		return err
	}
	if q, ok := d.Dialog(peer); !ok || !q.Same(seen) {
		return errors.New("the dialog is gone or has changed: look at the pane")
	}
	if d.OnChoose != nil {
		d.OnChoose(peer, row)
	}
	return nil
}

// Remember implements tui.Door.
func (d *Door) Remember(_ context.Context, b []byte) error { return d.record("remember %s", b) }

// RuleSays implements tui.Door.
func (d *Door) RuleSays(context.Context, router.Permission) string { return d.Rules }

// Start implements tui.Door.
func (d *Door) Start(_ context.Context, name string) error { return d.record("start %s", name) }

// Stop implements tui.Door.
func (d *Door) Stop(_ context.Context, name string) error { return d.record("stop %s", name) }

// Restart implements tui.Door.
func (d *Door) Restart(_ context.Context, name string) error { return d.record("restart %s", name) }

// History implements tui.Door.
func (d *Door) History(_ context.Context, q tui.HistoryQuery) ([]router.MessageView, bool, error) {
	if err := d.record("history %q", q.Text); err != nil {
		return nil, false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	const page = 50
	from := 0
	if q.After != "" {
		from = slices.IndexFunc(d.found, func(m router.MessageView) bool { return m.ID == q.After }) + 1
	}
	to := min(from+page, len(d.found))
	return d.found[from:to], to < len(d.found), nil
}

// Project implements tui.Door.
func (d *Door) Project() string { return d.Folder }

// Pane implements tui.Door.
func (d *Door) Pane(id router.PeerID) tui.Pane {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.panes[id]; p != nil {
		return p
	}
	return nil
}

// Run gives a peer a terminal of the given size.
func (d *Door) Run(id router.PeerID, cols, rows int) *Pane {
	p := &Pane{
		term:    vt.New(cols, rows, vt.Config{Scrollback: 1000}),
		changed: map[int]func(){}, shown: map[tui.ScreenID][2]int{},
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.panes[id] = p
	return p
}

var (
	_ tui.Door = (*Door)(nil)
	_ tui.Pane = (*Pane)(nil)
)

// Calls implements tui.Door.
func (d *Door) Calls(f func(tui.Call)) (cancel func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.next
	d.next++
	d.callers[n] = f
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.callers, n)
	}
}

// Call is what a program wants of the human.
func (d *Door) Call(c tui.Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.callers {
		f(c)
	}
}
