package tui

import (
	"context"
	"encoding/json"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/tui/layout"
)

// remembered is what a project's screens begin with the next time.
type remembered struct {
	Layout      string        `json:"layout,omitempty"`
	HideSidebar bool          `json:"hide_sidebar,omitempty"`
	Splits      layout.Splits `json:"splits,omitzero"`
}

// arrangement is how the human arranged the screen.
type arrangement struct {
	hideSidebar bool
	kind        layout.Arrangement
	splits      layout.Splits
	grip        layout.Border // the border that is being dragged
}

// recall takes what was remembered; what it does not understand it leaves alone,
// because another version may have written it.
func (a *arrangement) recall(b []byte) {
	var r remembered
	if len(b) == 0 || json.Unmarshal(b, &r) != nil {
		return
	}
	if i := slices.Index(layoutNames(nil), r.Layout); i >= 0 {
		a.kind = layout.Arrangement(i)
	}
	a.hideSidebar, a.splits = r.HideSidebar, r.Splits
}

// remember has the arrangement kept for the project.
func (m *model) remember() {
	if m.opts.View {
		return
	}
	b, err := json.Marshal(remembered{layoutNames(nil)[m.kind], m.hideSidebar, m.splits})
	if err != nil {
		return // a struct of numbers and words
	}
	m.order(func(ctx context.Context) func(*model) tea.Cmd {
		if err := m.door.Remember(ctx, b); err != nil {
			return failure("the layout is not remembered", err)
		}
		return nil
	})
}

// grab takes hold of the border at a cell.
func (m *model) grab(x, y int) bool {
	if m.page() != 0 {
		return false
	}
	b, ok := m.plan.BorderAt(x, y)
	if ok {
		m.grip = b
	}
	return ok
}

// dragBorder moves the border that is held, and lets it go where the button is.
func (m *model) dragBorder(msg tea.MouseMsg) {
	e := msg.Mouse()
	switch msg.(type) {
	case tea.MouseMotionMsg:
		m.splits = m.plan.Move(m.splits, m.grip, e.X, e.Y)
		m.dirty = true
	case tea.MouseReleaseMsg:
		m.grip = layout.Border{}
		m.remember()
	}
}
