package tui_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/approvals"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

var channels = approvals.Dialog{
	Name: "development channels", Title: "WARNING: Loading development channels",
	Text: []string{"WARNING: Loading development channels", "It is for local development only.", "Channels: plugin:ccmux@inline"},
	Rows: []string{"I am using this for local development", "Exit"},
}

func trust(dir string) approvals.Dialog {
	return approvals.Dialog{
		Name: "folder trust", Title: "Accessing workspace:",
		Text: []string{"Accessing workspace:", dir, "Quick safety check: one you trust?"},
		Rows: []string{"No, exit", "Yes, I trust this folder"},
	}
}

// needing has the first sessions show these dialogs.
func needing(ds ...approvals.Dialog) func(*fake.Door) {
	return func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Permissions = nil
		for i, q := range ds {
			p := &v.Peers[i+1]
			p.Session.State, p.Session.Detail, p.Session.Since = router.NeedsYou, q.Name, noon
			d.Ask(p.ID, &q)
		}
		d.Set(v)
		d.OnChoose = func(peer router.PeerID, _ int) { d.Ask(peer, nil) }
	}
}

func TestADialogIsAnsweredFromTheCard(t *testing.T) {
	b, d := bench(t, 120, 40, needing(trust("/w/a")))
	s := text(b)
	for _, want := range []string{"frontend asks: trust this folder", "/w/a", "Quick safety check", "1  No, exit", "2  Yes, I trust this folder", "1-2 answer   enter type here"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is not on the card:\n%s", want, s)
		}
	}
	b.Press("2") // in the grace
	if got := logged(b, d); len(got) != 0 {
		t.Fatalf("a key in the grace gave %q", got)
	}
	b.Wait(time.Second)
	b.Press("3")
	if got := logged(b, d); len(got) != 0 || !strings.Contains(text(b), "has no row 3") {
		t.Errorf("a row that is not there gave %q", got)
	}
	b.Press("2")
	if got := logged(b, d); !slices.Equal(got, []string{"choose p-1 folder trust row 1"}) {
		t.Errorf("the door was asked %q", got)
	}
	if !strings.Contains(text(b), "chose 2 in frontend") {
		t.Errorf("it is not said:\n%s", text(b))
	}
}

func TestTheSameDialogIsAnsweredForAll(t *testing.T) {
	b, d := bench(t, 120, 40, needing(channels, channels, channels, channels))
	s := text(b)
	for _, want := range []string{"4 sessions ask: load development channels", "answers all 4", "tab one by one", "in frontend backend docs ops"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is not on the card:\n%s", want, s)
		}
	}
	b.Wait(time.Second)
	b.Press("1")
	got := logged(b, d)
	slices.Sort(got)
	want := []string{"choose p-1 development channels row 0", "choose p-2 development channels row 0", "choose p-3 development channels row 0", "choose p-4 development channels row 0"}
	if !slices.Equal(got, want) {
		t.Errorf("the door was asked %q", got)
	}
}

func TestTheSameDialogOneByOne(t *testing.T) {
	b, d := bench(t, 120, 40, needing(channels, channels))
	b.Wait(time.Second)
	b.Press("tab")
	if s := text(b); !strings.Contains(s, "frontend asks: load development channels") || !strings.Contains(s, "1 of 2") {
		t.Fatalf("they are not asked one by one:\n%s", s)
	}
	b.Press("1")
	if got := logged(b, d); len(got) != 0 {
		t.Fatalf("the new card has no grace: %q", got)
	}
	b.Wait(time.Second)
	b.Press("shift+tab")
	b.Wait(time.Second)
	b.Press("2")
	if got := logged(b, d); !slices.Equal(got, []string{"choose p-2 development channels row 1"}) {
		t.Errorf("the door was asked %q", got)
	}
	b.Press("tab")
	b.Frame()
	if s := text(b); !strings.Contains(s, "2 sessions ask") && !strings.Contains(s, "frontend asks") {
		t.Errorf("tab does not bring them together again:\n%s", s)
	}
}

// TestOnlyWhatIsAlikeIsAnsweredTogether: the folder of a trust dialog matters,
// where the lines are broken does not.
func TestOnlyWhatIsAlikeIsAnsweredTogether(t *testing.T) {
	b, _ := bench(t, 120, 40, needing(trust("/w/a"), trust("/w/b")))
	if s := text(b); !strings.Contains(s, "frontend asks: trust this folder") || !strings.Contains(s, "1 of 2") {
		t.Errorf("two folders are one card:\n%s", s)
	}
	narrow := channels
	narrow.Text = []string{"WARNING: Loading", "development channels", "It is for local", "development only.", "Channels: plugin:ccmux@inline"}
	b, _ = bench(t, 120, 40, needing(channels, narrow))
	if s := text(b); !strings.Contains(s, "2 sessions ask") {
		t.Errorf("the width of a pane makes another dialog:\n%s", s)
	}
}

func TestAChangedDialogIsNotAnswered(t *testing.T) {
	b, d := bench(t, 120, 40, needing(trust("/w/a")))
	b.Wait(time.Second)
	other := trust("/etc")
	d.Ask(fake.Frontend, &other)
	b.Frame() // the card shows it, with a grace of its own
	b.Press("2")
	if got := logged(b, d); len(got) != 0 {
		t.Fatalf("a key meant for the first gave %q", got)
	}
	b.Wait(time.Second)
	third := trust("/root")
	d.Ask(fake.Frontend, &third) // not seen yet
	b.Press("2")
	b.Settle()
	if !strings.Contains(text(b), "the dialog is gone or has changed") {
		t.Errorf("it is not said:\n%s", text(b))
	}
}

func TestAutoModesDialogIsAnsweredFromItsCard(t *testing.T) {
	b, d := bench(t, 120, 40, func(d *fake.Door) {
		v := fake.Scene(noon)
		v.Permissions = v.Permissions[:1]
		v.Permissions[0].InPane = true
		d.Set(v)
		d.Ask(fake.Backend, &approvals.Dialog{
			Name: "auto mode", Title: "Bash command", Text: []string{"Bash command", "go test ./cart/..."}, Rows: []string{"No", "Yes"},
		})
	})
	b.Wait(time.Second)
	if s := text(b); !strings.Contains(s, "asks in its pane: to run a command") || !strings.Contains(s, "2  Yes") {
		t.Fatalf("the card is wrong:\n%s", s)
	}
	b.Press("a")
	if !strings.Contains(text(b), "own rows answer this") {
		t.Errorf("it does not say what answers:\n%s", text(b))
	}
	b.Press("2")
	if got := logged(b, d); !slices.Equal(got, []string{"choose p-2 auto mode row 1"}) {
		t.Errorf("the door was asked %q", got)
	}
}

func TestADialogThatFailsSaysWhere(t *testing.T) {
	b, d := bench(t, 120, 40, needing(channels, channels))
	b.Wait(time.Second)
	d.Refuse(errors.New("the dialog does not follow the keys"))
	b.Press("1")
	b.Settle()
	if !strings.Contains(text(b), "frontend: the dialog does not follow the keys") {
		t.Errorf("it is not said:\n%s", text(b))
	}
}

func TestNumbersGoToSessionsWhileNoDialogAsks(t *testing.T) {
	b, d := bench(t, 120, 40, nil) // requests, no dialog
	b.Wait(time.Second)
	b.Press("2", "tab")
	if got := logged(b, d); len(got) != 0 {
		t.Errorf("the door was asked %q", got)
	}
}

func TestHostileTextOfADialogDoesNothing(t *testing.T) {
	evil := channels
	evil.Text = []string{"read me \x1b[2J\u202e", strings.Repeat("w", 500)}
	evil.Rows = []string{"\x1b]0;x\aone", "two\u200b", strings.Repeat("r", 300)}
	for _, size := range sizes {
		b, _ := bench(t, size.cols, size.rows, needing(evil))
		straight(t, b.Content(), size.cols, size.rows, false)
		if s := b.Content(); strings.Contains(s, "\x1b[2J") || strings.Contains(s, "\x1b]0") {
			t.Error("a sequence came through")
		}
	}
}
