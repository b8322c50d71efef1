package cells

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

var samples = []string{
	"", "plain", "日本語テスト ABC", "➡️ ⚠️ 1️⃣ 👩‍💻 👨‍👩‍👧‍👦", "🇩🇪🇫🇷 🇩", "é e\u0301 ñ", "👍🏽 ❤️ ☎️", "한국어 ｆｕｌｌ",
	"\x1b[31mred\x1b[m and \x1b[1;38;5;12mblue 日本\x1b[m", "────╮ ● ◆ …", "a\tb", "\u200b\u200d", "क्षि नमस्ते", "\xff\xfe",
}

func TestPadIsExact(t *testing.T) {
	for _, s := range samples {
		s = strings.ReplaceAll(s, "\t", " ")
		for w := range 30 {
			if got := Width(Pad(s, w)); got != w {
				t.Errorf("Pad(%q, %d) has %d columns", s, w, got)
			}
			if got := Width(Cut(s, w)); got > w {
				t.Errorf("Cut(%q, %d) has %d columns", s, w, got)
			}
			if got := Width(Clip(s, w)); got > w {
				t.Errorf("Clip(%q, %d) has %d columns", s, w, got)
			}
			if got := Width(Sides(s, s, w)); got != w {
				t.Errorf("Sides(%q, %d) has %d columns", s, w, got)
			}
		}
	}
}

func TestCutKeepsTheEndOfAStyle(t *testing.T) {
	if got := Cut("\x1b[31mredder\x1b[m", 4); got != "\x1b[31mred…\x1b[m" {
		t.Errorf("%q", got)
	}
}

func TestWrap(t *testing.T) {
	for in, want := range map[string]string{
		"one two three":   "one two|three",
		"  in deep water": "  in|  deep|  water",
		"abcdefghij":      "abcdefgh|ij",
		"日本語日本語":          "日本語日|本語",
		"a\n\nb":          "a||b",
		"":                "",
	} {
		if got := strings.Join(Wrap(in, 8), "|"); got != want {
			t.Errorf("Wrap(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRevealAndPlain(t *testing.T) {
	got, n := Reveal("a\x1b[8mb\u202ec\r\nd\te\u200bf\rg")
	if got != "a‹ESC›[8mb‹U+202E›c\nd\te‹U+200B›f‹CR›g" || n != 4 {
		t.Errorf("%q, %d", got, n)
	}
	if got := Plain("a\x1b[8mb\u202ec\x00\x9b31md"); got != "a[8mbc31md" && got != "a[8mbc�31md" {
		t.Errorf("%q", got)
	}
	if got := Line("a\n\tb  c"); got != "a b c" {
		t.Errorf("%q", got)
	}
}

func TestSafe(t *testing.T) {
	for in, want := range map[string]string{
		"plain ── │":       "plain ── │",
		"➡️|":              "➡ |",
		"1️⃣|":             "1 |",
		"👩‍💻|":             "👩|",
		"🇩🇪|":              "DE|",
		"👍🏽|":              "👍|",
		"e\u0301|":         "e\u0301|",
		"日本語|":             "日本語|",
		"\x1b[1m⚠️\x1b[m|": "\x1b[1m⚠ \x1b[m|",
	} {
		if got := Safe(in); got != want {
			t.Errorf("Safe(%q) = %q, want %q", in, got, want)
		}
	}
	for _, s := range samples {
		safe(t, s)
	}
}

// TestSafeInTmux: the widths are those that tmux 3.3a gave when asked for the
// cursor after each.
func TestSafeInTmux(t *testing.T) {
	for in, want := range map[string]string{
		"👩‍💻|":         "👩‍💻|", // 2, as here
		"👩‍🚀 x":        "👩‍🚀 x",
		"e\u0301|":     "e\u0301|",
		"➡️|":          "➡ |",    // 1 there, 2 here
		"❤️‍🔥|":        "❤ |",    // 1 there, 2 here
		"👍🏽|":          "👍|",     // 4 there, 2 here
		"👨‍👩‍👧‍👦|":     "👨|",     // more than a cell of tmux holds
		"🇩🇪|":          "DE|",    // two cells there
		"日本語 👩\u200d|": "日本語 👩|", // the joiner would take the next one in
	} {
		if got := SafeInTmux(in); got != want {
			t.Errorf("SafeInTmux(%q) = %q, want %q", in, got, want)
		}
	}
}

// safe holds that both ways of measuring agree on what Safe returns, and that it
// is as wide as before.
func safe(t *testing.T, s string) {
	t.Helper()
	got := Safe(s)
	if a, b := Width(got), ansi.WcWidth.StringWidth(got); a != b {
		t.Errorf("Safe(%q) = %q has %d or %d columns", s, got, a, b)
	}
	if Width(got) != Width(s) {
		t.Errorf("Safe(%q) = %q changes the width from %d to %d", s, got, Width(s), Width(got))
	}
}

func TestNarrowAndASCIIKeepTheWidth(t *testing.T) {
	for _, s := range samples {
		if got := Narrow(s); Width(got) != Width(s) || wide.String(got) != Width(s) && !strings.Contains(s, "\x1b") {
			t.Errorf("Narrow(%q) = %q", s, got)
		}
		got := ASCII(s)
		if Width(got) != Width(s) {
			t.Errorf("ASCII(%q) = %q changes the width", s, got)
		}
		for _, r := range got {
			if r > 0x7e {
				t.Errorf("ASCII(%q) = %q", s, got)
				break
			}
		}
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range samples {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = Line(s)
		safe(t, s)
		for _, w := range []int{0, 1, 2, 3, 7, 20} {
			if got := Width(Pad(s, w)); got != w {
				t.Errorf("Pad(%q, %d) has %d columns", s, w, got)
			}
			for _, l := range append(Wrap(s, w), Hard(s, w)...) {
				if Width(l) > max(w, 2) {
					t.Errorf("a line of %q at %d has %d columns: %q", s, w, Width(l), l)
				}
			}
		}
		if got := strings.Join(Hard(s, 9), ""); got != Tabs(s) {
			t.Errorf("Hard loses something of %q: %q", s, got)
		}
	})
}
