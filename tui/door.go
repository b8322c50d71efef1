package tui

import (
	"context"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui/approvals"
)

// Door is what a screen knows of the rest of ccmux: facts come down through
// View, wishes go up through the other methods. View, Watch and Pane are called
// by the screen's event loop and must not block; the methods with a context may
// take as long as it allows and are never called from the event loop.
type Door interface {
	// View returns the newest picture. It is cheap and the picture immutable.
	View() *router.View
	// Watch calls changed after the view may have changed, from any goroutine
	// and at most once until View is called again. Changed does not block.
	Watch(changed func()) (cancel func())
	// Submit asks for a change as the human. It fills in identifiers and From,
	// and cleans text.
	Submit(ctx context.Context, c router.Command) (router.Result, error)
	// Answer answers a permission request. Scope is empty (once) or "session".
	Answer(ctx context.Context, id string, b wire.Behavior, scope, why string) error
	// RuleSays tells in words what the rules in force would make of a request; ""
	// when there are none. It may read files.
	RuleSays(ctx context.Context, p router.Permission) string
	// Dialog is what a peer's pane asks at this moment; false when it shows no
	// dialog. Like Pane it is called by the event loop and must not block.
	Dialog(peer router.PeerID) (approvals.Dialog, bool)
	// AnswerDialog chooses a row, counted from 0, of the dialog that the human
	// saw. It presses nothing on any other, and confirms only the wanted row.
	AnswerDialog(ctx context.Context, peer router.PeerID, seen approvals.Dialog, row int) error
	// Pane returns the terminal of a peer, nil when nothing has run there yet.
	Pane(peer router.PeerID) Pane
	// Calls has f called, from any goroutine, with what programs in panes want of
	// the human. f does not block.
	Calls(f func(Call)) (cancel func())
	// Start, Stop and Restart act on a session by name.
	Start(ctx context.Context, name string) error
	Stop(ctx context.Context, name string) error
	Restart(ctx context.Context, name string) error
	// Remember keeps how the human arranged the screen, for the project's next one.
	Remember(ctx context.Context, arrangement []byte) error
	// History searches all messages, newest first, and says whether there are
	// more.
	History(ctx context.Context, q HistoryQuery) ([]router.MessageView, bool, error)
	// Project is the project's folder.
	Project() string
}

// ScreenID names one attached screen for the size of panes.
type ScreenID = uint64

// Pane is one session's terminal. No method blocks.
type Pane interface {
	// Terminal is the emulator; a restart brings another, nil means none yet.
	Terminal() *vt.Terminal
	// Type queues bytes for the child. It fails, and queues nothing, when the
	// queue is full or the child is gone.
	Type(p []byte) error
	// Show says that screen shows the pane in this size, Hide that it no longer
	// does. A pane has the smallest size of the screens that show it.
	Show(screen ScreenID, cols, rows int)
	Hide(screen ScreenID)
	// Surface tells the child's terminal, and those of later ones, the colours of
	// the text and the background it is shown on.
	Surface(fg, bg vt.Color)
	// Changed calls f after output was applied, from the pty's goroutine.
	Changed(f func()) (cancel func())
}

// HistoryQuery says which messages to look for.
type HistoryQuery struct {
	Text   string // words, all of which occur
	Peer   router.PeerID
	Thread router.ThreadID
	Room   string
	Before time.Time        // older than this, when set
	After  router.MessageID // the last one of the page before, when set
	Limit  int              // 0 means 50
}
