package layout

import "slices"

// leastHeight is the least of a pane whose border is moved.
const leastHeight = 4

// Splits is where the human moved the borders to. Edges are per mille of what
// they divide, so that they fit another size too. The zero Splits is even.
type Splits struct {
	Sidebar int           `json:"sidebar,omitempty"` // its columns
	Main    int           `json:"main,omitempty"`    // width of the main pane
	Columns map[int][]int `json:"columns,omitempty"` // inner edges, by the number of columns
	Rows    map[int][]int `json:"rows,omitempty"`
}

// BorderKind says what a border divides.
type BorderKind int

// The kinds of borders.
const (
	NoBorder BorderKind = iota
	SidebarBorder
	MainBorder
	ColumnBorder
	RowBorder
)

// Border is a line between two places: the one before part At of Of.
type Border struct {
	Kind   BorderKind
	Of, At int
}

// border notes where a border can be taken hold of.
func (p *Plan) border(b Border, at Rect) {
	p.grips = append(p.grips, grip{b, at})
}

type grip struct {
	border Border
	at     Rect
}

// BorderAt is the border at a cell.
func (p *Plan) BorderAt(x, y int) (Border, bool) {
	if s := p.Sidebar; !s.Empty() && x == s.X+s.W-1 && y >= s.Y && y < s.Y+s.H {
		return Border{Kind: SidebarBorder}, true
	}
	for _, g := range p.grips {
		if g.at.Contains(x, y) {
			return g.border, true
		}
	}
	return Border{}, false
}

// Move returns the splits with a border moved to a cell. They are new: the old
// ones stay as they were.
func (p *Plan) Move(s Splits, b Border, x, y int) Splits {
	body := p.Body
	switch b.Kind {
	case SidebarBorder:
		s.Sidebar = max(x+1, sidebarLeast)
	case MainBorder:
		s.Main = clamp((x-body.X)*1000/max(body.W, 1), 1, 999)
	case ColumnBorder:
		s.Columns = moved(s.Columns, b, x-body.X, body.W, MinWidth)
	case RowBorder:
		s.Rows = moved(s.Rows, b, y-body.Y, body.H, leastHeight)
	case NoBorder:
	}
	return s
}

func moved(all map[int][]int, b Border, to, length, least int) map[int][]int {
	now := edges(length, b.Of, all[b.Of], least)
	now[b.At] = clamp(to, now[b.At-1]+least, now[b.At+1]-least)
	out := map[int][]int{}
	for n, cuts := range all {
		out[n] = cuts
	}
	cuts := make([]int, 0, b.Of-1)
	for _, e := range now[1:b.Of] {
		cuts = append(cuts, (e*1000+length-1)/max(length, 1)) // rounds back to e
	}
	out[b.Of] = cuts
	return out
}

// edges returns where the parts of length begin, and its end. Cuts are the inner
// edges per mille; without them, or where a part would become too small, the
// parts are even.
func edges(length, parts int, cuts []int, least int) []int {
	out := make([]int, parts+1)
	for i := range out {
		out[i] = length * i / parts
	}
	if len(cuts) != parts-1 || parts*least > length || !slices.IsSorted(cuts) {
		return out
	}
	for i, c := range cuts {
		low := out[i] + least
		out[i+1] = clamp(length*c/1000, low, max(length-(parts-i-1)*least, low))
	}
	return out
}
