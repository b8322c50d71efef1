package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/ccmux/ccmux/supervisor/vt"
)

// The picture's cell in pixels, and its default colours.
const (
	cellW, cellH = 8.4, 17.0
	pictureFG    = "#d4d4d8"
	pictureBG    = "#16161d"
)

// palette is the usual sixteen.
var palette = [16]string{
	"#16161d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d4d4d8",
	"#7f848e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
}

// picture draws a screen as an SVG: rectangles for backgrounds, and the text of
// each run of one style.
func picture(t *vt.Terminal) []byte {
	var f vt.Frame
	t.Frame(&f, vt.View{})
	var b strings.Builder
	w, h := float64(f.Cols)*cellW+24, float64(f.Rows)*cellH+24
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`+"\n", w, h)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", pictureBG)
	for y := range f.Rows {
		drawRow(&b, &f, y)
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func drawRow(b *strings.Builder, f *vt.Frame, y int) {
	for x := 0; x < f.Cols; {
		first := f.Cell(x, y)
		text, end := first.Text, x+1
		for end < f.Cols && f.Cell(end, y).Style == first.Style {
			c := f.Cell(end, y)
			if c.Text == "" && c.Width == 1 {
				c.Text = " "
			}
			if text == "" {
				text = " "
			}
			text += c.Text
			end++
		}
		drawRun(b, x, y, end-x, text, first.Style)
		x = end
	}
}

func drawRun(b *strings.Builder, x, y, cells int, text string, s vt.Style) {
	fg, bg := shade(s.Fg, pictureFG), shade(s.Bg, "")
	if s.Attr&vt.Inverse != 0 {
		fg, bg = shade(s.Bg, pictureBG), shade(s.Fg, pictureFG)
	}
	left, top, width := 12+float64(x)*cellW, 12+float64(y)*cellH, float64(cells)*cellW
	if bg != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", left, top, width, cellH, bg)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	extra := ""
	if s.Attr&vt.Bold != 0 {
		extra += ` font-weight="bold"`
	}
	if s.Attr&vt.Faint != 0 {
		extra += ` opacity="0.6"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" xml:space="preserve" fill="%s"%s>%s</text>`+"\n",
		left, top+cellH*0.76, width, fg, extra, html.EscapeString(text))
}

// shade is a colour in the words of SVG.
func shade(c vt.Color, def string) string {
	if r, g, bl, ok := c.RGB(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, bl)
	}
	i, ok := c.Index()
	switch {
	case !ok:
		return def
	case i < 16:
		return palette[i]
	case i >= 232:
		v := 8 + 10*(int(i)-232)
		return fmt.Sprintf("#%02x%02x%02x", v, v, v)
	}
	step := func(n int) int {
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	n := int(i) - 16
	return fmt.Sprintf("#%02x%02x%02x", step(n/36), step(n/6%6), step(n%6))
}
