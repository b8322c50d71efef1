package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// doneMsg carries the end of something that was started beside the event loop.
type doneMsg struct{ apply func(*model) tea.Cmd }

// start runs f beside the event loop and then the function it returns in it.
func (m *model) start(f func(ctx context.Context) func(*model) tea.Cmd) {
	m.work.Go(func() { m.carry(f) })
}

// order is start for wishes that must reach the door in the order in which the
// human had them: each waits for the one before.
func (m *model) order(f func(ctx context.Context) func(*model) tea.Cmd) {
	before, done := m.ordered, make(chan struct{})
	m.ordered = done
	m.work.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		m.carry(f)
	})
}

// carry runs f and hands on what it returns.
func (m *model) carry(f func(ctx context.Context) func(*model) tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			m.fell(r)
		}
	}()
	if apply := f(m.ctx); apply != nil {
		m.pulse.post(doneMsg{apply: apply})
	}
}
