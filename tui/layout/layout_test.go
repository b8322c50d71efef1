package layout

import "testing"

// TestEveryCellBelongsToOnePart goes through sizes, sessions and docks: the parts
// cover the screen without overlapping.
func TestEveryCellBelongsToOnePart(t *testing.T) {
	for w := 1; w <= 260; w += 7 {
		for h := 1; h <= 90; h += 3 {
			for _, r := range requests(w, h) {
				check(t, r)
			}
		}
	}
}

func requests(w, h int) []Request {
	var out []Request
	for n := range 7 {
		for _, dock := range []int{0, 5, 200} {
			for a := Auto; a <= Main; a++ {
				out = append(out, Request{W: w, H: h, Sessions: n, Dock: dock, Line: dock / 2, Arrangement: a, HideSidebar: n%2 == 1, Zoom: n == 3})
			}
			out = append(out, Request{W: w, H: h, Sessions: n, Dock: dock, Full: true})
			out = append(out, Request{W: w, H: h, Sessions: n, Dock: dock, Arrangement: Arrangement(n % 5), Splits: Splits{
				Sidebar: 10 * dock, Main: 900, Columns: map[int][]int{2: {950}, 3: {1, 2}, 4: {700, 600, 100}},
				Rows: map[int][]int{2: {3}, 3: {400, 990}},
			}})
		}
	}
	return out
}

func check(t *testing.T, r Request) {
	t.Helper()
	p := Make(r)
	if p.TooSmall {
		if r.W >= MinWidth && r.H >= MinHeight {
			t.Fatalf("%+v is too small", r)
		}
		return
	}
	parts := []Rect{p.Head, p.Sidebar, p.Dock, p.Line, p.Status}
	if len(p.Panes) == 0 {
		parts = append(parts, p.Body)
	}
	for _, pane := range p.Panes {
		parts = append(parts, pane.Frame)
		in := pane.Inner
		if in.W < 1 || in.H < 1 || !pane.Frame.Contains(in.X, in.Y) || !pane.Frame.Contains(in.X+in.W-1, in.Y+in.H-1) {
			t.Fatalf("%+v: the inside %+v of %+v", r, in, pane.Frame)
		}
	}
	area := 0
	for i, a := range parts {
		if a.Empty() {
			continue
		}
		area += a.W * a.H
		if a.X < 0 || a.Y < 0 || a.X+a.W > r.W || a.Y+a.H > r.H {
			t.Fatalf("%+v: %+v leaves the screen", r, a)
		}
		for _, b := range parts[i+1:] {
			if !b.Empty() && a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Fatalf("%+v: %+v and %+v overlap", r, a, b)
			}
		}
	}
	if area != r.W*r.H { // within, apart from each other, and as large as the whole
		t.Fatalf("%+v: the parts cover %d of %d cells: %+v", r, area, r.W*r.H, p)
	}
}

func TestUsualSizes(t *testing.T) {
	for _, c := range []struct {
		w, h, sessions, panes int
		sidebar               bool
	}{
		{80, 24, 2, 1, false},
		{120, 40, 2, 2, true},
		{120, 40, 4, 2, true},
		{160, 45, 2, 2, true},
		{200, 60, 4, 4, true},
		{200, 60, 9, 4, true},
		{100, 30, 3, 1, true},
	} {
		p := Make(Request{W: c.w, H: c.h, Sessions: c.sessions})
		if len(p.Panes) != c.panes || p.Sidebar.Empty() == c.sidebar {
			t.Errorf("%dx%d with %d sessions: %d panes, sidebar %v", c.w, c.h, c.sessions, len(p.Panes), p.Sidebar)
		}
	}
}

// TestADockMovesNoPane: what is docked takes rows, and changes nothing else.
func TestADockMovesNoPane(t *testing.T) {
	for w := 40; w < 250; w += 11 {
		for h := 24; h < 80; h += 5 {
			for n := range 6 {
				a := Make(Request{W: w, H: h, Sessions: n})
				b := Make(Request{W: w, H: h, Sessions: n, Dock: 6})
				if len(a.Panes) != len(b.Panes) {
					t.Fatalf("%dx%d: %d panes become %d", w, h, len(a.Panes), len(b.Panes))
				}
				for i := range a.Panes {
					if x, y := a.Panes[i].Frame, b.Panes[i].Frame; x.X != y.X || x.W != y.W {
						t.Fatalf("%dx%d: pane %d moves from %+v to %+v", w, h, i, x, y)
					}
				}
			}
		}
	}
}
