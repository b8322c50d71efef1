package vt

// sgr applies Select Graphic Rendition, in the ; and : forms of colours.
func (t *Terminal) sgr() {
	p := &t.par
	t.penOK = false
	for i := 0; i < p.n; {
		i = t.sgrOne(i)
	}
}

// sgrOne applies the parameter at i and returns where the next one begins.
func (t *Terminal) sgrOne(i int) int {
	p, s := &t.par, &t.pen
	n := p.raw(i)
	next := i + 1
	for next < p.n && p.sub>>next&1 == 1 {
		next++
	}
	switch {
	case n == 0:
		*s = style{link: s.link}
	case n < 10:
		s.set(n, p, i, next)
	case n >= 21 && n <= 29:
		s.unset(n)
	case n >= 30 && n <= 37:
		s.fg = Indexed(uint8(n - 30))
	case n >= 40 && n <= 47:
		s.bg = Indexed(uint8(n - 40))
	case n >= 90 && n <= 97:
		s.fg = Indexed(uint8(n - 90 + 8))
	case n >= 100 && n <= 107:
		s.bg = Indexed(uint8(n - 100 + 8))
	case n == 38:
		return p.color(i, next, &s.fg)
	case n == 48:
		return p.color(i, next, &s.bg)
	case n == 58:
		return p.color(i, next, &s.ul)
	case n == 39:
		s.fg = Default
	case n == 49:
		s.bg = Default
	case n == 59:
		s.ul = Default
	case n == 53:
		s.attr |= Overline
	case n == 55:
		s.attr &^= Overline
	}
	return next
}

func (s *style) set(n int, p *params, i, next int) {
	switch n {
	case 1:
		s.attr |= Bold
	case 2:
		s.attr |= Faint
	case 3:
		s.attr |= Italic
	case 4:
		shape := UnderlineSingle
		if next > i+1 {
			if v := p.raw(i + 1); v <= 5 {
				shape = Attr(v) * UnderlineSingle
			}
		}
		s.attr = s.attr&^UnderlineMask | shape
	case 5:
		s.attr |= Blink
	case 6:
		s.attr |= RapidBlink
	case 7:
		s.attr |= Inverse
	case 8:
		s.attr |= Conceal
	case 9:
		s.attr |= Strike
	}
}

func (s *style) unset(n int) {
	switch n {
	case 21:
		s.attr = s.attr&^UnderlineMask | UnderlineDouble
	case 22:
		s.attr &^= Bold | Faint
	case 23:
		s.attr &^= Italic
	case 24:
		s.attr &^= UnderlineMask
	case 25:
		s.attr &^= Blink | RapidBlink
	case 27:
		s.attr &^= Inverse
	case 28:
		s.attr &^= Conceal
	case 29:
		s.attr &^= Strike
	}
}

// color reads 38, 48 or 58 at i. With colons the whole colour is in the
// subparameters up to next (38:2:r:g:b, 38:2:space:r:g:b, 38:5:n); with
// semicolons it takes the parameters that follow.
func (p *params) color(i, next int, dst *Color) int {
	if next > i+1 {
		p.colonColor(i+1, next, dst)
		return next
	}
	switch p.raw(i + 1) {
	case 2:
		if i+4 < p.n {
			*dst = rgbOf(p.raw(i+2), p.raw(i+3), p.raw(i+4))
		}
		return p.after(i + 5)
	case 5:
		if n := p.raw(i + 2); i+2 < p.n && n < 256 {
			*dst = Indexed(uint8(n))
		}
		return p.after(i + 3)
	}
	return p.after(i + 2)
}

func (p *params) after(i int) int { return min(i, p.n) }

func (p *params) colonColor(i, next int, dst *Color) {
	switch n := next - i; {
	case p.raw(i) == 5 && n >= 2 && p.raw(i+1) < 256:
		*dst = Indexed(uint8(p.raw(i + 1)))
	case p.raw(i) == 2 && n == 4:
		*dst = rgbOf(p.raw(i+1), p.raw(i+2), p.raw(i+3))
	case p.raw(i) == 2 && n >= 5:
		*dst = rgbOf(p.raw(i+2), p.raw(i+3), p.raw(i+4))
	}
}

func rgbOf(r, g, b int) Color {
	return RGB(uint8(min(r, 255)), uint8(min(g, 255)), uint8(min(b, 255)))
}
