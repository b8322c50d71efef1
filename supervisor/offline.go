package supervisor

import (
	"context"
	"errors"
	"fmt"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/journal"
	"github.com/ccmux/ccmux/supervisor/router"
)

// ErrNoJournal says that nothing was ever recorded for a project.
var ErrNoJournal = journal.ErrNone

// Past is what is on record of a project whose ccmux does not run. Close it.
type Past struct {
	past
	reader *journal.Reader
}

// OpenPast opens the record in a state folder; ErrNoJournal when there is none.
func OpenPast(ctx context.Context, stateDir string) (*Past, error) {
	r, err := journal.OpenReader(ctx, stateDir)
	if err != nil {
		return nil, err
	}
	s := router.NewState()
	docs, posts, _, err := r.LoadOpen(ctx)
	if err == nil {
		err = s.Restore(docs, posts)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the open state: %w", err), r.Close())
	}
	return &Past{past{r, offline(s.View())}, r}, nil
}

// offline is a picture in which no session runs, whatever a death left behind.
func offline(v *router.View) *router.View {
	for i := range v.Peers {
		v.Peers[i].Online = v.Peers[i].ID == router.Human
	}
	return v
}

// History is what the tool of that name gives the human.
func (p *Past) History(ctx context.Context, a wire.HistoryArgs) (wire.ToolResult, error) {
	return p.history(ctx, a)
}

// Unsearched is how many of the newest messages a search does not find yet.
func (p *Past) Unsearched(ctx context.Context) (int, error) { return p.reader.Unsearched(ctx) }

// Events calls fn with every event of the timeline, as a tail is given them.
func (p *Past) Events(ctx context.Context, fn func(wire.Event) error) error {
	return p.reader.Replay(ctx, 0, func(e router.Event) error {
		w, err := wireEvent(e)
		if err != nil {
			return err
		}
		w.Names = namesIn(p.view, w.Body)
		return fn(w)
	})
}

// Close gives the record up.
func (p *Past) Close() error { return p.reader.Close() }
