package theme

import (
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// Style is a look, as the parameters of an SGR sequence. The empty one is the
// terminal's own.
type Style string

// On returns s in the style, and the terminal's own look after it. Where s ends
// a style of its own, this one goes on.
func (st Style) On(s string) string {
	if st == "" || s == "" {
		return s
	}
	open := "\x1b[" + string(st) + "m"
	if strings.Contains(s, "\x1b[m") {
		s = strings.ReplaceAll(s, "\x1b[m", "\x1b[m"+open)
	}
	return open + s + "\x1b[m"
}

// Styles are the looks by what they mean.
type Styles struct {
	Dim     Style // less important than its surroundings
	Bold    Style
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

// New returns the theme for a terminal. Ascii asks for characters of ASCII only.
func New(profile colorprofile.Profile, dark, ascii bool) *Theme {
	t := &Theme{Styles: plain, Glyphs: unicode}
	if ascii {
		t.Glyphs = asciiSet
	}
	switch {
	case profile < colorprofile.ANSI:
	case profile < colorprofile.ANSI256:
		t.Styles = sixteen
	case dark:
		t.Styles = darkStyles()
	default:
		t.Styles = lightStyles()
	}
	return t
}

// plain does without colour: weight, underline and inversion only.
var plain = Styles{
	Dim: "2", Bold: "1", Head: "1", Key: "1", Off: "2",
	Good: "", Busy: "", Asks: "1", Bad: "1", Name: "1", Thread: "", Room: "",
	Frame: "2", Focus: "1", Typing: "1", Card: "1", Mode: "7", Select: "7", Fresh: "1",
	Added: "1", Removed: "2", Hunk: "4", Code: "", Mark: "7",
}

// sixteen uses the terminal's own sixteen colours, none of which is unreadable
// on a light or a dark background: no white, no yellow text, no bright black.
var sixteen = Styles{
	Dim: "2", Bold: "1", Head: "1;35", Key: "1;36", Off: "2",
	Good: "32", Busy: "34", Asks: "1;35", Bad: "1;31", Name: "1", Thread: "36", Room: "35",
	Frame: "2", Focus: "36", Typing: "1;32", Card: "1;35", Mode: "7", Select: "7", Fresh: "1;35",
	Added: "32", Removed: "31", Hunk: "36", Code: "36", Mark: "7;31",
}

func darkStyles() Styles {
	s := sixteen
	s.Dim, s.Off, s.Frame = "38;5;245", "38;5;241", "38;5;239"
	s.Head, s.Key = "1;38;5;216", "1;38;5;117"
	s.Good, s.Busy, s.Asks, s.Bad = "38;5;114", "38;5;75", "1;38;5;215", "1;38;5;203"
	s.Thread, s.Room = "38;5;152", "38;5;183"
	s.Focus, s.Typing, s.Card = "38;5;75", "1;38;5;114", "38;5;215"
	s.Select, s.Fresh = "48;5;237", "1;38;5;215"
	s.Added, s.Removed, s.Hunk, s.Code = "38;5;114", "38;5;210", "38;5;110", "38;5;152"
	s.Mark = "1;30;48;5;203"
	return s
}

func lightStyles() Styles {
	s := sixteen
	s.Dim, s.Off, s.Frame = "38;5;242", "38;5;246", "38;5;250"
	s.Head, s.Key = "1;38;5;130", "1;38;5;25"
	s.Good, s.Busy, s.Asks, s.Bad = "38;5;28", "38;5;25", "1;38;5;130", "1;38;5;160"
	s.Thread, s.Room = "38;5;30", "38;5;90"
	s.Focus, s.Typing, s.Card = "38;5;25", "1;38;5;28", "38;5;130"
	s.Select, s.Fresh = "48;5;254", "1;38;5;130"
	s.Added, s.Removed, s.Hunk, s.Code = "38;5;28", "38;5;124", "38;5;25", "38;5;30"
	s.Mark = "1;97;48;5;160"
	return s
}
