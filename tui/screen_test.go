package tui_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/vt"
	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

var update = flag.Bool("update", false, "write the goldens anew")

// noon is when the tests happen.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

var sizes = []struct{ cols, rows int }{{80, 24}, {120, 40}, {160, 45}, {200, 60}}

// bench is a model on the scene.
func bench(t *testing.T, cols, rows int, change func(*fake.Door)) (*tui.Bench, *fake.Door) {
	t.Helper()
	d := fake.New("/home/u/webshop")
	d.Set(fake.Scene(noon))
	d.Fill()
	if change != nil {
		change(d)
	}
	b := tui.NewBench(d, noon, cols, rows, tui.Options{})
	t.Cleanup(b.Close)
	b.Settle()
	b.Frame()
	b.Frame() // the panes have their sizes now
	return b, d
}

// straight fails when a line of the screen is not exactly as wide as the screen,
// measured in clusters and, where the terminal does not group, in characters.
func straight(t *testing.T, content string, cols, rows int, grouped bool) {
	t.Helper()
	lines := strings.Split(content, "\n")
	if len(lines) != rows {
		t.Errorf("%d rows on a screen of %d", len(lines), rows)
	}
	for y, l := range lines {
		if w := cells.Width(l); w != cols {
			t.Errorf("row %d has %d columns of %d: %q", y, w, cols, l)
		}
		if w := ansi.WcWidth.StringWidth(l); !grouped && w != cols {
			t.Errorf("row %d has %d columns of %d on a terminal that does not group: %q", y, w, cols, l)
		}
	}
}

// picture is what the screen looks like, through the emulator.
func picture(content string, cols, rows int) string {
	term := vt.New(cols, rows, vt.Config{})
	_, _ = term.Write([]byte(strings.ReplaceAll(content, "\n", "\r\n")))
	return term.Text()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", name, got, want)
	}
}

func TestPictures(t *testing.T) {
	for _, s := range sizes {
		name := func(what string) string { return what + "-" + itoa(s.cols) + "x" + itoa(s.rows) }
		for what, do := range map[string]func(*tui.Bench){
			"asks":    func(*tui.Bench) {},
			"typing":  func(b *tui.Bench) { b.Wait(time.Second); b.Press("2", "i") },
			"threads": func(b *tui.Bench) { b.Press("t") },
			"talk":    func(b *tui.Bench) { b.Press("t", "enter") },
			"room":    func(b *tui.Bench) { b.Press("r", "enter") },
			"message": func(b *tui.Bench) { b.Press("m"); b.Write("please look 日本語 👩‍💻") },
			"zoom":    func(b *tui.Bench) { b.Press("z") },
			"help":    func(b *tui.Bench) { b.Press("?") },
		} {
			t.Run(name(what), func(t *testing.T) {
				b, _ := bench(t, s.cols, s.rows, nil)
				do(b)
				b.Frame()
				b.Frame()
				straight(t, b.Content(), s.cols, s.rows, false)
				golden(t, name(what), picture(b.Content(), s.cols, s.rows))
				b.Graphemes()
				straight(t, b.Content(), s.cols, s.rows, true)
			})
		}
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// TestEverySizeIsStraight goes through many sizes with everything on screen.
func TestEverySizeIsStraight(t *testing.T) {
	for _, cols := range []int{40, 41, 57, 80, 99, 100, 101, 133, 180, 243} {
		for _, rows := range []int{10, 11, 19, 20, 33, 34, 50, 71} {
			b, _ := bench(t, cols, rows, nil)
			straight(t, b.Content(), cols, rows, false)
			b.Press("m")
			straight(t, b.Content(), cols, rows, false)
			b.Press("esc", "L")
			straight(t, b.Content(), cols, rows, false)
			b.Press("L", "L", "L", "t")
			straight(t, b.Content(), cols, rows, false)
		}
	}
}

func TestASmallTerminalGetsASentence(t *testing.T) {
	b, _ := bench(t, 39, 9, nil)
	if text := picture(b.Content(), 39, 9); !strings.Contains(text, "ccmux needs 40×10") {
		t.Errorf("it says:\n%s", text)
	}
	straight(t, b.Content(), 39, 9, false)
	b.Send(tea.WindowSizeMsg{Width: 0, Height: 0}) // must not panic
}

func TestDrawingChangesNothing(t *testing.T) {
	for _, keys := range [][]string{{}, {"t"}, {"t", "enter"}, {"r"}, {"r", "enter"}, {"?"}, {"m"}, {"z"}, {"enter"}} {
		b, _ := bench(t, 120, 40, nil)
		b.Press(keys...)
		one, two := b.Redraw()
		if one != two {
			t.Errorf("after %v two drawings differ", keys)
		}
		if one != b.Content()+b.Title() {
			t.Errorf("after %v the screen shows something older", keys)
		}
	}
}

func TestCharacterSets(t *testing.T) {
	for name, env := range map[string][]string{
		"ascii":    {"LANG=C", "TERM=xterm"},
		"narrow":   {"LANG=ja_JP.UTF-8", "VTE_CJK_WIDTH=2", "TERM=xterm"},
		"no color": {"LANG=C.UTF-8", "NO_COLOR=1", "TERM=xterm"},
	} {
		t.Run(name, func(t *testing.T) {
			d := fake.New("/home/u/webshop")
			d.Set(fake.Scene(noon))
			d.Fill()
			b := tui.NewBench(d, noon, 120, 40, tui.Options{Env: env})
			defer b.Close()
			b.Settle()
			b.Frame()
			b.Frame()
			straight(t, b.Content(), 120, 40, false)
			text := picture(b.Content(), 120, 40)
			for _, r := range text {
				if name == "ascii" && r > 0x7e {
					t.Fatalf("there is a %q:\n%s", r, text)
				}
			}
			for _, word := range []string{"busy", "asks", "idle", "exited"} {
				if !strings.Contains(text, word) {
					t.Errorf("the word %s is missing", word)
				}
			}
			if name == "narrow" && ansiWide(text) {
				t.Errorf("a character of ambiguous width is left:\n%s", text)
			}
		})
	}
}

// ansiWide says whether text has a character that some terminals draw in two
// columns and others in one.
func ansiWide(text string) bool {
	for _, r := range text {
		if r >= 0x2500 && r <= 0x257f || r == '●' || r == '…' || r == '→' {
			return true
		}
	}
	return false
}

func TestEmptyAndBrokenStatesSayWhatToDo(t *testing.T) {
	b, _ := bench(t, 120, 40, func(d *fake.Door) { d.Set(&router.View{}) })
	text := picture(b.Content(), 120, 40)
	for _, want := range []string{"No session runs in webshop", "ccmux up frontend backend"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	straight(t, b.Content(), 120, 40, false)

	b, _ = bench(t, 160, 45, nil)
	text = picture(b.Content(), 160, 45)
	for _, want := range []string{"exited: code 1", "R starts it again", "· no push"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}

// TestSwitchingLeavesNothingBehind compares a screen after many switches with
// one drawn afresh.
func TestSwitchingLeavesNothingBehind(t *testing.T) {
	b, d := bench(t, 160, 45, nil)
	for i := range 100 {
		b.Press(string(rune('1'+i%4)), "z")
		d.Pane(fake.Docs).(*fake.Pane).Feed("line\r\n")
		b.Frame()
	}
	b.Press("1")
	b.Frame()
	b.Frame()
	fresh := tui.NewBench(d, noon, 160, 45, tui.Options{})
	defer fresh.Close()
	fresh.Press("1")
	fresh.Settle()
	fresh.Frame()
	fresh.Frame()
	if got, want := picture(b.Content(), 160, 45), picture(fresh.Content(), 160, 45); got != want {
		t.Errorf("after switching:\n%s\nfresh:\n%s", got, want)
	}
}

// TestPaintingChangesGivesTheSameAsPaintingAll follows a screen through many
// changes on one terminal, and compares with a fresh one each time.
func TestPaintingChangesGivesTheSameAsPaintingAll(t *testing.T) {
	for _, grouped := range []bool{false, true} {
		b, d := bench(t, 120, 40, nil)
		if grouped {
			b.Graphemes()
		}
		term := vt.New(120, 40, vt.Config{})
		for i, key := range strings.Fields("1 i ctrl+] 2 z z t down enter esc esc m esc L L b b ? esc r enter esc esc 3 4 1") {
			d.Pane(fake.Frontend).(*fake.Pane).Feed("\x1b[3" + itoa(i%8) + "mline 日本 ➡️ " + itoa(i) + "\x1b[m\r\n")
			b.Press(key)
			b.Frame()
			_, _ = term.Write([]byte(b.Paint()))
			if got, want := term.Text(), picture(b.Content(), 120, 40); got != want {
				t.Fatalf("after %q the terminal shows\n%s\nwant\n%s", key, got, want)
			}
		}
		if again := b.Paint(); again != "" {
			t.Errorf("nothing changed, and it paints %q", again)
		}
	}
}

func TestColoursFollowTheTerminal(t *testing.T) {
	for env, wrong := range map[string][]string{
		"TERM=xterm":                     {"38;5;", "38;2;", "48;5;"},
		"TERM=xterm-256color":            {"38;2;"},
		"TERM=xterm-256color NO_COLOR=1": {"38;5;", "38;2;", "[31m", "[32m", ";31m", ";34m"},
	} {
		d := fake.New("/w")
		d.Set(fake.Scene(noon))
		d.Fill()
		d.Pane(fake.Frontend).(*fake.Pane).Feed("\x1b[38;2;1;200;30mtrue\x1b[38;5;99mindexed\x1b[31mred\x1b[m")
		b := tui.NewBench(d, noon, 120, 40, tui.Options{Env: append(strings.Fields(env), "LANG=C.UTF-8")})
		b.Frame()
		out := b.Paint()
		for _, w := range wrong {
			if strings.Contains(out, w) {
				t.Errorf("%s gets %q", env, w)
			}
		}
		b.Settle()
		b.Close()
	}
}
