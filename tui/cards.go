package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/approvals"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/keys"
)

// doorTime bounds how long the door may take for one wish.
const doorTime = 15 * time.Second

// cardKey does what a key means for the docked card; ok is false when it means
// nothing there. Before the card is armed an answer does nothing.
func (m *model) cardKey(name string) (cmd tea.Cmd, ok bool) {
	card, docked := m.cards.Current()
	if !docked {
		return nil, false
	}
	b, ok := keys.Find(name, keys.Card)
	if !ok {
		m.cards.Touch(m.now)
		return nil, false
	}
	if b.ID == keys.Look && !m.enterLooks() {
		m.cards.Touch(m.now)
		return nil, false // enter types
	}
	if m.plan.Dock.Empty() {
		m.warn("esc first: the request is not on screen")
		return nil, true
	}
	switch b.ID {
	case keys.Serves:
		m.cards.Unfold()
		return nil, true
	case keys.NextCard:
		if m.cards.Len() < 2 {
			return nil, false
		}
		m.cards.Next(m.now)
		m.readTarget()
		return nil, true
	case keys.MoreLines, keys.LessLines:
		n := 1
		if b.ID == keys.LessLines {
			n = -1
		}
		m.cards.Page(n)
		return nil, true
	case keys.Each:
		if !m.cards.Alike() {
			return nil, false
		}
		m.cards.Split(m.view, m.dialogs, m.now)
		return nil, true
	case keys.Choose:
		if len(card.Choices()) == 0 {
			return nil, false
		}
	default:
	}
	if !m.cards.Armed(m.now) {
		m.cards.Touch(m.now)
		return nil, true
	}
	if why := b.Why(m.facts()); why != "" {
		m.warn(why)
		return nil, true
	}
	if b.ID == keys.Choose {
		return m.choose(name, card), true
	}
	return m.answerCard(b.ID, card), true
}

// answerCard does what the human decided about the card on show.
func (m *model) answerCard(id keys.ID, card approvals.Card) tea.Cmd {
	switch id {
	case keys.Allow:
		m.answer(card, wire.Allow, "", "")
	case keys.AllowSession:
		m.answer(card, wire.Allow, "session", "")
	case keys.Deny:
		m.answer(card, wire.Deny, "", "")
	case keys.DenyWhy:
		m.openEntry(m.denyEntry(card))
	case keys.Always:
		if why := approvals.NoRule(card.Perm.Permission); why != "" {
			m.warn(why)
			return nil
		}
		m.openEntry(m.ruleEntry(card))
	case keys.Look:
		m.lookAt(card)
	default:
	}
	return nil
}

// lookAt goes to the pane that asks. It never types there: the next enter would
// answer a dialog that nobody has read yet.
func (m *model) lookAt(card approvals.Card) {
	m.pages = nil
	m.setFocus(card.Peers[0])
	m.cards.Unfold()
}

// enterLooks says whether enter goes to the pane that asks. It does so while that
// is another one; where the human is there already, or the card has only just
// come, enter types as always.
func (m *model) enterLooks() bool {
	card, docked := m.cards.Current()
	return docked && !m.plan.Dock.Empty() && m.cards.Armed(m.now) && !slices.Contains(card.Peers, m.focus)
}

// answer gives an answer through the door.
func (m *model) answer(card approvals.Card, b wire.Behavior, scope, why string) {
	id := card.Perm.ID
	m.order(func(ctx context.Context) func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, doorTime)
		defer cancel()
		if err := m.door.Answer(ctx, id, b, scope, why); err != nil {
			return failure("the answer was not given", err)
		}
		return nil
	})
}

// failure shows an error in the event loop.
func failure(what string, err error) func(*model) tea.Cmd {
	text := what + ": " + cells.Line(err.Error())
	return func(m *model) tea.Cmd { m.warn(text); return nil }
}

func (m *model) denyEntry(card approvals.Card) *entry {
	name := m.context().Name(card.Perm.Peer)
	return &entry{
		label: "deny: why? " + name + " reads this", verb: "deny",
		send: func(m *model, text string) bool {
			m.answer(card, wire.Deny, "", text)
			return true
		},
	}
}

// addRule puts a rule in force and answers the request it was made from.
func (m *model) addRule(card approvals.Card, rule router.Rule) {
	id := card.Perm.ID
	m.order(func(ctx context.Context) func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, doorTime)
		defer cancel()
		if _, err := m.door.Submit(ctx, router.AddRule{Rule: rule}); err != nil {
			return failure("the rule was not made", err)
		}
		if rule.Effect == "ask" {
			return nil
		}
		if err := m.door.Answer(ctx, id, wire.Behavior(rule.Effect), "", ""); err != nil {
			return failure("the rule is made; the answer was not given", err)
		}
		return func(m *model) tea.Cmd { m.say("the rule is made; :rules shows all"); return nil }
	})
}

// readTarget reads what belongs to the card on show: what a rule would say of
// it, and the file that it would change.
func (m *model) readTarget() {
	m.readRule()
	p, path, ok := m.cards.Wants(m.now)
	if !ok || m.fetching["file"] {
		return
	}
	m.fetching["file"] = true
	m.start(func(context.Context) func(*model) tea.Cmd {
		f := readFile(path)
		return func(m *model) tea.Cmd {
			delete(m.fetching, "file")
			m.cards.Read(p, f, m.now)
			m.readTarget() // another card may be on show by now
			return nil
		}
	})
}

// readRule asks what the rules would make of the request on show.
func (m *model) readRule() {
	p, ok := m.cards.Unsaid(m.now)
	if !ok || m.fetching["rule"] {
		return
	}
	m.fetching["rule"] = true
	m.start(func(ctx context.Context) func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, doorTime)
		defer cancel()
		says := m.door.RuleSays(ctx, p)
		return func(m *model) tea.Cmd {
			delete(m.fetching, "rule")
			m.cards.Says(p, says, m.now)
			m.readRule()
			return nil
		}
	})
}

// maxTarget is how much of a file is read for a diff.
const maxTarget = 1 << 20

// readFile reads a regular file; anything else could block or never end.
func readFile(path string) approvals.File {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return approvals.File{}
	}
	if err != nil {
		return approvals.File{Exists: true, Err: err}
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return approvals.File{Exists: true, Err: errors.New("it is not a regular file")}
	}
	b, err := io.ReadAll(io.LimitReader(f, maxTarget+1))
	switch {
	case err != nil:
		return approvals.File{Exists: true, Err: err}
	case len(b) > maxTarget:
		return approvals.File{Exists: true, Err: fmt.Errorf("it is larger than %d bytes", maxTarget)}
	}
	return approvals.File{Exists: true, Text: string(b)}
}
