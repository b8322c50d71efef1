package draw

import (
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/theme"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func context() Context {
	return NewContext(theme.New(colorprofile.TrueColor, true, false), &router.View{}, noon, "/home/u")
}

// thread has one message of a kind with a delivery in each state.
func thread(open bool, kind wire.Kind, states ...wire.Delivery) router.ThreadView {
	m := router.MessageView{Message: router.Message{Kind: kind}}
	for _, s := range states {
		m.Deliveries = append(m.Deliveries, router.Delivery{State: s})
	}
	return router.ThreadView{Open: open, State: states[0], Since: noon.Add(-time.Minute), Updated: noon.Add(-2 * time.Minute), Messages: []router.MessageView{m}}
}

func TestAThreadNeverClaimsMoreThanTheView(t *testing.T) {
	for _, c := range []struct {
		t    router.ThreadView
		want string
	}{
		{thread(false, wire.KindNote, wire.Written), "written"},
		{thread(false, wire.KindNote, wire.Waiting), "waiting"},
		{thread(false, wire.KindNote, wire.Offered), "offered"},
		{thread(false, wire.KindNote, wire.Seen), "seen 1m"},
		{thread(false, wire.KindNote, wire.Offered, wire.Seen), "seen 1/2"},
		{thread(true, wire.KindTask, wire.Offered), "offered"},
		{thread(true, wire.KindTask, wire.Seen), "seen 1m"},
		{thread(true, wire.KindTask, wire.Held), "held"},
		{thread(true, wire.KindTask, wire.Seen, wire.Answered), "seen 2/2"},
		{thread(false, wire.KindReply, wire.Written), "done 2m"},
		{thread(false, wire.KindNote, wire.Refused), "refused"},
	} {
		if got, _ := context().Delivery(c.t, false); got != c.want {
			t.Errorf("%v of %s: %q, want %q", c.t.State, c.t.Messages[0].Kind, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		owed    int
		replies []wire.Status
		want    string
	}{
		"answered":           {0, []wire.Status{wire.StatusComplete}, "done 2m"},
		"failed":             {0, []wire.Status{wire.StatusFailed}, "failed 2m"},
		"one of three":       {2, []wire.Status{wire.StatusComplete}, "done 1/3"},
		"one of two failed":  {0, []wire.Status{wire.StatusComplete, wire.StatusFailed}, "failed 1/2"},
		"failed, then asked": {1, []wire.Status{wire.StatusFailed}, "failed 1/2"},
		"asked back":         {1, []wire.Status{wire.StatusNeedsContext}, "seen 1m"},
	} {
		th := thread(c.owed > 0, wire.KindTask, wire.Seen)
		th.Messages[0].ID = "m-0"
		for i, s := range c.replies {
			m := thread(false, wire.KindReply, wire.Written).Messages[0]
			m.From, m.InReplyTo, m.Status = router.PeerID(rune('a'+i)), "m-0", s
			th.Messages = append(th.Messages, m)
		}
		th.Owes = make([]router.Obligation, c.owed)
		if got, _ := context().Delivery(th, false); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// Five notes, of which the first was not seen: the last one's state is not the thread's.
	notes := thread(false, wire.KindNote, wire.Offered)
	notes.Messages = append(notes.Messages, thread(false, wire.KindNote, wire.Seen).Messages...)
	if got, _ := context().Delivery(notes, false); got != "seen 1/2" {
		t.Errorf("notes: %q", got)
	}
	if got, _ := context().Delivery(thread(true, wire.KindTask, wire.Seen), true); got != "asks" {
		t.Errorf("%q", got)
	}
}

func TestAgesSayWhenTheyChange(t *testing.T) {
	for _, c := range []struct {
		ago  time.Duration
		want string
		tick time.Duration
	}{
		{0, "0s", time.Second},
		{1500 * time.Millisecond, "1s", 500 * time.Millisecond},
		{59 * time.Second, "59s", time.Second},
		{time.Minute, "1m", time.Minute},
		{90 * time.Second, "1m", 30 * time.Second},
		{3 * time.Hour, "3h", time.Minute},
		{72 * time.Hour, "3d", 0},
		{-time.Second, "0s", time.Second},
	} {
		x := context()
		if got := x.Age(noon.Add(-c.ago)); got != c.want {
			t.Errorf("%v ago is %q, want %q", c.ago, got, c.want)
		}
		tick := time.Duration(0)
		if !x.Tick().IsZero() {
			tick = x.Tick().Sub(noon)
		}
		if tick != c.tick {
			t.Errorf("%v ago changes in %v, want %v", c.ago, tick, c.tick)
		}
	}
	if got := context().Clock(noon.Add(-12 * time.Second)); got != "0:12" {
		t.Errorf("%q", got)
	}
}

func TestATreeWithACycleEnds(t *testing.T) {
	v := &router.View{Threads: []router.ThreadView{
		{ID: "a", Parent: "b"}, {ID: "b", Parent: "a"}, {ID: "c", Parent: "c"}, {ID: "d", Parent: "gone"}, {ID: "e", Parent: "d"},
	}}
	seen := map[router.ThreadID]bool{}
	for _, n := range Tree(v, nil) {
		seen[n.Thread.ID] = true
	}
	if !seen["c"] || !seen["d"] || !seen["e"] {
		t.Errorf("the tree has %v", seen)
	}
	if got := Tree(v, map[router.ThreadID]bool{"d": true}); len(got) != 2 {
		t.Errorf("a folded tree has %d rows", len(got))
	}
}

func TestBoxesAreStraight(t *testing.T) {
	c := context()
	b := Box{Box: c.Thin, Look: c.Frame, Left: c.Bold.On("日本語 title 👩‍💻"), Right: c.Dim.On("right side"), Foot: "foot"}
	for w := range 60 {
		for h := range 6 {
			lines := b.Draw([]string{"one", "二 ➡️ three four five six seven"}, w, h, w%2 == 0)
			if len(lines) != h {
				t.Fatalf("%d rows of %d", len(lines), h)
			}
			for _, l := range lines {
				if cells.Width(l) != w {
					t.Fatalf("%q has %d columns of %d", l, cells.Width(l), w)
				}
			}
		}
		if w > 1 && cells.Width(b.Rule("x", w)) != w {
			t.Fatalf("a rule of %d columns has %d", w, cells.Width(b.Rule("x", w)))
		}
	}
}

func TestWhoLeftHasAName(t *testing.T) {
	c := context()
	c.View = &router.View{Names: map[router.PeerID]string{"p-2": "api"}}
	if got := c.Name("p-2"); got != "api" {
		t.Errorf("a peer that left is %q", got)
	}
}
