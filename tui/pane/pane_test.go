package pane

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui/cells"
)

// fed is a model of a terminal that was fed with text.
func fed(cols, rows int, text string) (*Model, *vt.Terminal) {
	term := vt.New(cols, rows, vt.Config{Scrollback: 100})
	_, _ = term.Write([]byte(text))
	m := &Model{}
	m.Refresh(term)
	return m, term
}

func TestLinesAreExact(t *testing.T) {
	m, _ := fed(20, 4, "plain\r\n日本語 ➡️ 👩‍💻 e\u0301\r\n\x1b[31mred \x1b[44mblue\x1b[m")
	for w := range 40 {
		for h := range 8 {
			lines := m.Lines(w, h)
			if len(lines) != h {
				t.Fatalf("%d rows of %d", len(lines), h)
			}
			for _, l := range lines {
				if cells.Width(l) != w {
					t.Fatalf("%q has %d columns of %d", l, cells.Width(l), w)
				}
			}
		}
	}
}

func TestASmallerPaneShowsTheCursor(t *testing.T) {
	m, _ := fed(10, 6, "1\r\n2\r\n3\r\n4\r\n5\r\n6x")
	lines := m.Lines(10, 2)
	if got := ansi.Strip(strings.Join(lines, "|")); got != "5         |6x        " {
		t.Errorf("%q", got)
	}
	if c, ok := m.Cursor(10, 2); !ok || c.X != 2 || c.Y != 1 {
		t.Errorf("the cursor is at %d,%d, %v", c.X, c.Y, ok)
	}
}

func TestOnlyChangedRowsAreDrawnAnew(t *testing.T) {
	m, term := fed(10, 3, "a\r\nb\r\nc")
	before := m.rows[0].text
	_, _ = term.Write([]byte("\x1b[3;1Hx"))
	if !m.Refresh(term) {
		t.Error("a change is not seen")
	}
	if m.Refresh(term) {
		t.Error("nothing changed, and it says so")
	}
	if m.rows[0].text != before || !strings.HasPrefix(m.rows[2].text, "x") {
		t.Errorf("%+v", m.rows)
	}
}

func TestANewTerminalBeginsAnew(t *testing.T) {
	m, _ := fed(10, 3, "old")
	m.Scroll(-1, 3)
	fresh := vt.New(12, 2, vt.Config{})
	_, _ = fresh.Write([]byte("new"))
	if !m.Refresh(fresh) || !strings.HasPrefix(m.Lines(12, 2)[0], "new") {
		t.Errorf("%q", m.Lines(12, 2))
	}
	if !m.Refresh(nil) || !m.Blank() {
		t.Error("without a terminal it is not blank")
	}
}

func TestLookingBack(t *testing.T) {
	m, term := fed(10, 2, "1\r\n2\r\n3\r\n4")
	if !m.Scroll(-1, 3) {
		t.Fatal("it does not scroll")
	}
	m.Refresh(term)
	if got := ansi.Strip(strings.Join(m.Lines(10, 2), "|")); got != "2         |3         " {
		t.Errorf("%q", got)
	}
	if above, ok := m.Scrolled(3); !ok || above != 1 {
		t.Errorf("%d above, %v", above, ok)
	}
	m.Oldest(3)
	m.Refresh(term)
	if got := m.Visible(); got != "1\n2" {
		t.Errorf("visible is %q", got)
	}
	if !m.Follow() || m.Follow() {
		t.Error("following is wrong")
	}
}

func TestSelecting(t *testing.T) {
	m, _ := fed(20, 2, "one two\r\n日本語テスト ABC")
	m.Press(4, 0, 2, 2)
	if got := m.Copied(); got != "two" {
		t.Errorf("a word is %q", got)
	}
	m.Press(0, 1, 2, 1)
	m.Drag(15, 1, 2, false)
	if got := m.Copied(); got != "日本語テスト ABC" {
		t.Errorf("a line is %q", got)
	}
	if !strings.Contains(m.Lines(20, 2)[1], "7m") {
		t.Errorf("it is not marked: %q", m.Lines(20, 2)[1])
	}
	if !m.Clear() || m.Copied() != "" || strings.Contains(m.Lines(20, 2)[1], "7m") {
		t.Error("it cannot be taken away")
	}
}

func TestAnUnfinishedUpdateHasADeadline(t *testing.T) {
	now := time.Unix(1000, 0)
	term := vt.New(10, 2, vt.Config{Now: func() time.Time { return now }})
	m := &Model{}
	m.Refresh(term)
	_, _ = term.Write([]byte("\x1b[?2026hhalf"))
	if m.Refresh(term) {
		t.Error("half of an update is shown")
	}
	at, running := m.Settles()
	if !running || at.Before(now) {
		t.Errorf("%v, %v", at, running)
	}
	now = at
	if !m.Refresh(term) || !strings.HasPrefix(m.Lines(10, 2)[0], "half") {
		t.Error("after its time it is not shown")
	}
}

// TestKeysReachTheChild holds that the codes of the two libraries are the same.
func TestKeysReachTheChild(t *testing.T) {
	term := vt.New(10, 2, vt.Config{})
	for _, c := range []struct {
		key  tea.KeyPressMsg
		want string
	}{
		{tea.KeyPressMsg{Code: 'a', Text: "a"}, "a"},
		{tea.KeyPressMsg{Code: 'ü', Text: "ü"}, "ü"},
		{tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}, "\x03"},
		{tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl}, "\x1a"},
		{tea.KeyPressMsg{Code: 'x', Mod: tea.ModAlt}, "\x1bx"},
		{tea.KeyPressMsg{Code: tea.KeyEnter}, "\r"},
		{tea.KeyPressMsg{Code: tea.KeyTab}, "\t"},
		{tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}, "\x1b[Z"},
		{tea.KeyPressMsg{Code: tea.KeyEscape}, "\x1b"},
		{tea.KeyPressMsg{Code: tea.KeyBackspace}, "\x7f"},
		{tea.KeyPressMsg{Code: tea.KeyUp}, "\x1b[A"},
		{tea.KeyPressMsg{Code: tea.KeyLeft, Mod: tea.ModCtrl}, "\x1b[1;5D"},
		{tea.KeyPressMsg{Code: tea.KeyPgUp}, "\x1b[5~"},
		{tea.KeyPressMsg{Code: tea.KeyHome}, "\x1b[H"},
		{tea.KeyPressMsg{Code: tea.KeyDelete}, "\x1b[3~"},
		{tea.KeyPressMsg{Code: tea.KeyF1}, "\x1bOP"},
		{tea.KeyPressMsg{Code: tea.KeyF5}, "\x1b[15~"},
		{tea.KeyPressMsg{Code: tea.KeyF12, Mod: tea.ModShift}, "\x1b[24;2~"},
		{tea.KeyPressMsg{Code: ']', Mod: tea.ModCtrl}, "\x1d"},
	} {
		if got := string(term.EncodeKey(Key(c.key))); got != c.want {
			t.Errorf("%s sends %q, want %q", c.key, got, c.want)
		}
	}
	_, _ = term.Write([]byte("\x1b[?1h"))
	if got := string(term.EncodeKey(Key(tea.KeyPressMsg{Code: tea.KeyUp}))); got != "\x1bOA" {
		t.Errorf("with application cursor keys up sends %q", got)
	}
}
