package supervisor

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
)

// TestVoidRequestsAreToldOf: to the screens that come soon after the start.
func TestVoidRequestsAreToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Supervisor
		v := &router.View{Seq: 7}
		if s.tellVoid(0); s.withNews(v) != v {
			t.Error("there is news though nothing was void")
		}
		s.tellVoid(3)
		got := s.withNews(v)
		if len(got.News) != 1 || !strings.HasPrefix(got.News[0], "3 requests became void when ccmux ended") || got.Seq != 7 || v.News != nil {
			t.Errorf("the human is told %q", got.News)
		}
		<-time.After(newsTime)
		if s.withNews(v) != v {
			t.Error("it is told for ever")
		}
	})
}
