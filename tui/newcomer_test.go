package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

// bottom is the last line of the screen.
func bottom(b *tui.Bench) string {
	lines := strings.Split(strings.TrimRight(b.Content(), "\n"), "\n")
	return strings.TrimSpace(picture(lines[len(lines)-1], 120, 1))
}

// TestEnterMeansWhatTheScreenSays: with a request on show from another pane enter
// goes there and nothing else does; what it means stands on the card and the bar.
func TestEnterMeansWhatTheScreenSays(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	if s := bottom(b); !strings.Contains(s, "enter type here") {
		t.Errorf("a request that has just come changed what enter does: %s", s)
	}
	b.Wait(time.Second)
	if s := text(b); !strings.Contains(s, "enter go to the pane") || !strings.Contains(bottom(b), "i type here") {
		t.Errorf("the screen does not say what enter does:\n%s", s)
	}
	b.Press("i")
	b.Write("x")
	if got := d.Pane(fake.Frontend).(*fake.Pane).Typed(); got != "x" {
		t.Errorf("i types %q", got)
	}
	// From typing by the leader: the pane that asks is gone to, and not typed into.
	b.Press("ctrl+]", "enter")
	b.Write("z")
	if got := d.Pane(fake.Backend).(*fake.Pane).Typed(); got != "" {
		t.Errorf("the pane that asks got %q", got)
	}
	b.Press("z")
	if s := text(b); !strings.Contains(bottom(b), "enter type here") || strings.Contains(s, "go to the pane") {
		t.Errorf("at the pane that asks enter should type:\n%s", s)
	}
	b.Press("enter")
	b.Write("y")
	if got := d.Pane(fake.Backend).(*fake.Pane).Typed(); got != "y" {
		t.Errorf("the pane that asks got %q", got)
	}
}

// TestKeysThatMeanNothingSayWhatDoes: no key while watching is silent, and the
// leader does not type.
func TestKeysThatMeanNothingSayWhatDoes(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	for _, key := range []string{"ctrl+c", "e", "f5"} {
		b.Press(key)
		if s := bottom(b); !strings.Contains(s, key+" does nothing here") || !strings.Contains(s, "q detaches, ? shows every key") {
			t.Errorf("%s: %s", key, s)
		}
	}
	b.Press("ctrl+]", "ctrl+]")
	if s := bottom(b); !strings.HasPrefix(s, "watching") {
		t.Errorf("the leader while watching: %s", s)
	}
	if got := d.Pane(fake.Frontend).(*fake.Pane).Typed(); got != "" {
		t.Errorf("it typed %q", got)
	}
	b.Press("t", "ctrl+c")
	if s := bottom(b); !strings.Contains(s, "esc goes back") {
		t.Errorf("in a view: %s", s)
	}
}

// TestAScreenThatOnlyLooksOffersNothingElse.
func TestAScreenThatOnlyLooksOffersNothingElse(t *testing.T) {
	d := fake.New("/home/u/webshop")
	d.Set(fake.Scene(noon))
	b := tui.NewBench(d, noon, 120, 40, tui.Options{View: true})
	t.Cleanup(b.Close)
	b.Wait(time.Second)
	s := text(b)
	for _, word := range []string{"type here", "m message", "a allow"} {
		if strings.Contains(s, word) {
			t.Errorf("it offers %q:\n%s", word, s)
		}
	}
}

// TestALineSaysWhatEnterDoesWithIt.
func TestALineSaysWhatEnterDoesWithIt(t *testing.T) {
	for key, word := range map[string]string{"/": "enter search", ":": "enter run", "m": "enter send"} {
		b, _ := bench(t, 120, 40, nil)
		b.Press(key)
		if s := bottom(b); !strings.Contains(s, word) {
			t.Errorf("%s: %s", key, s)
		}
	}
}

// crowd is the scene with n idle sessions.
func crowd(n int) func(*fake.Door) {
	return func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Peers, v.Permissions = v.Peers[:2], nil
		for i := range n - 1 {
			p := v.Peers[1]
			p.ID, p.Name = router.PeerID(fmt.Sprintf("p-c%d", i+2)), fmt.Sprintf("worker%02d", i+2)
			p.Session = router.SessionView{State: router.Idle, Since: noon, Route: wire.RouteChannel}
			v.Peers = append(v.Peers, p)
		}
		d.Set(v)
	}
}

// TestMoreSessionsThanFit: what is left out is counted, the chosen one is always
// in sight, and a click hits what it shows.
func TestMoreSessionsThanFit(t *testing.T) {
	b, _ := bench(t, 80, 24, crowd(12))
	demo := func(d *fake.Door) {
		crowd(2)(d)
		v := *d.View()
		v.Peers[2].Name, v.Peers[2].Session.State = "backend", router.Asks
		v.Peers[0].Unread, v.Threads = 2, v.Threads[:1]
		v.Threads[0].Open = true
		d.Set(&v)
	}
	two, _ := bench(t, 80, 24, demo)
	if s, _, _ := strings.Cut(picture(two.Content(), 80, 24), "\n"); !strings.Contains(s, "2 backend ◆ asks ") || !strings.Contains(s, "2 new for you") {
		t.Errorf("two tabs are %q", s)
	}
	top := func() string {
		line, _, _ := strings.Cut(picture(b.Content(), 80, 24), "\n")
		return line
	}
	if s := top(); !strings.Contains(s, "1 frontend") || !strings.Contains(s, "+9 more") || strings.Contains(s, "+0") {
		t.Errorf("the tabs are %q", s)
	}
	for range 7 {
		b.Press("tab")
	}
	s := top()
	if !strings.Contains(s, "8 worker08") || !strings.HasPrefix(s, " +") || !strings.Contains(s, " more") {
		t.Errorf("the tabs are %q", s)
	}
	for range 4 {
		b.Press("tab")
	}
	if s = top(); !strings.Contains(s, "worker12") || strings.Contains(s, "more") {
		t.Errorf("at the last one the tabs are %q", s)
	}
	before, _, _ := strings.Cut(s, "worker11")
	b.Send(tea.MouseClickMsg{X: utf8.RuneCountInString(before) + 1, Y: 0, Button: tea.MouseLeft})
	if s := picture(b.Content(), 80, 24); !strings.Contains(s, "─ worker11 ─") {
		t.Errorf("a click on the tab of worker11 shows:\n%s", s)
	}

	b, _ = bench(t, 120, 40, crowd(60))
	for range 39 {
		b.Press("tab")
	}
	if s := text(b); !strings.Contains(s, "│   worker40") || !strings.Contains(s, "more above") || strings.Contains(s, "│ 1 frontend") {
		t.Errorf("the chosen one is not in the sidebar:\n%s", s)
	}
}

// TestAFailureIsNotTicked: an answer that says the work failed is shown as that,
// in the sidebar and in the conversation.
func TestAFailureIsNotTicked(t *testing.T) {
	b, _ := bench(t, 120, 40, func(d *fake.Door) {
		v := fake.Scene(noon)
		th := &v.Threads[2]
		th.Messages[1].InReplyTo, th.Messages[1].Status = th.Messages[0].ID, wire.StatusFailed
		d.Set(v)
	})
	if s := text(b); !strings.Contains(s, "t-217 →docs  failed 3m") {
		t.Errorf("the sidebar:\n%s", s)
	}
	b.Press("t", "down", "down", "enter")
	if s := text(b); strings.Contains(s, "✓ answered") || !strings.Contains(s, "✕ answered: failed") {
		t.Errorf("the conversation:\n%s", s)
	}
}

// TestTroubleIsOnTheScreen: what else is seen only in ls and doctor.
func TestTroubleIsOnTheScreen(t *testing.T) {
	b, d := bench(t, 120, 40, func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Permissions = nil
		s := &v.Peers[1].Session
		s.Route, s.RouteWhy = wire.RouteHook, "channels are off"
		d.Set(v)
	})
	if s := text(b); !strings.Contains(s, "│   by hook only              │") || strings.Contains(s, "channels a") {
		t.Errorf("the detour of frontend is not shown:\n%s", s)
	}
	b.Press("?")
	if s := text(b); !strings.Contains(s, "by hook only: channels are off") {
		t.Errorf("the reason is not in the help:\n%s", s)
	}
	b.Press("esc")
	v := *d.View()
	v.Storage = "nothing can be recorded: disk full"
	d.Set(&v)
	b.Frame()
	if s, _, _ := strings.Cut(text(b), "\n"); !strings.Contains(s, "nothing can be recorded: disk full") {
		t.Errorf("the top line is %q", s)
	}
}

// TestAFreshConversationIsSaid where one was to be resumed.
func TestAFreshConversationIsSaid(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	v := *d.View()
	v.Peers = append([]router.PeerView(nil), v.Peers...)
	s := &v.Peers[1].Session
	s.Said, s.Started, s.State = "there is no transcript of the earlier conversation: a fresh one begins", noon, router.Idle
	d.Set(&v)
	b.Frame()
	if s := text(b); !strings.Contains(bottom(b), "frontend: there is no transcript of the earlier") || !strings.Contains(s, "│   began anew: there is no ") && !strings.Contains(s, "owes") {
		t.Errorf("it is not said:\n%s", s)
	}
	b.Wait(10 * time.Second)
	if strings.Contains(bottom(b), "transcript") {
		t.Errorf("it stays: %s", bottom(b))
	}
}

// TestAZoomedPaneSaysThatItLooksBack, as one with a frame does.
func TestAZoomedPaneSaysThatItLooksBack(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	b.Press("z")
	d.Pane(fake.Frontend).(*fake.Pane).Feed(strings.Repeat("a line\r\n", 200))
	b.Frame()
	b.Send(tea.MouseWheelMsg{X: 20, Y: 20, Button: tea.MouseWheelUp})
	if s := text(b); !strings.Contains(s, "3 lines above the end") {
		t.Errorf("it does not say so:\n%s", s)
	}
}

// TestInsideTmuxClustersStayWhole where tmux joins them.
func TestInsideTmuxClustersStayWhole(t *testing.T) {
	for name, want := range map[string]string{"TMUX=/tmp/tmux-0/default,1,0": "👩‍💻|", "TERM_PROGRAM=other": "👩|"} {
		d := fake.New("/home/u/webshop")
		d.Set(fake.Scene(noon))
		b := tui.NewBench(d, noon, 120, 40, tui.Options{Env: []string{"TERM=screen-256color", "LANG=C.UTF-8", name}})
		t.Cleanup(b.Close)
		b.Press("m")
		b.Write("👩‍💻|")
		if s := b.Content(); !strings.Contains(s, want) {
			t.Errorf("%s: the line has no %q", name, want)
		}
	}
}

// TestSearchGoesOn to older messages than the first page holds.
func TestSearchGoesOn(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	var all []router.MessageView
	for i := range 70 {
		m := router.MessageView{Message: router.Message{ID: router.MessageID(fmt.Sprintf("m-%d", i)), From: fake.Frontend, Thread: "t-214", Kind: wire.KindNote, Content: fmt.Sprintf("cart number-%02d", i), At: noon}}
		all = append(all, m)
	}
	d.Find(all)
	b.Press("/")
	b.Write("cart")
	b.Press("enter")
	b.Settle()
	if s := text(b); !strings.Contains(s, "number-00") || !strings.Contains(bottom(b), "n older ones") {
		t.Errorf("the first page:\n%s", s)
	}
	b.Press("n")
	b.Settle()
	if s := text(b); !strings.Contains(s, "number-50") || strings.Contains(s, "number-49") {
		t.Errorf("the second page:\n%s", s)
	}
	b.Press("up")
	if s := text(b); !strings.Contains(s, "number-49") {
		t.Errorf("the first page is gone:\n%s", s)
	}
	b.Press("n")
	if s := bottom(b); !strings.Contains(s, "there are no others") {
		t.Errorf("after the last page: %s", s)
	}
}

// TestAnAnswerCanAskBackOrFail, and goes to the task that was chosen.
func TestAnAnswerCanAskBackOrFail(t *testing.T) {
	for _, c := range []struct {
		name   string
		keys   []string // in the conversation
		turns  int
		status wire.Status
		task   string
	}{
		{"the newest is answered when none is chosen", nil, 0, wire.StatusComplete, "m-y2"},
		{"asks back", nil, 1, wire.StatusNeedsContext, "m-y2"},
		{"failed, and another task", []string{"up", "up"}, 2, wire.StatusFailed, "m-y1"},
		{"all the way round", nil, 3, wire.StatusComplete, "m-y2"},
	} {
		b, d := bench(t, 120, 40, func(d *fake.Door) {
			v := fake.Scene(noon)
			th := v.Threads[1]
			th.ID, th.Parent, th.From, th.To, th.Owes, th.Messages = "t-300", "", fake.Frontend, []router.PeerID{router.Human}, nil, nil
			for i, id := range []router.MessageID{"m-y1", "m-y2", "m-y3"} {
				m := router.MessageView{Message: router.Message{ID: id, From: fake.Frontend, To: th.To, Thread: th.ID, Kind: wire.KindTask, Content: "do " + string(id), At: noon}}
				if id == "m-y3" {
					m.Kind = wire.KindNote
				} else {
					th.Owes = append(th.Owes, router.Obligation{Message: id, By: router.Human, To: fake.Frontend, Since: noon.Add(time.Duration(i) * time.Second)})
				}
				th.Messages = append(th.Messages, m)
			}
			v.Threads, v.Permissions = []router.ThreadView{th}, nil
			d.Set(v)
		})
		b.Press("t", "enter")
		b.Press(c.keys...)
		b.Press("a")
		for range c.turns {
			b.Press("ctrl+t")
		}
		if s := text(b); !strings.Contains(s, answerWords[c.status]+" · ctrl+t changes") || !strings.Contains(bottom(b), "enter answer") {
			t.Errorf("%s: the line does not say what it is:\n%s", c.name, s)
		}
		b.Write("here")
		b.Press("enter")
		got := logged(b, d)
		last := got[len(got)-1]
		if !strings.Contains(last, "Status:"+string(c.status)) || !strings.Contains(last, "InReplyTo:"+c.task) {
			t.Errorf("%s: the door was asked %q", c.name, last)
		}
	}
}

var answerWords = map[wire.Status]string{wire.StatusComplete: "done", wire.StatusNeedsContext: "needs more from the asker", wire.StatusFailed: "failed"}
