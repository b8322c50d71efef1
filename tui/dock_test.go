package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

// TestWhatIsDockedResizesNoPane: a card, or a line to type into, comes and goes,
// and no program has to draw itself anew; its last rows stay on the screen.
func TestWhatIsDockedResizesNoPane(t *testing.T) {
	calm := fake.Scene(noon)
	calm.Permissions = nil
	b, d := bench(t, 120, 40, func(d *fake.Door) { d.Set(calm) })
	p := d.Pane(fake.Frontend).(*fake.Pane)
	for range 60 {
		p.Feed("scrolled by\r\n")
	}
	p.Feed("the prompt")
	b.Frame()
	resizes := 0
	p.OnSize = func(int, int) { resizes++ }
	d.Set(fake.Scene(noon))
	b.Frame()
	if s := text(b); !strings.Contains(s, "asks to run a command") || !strings.Contains(s, "│the prompt") {
		t.Errorf("the last row is not on the screen:\n%s", s)
	}
	if !strings.Contains(text(b), "more lines ─╯") {
		t.Errorf("what does not show is not announced:\n%s", text(b))
	}
	b.Press("m")
	b.Press("esc")
	d.Set(calm)
	b.Frame()
	b.Press(":", "esc")
	if resizes != 0 {
		t.Errorf("the pane was resized %d times", resizes)
	}
	b.Press("z")
	if resizes == 0 {
		t.Error("zoom does not resize")
	}
}

func TestAnAnswerThatIsNotSeenToTakeEffectSaysSo(t *testing.T) {
	b, d := bench(t, 120, 40, func(d *fake.Door) { d.Rules = "ask: no rule matches" })
	b.Wait(time.Second)
	if !strings.Contains(text(b), "by the rules: ask: no rule matches") {
		t.Errorf("what a rule would say is not shown:\n%s", text(b))
	}
	v := *d.View()
	v.Permissions = append([]router.PermissionView(nil), v.Permissions...)
	v.Permissions[0].Answered = &router.PermissionAnswered{Behavior: "allow", By: router.Actor{Kind: router.ByHuman}}
	d.Set(&v)
	b.Frame()
	if !strings.Contains(text(b), "allowed by you; on its way") {
		t.Errorf("the answer is not shown:\n%s", text(b))
	}
	if b.Ticks.IsZero() || b.Ticks.After(b.Now.Add(time.Second)) {
		t.Errorf("nothing wakes to say that it is late: %v", b.Ticks)
	}
	b.Wait(6 * time.Second)
	if !strings.Contains(text(b), "not confirmed by the session for 0:06") {
		t.Errorf("it is not said:\n%s", text(b))
	}
	b.Press("enter")
	if s := text(b); strings.Contains(s, "typing") || !strings.Contains(s, "enter type here") || !strings.Contains(s, "for t-214  you→frontend  Make the cart survive") {
		t.Errorf("enter does not offer the pane and the work:\n%s", s)
	}
}
