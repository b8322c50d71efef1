package vt

import (
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"
)

// broken returns what is wrong inside tm, empty if nothing.
func broken(tm *Terminal) string {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	if tm.cur.x < 0 || tm.cur.x >= tm.cols || tm.cur.y < 0 || tm.cur.y >= tm.nrow {
		return fmt.Sprintf("cursor %+v outside %d×%d", tm.cur, tm.cols, tm.nrow)
	}
	if tm.cur.wrap && tm.cur.x != tm.limit()-1 {
		return fmt.Sprintf("pending wrap at column %d of %d", tm.cur.x, tm.cols)
	}
	if tm.left < 0 || tm.left >= tm.right || tm.right > tm.cols {
		return fmt.Sprintf("margins %d–%d", tm.left, tm.right)
	}
	for _, s := range []*screen{&tm.main, &tm.alt} {
		if len(s.rows) != tm.nrow || s.top < 0 || s.top > s.bot || s.bot >= tm.nrow {
			return fmt.Sprintf("%d rows, region %d–%d", len(s.rows), s.top, s.bot)
		}
		for y, r := range s.rows {
			if w := brokenRow(tm, r.cells); w != "" {
				return fmt.Sprintf("row %d: %s", y, w)
			}
		}
	}
	buf := make([]cell, tm.cols)
	for i := range tm.hist.n {
		tm.in.unpack(buf, tm.hist.at(i).bytes())
		if w := brokenRow(tm, buf); w != "" {
			return fmt.Sprintf("scrollback row %d: %s", i, w)
		}
	}
	if tm.hist.n > tm.hist.limit || tm.hist.bytes > tm.hist.maxBytes {
		return fmt.Sprintf("scrollback of %d rows, %d bytes", tm.hist.n, tm.hist.bytes)
	}
	return ""
}

func brokenRow(tm *Terminal, cells []cell) string {
	if len(cells) != tm.cols {
		return fmt.Sprintf("%d cells", len(cells))
	}
	for x, c := range cells {
		switch {
		case c.isHead() && (x+1 == len(cells) || !cells[x+1].isTail()):
			return fmt.Sprintf("half a wide character at column %d", x)
		case c.isTail() && (x == 0 || !cells[x-1].isHead()):
			return fmt.Sprintf("a right half alone at column %d", x)
		case int(c.st) >= len(tm.in.styles):
			return fmt.Sprintf("style %d at column %d", c.st, x)
		case c.ch&clusterBit != 0 && int(c.ch&runeMask) >= len(tm.in.clusters):
			return fmt.Sprintf("cluster at column %d", x)
		}
	}
	return ""
}

// allText is the scrollback and the screen as they would be copied.
func allText(tm *Terminal) string {
	first, live := tm.Bounds()
	cols, rows := tm.Size()
	return tm.CopyText(tm.Select(Chars, Pos{first, 0}, Pos{live + int64(rows) - 1, cols - 1}, false))
}

// TestReflowKeepsText resizes at random and holds that no text is lost, doubled
// or torn, and that the cursor stays behind the same letter.
func TestReflowKeepsText(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	rounds := 300
	if raceDetector {
		rounds = 60
	}
	for range rounds {
		tm := New(20+r.Intn(60), 5+r.Intn(20), Config{Scrollback: 100000})
		for range r.Intn(40) {
			for range r.Intn(12) {
				write(tm, []string{"word ", "日本語", "👩\u200d💻", "\x1b[31mred\x1b[m", "xxxxxxxxxxxxxxxx", "e\u0301"}[r.Intn(6)])
			}
			write(tm, "\r\n")
		}
		write(tm, "prompt$ ab")
		want := strings.TrimRight(allText(tm), "\n")
		for range 10 {
			tm.Resize(2+r.Intn(100), 1+r.Intn(30))
			if got := strings.TrimRight(allText(tm), "\n"); got != want {
				t.Fatalf("at %d×%d\n got %q\nwant %q", tm.cols, tm.nrow, got, want)
			}
			if w := broken(tm); w != "" {
				t.Fatal(w)
			}
		}
		tm.Resize(80, 24)
		write(tm, "!")
		if got := strings.TrimRight(allText(tm), "\n"); got != want+"!" {
			t.Fatalf("the cursor left its text: %q, want %q", got, want+"!")
		}
	}
}

// TestResizeWhileWriting resizes a thousand times between pieces of real output.
func TestResizeWhileWriting(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	var in []byte
	for _, rec := range recordings(t) {
		in = append(in, rec.bytes...)
	}
	tm := New(80, 24, Config{Scrollback: 500})
	at := 0
	for range 1000 {
		n := r.Intn(200)
		for range n {
			_, _ = tm.Write(in[at%len(in) : at%len(in)+1])
			at++
		}
		tm.Resize(1+r.Intn(150), 1+r.Intn(60))
		if w := broken(tm); w != "" {
			t.Fatalf("after %d bytes at %d×%d: %s", at, tm.cols, tm.nrow, w)
		}
	}
	tm.Resize(20, 3)
	write(tm, "\x1bcright final screen")
	if got := screenOf(tm); got != "right final screen" {
		t.Errorf("got %q", got)
	}
}

// TestTogether has a reader draw, a writer write, a third resize and others ask,
// for the race detector to watch.
func TestTogether(t *testing.T) {
	tm := New(80, 24, Config{Scrollback: 200, Reply: func([]byte) {}, Title: func(string) {}})
	defer tm.Close()
	done := make(chan struct{})
	var wg sync.WaitGroup
	reader := func(f func()) {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					f()
				}
			}
		})
	}
	var f Frame
	var row []byte
	reader(func() {
		tm.Frame(&f, tm.Scroll(View{}, -3))
		for y := range f.Rows {
			row = f.AppendRow(row[:0], y)
		}
	})
	r := rand.New(rand.NewSource(5))
	reader(func() { tm.Resize(20+r.Intn(100), 5+r.Intn(40)) })
	reader(func() { _ = tm.Text(); _ = tm.Search("claude", SearchOptions{}); _ = tm.EncodeKey(Key{Code: KeyUp}) })
	reader(func() { _ = tm.Generation(); _ = allText(tm); tm.SetColors(0, RGB(1, 1, 1), 0) })
	for _, rec := range recordings(t) {
		for i := 0; i < len(rec.bytes); i += 512 {
			_, _ = tm.Write(rec.bytes[i:min(i+512, len(rec.bytes))])
		}
	}
	close(done)
	wg.Wait()
	if w := broken(tm); w != "" {
		t.Error(w)
	}
}

// TestRepliesNobodyReads asks for more answers than any queue holds while the
// one who should read them never does.
func TestRepliesNobodyReads(t *testing.T) {
	stuck := make(chan struct{})
	tm := New(80, 24, Config{Reply: func([]byte) { <-stuck }})
	write(tm, strings.Repeat("\x1b[c\x1b[6n\x1b]11;?\x07\x1b[>q\x1b[?u", 100000)+"still here")
	if got := screenOf(tm); got != "still here" {
		t.Errorf("got %q", got)
	}
	tm.replies.mu.Lock()
	size := tm.replies.size
	tm.replies.mu.Unlock()
	if size > maxQueued {
		t.Errorf("%d bytes wait", size)
	}
	close(stuck)
	tm.Flush()
	tm.Close()
}
