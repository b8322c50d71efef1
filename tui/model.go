package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui/approvals"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
	"github.com/ccmux/ccmux/tui/layout"
	"github.com/ccmux/ccmux/tui/pane"
	"github.com/ccmux/ccmux/tui/rooms"
	"github.com/ccmux/ccmux/tui/theme"
	"github.com/ccmux/ccmux/tui/threads"
)

// pulse is what a model asks of the goroutine that drives it.
type pulse interface {
	markView()
	markPanes()
	markEcho()
	tickAt(t time.Time)
	post(msg tea.Msg)
	show(p *picture)
	emit(seq string)
	sync()
	echo(now time.Time)
}

// model is one screen's state: focus, scroll and what is being typed. Facts it
// reads from the view. It belongs to the program's event loop.
type model struct {
	door  Door
	id    ScreenID
	opts  Options
	pulse pulse
	leave func(error)
	clock func() time.Time

	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup
	ordered chan struct{} // closed when the last ordered wish was carried out
	quiet   func()        // ends the door's Watch
	begun   chan struct{}

	w, h      int
	look      *theme.Theme
	profile   colorprofile.Profile
	dark      bool
	charset   charset
	graphemes bool        // the terminal groups characters as we do
	tmux      bool        // it is tmux, which groups some
	awake     bool        // the terminal has the focus
	surface   [2]vt.Color // the terminal's text and background, where it told
	home      string

	now      time.Time
	view     *router.View
	sessions []router.PeerView
	plan     layout.Plan
	panes    map[router.PeerID]*paneState
	slots    []router.PeerID // who is in which pane of the plan
	places   []router.PeerID // the same when more than one pane is shown
	focus    router.PeerID
	told     focusTold
	hovers   bool // the terminal tells of every motion of the mouse
	calls    calls
	gripped  router.PeerID // the pane whose child took a press of the mouse and waits for its release

	typing bool
	chord  bool // the leader was pressed just now
	from   bool // in a pane that was typed into
	last   click
	zoom   bool
	arrangement
	scrolling bool // looking back in the pane with the focus
	note      notice

	cards    approvals.Model
	rang     map[string]ring // requests, and whether the human was called for them
	news     string          // what was told of ccmux itself
	recheck  time.Time       // when the requests have to be looked at again
	fetching map[string]bool // files being read for a request
	dialogs  map[router.PeerID]approvals.Dialog
	choosing int // rows of dialogs being chosen
	entry    *entry
	pages    []keys.Context // views, the last one on top
	tree     threads.Tree
	talk     threads.Talk
	rooms    rooms.Model
	found    found
	sheet    sheet
	known    map[router.ThreadID]time.Time // when threads were looked at last
	seen     map[router.MessageID]bool     // told to the router as read
	since    time.Time                     // this screen began

	dirty  bool
	broken bool        // it failed and is being taken down
	ending atomic.Bool // the screen is being taken down
	stale  time.Time   // when something drawn changes by itself
	out    *picture
}

// paneState is a pane that is on the screen.
type paneState struct {
	pane.Model
	source Pane
	cancel func()
	cols   int
	rows   int
	keys   atomic.Bool // it is typed into
}

// terminal is the emulator of a pane, nil when there is none.
func (p *paneState) terminal() *vt.Terminal {
	if p == nil || p.source == nil {
		return nil
	}
	return p.source.Terminal()
}

// notice is a sentence at the bottom; it goes with the next key, or by itself.
type notice struct {
	text  string
	bad   bool
	until time.Time
}

const noticeTime = 8 * time.Second

func newModel(door Door, id ScreenID, opts Options) *model {
	env := environ(opts.Env)
	m := &model{
		door: door, id: id, opts: opts,
		clock: time.Now, leave: func(error) {},
		begun: make(chan struct{}),
		w:     opts.Size.Cols, h: opts.Size.Rows,
		profile: colorprofile.Env(opts.Env), dark: true,
		charset: env.charset(), awake: true, home: env["HOME"], tmux: env.tmux(),
		view: &router.View{}, panes: map[router.PeerID]*paneState{},
		rang: map[string]ring{}, fetching: map[string]bool{},
		known: map[router.ThreadID]time.Time{}, seen: map[router.MessageID]bool{},
		dirty: true,
	}
	m.rooms.Message = func(c draw.Context, msg router.MessageView, w int) []string {
		return threads.Message(c, msg, false, w)
	}
	m.recall(opts.Remembered)
	m.retheme()
	return m
}

// begin connects the model to the door.
func (m *model) begin(ctx context.Context) {
	m.ctx, m.cancel = context.WithCancel(ctx)
	watch, calls := m.door.Watch(m.pulse.markView), m.door.Calls(m.hear)
	m.quiet = func() { watch(); calls() }
	m.now = m.clock()
	m.since = m.now
	m.takeView()
}

// close lets go of everything the model holds and waits for what it started.
// The event loop has ended.
func (m *model) close() {
	m.cancel()
	m.quiet()
	m.typing = false
	m.tellFocus()
	for id := range m.panes {
		m.dropPane(id)
	}
	m.work.Wait()
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd {
	close(m.begun)
	m.settle()
	return nil
}

// Update implements tea.Model. What goes wrong in it ends this screen only.
func (m *model) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = m
	if m.broken || m.ending.Load() {
		return m, nil // what the reader still holds only has to be taken from it
	}
	defer m.caught()
	cmd = m.handle(msg)
	m.settle()
	return m, cmd
}

// caught, deferred, makes a panic this screen's end.
func (m *model) caught() {
	if r := recover(); r != nil {
		m.broken = true
		m.fell(r)
	}
}

func (m *model) fell(r any) {
	m.opts.Log.Error("a screen failed", "panic", r, "stack", string(debug.Stack()))
	m.leave(fmt.Errorf("%w: %v", ErrPanic, r))
}

// View implements tea.Model. Drawing is done by Update and painting elsewhere.
func (m *model) View() tea.View { return tea.View{} }

// handle changes the state.
func (m *model) handle(msg tea.Msg) tea.Cmd {
	m.now = m.clock()
	switch msg := msg.(type) {
	case frameMsg:
		return m.frame(msg)
	case tickMsg:
		m.dirty = true
		return m.ticked()
	case tea.WindowSizeMsg:
		m.w, m.h, m.dirty = msg.Width, msg.Height, true
		m.hovers = false // it may be a terminal that was given back meanwhile
	case tea.KeyPressMsg:
		m.dirty = true
		return m.key(msg)
	case tea.PasteMsg:
		m.dirty = true
		return m.paste(msg.Content)
	case tea.MouseMsg:
		return m.mouse(msg)
	case doneMsg:
		m.dirty = true
		return msg.apply(m)
	default:
		m.terminal(msg)
	}
	return nil
}

// frame takes what changed.
func (m *model) frame(msg frameMsg) tea.Cmd {
	var cmd tea.Cmd
	if msg.view {
		cmd = m.takeView()
		m.answerCalls()
		m.dirty = true
	}
	if msg.panes && m.page() == 0 && m.refresh() {
		m.dirty = true
	}
	if msg.panes && !msg.view {
		m.refreshDialogs()
	}
	return cmd
}

// settle brings the drawing up to the state.
func (m *model) settle() {
	m.tellFocus()
	m.followMouse()
	if m.note != (notice{}) && !m.now.Before(m.note.until) {
		m.note, m.dirty = notice{}, true // or it would be due for ever
	}
	if !m.dirty {
		m.wakeUp()
		return
	}
	m.dirty = false
	m.arrange()
	if m.page() == 0 {
		m.refresh()
	}
	m.out, m.stale = m.render()
	m.pulse.show(m.out)
	m.wakeUp()
}

// wakeUp says when the clock has to be looked at again.
func (m *model) wakeUp() {
	t := earliest(earliest(earliest(m.stale, m.note.until), m.cards.ArmedAt(m.now)), m.recheck)
	for _, id := range m.slots {
		if p := m.panes[id]; p != nil {
			if at, running := p.Settles(); running {
				t = earliest(t, at)
			}
		}
	}
	m.pulse.tickAt(t)
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// project is the project's name.
func (m *model) project() string { return filepath.Base(m.door.Project()) }

// peer returns the session with the focus.
func (m *model) peer() (router.PeerView, bool) {
	for _, p := range m.sessions {
		if p.ID == m.focus {
			return p, true
		}
	}
	return router.PeerView{}, false
}
