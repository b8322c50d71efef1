package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Styles are the looks by what they mean.
type Styles struct {
	Dim     Style // less important than its surroundings
	Bold    Style
	Italic  Style
	Head    Style // the name of the program
	Key     Style // a key to press
	Off     Style // an action that cannot be done now
	Good    Style // done, allowed
	Busy    Style
	Asks    Style // somebody needs the human
	Bad     Style // failed, denied
	Name    Style // a peer
	Thread  Style // a task's name
	Room    Style
	Frame   Style // lines around what has not the focus
	Focus   Style // lines around what has it
	Typing  Style // lines around the pane that gets the keys
	Card    Style // lines around a request
	Mode    Style // the mode's name at the bottom left
	Select  Style // a chosen row
	Fresh   Style // news not seen yet
	Added   Style // lines of a diff
	Removed Style
	Hunk    Style
	Code    Style
	Mark    Style // a hidden character written out
}

// Theme is everything about how the screen looks.
type Theme struct {
	Styles
	Glyphs
}

// New returns the theme for a terminal: how many colours it has (none with
// NO_COLOR), and whether its background is dark. Ascii asks for characters of
// ASCII only.
func New(profile colorprofile.Profile, dark, ascii bool) *Theme {
	t := &Theme{Styles: styles(profile, dark), Glyphs: unicode}
	if ascii {
		t.Glyphs = asciiSet
	}
	return t
}

// palette chooses colours by what a terminal has.
type palette struct {
	profile colorprofile.Profile
	pick    lipgloss.CompleteFunc
	ground  lipgloss.LightDarkFunc
}

// tone is one colour: out of the terminal's own sixteen, else out of the 256 for
// a light and for a dark background.
func (p palette) tone(own color.Color, light, dark string) color.Color {
	rich := p.ground(lipgloss.Color(light), lipgloss.Color(dark))
	return p.pick(own, rich, rich)
}

func (p palette) text(own color.Color, light, dark string) lipgloss.Style {
	return lipgloss.NewStyle().Foreground(p.tone(own, light, dark))
}

// back is dimmed text: a grey where there are some, else faint.
func (p palette) back(light, dark string) Style {
	if p.profile < colorprofile.ANSI256 {
		return style(lipgloss.NewStyle().Faint(true))
	}
	return style(p.text(nil, light, dark))
}

// styles are the looks on one kind of terminal. Of the sixteen only those are
// used that can be read on a light and on a dark background: no white, no yellow
// text, no bright black.
func styles(profile colorprofile.Profile, dark bool) Styles {
	p := palette{profile, lipgloss.Complete(profile), lipgloss.LightDark(dark)}
	asks := style(p.text(lipgloss.Magenta, "130", "215").Bold(true))
	plain := lipgloss.NewStyle()
	s := Styles{
		Bold:   style(plain.Bold(true)),
		Italic: style(plain.Italic(true)),
		Name:   style(plain.Bold(true)),
		Mode:   style(plain.Reverse(true)),
		Dim:    p.back("242", "245"),
		Off:    p.back("246", "241"),
		Frame:  p.back("250", "239"),
		Head:   style(p.text(lipgloss.Magenta, "130", "216").Bold(true)),
		Key:    style(p.text(lipgloss.Cyan, "25", "117").Bold(true)),
		Good:   style(p.text(lipgloss.Green, "28", "114")),
		Busy:   style(p.text(lipgloss.Blue, "25", "75")),
		Bad:    style(p.text(lipgloss.Red, "160", "203").Bold(true)),
		Asks:   asks, Fresh: asks,
		Thread:  style(p.text(lipgloss.Cyan, "30", "152")),
		Room:    style(p.text(lipgloss.Magenta, "90", "183")),
		Focus:   style(p.text(lipgloss.Cyan, "25", "75")),
		Typing:  style(p.text(lipgloss.Green, "28", "114").Bold(true)),
		Card:    style(p.text(lipgloss.Magenta, "130", "215")),
		Added:   style(p.text(lipgloss.Green, "28", "114")),
		Removed: style(p.text(lipgloss.Red, "124", "210")),
		Hunk:    style(p.text(lipgloss.Cyan, "25", "110")),
		Code:    style(p.text(lipgloss.Cyan, "30", "152")),
	}
	s.Select, s.Mark = p.grounds()
	if profile < colorprofile.ANSI {
		s.colourless()
	}
	return s
}

// grounds are the looks with a background of their own.
func (p palette) grounds() (chosen, mark Style) {
	plain := lipgloss.NewStyle()
	if p.profile < colorprofile.ANSI256 {
		return style(plain.Reverse(true)), style(p.text(lipgloss.Red, "160", "203").Reverse(true))
	}
	chosen = style(plain.Background(p.tone(nil, "254", "237")))
	mark = style(plain.Bold(true).Foreground(p.tone(nil, "15", "0")).Background(p.tone(nil, "160", "203")))
	return chosen, mark
}

// colourless tells by weight and lines what colours tell elsewhere.
func (s *Styles) colourless() {
	plain := lipgloss.NewStyle()
	bold := style(plain.Bold(true))
	s.Focus, s.Card, s.Added = bold, bold, bold
	s.Removed = style(plain.Faint(true))
	s.Hunk = style(plain.Underline(true))
}
