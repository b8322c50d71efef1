package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/theme"
)

var look = theme.New(colorprofile.TrueColor, true, false)

func plain(text string, w int) string {
	return ansi.Strip(strings.Join(Render(look, text, w), "\n"))
}

func TestRender(t *testing.T) {
	for in, want := range map[string]string{
		"# Title\ntext":                  "Title\ntext",
		"* one\n* two words that wrap":   "· one\n· two words that\n  wrap",
		"1. first\n2) second":            "1. first\n2) second",
		"a **bold** and `code` and *it*": "a bold and code and\nit",
		"see [docs](https://x.y)":        "see docs\n(https://x.y)",
		"[https://x.y](https://x.y)":     "(https://x.y)",
		"> quoted":                       "│ quoted",
		"```go\nx := 1\n\n```\nafter":    "go\n│ x := 1\n│ \nafter",
		"2 * 3 * 4 and a_b_c":            "2 * 3 * 4 and a_b_c",
		"**open and `open":               "**open and `open",
		"a\n\n\n\nb":                     "a\n\nb",
		"---":                            strings.Repeat("─", 20),
		"x\x1b[31my\u202ez":              "x[31myz",
	} {
		if got := plain(in, 20); got != want {
			t.Errorf("%q gives\n%q, want\n%q", in, got, want)
		}
	}
}

func TestAnUnfinishedBlockOfCodeIsShown(t *testing.T) {
	if got := plain("```\nrm -rf ~", 20); got != "│ rm -rf ~" {
		t.Errorf("%q", got)
	}
}

func FuzzRender(f *testing.F) {
	for _, s := range []string{"# a\n* b **c** `d` [e](f)", "```\nx", "日本語 👩‍💻 **w**", "> > x", "|a|b|", "1. a\n   2. b", "** **", "[](", "``a`b``"} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, w int) {
		if w < 4 || w > 200 {
			t.Skip()
		}
		rows := Render(look, s, w)
		for _, r := range rows {
			if cells.Width(r) > w {
				t.Errorf("%q at %d has %d columns: %q", s, w, cells.Width(r), r)
			}
		}
		if a, b := letters(s), letters(ansi.Strip(strings.Join(rows, ""))); a != b {
			t.Errorf("%q at %d: letters %q become %q", s, w, a, b)
		}
	})
}

// letters are what must not get lost.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x4e00 && r <= 0x9fff {
			return r
		}
		return -1
	}, cells.Plain(s))
}
