package layout

// Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// Empty says that there is nothing to draw in.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains says whether the cell at x, y is in the rectangle.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Inset returns the rectangle without a border of one cell.
func (r Rect) Inset() Rect { return Rect{r.X + 1, r.Y + 1, max(r.W-2, 0), max(r.H-2, 0)} }

// The smallest screen, and the sizes from which on there is room for more.
const (
	MinWidth  = 40
	MinHeight = 10

	sidebarWidth     = 31
	sidebarLeast     = 22
	sidebarWide      = 35  // the same from wideWidth on
	wideWidth        = 140 // of the screen
	sidebarMinWidth  = 100 // of the screen
	sidebarMinHeight = 20
	paneWidth        = 62 // columns from which on panes stand side by side
	paneHeight       = 16 // rows from which on they stand above each other
)

// Arrangement says how panes share the body.
type Arrangement int

// The arrangements.
const (
	Auto Arrangement = iota // what the size allows
	Columns
	Rows
	Grid
	Main // one large at the left, the others above each other beside it
)

// String names the arrangement.
func (a Arrangement) String() string {
	return [...]string{"auto", "columns", "rows", "grid", "main and stack"}[a]
}

// Next is the one after a.
func (a Arrangement) Next() Arrangement { return (a + 1) % (Main + 1) }

// Request says what is to be shown.
type Request struct {
	W, H        int
	Sessions    int  // how many there are to show
	HideSidebar bool // the user does not want it
	Zoom        bool // one pane only
	Full        bool // a view takes the whole body
	Dock        int  // rows a docked card would like
	DockLeast   int  // rows without which it is of no use: it gets these, or none
	Line        int  // rows of an input line
	Arrangement Arrangement
	Splits      Splits // where the human moved borders to
}

// Pane is the place of one pane.
type Pane struct {
	Frame  Rect // with its lines
	Inner  Rect // the terminal
	Framed bool // lines on all sides; else only a title above
}

// Plan is the division of a screen.
type Plan struct {
	TooSmall bool
	Head     Rect // the top line
	Sidebar  Rect // empty when there is none: then the head is a line of tabs
	Body     Rect // panes, or a view
	Panes    []Pane
	Dock     Rect
	Line     Rect
	Status   Rect // the bottom line

	grips []grip // where borders can be taken hold of
}

// Make divides a screen.
func Make(r Request) Plan {
	if r.W < MinWidth || r.H < MinHeight {
		return Plan{TooSmall: true, Body: Rect{0, 0, max(r.W, 0), max(r.H, 0)}}
	}
	p := Plan{Head: Rect{0, 0, r.W, 1}, Status: Rect{0, r.H - 1, r.W, 1}}
	body := Rect{0, 1, r.W, r.H - 2}
	if r.W >= sidebarMinWidth && r.H >= sidebarMinHeight && !r.HideSidebar && !r.Zoom && !r.Full {
		p.Sidebar = Rect{0, 1, sidebarWidth, body.H}
		if r.W >= wideWidth {
			p.Sidebar.W = sidebarWide
		}
		if w := r.Splits.Sidebar; w > 0 {
			p.Sidebar.W = clamp(w, sidebarLeast, r.W/2)
		}
		body.X, body.W = p.Sidebar.W, r.W-p.Sidebar.W
	}
	cols, rows := r.grid(body)
	least := 4 * rows // of the body, in rows, whatever is docked
	p.Line.H = clamp(r.Line, 0, body.H-least)
	p.Dock.H = r.dock(body.H-p.Line.H, least)
	body.H -= p.Line.H + p.Dock.H
	p.Dock.W, p.Line.W = r.W, r.W
	p.Dock.Y = body.Y + body.H
	p.Line.Y = p.Dock.Y + p.Dock.H
	if !p.Sidebar.Empty() {
		p.Sidebar.H = body.H
	}
	p.Body = body
	if !r.Full {
		p.panes(r, body, cols, rows)
	}
	return p
}

// viewLeast is how many rows a view needs beside a card; with fewer the card gives
// way to it.
const viewLeast = 6

// dock returns how many of h rows the card gets, of which least are better left
// to the body.
func (r Request) dock(h, least int) int {
	rows := clamp(r.Dock, 0, h-least)
	if rows >= r.DockLeast {
		return rows
	}
	left := 1 // the title of a pane
	if r.Full {
		left = viewLeast
	}
	if r.DockLeast > h-left {
		return 0
	}
	return r.DockLeast
}

// Capacity returns how many panes a plan for r has at most.
func Capacity(r Request) int {
	r.Sessions = 1 << 10
	return len(Make(r).Panes)
}

// grid returns the columns and rows of panes.
func (r Request) grid(body Rect) (cols, rows int) {
	if r.Zoom || r.Full || r.Sessions <= 1 {
		return 1, 1
	}
	maxCols := clamp(body.W/MinWidth, 1, 4)
	maxRows := clamp(body.H/(MinHeight+2), 1, 4)
	switch r.Arrangement {
	case Columns:
		return min(r.Sessions, maxCols), 1
	case Rows:
		return 1, min(r.Sessions, maxRows)
	case Main:
		if maxCols < 2 || maxRows < 1 {
			return 1, 1
		}
		return 2, min(r.Sessions-1, maxRows)
	case Grid:
		return gridOf(r.Sessions, maxCols, maxRows)
	default:
	}
	maxCols = clamp(body.W/paneWidth, 1, 3)
	maxRows = clamp(body.H/paneHeight, 1, 2)
	if body.H < 34 { // two rows of panes would be too low to work in
		maxRows = 1
	}
	return gridOf(min(r.Sessions, maxCols*maxRows), maxCols, maxRows)
}

// gridOf returns the smallest grid for n panes, wider rather than higher.
func gridOf(n, maxCols, maxRows int) (cols, rows int) {
	n = max(min(n, maxCols*maxRows), 1)
	for rows = 1; rows < maxRows && (n+rows-1)/rows > maxCols; rows++ {
	}
	cols = (n + rows - 1) / rows
	return cols, rows
}

// panes divides the body.
func (p *Plan) panes(r Request, body Rect, cols, rows int) {
	if cols*rows == 1 {
		framed := r.W >= sidebarMinWidth && !r.Zoom
		p.Panes = []Pane{place(body, framed)}
		return
	}
	if r.Arrangement == Main && cols == 2 {
		p.mainAndStack(r, body, rows)
		return
	}
	n := min(max(r.Sessions, 1), cols*rows)
	ys := edges(body.H, rows, r.Splits.Rows[rows], leastHeight)
	for y := range rows {
		inRow := share(n, rows, y) // the last rows may have fewer
		xs := edges(body.W, inRow, r.Splits.Columns[inRow], MinWidth)
		top, h := body.Y+ys[y], ys[y+1]-ys[y]
		for x := range inRow {
			p.Panes = append(p.Panes, place(Rect{body.X + xs[x], top, xs[x+1] - xs[x], h}, true))
			if x > 0 {
				p.border(Border{ColumnBorder, inRow, x}, Rect{body.X + xs[x] - 1, top, 2, h})
			}
		}
		if y > 0 {
			p.border(Border{RowBorder, rows, y}, Rect{body.X, top - 1, body.W, 2})
		}
	}
}

func (p *Plan) mainAndStack(r Request, body Rect, rows int) {
	w := body.W * 3 / 5
	if m := r.Splits.Main; m > 0 {
		w = body.W * m / 1000
	}
	w = max(min(max(w, MinWidth), body.W-MinWidth), 0)
	p.Panes = []Pane{place(Rect{body.X, body.Y, w, body.H}, true)}
	p.border(Border{Kind: MainBorder}, Rect{body.X + w - 1, body.Y, 2, body.H})
	ys := edges(body.H, rows, r.Splits.Rows[rows], leastHeight)
	for y := range rows {
		p.Panes = append(p.Panes, place(Rect{body.X + w, body.Y + ys[y], body.W - w, ys[y+1] - ys[y]}, true))
		if y > 0 {
			p.border(Border{RowBorder, rows, y}, Rect{body.X + w, body.Y + ys[y] - 1, body.W - w, 2})
		}
	}
}

func place(frame Rect, framed bool) Pane {
	if framed && frame.H > 2 {
		return Pane{Frame: frame, Inner: frame.Inset(), Framed: true}
	}
	return Pane{Frame: frame, Inner: Rect{frame.X, frame.Y + 1, frame.W, max(frame.H-1, 0)}}
}

// share returns how many of n things go to part i of parts, the first ones more.
func share(n, parts, i int) int {
	return n/parts + btoi(i < n%parts)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func clamp(v, lo, hi int) int { return max(min(v, hi), lo) }
