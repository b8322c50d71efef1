package vt

// charsets are the designated character sets G0–G3 and the one in use.
type charsets struct {
	g      [4]byte // final byte of the designation: 'B' ASCII, '0' line drawing, 'A' UK
	gl     uint8
	single uint8 // SS2 or SS3: set for the next character only, else 0
}

func (s *charsets) reset() { *s = charsets{g: [4]byte{'B', 'B', 'B', 'B'}} }

// shifted tells whether ASCII does not stand for itself.
func (s *charsets) shifted() bool { return s.g[s.gl] != 'B' || s.single != 0 }

func (s *charsets) translate(r rune) rune {
	set := s.g[s.gl]
	if s.single != 0 {
		set, s.single = s.g[s.single], 0
	}
	switch {
	case set == '0' && r >= 0x5f && r < 0x7f:
		return lineDrawing[r-0x5f]
	case set == 'A' && r == '#':
		return '£'
	}
	return r
}

// lineDrawing is the DEC special graphics set from 0x5F on (VT100 user guide).
var lineDrawing = [...]rune{
	' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼',
	'⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}
