package theme

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ccmux/ccmux/tui/cells"
)

var colour = regexp.MustCompile(`(^|;)(3[0-7]|4[0-7]|9[0-7]|38;[25];[0-9;]+|48;[25];[0-9;]+)(;|$)`)

// each calls f with every style of a theme.
func each(t *Theme, f func(name string, s Style)) {
	v := reflect.ValueOf(t.Styles)
	for i := range v.NumField() {
		f(v.Type().Field(i).Name, v.Field(i).Interface().(Style))
	}
}

func TestProfiles(t *testing.T) {
	for _, c := range []struct {
		profile      colorprofile.Profile
		dark         bool
		colours, own bool // any colour; only the terminal's own sixteen
	}{
		{colorprofile.NoTTY, true, false, true},
		{colorprofile.ASCII, true, false, true}, // NO_COLOR
		{colorprofile.ASCII, false, false, true},
		{colorprofile.ANSI, true, true, true},
		{colorprofile.ANSI256, true, true, false},
		{colorprofile.TrueColor, false, true, false},
	} {
		coloured := 0
		each(New(c.profile, c.dark, false), func(name string, s Style) {
			params := strings.TrimSuffix(strings.TrimPrefix(s.open, "\x1b["), "m")
			if colour.MatchString(params) {
				coloured++
			}
			if c.own && strings.Contains(params, "8;") {
				t.Errorf("%v: %s is %q", c.profile, name, s.open)
			}
			if s.open != "" && s.shut != reset {
				t.Errorf("%v: %s ends with %q", c.profile, name, s.shut)
			}
			if got := cells.Width(s.On("word")); got != 4 {
				t.Errorf("%v: %s makes a word %d wide", c.profile, name, got)
			}
		})
		if (coloured > 0) != c.colours {
			t.Errorf("%v: %d styles have a colour", c.profile, coloured)
		}
	}
}

// TestWithoutColourNothingIsLost: what is told by colour elsewhere has a weight
// or a line of its own.
func TestWithoutColourNothingIsLost(t *testing.T) {
	s := New(colorprofile.ASCII, true, false).Styles
	for name, pair := range map[string][2]Style{
		"focus and frame": {s.Focus, s.Frame}, "card and frame": {s.Card, s.Frame},
		"added and removed": {s.Added, s.Removed}, "chosen": {s.Select, {}}, "hidden": {s.Mark, {}}, "key": {s.Key, {}},
	} {
		if pair[0] == pair[1] {
			t.Errorf("%s look alike", name)
		}
	}
}

func TestTheBackgroundMatters(t *testing.T) {
	dark, light := New(colorprofile.TrueColor, true, false), New(colorprofile.TrueColor, false, false)
	if dark.Styles == light.Styles {
		t.Error("dark and light look alike")
	}
}

// TestOnIsWhatLipGlossDraws, and goes on after a style inside, where Lip Gloss
// ends.
func TestOnIsWhatLipGlossDraws(t *testing.T) {
	bold := lipgloss.NewStyle().Bold(true)
	if got, want := style(bold).On("a b"), bold.Render("a b"); got != want {
		t.Errorf("%q, lip gloss draws %q", got, want)
	}
	inner := style(lipgloss.NewStyle().Faint(true)).On("b")
	if got, want := style(bold).On("a"+inner+"c"), "\x1b[1ma\x1b[2mb\x1b[m\x1b[1mc\x1b[m"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := (Style{}).On("a"); got != "a" {
		t.Errorf("the terminal's own look gives %q", got)
	}
}

func TestGlyphsTakeOneColumn(t *testing.T) {
	for _, g := range []Glyphs{unicode, asciiSet} {
		for _, b := range []Box{g.Thin, g.Heavy} {
			for _, s := range []string{b.Top, b.Bottom, b.Left, b.Right, b.TopLeft, b.TopRight, b.BottomLeft, b.BottomRight, b.MiddleLeft, b.MiddleRight} {
				if cells.Width(s) != 1 {
					t.Errorf("%q is %d wide", s, cells.Width(s))
				}
			}
		}
	}
}
