package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Style is a look, defined by Lip Gloss. What it puts before and after a text is
// asked of Lip Gloss once, when the theme is made: the screen draws hundreds of
// styled words a frame. The zero Style is the terminal's own look.
type Style struct {
	open, shut string
}

// reset ends every look.
const reset = "\x1b[m"

// style makes a Style of what Lip Gloss defines.
func style(s lipgloss.Style) Style {
	const probe = "x"
	open, shut, _ := strings.Cut(s.Render(probe), probe)
	return Style{open, shut}
}

// Plain says that the style changes nothing.
func (st Style) Plain() bool { return st.open == "" }

// On returns s in the style, and the terminal's own look after it. Where s ends
// a style of its own, this one goes on; Lip Gloss would end there.
func (st Style) On(s string) string {
	if st.open == "" || s == "" {
		return s
	}
	if strings.Contains(s, reset) {
		s = strings.ReplaceAll(s, reset, reset+st.open)
	}
	return st.open + s + st.shut
}
