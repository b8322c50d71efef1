package draw

import (
	"strings"

	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/theme"
)

// Box is a frame with titles in its lines.
type Box struct {
	theme.Box
	Look        theme.Style // of the lines
	Left, Right string      // in the top line
	Foot        string      // in the bottom line, right
}

// Draw returns the box around lines, h rows of w columns. Lines that do not fit
// are left out, missing ones are blank. Each line gets a blank on both sides
// when Pad is true.
func (b Box) Draw(lines []string, w, h int, pad bool) []string {
	if w < 2 || h < 2 {
		return blank(w, h)
	}
	out := make([]string, 0, h)
	out = append(out, b.TopLine(w))
	inner := w - 2
	left, right := b.Look.On(b.Box.Left), b.Look.On(b.Box.Right)
	if pad && inner > 2 {
		left, right, inner = left+" ", " "+right, inner-2
	}
	for i := range h - 2 {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		out = append(out, left+cells.Pad(line, inner)+right)
	}
	return append(out, b.BottomLine(w))
}

// TopLine is the upper line of the box with its titles.
func (b Box) TopLine(w int) string {
	return b.line(b.TopLeft, b.Top, b.TopRight, b.Left, b.Right, w)
}

// BottomLine is the lower line.
func (b Box) BottomLine(w int) string {
	return b.line(b.BottomLeft, b.Bottom, b.BottomRight, "", b.Foot, w)
}

// Rule is a line across a box with a title.
func (b Box) Rule(title string, w int) string {
	return b.line(b.MiddleLeft, b.Top, b.MiddleRight, title, "", w)
}

// Bare is a title line without corners, for a pane without sides.
func (b Box) Bare(w int) string {
	return b.line(b.Top, b.Top, b.Top, b.Left, b.Right, w)
}

func (b Box) line(first, fill, last, left, right string, w int) string {
	room := w - 2 // between the corners
	if room < 0 {
		return cells.Pad("", w)
	}
	var l, r string
	rw := cells.Width(right)
	if rw > 0 && rw+3 > room-min(cells.Width(left)+2, room/2) {
		rw = max(room-min(cells.Width(left)+2, room/2)-3, 0)
	}
	if rw >= 3 {
		r = " " + cells.Cut(right, rw) + " " + b.Look.On(fill)
	}
	if free := room - cells.Width(r) - 2; left != "" && free >= 2 {
		l = " " + cells.Cut(left, free) + " "
	}
	n := room - cells.Width(l) - cells.Width(r)
	return b.Look.On(first) + l + b.Look.On(strings.Repeat(fill, max(n, 0))) + r + b.Look.On(last)
}

func blank(w, h int) []string {
	out := make([]string, max(h, 0))
	for i := range out {
		out[i] = cells.Pad("", w)
	}
	return out
}

// Fit returns exactly h rows of exactly w columns.
func Fit(lines []string, w, h int) []string {
	out := make([]string, 0, max(h, 0))
	for i := range max(h, 0) {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		out = append(out, cells.Pad(line, w))
	}
	return out
}
