package session

import (
	"testing"

	"github.com/ccmux/ccmux/supervisor/vt"
)

// TestTheProgramIsToldItsSurfaceAndItsClipboard: what it asks as it begins, before
// any screen shows it; and what it copies, only where it may.
func TestTheProgramIsToldItsSurfaceAndItsClipboard(t *testing.T) {
	const ask = `stty raw -echo; printf '\033]11;?\033\\'; head -c 25 | tr '\033\\' 'E/'; printf '\033]52;c;aGk=\007\a'; cat`
	for name, may := range map[string]bool{"it may": true, "it may not": false} {
		t.Run(name, func(t *testing.T) {
			l := &log{}
			s := start(t, Spec{Argv: shell(ask), Background: vt.RGB(1, 2, 3), Clipboard: may, OnEvent: l.add})
			waitFor(t, "the background's colour", s.shows("E]11;rgb:0101/0202/0303E/"))
			kind := func(k EventKind, body string) func() bool {
				return func() bool {
					return l.find(func(e Event) bool { return e.Kind == k && e.Body == body })
				}
			}
			waitFor(t, "the bell behind the copy", kind(BellRang, ""))
			if kind(Copied, "hi")() != may {
				t.Errorf("copied: %v; want %v", !may, may)
			}
		})
	}
}
