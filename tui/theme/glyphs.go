package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Box is the set of lines around a rectangle.
type Box = lipgloss.Border

// Glyphs are the characters that are not words. Each takes one column.
type Glyphs struct {
	Thin, Heavy              Box
	Busy, Asks, Idle, Needs  string // symbols of the states
	Starting, Ended, Stopped string
	Done, Waits, Fresh       string
	Branch, Last, Bar, Blank string // of a tree; two columns each
	Open, Folded             string
	Arrow, Up, Down, Dot     string
	Ellipsis                 string
	ASCII                    bool
}

var unicode = Glyphs{
	Thin:  lipgloss.RoundedBorder(),
	Heavy: lipgloss.ThickBorder(),
	Busy:  "●", Asks: "◆", Idle: "○", Needs: "◇", Starting: "◌", Ended: "✕", Stopped: "■",
	Done: "✓", Waits: "…", Fresh: "•",
	Branch: "├ ", Last: "└ ", Bar: "│ ", Blank: "  ",
	Open: "▾", Folded: "▸", Arrow: "→", Up: "↑", Down: "↓", Dot: "·", Ellipsis: "…",
}

// asciiSet is for terminals on which the others are missing or take two columns.
var asciiSet = Glyphs{
	Thin: lipgloss.ASCIIBorder(),
	Heavy: Box{
		Top: "=", Bottom: "=", Left: "#", Right: "#", TopLeft: "#", TopRight: "#",
		BottomLeft: "#", BottomRight: "#", MiddleLeft: "#", MiddleRight: "#",
	},
	Busy: "*", Asks: "!", Idle: "-", Needs: "?", Starting: "~", Ended: "x", Stopped: "#",
	Done: "v", Waits: ".", Fresh: "*",
	Branch: "|-", Last: "`-", Bar: "| ", Blank: "  ",
	Open: "v", Folded: ">", Arrow: ">", Up: "^", Down: "v", Dot: "-", Ellipsis: "~", ASCII: true,
}

// Line repeats a line character to width columns.
func Line(glyph string, width int) string { return strings.Repeat(glyph, max(width, 0)) }

// Words replaces the characters that text of ccmux's own uses by ASCII ones in
// the ASCII set.
func (g *Glyphs) Words(s string) string {
	if !g.ASCII {
		return s
	}
	return toASCII.Replace(s)
}

var toASCII = strings.NewReplacer("…", "~", "→", ">", "·", "-", "‹", "<", "›", ">", "✓", "v", "↑", "^", "↓", "v", "▾", "v", "▸", ">", "—", "-")
