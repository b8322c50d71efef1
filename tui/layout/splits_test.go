package layout

import "testing"

func TestBordersMoveWhereTheyAreDropped(t *testing.T) {
	r := Request{W: 200, H: 60, Sessions: 4}
	p := Make(r)
	right := p.Panes[1].Frame
	b, ok := p.BorderAt(right.X, right.Y+5)
	if !ok || b.Kind != ColumnBorder {
		t.Fatalf("%+v at the border of two columns", b)
	}
	for x := p.Body.X + MinWidth; x <= p.Body.X+p.Body.W-MinWidth; x++ {
		r.Splits = p.Move(Splits{}, b, x, 0)
		if got := Make(r).Panes[1].Frame.X; got != x {
			t.Fatalf("dropped at %d, it stands at %d", x, got)
		}
	}
	r.Splits = p.Move(Splits{}, b, 0, 0)
	if got := Make(r).Panes[0].Frame.W; got != MinWidth {
		t.Errorf("a pane of %d columns", got)
	}

	r.Splits = Splits{}
	low := p.Panes[2].Frame
	if b, ok = p.BorderAt(low.X+3, low.Y); !ok || b.Kind != RowBorder {
		t.Fatalf("%+v at the border of two rows", b)
	}
	r.Splits = p.Move(r.Splits, b, 0, low.Y+7)
	if got := Make(r).Panes[2].Frame.Y; got != low.Y+7 {
		t.Errorf("dropped at %d, it stands at %d", low.Y+7, got)
	}

	if b, ok = p.BorderAt(p.Sidebar.W-1, 10); !ok || b.Kind != SidebarBorder {
		t.Fatalf("%+v at the sidebar", b)
	}
	r.Splits = p.Move(r.Splits, b, 49, 0)
	if got := Make(r).Sidebar.W; got != 50 {
		t.Errorf("the sidebar has %d columns", got)
	}

	r = Request{W: 160, H: 45, Sessions: 3, Arrangement: Main}
	p = Make(r)
	if b, ok = p.BorderAt(p.Panes[1].Frame.X, 20); !ok || b.Kind != MainBorder {
		t.Fatalf("%+v beside the main pane", b)
	}
	r.Splits = p.Move(r.Splits, b, p.Body.X+50, 0)
	if got := Make(r).Panes[0].Frame.W; got < 49 || got > 50 {
		t.Errorf("the main pane has %d columns", got)
	}
}

func TestAMoveLeavesTheOldSplits(t *testing.T) {
	p := Make(Request{W: 200, H: 60, Sessions: 4})
	old := Splits{Columns: map[int][]int{2: {400}}}
	_ = p.Move(old, Border{ColumnBorder, 2, 1}, 120, 0)
	if old.Columns[2][0] != 400 {
		t.Error("it changed")
	}
}
