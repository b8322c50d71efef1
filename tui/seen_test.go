package tui_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/approvals"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

// different is a text of n characters, no two alike and none of them elsewhere on
// the screen: what was on screen of it can be told from the characters.
func different(first rune, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteRune(first + rune(i))
	}
	return b.String()
}

// inputs are commands of several lengths and shapes.
var inputs = []string{
	different('一', 3), different('一', 80), different('一', 150),
	strings.Join(strings.Split(different('一', 25), ""), "\n"),
}

// watched notes what of a text was on screen.
type watched struct {
	left map[rune]bool
	all  string
}

func watch(text string) *watched {
	w := &watched{left: map[rune]bool{}, all: text}
	for _, r := range text {
		if r > 0x2fff {
			w.left[r] = true
		}
	}
	return w
}

func (w *watched) look(screen string) {
	for _, r := range screen {
		delete(w.left, r)
	}
}

// asking has backend ask for a command in a folder.
func asking(n int, command, dir string) *router.View {
	v := fake.Scene(noon)
	p := fake.Bash(fmt.Sprintf("r-%d", n), fake.Backend, command, "t-215", noon)
	p.Dir = dir
	v.Permissions = []router.PermissionView{p}
	return v
}

// TestEveryRowIsSeenBeforeYesCounts: at every size at least a row of the request
// is on screen, space shows all of it in the end, and no allowing key counts
// before that.
func TestEveryRowIsSeenBeforeYesCounts(t *testing.T) {
	b, d := bench(t, 40, 10, nil)
	n := 0
	everySize(func(cols, rows int) {
		for i, command := range inputs {
			n++
			d.Set(asking(n, command, "/w/"+different('가', 1+cols%40)))
			b.Send(tea.WindowSizeMsg{Width: cols, Height: rows})
			yes := []string{"a", "s"}[i%2]
			typing := n%3 == 0
			if typing {
				b.Press("i")
			}
			b.Frame()
			b.Wait(time.Second)
			readThrough(t, b, d, watch(command+different('가', 1+cols%40)), yes, typing)
			if t.Failed() {
				t.Fatalf("at %dx%d with input %d:\n%s", cols, rows, i, picture(b.Content(), cols, rows))
			}
			if typing {
				b.Press("ctrl+]", "esc")
			}
		}
	})
}

var allSizes = flag.Bool("all-sizes", false, "leave out no size of the screen")

// everySize goes through the sizes the program accepts: all that are tight, and
// some of the others.
func everySize(do func(cols, rows int)) {
	step := func(n, tight, by int) int {
		if n < tight || *allSizes {
			return n + 1
		}
		return n + by
	}
	for cols := 40; cols <= 120; cols = step(cols, 43, 19) {
		for rows := 10; rows <= 40; rows = step(rows, 12, 7) {
			do(cols, rows)
		}
	}
}

// readThrough presses yes after each space, until it counts.
func readThrough(t *testing.T, b *tui.Bench, d *fake.Door, w *watched, yes string, typing bool) {
	t.Helper()
	press := func(key string) {
		if typing {
			b.Press("ctrl+]")
		}
		b.Press(key)
	}
	all := len(w.left)
	w.look(b.Content())
	if len(w.left) == all {
		t.Error("nothing of the request is on screen")
	}
	for presses := 0; ; presses++ {
		before := len(d.Log())
		press(yes)
		b.Settle()
		if len(d.Log()) > before {
			break
		}
		if presses > len(w.all) {
			t.Errorf("after %d times space, yes does not count; unseen: %d", presses, len(w.left))
			return
		}
		press("space")
		w.look(b.Content())
	}
	if len(w.left) > 0 {
		t.Errorf("allowed with %d characters of %d unseen", len(w.left), all)
	}
}

// TestAFolderOfItsOwnRowIsReached: where the folder does not fit beside the
// command, it is below.
func TestAFolderOfItsOwnRowIsReached(t *testing.T) {
	b, d := bench(t, 40, 12, nil)
	d.Set(asking(1, "go test ./... -run TestOfSomeLength", "/w/of/a/folder"))
	b.Frame()
	for range 4 {
		if strings.Contains(picture(b.Content(), 40, 12), "in /w/of/a/folder") {
			return
		}
		b.Press("space")
	}
	t.Errorf("the folder is not shown:\n%s", picture(b.Content(), 40, 12))
}

// TestADialogIsReadBeforeItIsAnswered: the same for what a pane asks.
func TestADialogIsReadBeforeItIsAnswered(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {40, 16}, {80, 24}, {120, 14}} {
		q := approvals.Dialog{Name: "question", Title: "Which?", Rows: []string{"this", "that"}}
		for i := range 12 {
			q.Text = append(q.Text, different('一'+rune(20*i), 15))
		}
		b, d := bench(t, size[0], size[1], needing(q))
		b.Wait(time.Second)
		w := watch(strings.Join(q.Text, ""))
		all := len(w.left)
		w.look(b.Content())
		if len(w.left) == all {
			t.Errorf("nothing of it is on screen:\n%s", picture(b.Content(), size[0], size[1]))
		}
		for range 30 {
			b.Press("1")
			if log := logged(b, d); len(log) > 0 && len(w.left) > 0 {
				t.Errorf("at %v it was answered unread: %q", size, log)
			}
			b.Press("space")
			w.look(b.Content())
		}
		if size[1] > 10 && len(d.Log()) == 0 {
			t.Errorf("at %v it cannot be answered:\n%s", size, picture(b.Content(), size[0], size[1]))
		}
	}
}

// TestACardThatIsNotOnScreenTakesNoKey: a line or a view may take its place where
// there is little room, and the terminal may be too small for anything.
func TestACardThatIsNotOnScreenTakesNoKey(t *testing.T) {
	b, d := bench(t, 40, 10, nil)
	b.Wait(time.Second)
	for _, open := range []string{"?", "m", "t", "r", ":"} {
		b.Press(open)
		if s := picture(b.Content(), 40, 10); strings.Contains(s, "a allow") != strings.Contains(s, "go test ./cart/") {
			t.Errorf("after %s the card shows its keys without what they answer:\n%s", open, s)
		}
		if s := picture(b.Content(), 40, 10); strings.Contains(s, "a allow") {
			b.Press("esc")
			continue
		}
		for _, k := range []string{"a", "s", "d"} {
			b.Press("ctrl+]", k)
			if s := picture(b.Content(), 40, 10); !strings.Contains(s, "esc first") {
				t.Errorf("after %s, %s says nothing:\n%s", open, k, s)
			}
		}
		b.Press("esc")
		b.Press("a") // it came back just now
		b.Wait(time.Second)
	}
	b.Send(tea.WindowSizeMsg{Width: 39, Height: 9})
	b.Press("a")
	b.Send(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.Press("a")
	if log := slices.DeleteFunc(logged(b, d), func(s string) bool { return !strings.HasPrefix(s, "answer") }); len(log) > 0 {
		t.Errorf("it was answered: %q", log)
	}
}

// TestHelpIsReadInFull: at the smallest size help has room and cuts no sentence.
func TestHelpIsReadInFull(t *testing.T) {
	b, _ := bench(t, 40, 10, nil)
	b.Press("?")
	var all strings.Builder
	for range 120 {
		s := strings.Split(picture(b.Content(), 40, 10), "\n")
		for _, row := range s[2:7] { // the last one may say how many are below
			all.WriteString(strings.Trim(row, "│ ") + " ")
			if strings.HasSuffix(strings.TrimRight(row, "│ "), "…") {
				t.Fatalf("a sentence is cut:\n%s", strings.Join(s, "\n"))
			}
		}
		for range 5 {
			b.Press("down")
		}
	}
	for _, want := range []string{
		"There are two modes, named at the bottom left. Watching: keys steer ccmux.",
		"let it run, and the same again in this session", "no push: channels are off", "moves it; ctrl and a click",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is nowhere in the help", want)
		}
	}
}
