package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// SetPatience shortens how long a terminal may take nothing.
func (s *Screen) SetPatience(d time.Duration) { s.patience = d }

// Bench drives a model without a program, with a clock of its own.
type Bench struct {
	m      *model
	Now    time.Time
	Left   error // why it wanted to end
	Ticks  time.Time
	posted chan tea.Msg
	Out    []string // sequences that went out once
	paint  painter
}

// NewBench returns a model at work in a terminal of the given size.
func NewBench(d Door, now time.Time, cols, rows int, opts Options) *Bench {
	if opts.Env == nil {
		opts.Env = []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "HOME=/home/u"}
	}
	s := New(d, opts)
	b := &Bench{m: s.model, Now: now, posted: make(chan tea.Msg, 100)}
	b.m.clock = func() time.Time { return b.Now }
	b.m.pulse = b
	b.m.leave = func(err error) { b.Left = err }
	b.m.begin(context.Background())
	b.Send(tea.WindowSizeMsg{Width: cols, Height: rows})
	return b
}

// Close ends what the model started.
func (b *Bench) Close() { b.m.close() }

func (b *Bench) markView()          {}
func (b *Bench) markPanes()         {}
func (b *Bench) markEcho()          {}
func (b *Bench) tickAt(t time.Time) { b.Ticks = t }
func (b *Bench) post(msg tea.Msg)   { b.posted <- msg }
func (b *Bench) show(*picture)      {}
func (b *Bench) emit(seq string)    { b.Out = append(b.Out, seq) }
func (b *Bench) sync()              {}
func (b *Bench) echo(time.Time)     {}

// Send gives the model a message.
func (b *Bench) Send(msg tea.Msg) {
	if _, cmd := b.m.Update(msg); cmd != nil {
		panic("nothing is done by commands")
	}
}

// Frame lets the model take what changed.
func (b *Bench) Frame() { b.Send(frameMsg{view: true, panes: true}) }

// Settle waits until all that was started beside the loop has ended.
func (b *Bench) Settle() {
	b.m.work.Wait()
	for {
		select {
		case msg := <-b.posted:
			b.Send(msg)
			b.m.work.Wait()
		default:
			return
		}
	}
}

// Wait lets time pass.
func (b *Bench) Wait(d time.Duration) {
	b.Now = b.Now.Add(d)
	b.Send(tickMsg{})
	if !b.Ticks.IsZero() && !b.Ticks.After(b.Now) {
		panic(fmt.Sprintf("what was due %v ago has just been looked at and is due still: it wakes for ever", b.Now.Sub(b.Ticks)))
	}
}

// Press presses keys by name, one after the other.
func (b *Bench) Press(names ...string) {
	for _, n := range names {
		b.Send(Key(n))
	}
}

// Write types text.
func (b *Bench) Write(text string) {
	for _, r := range text {
		b.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// Key is the press of a key by its name.
func Key(name string) tea.KeyPressMsg {
	switch name {
	case "shift+tab":
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	case "up":
		return tea.KeyPressMsg{Code: tea.KeyUp}
	case "down":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	case "right":
		return tea.KeyPressMsg{Code: tea.KeyRight}
	case "pgup":
		return tea.KeyPressMsg{Code: tea.KeyPgUp}
	case "pgdown":
		return tea.KeyPressMsg{Code: tea.KeyPgDown}
	case "home":
		return tea.KeyPressMsg{Code: tea.KeyHome}
	case "end":
		return tea.KeyPressMsg{Code: tea.KeyEnd}
	case "backspace":
		return tea.KeyPressMsg{Code: tea.KeyBackspace}
	case "space":
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	return keyPress(name)
}

// Content is the screen as it was drawn last.
func (b *Bench) Content() string { return b.m.out.String() }

// Title is the title of the window.
func (b *Bench) Title() string { return b.m.out.title }

// Redraw draws again, twice.
func (b *Bench) Redraw() (one, two string) {
	p, _ := b.m.render()
	q, _ := b.m.render()
	return p.String() + p.title, q.String() + q.title
}

// Paint is what the terminal is sent to show the screen, given what it was sent
// before.
func (b *Bench) Paint() string { return string(b.paint.paint(b.m.out)) }

// Graphemes says that the terminal groups characters.
func (b *Bench) Graphemes() {
	b.Send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
}

// ReadFile reads a file as a request's diff does.
var ReadFile = readFile

// ParseMessage reads a message line.
var ParseMessage = parseMessage

// CursorShape is the cursor's, as DECSCUSR numbers it; -1 when there is none.
func (b *Bench) CursorShape() int {
	if b.m.out.cursor == nil {
		return -1
	}
	return shapeOf(b.m.out.cursor)
}
