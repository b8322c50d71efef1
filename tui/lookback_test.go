package tui_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

// long is a screen whose first pane has scrolled a lot.
func long(t *testing.T) (*tui.Bench, *fake.Pane) {
	t.Helper()
	b, d := bench(t, 120, 40, func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Permissions = nil
		d.Set(v)
	})
	p := d.Pane(fake.Frontend).(*fake.Pane)
	for i := range 200 {
		p.Feed(fmt.Sprintf("line %d of the log\r\n", i))
	}
	p.Feed("Needle here, see https://go.dev/doc. 日本語\r\n")
	for i := range 100 {
		p.Feed(fmt.Sprintf("later %d\r\n", i))
	}
	b.Frame()
	return b, p
}

func clip(text string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
}

func TestFindInAPane(t *testing.T) {
	b, _ := long(t)
	b.Press("[", "/")
	b.Write("line 1")
	b.Press("enter")
	b.Settle()
	s := text(b)
	if !strings.Contains(s, "line 199 of the log") || !strings.Contains(s, "1 of 111") || !strings.Contains(s, "lines above the end") {
		t.Fatalf("the newest place is not shown:\n%s", s)
	}
	b.Press("n", "n")
	if s := text(b); !strings.Contains(s, "3 of 111") {
		t.Errorf("n does not go on:\n%s", s)
	}
	b.Press("N", "y")
	if got := strings.Join(b.Out, ""); got != clip("line 1") {
		t.Errorf("copied %q", got)
	}
	b.Press("/")
	b.Write("needle")
	b.Press("enter")
	b.Settle()
	if !strings.Contains(text(b), "1 of 1") {
		t.Errorf("small letters do not find capital ones:\n%s", text(b))
	}
	b.Press("/")
	b.Write("NEEDLE")
	b.Press("enter")
	b.Settle()
	if !strings.Contains(text(b), "it is not in this pane") {
		t.Errorf("capital letters do not count:\n%s", text(b))
	}
	b.Press("esc")
	if s := text(b); !strings.Contains(s, "later 99") || strings.Contains(s, "looking back") {
		t.Errorf("esc does not come back:\n%s", s)
	}
}

func TestChoosingWithTheKeyboard(t *testing.T) {
	b, _ := long(t)
	b.Press("[", "/")
	b.Write("Needle")
	b.Press("enter")
	b.Settle()
	b.Press("v") // at what was found
	if s := text(b); !strings.Contains(s, "choosing text") {
		t.Fatalf("the mode is not named:\n%s", s)
	}
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"v", "right", "right"}, "Nee"},
		{[]string{"w"}, "Needle"},
		{[]string{"V"}, "Needle here, see https://go.dev/doc. 日本語"},
		{[]string{"right", "right", "v", "$"}, "edle here, see https://go.dev/doc. 日本語"},
	} {
		b.Out = nil
		b.Press(c.keys...)
		b.Press("y")
		if got := strings.Join(b.Out, ""); got != clip(c.want) {
			t.Errorf("%v copied %q, not %q", c.keys, got, c.want)
		}
		b.Press("/")
		b.Write("Needle")
		b.Press("enter")
		b.Settle()
		b.Press("v")
	}
	b.Out = nil
	b.Press("y")
	if len(b.Out) != 0 || !strings.Contains(text(b), "nothing is chosen yet") {
		t.Errorf("%q was copied without a choice:\n%s", b.Out, text(b))
	}
}

func TestLinksOpenOnTheDesktopOfTheTerminal(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the tools are others there")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "opened")
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\nprintf %s \"$1\" > "+out+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	d := fake.New("/home/u/webshop")
	d.Set(fake.Scene(noon))
	d.Fill()
	b := tui.NewBench(d, noon, 120, 40, tui.Options{Env: []string{"TERM=xterm", "LANG=C.UTF-8", "DISPLAY=:0", "PATH=" + dir}})
	t.Cleanup(b.Close)
	b.Settle()
	b.Frame()
	d.Pane(fake.Frontend).(*fake.Pane).Feed("\x1b[H\x1b[2Jhttps://go.dev/doc\r\nfile:///etc/passwd")
	b.Frame()
	b.Send(tea.MouseClickMsg{X: 40, Y: 2, Button: tea.MouseLeft, Mod: tea.ModCtrl})
	b.Settle()
	if got, _ := os.ReadFile(out); string(got) != "https://go.dev/doc" {
		t.Errorf("opened %q:\n%s", got, text(b))
	}
	b.Send(tea.MouseClickMsg{X: 40, Y: 3, Button: tea.MouseLeft, Mod: tea.ModCtrl})
	b.Settle()
	if !strings.Contains(text(b), "only http and https") {
		t.Errorf("it is not refused:\n%s", text(b))
	}
}
