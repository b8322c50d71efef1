package vt

// A Color is a terminal colour: the default, one of the palette's 256, or RGB.
type Color uint32

const (
	colorIndexed Color = 1 << 24
	colorRGB     Color = 2 << 24
)

// Default is the terminal's own foreground or background.
const Default Color = 0

// Indexed returns colour i of the 256-colour palette.
func Indexed(i uint8) Color { return colorIndexed | Color(i) }

// RGB returns a true colour.
func RGB(r, g, b uint8) Color { return colorRGB | Color(r)<<16 | Color(g)<<8 | Color(b) }

// Index returns the palette index, if the colour has one.
func (c Color) Index() (uint8, bool) { return uint8(c), c&^0xffffff == colorIndexed }

// RGB returns the components of a true colour.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&^0xffffff == colorRGB
}

// Attr is the set of a cell's attributes. The underline's shape is the number
// in UnderlineMask.
type Attr uint16

// Attributes, and the shapes of the underline.
const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Blink
	RapidBlink
	Inverse
	Conceal
	Strike
	Overline
	underlineBit

	UnderlineMask        = 7 * underlineBit
	UnderlineSingle Attr = 1 * underlineBit
	UnderlineDouble      = 2 * underlineBit
	UnderlineCurly       = 3 * underlineBit
	UnderlineDotted      = 4 * underlineBit
	UnderlineDashed      = 5 * underlineBit
)

// style is what a cell's st numbers: everything of its look, and its link.
type style struct {
	fg, bg, ul Color
	attr       Attr
	link       uint32
}

// Style is the look of a cell.
type Style struct {
	Fg, Bg, Underline Color
	Attr              Attr
	Link              string // target of a hyperlink (OSC 8), else empty
	LinkID            string // its id parameter; parts with equal target and id belong together
}

type link struct{ uri, id string }

func (st *style) hash() uint32 {
	h := (uint64(st.fg)<<32 | uint64(st.bg)) * 0x9E3779B97F4A7C15
	h ^= (uint64(st.ul)<<32 | uint64(st.attr)) * 0xC2B2AE3D27D4EB4F
	h ^= uint64(st.link) * 0x165667B19E3779F9
	h *= 0x9E3779B97F4A7C15
	return uint32(h >> 32)
}
