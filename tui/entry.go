package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
	"github.com/ccmux/ccmux/tui/keys"
	"github.com/ccmux/ccmux/tui/line"
)

// entry is the line being typed, docked above the bottom line. Its owner says
// what sending means.
type entry struct {
	label   string
	verb    string // what enter does with it, when that is not to send
	line    line.Model
	kinds   bool // a note or a task can be chosen
	task    bool
	answers bool     // what kind of answer it is can be chosen
	answer  int      // in answerKinds
	guess   string   // to whom it goes when the human says nothing else
	problem string   // what was wrong with it when it was sent
	choices []string // the last completion had several

	// send gets the text, and says whether the line closes.
	send func(m *model, text string) bool
	// complete returns what may stand in place of the last word before the
	// cursor.
	complete func(m *model, before string) (word string, options []string)
}

// answerKinds are what an answer can be, in the order of ctrl+t.
var answerKinds = []struct {
	status wire.Status
	words  string
}{
	{wire.StatusComplete, "done"},
	{wire.StatusNeedsContext, "needs more from the asker"},
	{wire.StatusFailed, "failed"},
}

// what says what is sent, where that can be chosen.
func (e *entry) what() string {
	switch {
	case e.kinds && e.task:
		return "task"
	case e.kinds:
		return "note"
	case e.answers:
		return answerKinds[e.answer].words
	}
	return ""
}

// entryRows is how high the text of a line may grow.
const entryRows = 6

func (m *model) openEntry(e *entry) {
	m.typing = false
	m.entry = e
}

// entryKey is a key while a line is typed.
func (m *model) entryKey(msg tea.KeyPressMsg) tea.Cmd {
	e := m.entry
	name := msg.String()
	b, ok := keys.Find(name, keys.Line)
	if !ok {
		e.problem, e.choices = "", nil
		if msg.Text == "#" && e.guess != "" && e.line.Text() == e.guess {
			e.line.Set("") // a room in place of who was guessed
		}
		e.line.Key(name, msg.Text)
		return nil
	}
	switch b.ID {
	case keys.Cancel:
		m.entry = nil
	case keys.Kind:
		switch {
		case e.kinds:
			e.task = !e.task
		case e.answers:
			e.answer = (e.answer + 1) % len(answerKinds)
		}
	case keys.NewLine:
		e.line.Insert("\n")
	case keys.Complete:
		m.completeEntry(e)
	case keys.Send:
		text := strings.TrimSpace(e.line.Text())
		if text == "" {
			m.entry = nil
			return nil
		}
		if e.send(m, text) && m.entry == e {
			m.entry = nil
		}
	default:
	}
	return nil
}

// completeEntry finishes the word before the cursor as far as it is certain.
func (m *model) completeEntry(e *entry) {
	e.choices = nil
	if e.complete == nil {
		return
	}
	word, options := e.complete(m, e.line.Before())
	var fit []string
	for _, o := range options {
		if strings.HasPrefix(o, word) {
			fit = append(fit, o)
		}
	}
	switch len(fit) {
	case 0:
		return
	case 1:
		e.line.Complete(len(word), fit[0]+" ")
	default:
		e.line.Complete(len(word), common(fit))
		e.choices = fit
	}
}

// common is the longest beginning all of words share.
func common(words []string) string {
	out := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, out) {
			out = out[:len(out)-1]
		}
	}
	return out
}

// entryHeight is how many rows the line takes.
func (m *model) entryHeight() int {
	if m.entry == nil {
		return 0
	}
	rows, _, _ := m.entry.line.Lines(m.w-4, entryRows)
	return len(rows) + 2
}

// entryLines draws the line in h rows of w columns; x and y are the cursor.
func (m *model) entryLines(c draw.Context, w, h int) (out []string, x, y int) {
	e := m.entry
	box := draw.Box{Box: c.Heavy, Look: c.Typing, Left: c.Bold.On(cells.Line(e.label))}
	if what := e.what(); what != "" {
		box.Right = c.Styles.Asks.On(what) + c.Dim.On(" "+c.Dot+" ctrl+t changes")
	}
	switch {
	case e.problem != "":
		box.Foot = c.Bad.On(cells.Line(e.problem))
	case len(e.choices) > 0:
		box.Foot = c.Dim.On(cells.Line(strings.Join(e.choices, " ")))
	}
	rows, x, y := e.line.Lines(w-4, max(h-2, 1))
	return box.Draw(rows, w, h, true), x + 2, y + 1
}
