package vt

import (
	"math"
	"math/rand"
	"strings"
	"testing"
)

var oddInts = []int{0, -1, 1, 2, 5, 1000, math.MaxInt, math.MinInt, math.MaxInt32, -7, 4096}

// TestOddArguments calls everything with what no caller should pass.
func TestOddArguments(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	pick := func() int { return oddInts[r.Intn(len(oddInts))] }
	for range 500 {
		tm := New(pick()%50, pick()%50, Config{
			Scrollback: pick(), ScrollbackBytes: pick(), CellWidth: pick(), CellHeight: pick(), Reply: func([]byte) {},
		})
		write(tm, corpus[r.Intn(len(corpus))]+strings.Repeat("日本 x\r\n", r.Intn(9)))
		for range 6 {
			askOddly(tm, r, pick)
			if r.Intn(3) == 0 {
				tm.Resize(pick()%50, pick()%50)
			}
			if w := broken(tm); w != "" {
				t.Fatal(w)
			}
		}
		tm.Close()
		tm.Close()
	}
}

func askOddly(tm *Terminal, r *rand.Rand, pick func() int) {
	at := func() Pos { return Pos{int64(pick()), pick()} }
	s := tm.Select(Unit(r.Intn(5)), at(), at(), r.Intn(2) == 0)
	_ = tm.CopyText(s)
	s.Start, s.End = at(), at()
	_ = tm.CopyText(s)
	_ = tm.Move(at(), Motion(r.Intn(14)))
	_, _, _ = tm.LinkAt(at())
	_ = tm.Search([]string{"", "日", "x\n", "\xff"}[r.Intn(4)], SearchOptions{Limit: pick()})
	_ = tm.Line(pick())
	v := View{Scrolled: r.Intn(2) == 0, Top: int64(pick())}
	var f Frame
	tm.Frame(&f, v)
	tm.Frame(&f, tm.Scroll(v, pick()))
	for y := range f.Rows {
		_ = f.AppendRow(nil, y, Span{From: pick(), To: pick(), Attr: Attr(pick())})
		s.Span(&f, y)
	}
	_ = tm.EncodeKey(Key{Code: rune(pick()), Mod: Mod(pick()), Text: "\xffa", ShiftedCode: rune(pick()), BaseCode: rune(pick()), Action: KeyAction(r.Intn(5))})
	_ = tm.EncodeKey(Key{Code: KeyExtended + rune(r.Intn(200)), Mod: Mod(pick()), Action: KeyAction(r.Intn(5))})
	_ = tm.EncodeMouse(Mouse{X: pick(), Y: pick(), Button: MouseButton(r.Intn(256)), Action: MouseAction(r.Intn(5))})
	tm.SetColors(Color(pick()), Color(pick()), Color(pick()))
}
