package router

import (
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestWhatIsSaidOutsideIsShortAndClean(t *testing.T) {
	w := team(t, "api", "web")
	w.do(RecordOutside{SaidOutside{Peer: w.id("api"), To: "web\x1b[31m", Text: "one\ntwo\u202e" + strings.Repeat("x", 4*wire.MaxMeta)}})
	w.restart()
	p, _ := w.s.View().Peer(w.id("api"))
	o := p.Session.Outside
	if o == nil || o.To != "web[31m" || !strings.HasPrefix(o.Text, "one twox") || len(o.Text) > wire.MaxMeta || !o.At.Equal(w.at) {
		t.Fatalf("the view says %+v; want it clean, in one line and cut", o)
	}
	w.refused(RecordOutside{SaidOutside{Peer: "p-99", To: "web"}}, wire.CodeUnknown, "no peer")
	w.refused(RecordOutside{SaidOutside{Peer: w.id("api"), To: "\x1b"}}, "", "names no receiver")
	w.do(StartSession{SessionStarted{Peer: w.id("api"), PID: 7, Started: w.at}})
	if p, _ := w.s.View().Peer(w.id("api")); p.Session.Outside != nil {
		t.Errorf("a new child is said to have said %+v", p.Session.Outside)
	}
}
