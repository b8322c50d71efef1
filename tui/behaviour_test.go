package tui_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

// logged waits for what was started and returns what the door was asked for.
func logged(b *tui.Bench, d *fake.Door) []string {
	b.Settle()
	return d.Log()
}

func text(b *tui.Bench) string { return picture(b.Content(), 120, 40) }

func TestACardIgnoresKeysUntilItStoodStill(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Press("a")
	if got := logged(b, d); len(got) != 0 {
		t.Fatalf("a key in the grace gave %q", got)
	}
	b.Wait(400 * time.Millisecond)
	b.Press("d") // the hands are not still: half a second more
	b.Wait(400 * time.Millisecond)
	b.Press("D")
	if got := logged(b, d); len(got) != 0 {
		t.Fatalf("a key in the grace gave %q", got)
	}
	b.Wait(500 * time.Millisecond)
	b.Press("a")
	if got := logged(b, d); !slices.Equal(got, []string{`answer r-12 allow scope="" why=""`}) {
		t.Fatalf("the door was asked %q", got)
	}
}

func TestTheNextCardHasAGraceOfItsOwn(t *testing.T) {
	b, d := bench(t, 120, 40, func(d *fake.Door) {
		d.OnAnswer = func(id string, _ wire.Behavior, _, _ string) { d.Set(fake.Answered(d.View(), id, noon)) }
	})
	b.Wait(time.Second)
	b.Press("s")
	b.Settle()
	b.Frame()
	if !strings.Contains(text(b), "frontend asks to change a file") {
		t.Fatalf("the second request is not on show:\n%s", text(b))
	}
	b.Press("a", "a", "a")
	if got := logged(b, d); len(got) != 1 {
		t.Fatalf("keys meant for the first request answered the second: %q", got)
	}
	b.Wait(time.Second)
	b.Press("d")
	want := []string{`answer r-12 allow scope="session" why=""`, `answer r-13 deny scope="" why=""`}
	if got := logged(b, d); !slices.Equal(got, want) {
		t.Fatalf("the door was asked %q", got)
	}
}

func TestACardNeverStealsAKeyFromAPane(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Wait(time.Second)
	b.Press("1", "i")
	b.Write("add a sad D A\r")
	p := d.Pane(fake.Frontend).(*fake.Pane)
	if got := p.Typed(); got != "add a sad D A\r" {
		t.Errorf("the pane got %q", got)
	}
	if got := logged(b, d); len(got) != 0 {
		t.Errorf("typing answered: %q", got)
	}
	if !strings.Contains(text(b), "ctrl+] then a allow") {
		t.Errorf("the card does not show its keys with the leader:\n%s", text(b))
	}
	b.Wait(time.Second)
	b.Press("ctrl+]", "a")
	if got := logged(b, d); !slices.Equal(got, []string{`answer r-13 allow scope="" why=""`}) {
		t.Errorf("the door was asked %q", got)
	}
	b.Write("x") // typing goes on after the chord
	if got := p.Typed(); !strings.HasSuffix(got, "\rx") {
		t.Errorf("the pane got %q", got)
	}
}

func TestTheLeader(t *testing.T) {
	b, d := bench(t, 120, 40, func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Permissions = nil
		d.Set(v)
	})
	p := d.Pane(fake.Frontend).(*fake.Pane)
	b.Press("1", "enter")
	b.Press("ctrl+]", "ctrl+]")
	if got := p.Typed(); got != "\x1d" {
		t.Errorf("the leader twice gave %q", got)
	}
	b.Press("ctrl+]")
	if !strings.Contains(text(b), "\n watching") {
		t.Errorf("it is not watching:\n%s", text(b))
	}
	b.Press("2")
	if b.Press("i"); !strings.Contains(text(b), "2 backend typing") {
		t.Errorf("it does not type into the second pane:\n%s", text(b))
	}
	b.Press("ctrl+]", "d")
	if !errors.Is(b.Left, tui.ErrDetached) {
		t.Errorf("leader d did not detach: %v", b.Left)
	}
}

func TestDenyWithAReasonAndAlways(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Wait(time.Second)
	b.Press("D")
	b.Write("use make test")
	b.Press("enter")
	b.Press("A")
	if !strings.Contains(text(b), "allow Bash for backend: =go test ./cart/...") {
		t.Errorf("the rule's text is not shown:\n%s", text(b))
	}
	b.Press("enter")
	got := logged(b, d)
	if len(got) != 3 || got[0] != `answer r-12 deny scope="" why="use make test"` ||
		!strings.Contains(got[1], "AddRule") || !strings.Contains(got[1], "Effect:allow Peer:backend Tool:Bash Pattern:=go test ./cart/...") ||
		got[2] != `answer r-12 allow scope="" why=""` {
		t.Errorf("the door was asked %q", got)
	}
}

func TestARuleThatIsRefusedAnswersNothing(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Wait(time.Second)
	d.Refuse(errors.New("the rule exists"))
	b.Press("A", "enter")
	if got := logged(b, d); len(got) != 1 {
		t.Errorf("the door was asked %q", got)
	}
	if !strings.Contains(text(b), "the rule was not made: the rule exists") {
		t.Errorf("it is not said:\n%s", text(b))
	}
}

func TestARequestOnlyThePaneCanAnswer(t *testing.T) {
	b, d := bench(t, 120, 40, func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Permissions = v.Permissions[:1]
		v.Permissions[0].InPane = true
		d.Set(v)
	})
	b.Wait(time.Second)
	if s := text(b); !strings.Contains(s, "asks in its pane") || strings.Contains(s, "a allow") {
		t.Errorf("the card is wrong:\n%s", s)
	}
	if s := text(b); !strings.Contains(s, "enter go to the pane") || !strings.Contains(s, "i type here") {
		t.Errorf("it does not say what enter does:\n%s", s)
	}
	b.Press("a")
	if !strings.Contains(text(b), "only the pane can answer") {
		t.Errorf("it does not say why:\n%s", text(b))
	}
	b.Press("enter")
	if s := text(b); strings.Contains(s, "typing") || strings.Contains(s, "go to the pane") || strings.Count(s, "enter type here") != 2 {
		t.Errorf("enter did not go to the pane, and no further:\n%s", s)
	}
	b.Press("enter")
	if !strings.Contains(text(b), "2 backend typing") {
		t.Errorf("enter in the pane that asks does not type:\n%s", text(b))
	}
	if got := logged(b, d); len(got) != 0 {
		t.Errorf("the door was asked %q", got)
	}
}

func TestOneDialogOfSeveralSessionsIsOneCard(t *testing.T) {
	b, _ := bench(t, 120, 40, func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Permissions = nil
		for i := 1; i < 4; i++ {
			v.Peers[i].Session.State, v.Peers[i].Session.Detail = router.NeedsYou, "load development channels"
		}
		d.Set(v)
	})
	if s := text(b); !strings.Contains(s, "3 sessions ask: load development channels") {
		t.Errorf("the card is:\n%s", s)
	}
}

func TestWhatIsNotOnScreenIsAnnounced(t *testing.T) {
	b, _ := bench(t, 120, 40, func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Permissions = []router.PermissionView{fake.Bash("r-1", fake.Backend, strings.Repeat("echo x\n", 60)+"rm -rf ~", "t-215", noon)}
		d.Set(v)
	})
	if s := text(b); !strings.Contains(s, "more lines space") {
		t.Errorf("the rest is not announced:\n%s", s)
	}
	for range 12 {
		b.Press("space")
	}
	if s := text(b); !strings.Contains(s, "rm -rf ~") {
		t.Errorf("the end cannot be read:\n%s", s)
	}
}

func TestHiddenCharactersAreWrittenOut(t *testing.T) {
	b, _ := bench(t, 120, 40, func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Permissions = []router.PermissionView{fake.Bash("r-1", fake.Backend, "echo safe\x1b[8m; rm -rf ~\u202e", "t-215", noon)}
		d.Set(v)
	})
	for _, want := range []string{"echo safe‹ESC›[8m; rm -rf ~‹U+202E›", "2 hidden characters"} {
		if !strings.Contains(text(b), want) {
			t.Errorf("%q is not there:\n%s", want, text(b))
		}
	}
}

func TestMessages(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Press("m")
	b.Write("hello")
	b.Press("ctrl+t", "enter")
	b.Press("m", "ctrl+u")
	b.Write("#u")
	b.Press("tab")
	b.Write("to all")
	b.Press("enter")
	got := logged(b, d)
	if len(got) != 2 || !strings.Contains(got[0], "To:[frontend]") || !strings.Contains(got[0], "Kind:task Content:hello") ||
		!strings.Contains(got[1], "Room:ui Kind:note Content:to all") {
		t.Errorf("the door was asked %q", got)
	}
	b.Press("m", "ctrl+u")
	b.Write("nobody")
	b.Press("enter")
	if !strings.Contains(text(b), "begin with @name") {
		t.Errorf("it does not say what is wrong:\n%s", text(b))
	}
}

// TestARefusedMessageKeepsItsText: the line comes back with what was typed and why.
func TestARefusedMessageKeepsItsText(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	d.Refuse(errors.New("no peer is named nobody"))
	b.Press("m", "ctrl+u")
	b.Write("@nobody a long text")
	b.Press("enter")
	b.Settle()
	if got := text(b); !strings.Contains(got, "@nobody a long text") || !strings.Contains(got, "no peer is named nobody") {
		t.Errorf("the text or the reason is gone:\n%s", got)
	}
	d.Refuse(nil)
	b.Press("enter")
	b.Settle()
	if got := text(b); strings.Contains(got, "no peer is named nobody") {
		t.Errorf("the line is still open after it was sent:\n%s", got)
	}
}

func TestParseMessage(t *testing.T) {
	for in, want := range map[string]string{
		"@a hi": "", "@a @b hi there": "", "#r hi": "", "@* x": "",
		"hi": "begin with", "@a": "no text", "@ hi": "name is missing", "#r @a x": "one room, or", "@a #r x": "one room, or",
	} {
		_, err := tui.ParseMessage(in, false)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestThreadsAnswerAndGoToThePane(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Press("t", "down", "enter")
	if !strings.Contains(text(b), "GET /cart") || !strings.Contains(text(b), "seen (it entered the conversation)") {
		t.Fatalf("the conversation is:\n%s", text(b))
	}
	b.Press("a")
	b.Write("also HEAD")
	b.Press("enter")
	if got := logged(b, d); len(got) != 1 || !strings.Contains(got[0], "To:[frontend]") || !strings.Contains(got[0], "TaskID:t-215") {
		t.Errorf("the door was asked %q", got)
	}
	b.Press("g")
	if s := text(b); !strings.Contains(s, "╭ 1 frontend") || strings.Contains(s, "╭ t-215") {
		t.Errorf("it did not go to the pane:\n%s", s)
	}
}

func TestReadingIsTold(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Press("r", "enter")
	got := logged(b, d)
	if len(got) != 1 || !strings.Contains(got[0], "Read") || !strings.Contains(got[0], "m-20 m-21") {
		t.Errorf("the door was asked %q", got)
	}
	b.Frame()
	if again := logged(b, d); len(again) != 1 {
		t.Errorf("it was told twice: %q", again)
	}
}

func TestSearch(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	d.Find(fake.Scene(noon).Threads[0].Messages)
	b.Press("/")
	b.Write("cart")
	b.Press("enter")
	b.Settle()
	if !strings.Contains(text(b), "Make the cart survive") {
		t.Errorf("nothing is found:\n%s", text(b))
	}
	b.Press("enter")
	if !strings.Contains(text(b), "╭ t-214") {
		t.Errorf("it does not open:\n%s", text(b))
	}
}

func TestCommands(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	for _, c := range []string{"restart back\t", "stop docs", "join qa frontend docs", "unrule rule-1", "layout rows"} {
		b.Press(":")
		for _, r := range c {
			if r == '\t' {
				b.Press("tab")
			} else {
				b.Write(string(r))
			}
		}
		b.Press("enter")
		b.Settle()
	}
	want := []string{"restart backend", "stop docs", "CreateRoom", "RemoveRule"}
	got := logged(b, d)
	for i, w := range want {
		if i >= len(got) || !strings.Contains(got[i], w) {
			t.Fatalf("the door was asked %q", got)
		}
	}
	b.Press(":")
	b.Write("fly")
	b.Press("enter")
	if !strings.Contains(text(b), `there is no command "fly"`) {
		t.Errorf("it does not say so:\n%s", text(b))
	}
}

func TestWhatCannotBeDoneSaysWhy(t *testing.T) {
	b, d := bench(t, 160, 45, nil)
	b.Press("4", "i")
	if s := picture(b.Content(), 160, 45); !strings.Contains(s, "this session does not run: R starts it") {
		t.Errorf("it does not say why:\n%s", s)
	}
	b.Press("R")
	if got := logged(b, d); !slices.Equal(got, []string{"start ops"}) {
		t.Errorf("the door was asked %q", got)
	}
}

func TestAScreenThatLooksChangesNothing(t *testing.T) {
	d := fake.New("/home/u/webshop")
	d.Set(fake.Scene(noon))
	d.Fill()
	b := tui.NewBench(d, noon, 120, 40, tui.Options{View: true})
	defer b.Close()
	b.Frame()
	b.Wait(time.Second)
	b.Press("a", "enter", "m", "R", "ctrl+]", "a", "r", "enter", "a", "esc", "x", "c", "esc", "esc", ":")
	b.Write("stop docs")
	b.Press("enter", "esc")
	b.Send(tea.MouseClickMsg{X: 50, Y: 5, Button: tea.MouseLeft})
	b.Write("x")
	if got := logged(b, d); len(got) != 0 {
		t.Errorf("the door was asked %q", got)
	}
	if p := d.Pane(fake.Frontend).(*fake.Pane); p.Typed() != "" || p.Shown() != 0 {
		t.Errorf("it typed %q, and counts for %d sizes", p.Typed(), p.Shown())
	}
}

func TestTheMouse(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Wait(time.Second)
	p := d.Pane(fake.Backend).(*fake.Pane)
	b.Send(tea.MouseClickMsg{X: 60, Y: 18, Button: tea.MouseLeft})
	b.Send(tea.MouseReleaseMsg{X: 60, Y: 18, Button: tea.MouseLeft})
	b.Write("hi")
	if p.Typed() != "hi" {
		t.Errorf("a click does not type: %q\n%s", p.Typed(), text(b))
	}
	p.Feed("\x1b[?1000h\x1b[?1006h")
	b.Frame()
	b.Send(tea.MouseClickMsg{X: 60, Y: 18, Button: tea.MouseLeft})
	if !strings.Contains(p.Typed(), "\x1b[<0;") {
		t.Errorf("a program that wants the mouse got %q", p.Typed())
	}
	b.Send(tea.MouseClickMsg{X: 3, Y: 2, Button: tea.MouseLeft}) // the first session
	if !strings.Contains(text(b), "\n watching") {
		t.Errorf("a click on the sidebar does not leave the pane:\n%s", text(b))
	}
	card := slices.IndexFunc(strings.Split(text(b), "\n"), func(l string) bool { return strings.HasPrefix(l, "│ a allow") })
	b.Send(tea.MouseClickMsg{X: 3, Y: card, Button: tea.MouseLeft})
	if got := logged(b, d); !slices.Equal(got, []string{`answer r-12 allow scope="" why=""`}) {
		t.Errorf("a click on allow asked %q", got)
	}
}

func TestSelectingCopies(t *testing.T) {
	b, _ := bench(t, 120, 40, nil)
	b.Send(tea.MouseClickMsg{X: 32, Y: 7, Button: tea.MouseLeft})
	b.Send(tea.MouseMotionMsg{X: 32 + 30, Y: 7, Button: tea.MouseLeft})
	b.Send(tea.MouseReleaseMsg{X: 32 + 30, Y: 7, Button: tea.MouseLeft})
	const want = "  ⎿  ok  日本語テスト ABC 한국어"
	if got := strings.Join(b.Out, ""); got != "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(want))+"\a" {
		t.Errorf("copied %q\n%s", got, text(b))
	}
}

func TestPaste(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	p := d.Pane(fake.Frontend).(*fake.Pane)
	b.Send(tea.PasteMsg{Content: "lost?"})
	if !strings.Contains(text(b), "enter types into the pane, then paste") || p.Typed() != "" {
		t.Errorf("a paste while watching gave %q", p.Typed())
	}
	b.Press("1", "i")
	b.Send(tea.PasteMsg{Content: "one\ntwo"})
	p.Feed("\x1b[?2004h")
	b.Frame()
	b.Send(tea.PasteMsg{Content: "three"})
	if got := p.Typed(); got != "one\rtwo\x1b[200~three\x1b[201~" {
		t.Errorf("the pane got %q", got)
	}
}

func TestAFullQueueIsSaid(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	d.Pane(fake.Frontend).(*fake.Pane).Full()
	b.Press("1", "i")
	b.Write("x")
	if !strings.Contains(text(b), "its queue is full") {
		t.Errorf("it is not said:\n%s", text(b))
	}
}

func TestTheHumanIsCalledWhenAway(t *testing.T) {
	b, d := bench(t, 120, 40, func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Permissions = nil
		d.Set(v)
	})
	b.Send(tea.BlurMsg{})
	d.Set(fake.Scene(noon))
	b.Frame()
	if len(b.Out) != 0 {
		t.Fatalf("called at once, though a rule may answer: %v", b.Out)
	}
	b.Wait(b.Ticks.Sub(b.Now))
	if len(b.Out) != 1 {
		t.Fatalf("nobody was called: %v", b.Out)
	}
	b.Frame()
	if len(b.Out) != 1 {
		t.Errorf("called twice for the same: %v", b.Out)
	}
	if got := b.Title(); got != "(1) ccmux webshop" {
		t.Errorf("the title is %q", got)
	}
}

// TestWhatARuleAnswersCallsNobody: its card does not even come up, unless the
// session does not take the answer.
func TestWhatARuleAnswersCallsNobody(t *testing.T) {
	calm := fake.Scene(noon)
	calm.Permissions = nil
	b, d := bench(t, 120, 40, func(d *fake.Door) { d.Set(calm) })
	b.Send(tea.BlurMsg{})
	v := fake.Scene(noon)
	v.Permissions = v.Permissions[:1]
	open := *v
	open.Permissions = slices.Clone(v.Permissions)
	d.Set(&open) // as it was before the rule's answer was on record
	b.Frame()
	v.Permissions[0].Answered = &router.PermissionAnswered{Behavior: "allow", By: router.Actor{Kind: router.ByRule, Rule: "rule-1"}}
	d.Set(v)
	b.Frame()
	if s := text(b); strings.Contains(s, "asks to run a command") || len(b.Out) != 0 {
		t.Errorf("what a rule answered is shown or called out: %q\n%s", b.Out, s)
	}
	for end := b.Now.Add(6 * time.Second); b.Now.Before(end); {
		b.Wait(max(b.Ticks.Sub(b.Now), time.Millisecond))
	}
	if s := text(b); !strings.Contains(s, "allowed by rule rule-1; not confirmed") {
		t.Errorf("an answer without effect is not shown:\n%s", s)
	}
	if len(b.Out) != 0 {
		t.Errorf("the human was called: %q", b.Out)
	}
}

// TestGoingToASessionShowsWhatItAsks: by its number and by n, with a grace.
func TestGoingToASessionShowsWhatItAsks(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Wait(time.Second)
	b.Press("1", "a")
	if s := text(b); !strings.Contains(s, "frontend asks to change a file") {
		t.Errorf("1 does not show what frontend asks:\n%s", s)
	}
	if got := logged(b, d); len(got) != 0 {
		t.Errorf("the card has no grace: %q", got)
	}
	b.Press("3", "n")
	if s := text(b); !strings.Contains(s, "backend asks to run a command") {
		t.Errorf("n does not show what backend asks:\n%s", s)
	}
	b.Wait(time.Second)
	b.Press("a")
	if got := logged(b, d); !slices.Equal(got, []string{`answer r-12 allow scope="" why=""`}) {
		t.Errorf("the door was asked %q", got)
	}
}

// TestNoKeyOfACardIsDropped: a small terminal breaks the line of keys.
func TestNoKeyOfACardIsDropped(t *testing.T) {
	for _, size := range [][2]int{{45, 14}, {60, 20}, {80, 24}, {160, 45}} {
		b, d := bench(t, size[0], size[1], nil)
		b.Wait(time.Second)
		for _, typing := range []bool{false, true} {
			if typing {
				b.Press("2", "i")
				b.Wait(time.Second)
			}
			s := picture(b.Content(), size[0], size[1])
			for _, k := range []string{"a allow", "s ", "A always", "d deny", "D "} {
				if !strings.Contains(s, " "+k) {
					t.Errorf("%v, typing %v: %q is not on the card:\n%s", size, typing, k, s)
				}
			}
		}
		if got := logged(b, d); len(got) != 0 {
			t.Errorf("the door was asked %q", got)
		}
	}
}

func TestNewsOfCcmuxIsToldOnce(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	v := *d.View()
	v.News = []string{"ccmux.toml has changed"}
	d.Set(&v)
	b.Frame()
	if !strings.Contains(text(b), "ccmux.toml has changed") {
		t.Errorf("it is not told:\n%s", text(b))
	}
	b.Wait(time.Minute)
	b.Frame()
	if strings.Contains(text(b), "ccmux.toml has changed") {
		t.Errorf("it stays:\n%s", text(b))
	}
}

// TestOnceIsNotOfferedAsTheSession: where claude suggests nothing that lasts.
func TestOnceIsNotOfferedAsTheSession(t *testing.T) {
	b, d := bench(t, 120, 40, func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Permissions[0].Lasting = false
		d.Set(v)
	})
	b.Wait(time.Second)
	if s := text(b); strings.Contains(s, "allow this session") {
		t.Errorf("it is offered:\n%s", s)
	}
	b.Press("s")
	if got := logged(b, d); len(got) != 0 || !strings.Contains(text(b), "a allows it once") {
		t.Errorf("the door was asked %q:\n%s", got, text(b))
	}
}

func TestTheClockIsLookedAtOnlyWhenSomethingAges(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Wait(time.Second)
	if got := b.Ticks.Sub(b.Now); got <= 0 || got > time.Second {
		t.Errorf("with an age under a minute the next look is in %v", got)
	}
	v := fake.Scene(noon.Add(-time.Hour))
	v.Permissions = nil
	d.Set(v)
	b.Frame()
	if got := b.Ticks.Sub(b.Now); got <= time.Second || got > time.Minute {
		t.Errorf("with old ages only the next look is in %v", got)
	}
	d.Set(&router.View{})
	b.Frame()
	b.Wait(time.Minute)
	if !b.Ticks.IsZero() {
		t.Errorf("with nothing on screen that ages it looks at %v", b.Ticks)
	}
}

func TestReadFileTakesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	fifo, file := filepath.Join(dir, "fifo"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := tui.ReadFile(fifo); f.Err == nil {
		t.Error("a fifo was read")
	}
	if f := tui.ReadFile(dir); f.Err == nil {
		t.Error("a folder was read")
	}
	if f := tui.ReadFile(filepath.Join(dir, "none")); f.Exists || f.Err != nil {
		t.Errorf("a missing file gave %+v", f)
	}
	if f := tui.ReadFile(file); f.Text != "text" || f.Err != nil {
		t.Errorf("a file gave %+v", f)
	}
}

func TestARoomTakesThePlaceOfWhoWasGuessed(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Press("m", "#")
	b.Write("ui freeze at five")
	b.Press("enter")
	if got := logged(b, d); len(got) != 1 || !strings.Contains(got[0], "Room:ui") || strings.Contains(got[0], "To:[frontend]") {
		t.Errorf("the door was asked %q\n%s", got, text(b))
	}
}
