package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/desktop"
)

// copied puts text into the clipboard: by the terminal (OSC 52), which works
// over ssh too, and by the desktop's own tool where there is one, because many
// terminals refuse the first.
func (m *model) copied(text string) {
	m.pulse.emit(ansi.SetSystemClipboard(text))
	m.say("copied")
	env := m.opts.Env
	m.start(func(ctx context.Context) func(*model) tea.Cmd {
		if err := desktop.Copy(ctx, env, text); err != nil && !errors.Is(err, desktop.ErrNone) {
			return failure("copied by the terminal only", err)
		}
		return nil
	})
}

// openLinkAt opens the link under the mouse.
func (m *model) openLinkAt(p *paneState, x, y, h int) tea.Cmd {
	m.dirty = true
	if uri, ok := p.LinkAt(x, y, h); ok {
		m.openLink(uri)
	} else {
		m.warn("there is no link here")
	}
	return nil
}

// openLinkHere opens the link that is found or under the cursor.
func (m *model) openLinkHere(p *paneState) {
	if uri, ok := p.LinkHere(); ok {
		m.openLink(uri)
		return
	}
	m.warn("there is no link here: find one with /, or go there after v")
}

// openLink opens an address on the desktop of the terminal; where there is none,
// it is copied. What is opened is said.
func (m *model) openLink(uri string) {
	shown := cells.Line(uri)
	m.say("opening " + shown)
	env := m.opts.Env
	m.start(func(ctx context.Context) func(*model) tea.Cmd {
		err := desktop.Open(ctx, env, uri)
		switch {
		case errors.Is(err, desktop.ErrNone):
			return func(m *model) tea.Cmd {
				m.pulse.emit(ansi.SetSystemClipboard(uri))
				m.say("no desktop here to open it, copied: " + shown)
				return nil
			}
		case err != nil:
			return failure("the link was not opened", err)
		}
		return nil
	})
}
