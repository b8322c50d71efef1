package vt

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A colorTable is the colours a program set in place of the terminal's own. A
// Frame holds on to one, so a change makes a new one.
type colorTable struct {
	palette [256]Color // Default where nothing was set
	dyn     [3]Color   // foreground, background, cursor (OSC 10, 11, 12)
}

// setColors changes the colours and lets every row be drawn anew.
func (t *Terminal) setColors(change func(*colorTable)) {
	n := new(colorTable)
	if t.colors != nil {
		*n = *t.colors
	}
	change(n)
	if t.colors = n; *n == (colorTable{}) {
		t.colors = nil
	}
	t.touchAll()
}

func (t *Terminal) setDynamic(which int, c Color) {
	if t.colors != nil || c != Default {
		t.setColors(func(n *colorTable) { n.dyn[which] = c })
	}
}

// shown returns the colour to draw for c; def is the dynamic colour that stands
// for the default.
func (ct *colorTable) shown(c Color, def int) Color {
	if c == Default && def >= 0 {
		return ct.dyn[def]
	}
	if i, ok := c.Index(); ok && ct.palette[i] != Default {
		return ct.palette[i]
	}
	return c
}

// oscPalette is OSC 4 ; index ; colour or ? ; …
func (t *Terminal) oscPalette(rest []byte) {
	parts := strings.Split(string(rest), ";")
	for i := 0; i+1 < len(parts); i += 2 {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 || n > 255 {
			continue
		}
		idx := uint8(n)
		if parts[i+1] == "?" {
			t.reply(fmt.Sprintf("\x1b]4;%d;%s%s", n, colorSpec(t.paletteColor(idx)), t.str.end()))
			continue
		}
		if c, ok := parseColor(parts[i+1]); ok {
			t.setColors(func(n *colorTable) { n.palette[idx] = c })
		}
	}
}

func (t *Terminal) resetPalette(rest []byte) {
	t.setColors(func(c *colorTable) {
		if len(rest) == 0 {
			clear(c.palette[:])
			return
		}
		for _, s := range bytes.Split(rest, []byte{';'}) {
			if n, err := strconv.Atoi(string(s)); err == nil && n >= 0 && n < 256 {
				c.palette[n] = Default
			}
		}
	})
}

func (t *Terminal) paletteColor(i uint8) Color {
	if t.colors != nil && t.colors.palette[i] != Default {
		return t.colors.palette[i]
	}
	return xtermPalette(i)
}

// xtermPalette is xterm's default palette (XTerm-col.ad and 256colres.pl).
func xtermPalette(i uint8) Color {
	switch {
	case i < 16:
		v := [16]uint32{
			0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
			0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
		}[i]
		return colorRGB | Color(v)
	case i < 232:
		level := func(n uint8) uint8 {
			if n == 0 {
				return 0
			}
			return 55 + 40*n
		}
		n := i - 16
		return RGB(level(n/36), level(n/6%6), level(n%6))
	}
	g := 8 + 10*(i-232)
	return RGB(g, g, g)
}

// oscColor is OSC 10, 11 and 12: which is 0 foreground, 1 background, 2 cursor.
// Further colours in one sequence set the ones that follow.
func (t *Terminal) oscColor(which int, rest []byte) {
	for _, s := range strings.Split(string(rest), ";") {
		if which > 2 {
			return
		}
		if s == "?" {
			if c := t.dynamic(which); c != Default {
				t.reply(fmt.Sprintf("\x1b]%d;%s%s", which+10, colorSpec(c), t.str.end()))
			}
		} else if c, ok := parseColor(s); ok {
			t.setDynamic(which, c)
		}
		which++
	}
}

// dynamic returns the colour in force, Default if it is not known.
func (t *Terminal) dynamic(which int) Color {
	if t.colors != nil && t.colors.dyn[which] != Default {
		return t.colors.dyn[which]
	}
	c := [3]Color{t.cfg.Foreground, t.cfg.Background, t.cfg.CursorColor}[which]
	if i, ok := c.Index(); ok {
		return t.paletteColor(i)
	}
	return c
}

func colorSpec(c Color) string {
	r, g, b, _ := c.RGB()
	return fmt.Sprintf("rgb:%02x%02x/%02x%02x/%02x%02x", r, r, g, g, b, b)
}

// parseColor reads rgb:R/G/B with one to four digits each, or #RGB in any of
// XParseColor's lengths. Colour names are not known.
func parseColor(s string) (Color, bool) {
	var parts []string
	if rest, ok := strings.CutPrefix(s, "rgb:"); ok {
		parts = strings.Split(rest, "/")
	} else if rest, ok := strings.CutPrefix(s, "#"); ok && len(rest)%3 == 0 && len(rest) > 0 {
		n := len(rest) / 3
		parts = []string{rest[:n], rest[n : 2*n], rest[2*n:]}
	}
	if len(parts) != 3 {
		return 0, false
	}
	var v [3]uint8
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 16, 16)
		if err != nil || len(p) > 4 {
			return 0, false
		}
		v[i] = uint8(n * 255 / (1<<(4*len(p)) - 1))
	}
	return RGB(v[0], v[1], v[2]), true
}

// SetColors tells the terminal the colours of the surface it is shown on, which
// answer OSC 10–12. A program that asked (mode 2031) hears of a change between
// dark and light.
func (t *Terminal) SetColors(fg, bg, cursor Color) {
	t.lock()
	was := t.dark()
	t.cfg.Foreground, t.cfg.Background, t.cfg.CursorColor = fg, bg, cursor
	is, told := t.dark(), t.modes.colorScheme
	t.mu.Unlock()
	if told && was != is {
		t.replies.add([]byte(schemeReport(is)))
	}
}

func (t *Terminal) dark() bool {
	r, g, b, ok := t.dynamic(1).RGB()
	return !ok || 299*int(r)+587*int(g)+114*int(b) < 128*1000
}

func schemeReport(dark bool) string {
	if dark {
		return "\x1b[?997;1n"
	}
	return "\x1b[?997;2n"
}
