package tui_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

// begun is a screen of 200 by 60 that begins with what was remembered.
func begun(t *testing.T, remembered string, view bool) (*tui.Bench, *fake.Door) {
	t.Helper()
	d := fake.New("/home/u/webshop")
	v := fake.Scene(noon)
	v.Permissions = nil
	d.Set(v)
	d.Fill()
	b := tui.NewBench(d, noon, 200, 60, tui.Options{Remembered: []byte(remembered), View: view})
	t.Cleanup(b.Close)
	b.Settle()
	b.Frame()
	return b, d
}

// column is where the title of the second pane begins.
func column(b *tui.Bench) int {
	for l := range strings.SplitSeq(picture(b.Content(), 200, 60), "\n") {
		if i := strings.Index(l, "╭ 2 backend"); i >= 0 {
			return len([]rune(l[:i]))
		}
	}
	return -1
}

func TestDraggingABorderMovesItAndIsRemembered(t *testing.T) {
	b, d := begun(t, "", false)
	x := column(b)
	b.Send(tea.MouseClickMsg{X: x, Y: 9, Button: tea.MouseLeft})
	b.Send(tea.MouseMotionMsg{X: x + 13, Y: 30, Button: tea.MouseLeft})
	b.Send(tea.MouseMotionMsg{X: x + 11, Y: 30, Button: tea.MouseLeft})
	b.Send(tea.MouseReleaseMsg{X: x + 11, Y: 30, Button: tea.MouseLeft})
	b.Send(tea.MouseMotionMsg{X: 80, Y: 30})
	if got := column(b); got != x+11 {
		t.Errorf("dropped at %d, it stands at %d", x+11, got)
	}
	straight(t, b.Content(), 200, 60, false)
	got := logged(b, d)
	if len(got) != 1 || !strings.HasPrefix(got[0], "remember {") {
		t.Fatalf("the door was asked %q", got)
	}
	again, _ := begun(t, strings.TrimPrefix(got[0], "remember "), false)
	if at := column(again); at != x+11 {
		t.Errorf("the next screen has it at %d, not %d", at, x+11)
	}
}

func TestTheLayoutIsRemembered(t *testing.T) {
	b, d := begun(t, "", false)
	b.Press("L", "b")
	got := logged(b, d)
	if len(got) != 2 || got[1] != `remember {"layout":"columns","hide_sidebar":true}` {
		t.Fatalf("the door was asked %q", got)
	}
	again, _ := begun(t, strings.TrimPrefix(got[1], "remember "), false)
	if s := picture(again.Content(), 200, 60); strings.Contains(s, "sessions ─") || !strings.Contains(s, "╭ 4 ops") {
		t.Errorf("the next screen is:\n%s", s)
	}
}

func TestNonsenseIsNotRemembered(t *testing.T) {
	plain, _ := begun(t, "", false)
	for _, bad := range []string{"{", "[]", `{"layout":"spiral"}`, `{"splits":{"columns":{"2":[-5]},"rows":{"2":[99999]},"main":-1}}`, `{"splits":{"columns":{"2":[1,2,3]}}}`} {
		b, _ := begun(t, bad, false)
		straight(t, b.Content(), 200, 60, false)
		if bad[0] == '{' && len(bad) > 1 && strings.Contains(bad, "spiral") && b.Content() != plain.Content() {
			t.Errorf("%s changed the screen", bad)
		}
	}
	b, d := begun(t, "", true)
	b.Press("L")
	if got := logged(b, d); len(got) != 0 {
		t.Errorf("a screen that only looks asked %q", got)
	}
}
