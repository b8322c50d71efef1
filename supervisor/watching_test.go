package supervisor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

func TestSessionsThatWatchEachOtherAreShown(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.up(map[string]string{"api": "worker", "web": "worker", "ops": "worker"})
	h.proven("api", "web", "ops")
	const dead = "api and web watch for mail, and no session is at work"
	api := h.watching("api")
	v := h.await("one that watches", func(v *router.View) bool { return len(v.Watching) == 1 })
	if v.Watching[0] != api.ID || len(v.News) > 0 {
		t.Errorf("%v watch, and the news is %q; want api alone, which is no news", v.Watching, v.News)
	}
	h.watching("web")
	h.await("two that watch each other", func(v *router.View) bool { return strings.Contains(strings.Join(v.News, ";"), dead) })
	var l wire.List
	if err := h.human().Call(t.Context(), wire.TypeList, nil, &l); err != nil || len(l.News) != 1 || !strings.HasPrefix(l.News[0], dead) {
		t.Errorf("the list has the news %q, %v", l.News, err)
	}
	watch := slices.DeleteFunc(l.Sessions, func(s wire.SessionInfo) bool { return !s.Watches })
	if len(watch) != 2 {
		t.Errorf("%+v watch in the list; want two", watch)
	}
	h.typed("ops", "wait: never") // it may write to them yet
	h.await("no news", func(v *router.View) bool { return len(v.Watching) == 2 && len(v.News) == 0 })
	h.note("api", "here it is")
	h.await("one that goes on", func(v *router.View) bool { return !slices.Contains(v.Watching, api.ID) })
}
