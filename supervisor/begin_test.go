package supervisor

import (
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

// TestLastWords: a sentence that was broken over lines is whole; what is endless
// is not.
func TestLastWords(t *testing.T) {
	for _, c := range []struct{ screen, want string }{
		{"", ""},
		{"one", "one"},
		{"old\n\nYour account has no\n  access: ask for it\nat https://x.y\n\n", "Your account has no access: ask for it at https://x.y"},
		{"a\x1b[31mb\x00", "a[31mb"},
	} {
		if got := lastWords(strings.Split(c.screen, "\n")); got != c.want {
			t.Errorf("%q ends with %q, not %q", c.screen, got, c.want)
		}
	}
	if got := lastWords([]string{strings.Repeat("x", 9999)}); len(got) > wire.MaxMeta {
		t.Errorf("%d bytes", len(got))
	}
}
