package tui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

// What panes and the human's terminal are to each other.

func TestAPressedMouseIsFollowedOutOfItsPane(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Wait(time.Second)
	p, other := d.Pane(fake.Backend).(*fake.Pane), d.Pane(fake.Frontend).(*fake.Pane)
	b.Send(tea.MouseClickMsg{X: 60, Y: 18, Button: tea.MouseLeft})
	b.Send(tea.MouseReleaseMsg{X: 60, Y: 18, Button: tea.MouseLeft})
	p.Feed("\x1b[?1002h\x1b[?1006h")
	other.Feed("\x1b[?1002h\x1b[?1006h")
	b.Frame()
	b.Send(tea.MouseClickMsg{X: 60, Y: 18, Button: tea.MouseLeft})
	b.Send(tea.MouseMotionMsg{X: 60, Y: 6, Button: tea.MouseLeft}) // another pane
	b.Send(tea.MouseReleaseMsg{X: 3, Y: 2, Button: tea.MouseLeft}) // the sidebar
	got := p.Typed()
	if n := strings.Count(got, "\x1b[<"); n != 3 || !strings.HasSuffix(got, "m") {
		t.Errorf("the child that took the press got %q; want press, motion and release", got)
	}
	if other.Typed() != "" {
		t.Errorf("another child got %q", other.Typed())
	}
	b.Send(tea.MouseClickMsg{X: 3, Y: 2, Button: tea.MouseLeft})
	b.Send(tea.MouseReleaseMsg{X: 3, Y: 2, Button: tea.MouseLeft})
	if p.Typed() != got {
		t.Errorf("after the release it still got %q", strings.TrimPrefix(p.Typed(), got))
	}
}

func TestFocusIsToldToWhoeverWantsToKnow(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	p := d.Pane(fake.Frontend).(*fake.Pane)
	b.Press("1", "i")
	if p.Typed() != "" {
		t.Fatalf("a child that did not ask got %q", p.Typed())
	}
	p.Feed("\x1b[?1004h")
	b.Frame()
	b.Send(tea.BlurMsg{})
	b.Send(tea.FocusMsg{})
	p.Restart()
	p.Feed("\x1b[?1004h")
	b.Frame()
	b.Frame()
	b.Close()
	if got := p.Typed(); got != "\x1b[I\x1b[O\x1b[I\x1b[I\x1b[O" {
		t.Errorf("the child got %q; want in, out, in, in again after its restart, out with the screen", got)
	}
}

func TestTheCursorIsTheHumansUntilAProgramChoosesOne(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	p := d.Pane(fake.Frontend).(*fake.Pane)
	b.Press("1", "i")
	for _, step := range []struct {
		feed  string
		shape int
	}{{"", 0}, {"\x1b[6 q", 6}, {"\x1b[3 q", 3}, {"\x1b[0 q", 0}} {
		p.Feed(step.feed + "x")
		b.Frame()
		if got := b.CursorShape(); got != step.shape {
			t.Errorf("after %q the cursor has shape %d; want %d", step.feed, got, step.shape)
		}
	}
}

func TestAProgramCallsTheHuman(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Wait(time.Second)
	d.Call(tui.Call{Peer: fake.Backend, Kind: tui.CallNotify, Title: "done", Text: "all \x1b[31mgreen"})
	b.Frame()
	if len(b.Out) != 0 || !strings.Contains(text(b), "backend: done all [31mgreen") {
		t.Errorf("before the human's eyes it gave %q:\n%s", b.Out, text(b))
	}
	b.Send(tea.BlurMsg{})
	b.Wait(time.Second)
	for range 3 { // a program that rings without end
		d.Call(tui.Call{Peer: fake.Backend, Kind: tui.CallNotify, Title: "done", Text: "all \x1b[31mgreen;rm"})
		b.Frame()
	}
	if want := []string{"\a\x1b]9;ccmux: backend: done all [31mgreen,rm\x1b\\\x1b]777;notify;ccmux;ccmux: backend: done all [31mgreen,rm\x1b\\"}; !slices.Equal(b.Out, want) {
		t.Errorf("to a human who is away it gave %q; want %q", b.Out, want)
	}
	b.Out = nil
	d.Call(tui.Call{Peer: fake.Backend, Kind: tui.CallCopy, Text: "secret"})
	b.Frame()
	if want := []string{"\x1b]52;c;c2VjcmV0\a"}; !slices.Equal(b.Out, want) || !strings.Contains(text(b), "backend copied 6 characters") {
		t.Errorf("a copy gave %q; want %q, and a word of it:\n%s", b.Out, want, text(b))
	}
}

func TestTheMouseIsFollowedOnlyWhileAProgramWantsIt(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	p := d.Pane(fake.Frontend).(*fake.Pane)
	p.Feed("\x1b[?1003h\x1b[?1006h")
	b.Press("1")
	b.Frame()
	if len(b.Out) != 0 {
		t.Fatalf("while watching it asked for %q", b.Out)
	}
	b.Press("i")
	b.Send(tea.MouseMotionMsg{X: 60, Y: 6})
	if got := p.Typed(); got != "\x1b[<35;29;5M" {
		t.Errorf("the child heard %q", got)
	}
	p.Feed("\x1b[?1003l")
	b.Frame()
	if want := []string{"\x1b[?1003h", "\x1b[?1003l\x1b[?1002h"}; !slices.Equal(b.Out, want) {
		t.Errorf("it asked for %q; want %q", b.Out, want)
	}
}
