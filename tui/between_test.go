package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

// sceneWith is the scene with the session of frontend changed.
func sceneWith(change func(v *router.View, frontend *router.PeerView)) func(*fake.Door) {
	return func(d *fake.Door) {
		v := fake.Scene(noon)
		change(v, &v.Peers[1])
		d.Set(v)
	}
}

func TestWhatIsSaidPastCcmuxShows(t *testing.T) {
	for name, c := range map[string]struct {
		to    string
		since time.Duration
		want  string
	}{
		"to a session":             {"backend", time.Minute, "outside ccmux →backend"},
		"to an address":            {"uds:/x.sock", time.Minute, "outside ccmux →uds:"},
		"long ago":                 {"backend", time.Hour, ""},
		"to an agent inside of it": {"researcher", time.Minute, ""},
		"to a name with an escape": {"backend\x1b[2J", time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := bench(t, 120, 40, sceneWith(func(_ *router.View, p *router.PeerView) {
				p.Session.Outside = &router.OutsideView{To: c.to, At: noon.Add(-c.since)}
			}))
			s := text(b)
			if c.want == "" && strings.Contains(s, "outside ccmux") || !strings.Contains(s, c.want) {
				t.Errorf("want %q:\n%s", c.want, s)
			}
		})
	}
}

func TestASearchTellsAReminderFromItsTask(t *testing.T) {
	b, d := bench(t, 120, 40, nil)
	again := fake.Scene(noon).Threads[0].Messages[0]
	again.ID, again.Reminder = "m-99", true
	d.Find([]router.MessageView{again, fake.Scene(noon).Threads[0].Messages[0]})
	b.Press("/")
	b.Write("cart")
	b.Press("enter")
	b.Settle()
	if s := text(b); strings.Count(s, "task, once more") != 1 {
		t.Errorf("want one of the two marked:\n%s", s)
	}
}

func TestAWatchShows(t *testing.T) {
	b, _ := bench(t, 120, 40, sceneWith(func(v *router.View, p *router.PeerView) { v.Watching = []router.PeerID{p.ID} }))
	if s := text(b); strings.Count(s, "watches for mail") != 1 {
		t.Errorf("want it said of frontend:\n%s", s)
	}
}
