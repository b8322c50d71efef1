package vt

import (
	"bytes"
	"fmt"
	"math/rand"
	"runtime"
	"testing"
)

// heapAfter returns how much the heap holds because of what make returns.
func heapAfter(keep func() any) (bytes int64, kept any) {
	var a, b runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&a)
	kept = keep()
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&b)
	runtime.KeepAlive(kept)
	return int64(b.HeapAlloc) - int64(a.HeapAlloc), kept
}

func TestMemory(t *testing.T) {
	classOf('a')
	for _, w := range []struct {
		name  string
		line  func(*bytes.Buffer, *rand.Rand, int)
		limit int64
	}{{"plain", plainLine, 2 << 20}, {"colour", sgrLine, 4 << 20}, {"cjk", cjkLine, 4 << 20}} {
		var in bytes.Buffer
		r := rand.New(rand.NewSource(1))
		for i := range 12000 {
			w.line(&in, r, i)
		}
		n, tm := heapAfter(func() any {
			tm := New(120, 40, Config{Scrollback: 10000})
			_, _ = tm.Write(in.Bytes())
			return tm
		})
		runtime.KeepAlive(&in)
		if n <= 0 {
			t.Errorf("%s: the measurement says %d", w.name, n)
		}
		if got := tm.(*Terminal).hist.n; got != 10000 {
			t.Errorf("%s: %d rows kept", w.name, got)
		}
		t.Logf("%s: %.2f MB with 10,000 rows", w.name, float64(n)/1e6)
		if n > w.limit {
			t.Errorf("%s: %d bytes, more than %d", w.name, n, w.limit)
		}
	}
}

func TestAlternateScreenKeepsNothing(t *testing.T) {
	tm := New(120, 40, Config{Scrollback: 10000})
	write(tm, "\x1b[?1049h")
	line := []byte("\x1b[31mscrolled on the alternate screen\x1b[m and gone\r\n")
	n, _ := heapAfter(func() any {
		for range 4 << 20 / len(line) {
			_, _ = tm.Write(line)
		}
		return nil
	})
	if n > 64<<10 || tm.hist.n != 0 {
		t.Errorf("heap grew by %d, %d rows in the scrollback", n, tm.hist.n)
	}
}

// TestGradient shows that the tables do not grow with the colours ever used.
func TestGradient(t *testing.T) {
	tm := New(120, 40, Config{Scrollback: 1000})
	var b bytes.Buffer
	size := 0
	colours := 2_000_000
	if raceDetector {
		colours /= 10
	}
	for i := range colours {
		fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm#", i>>16&0xff, i>>8&0xff, i&0xff)
		if b.Len() > 1<<20 {
			_, _ = tm.Write(b.Bytes())
			b.Reset()
			size = max(size, tm.in.size())
		}
	}
	if limit := 4 * minCollect; size > limit {
		t.Errorf("the tables grew to %d entries, more than %d", size, limit)
	}
	last := colours - 1
	want := RGB(uint8(last>>16&0xff), uint8(last>>8&0xff), uint8(last&0xff))
	_, _ = tm.Write(b.Bytes())
	if st := tm.in.styles[tm.pen0()]; st.fg != want {
		t.Errorf("the last colour is %x, want %x", st.fg, want)
	}
}

func (t *Terminal) pen0() uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.style()
}

// TestCollectKeepsTheScreen compares a screen before and after a collection.
func TestCollectKeepsTheScreen(t *testing.T) {
	tm := New(20, 5, Config{Scrollback: 100})
	write(tm, "\x1b]8;id=a;https://example.org\x1b\\\x1b[1;38;2;1;2;3mlink\x1b]8;;\x1b\\ \x1b[7m👩\u200d💻 日\x1b7\x1b[?1049h\x1b[4malt")
	var before, after Frame
	tm.Frame(&before, View{})
	pen := tm.pen
	tm.mu.Lock()
	tm.collect()
	tm.mu.Unlock()
	tm.Frame(&after, View{})
	if tm.pen.attr != pen.attr || tm.pen.fg != pen.fg {
		t.Error("the pen changed")
	}
	for y := range 5 {
		if a, b := string(before.AppendRow(nil, y)), string(after.AppendRow(nil, y)); a != b {
			t.Errorf("row %d: %q became %q", y, a, b)
		}
	}
	write(tm, "\x1b[?1049l")
	tm.Frame(&after, View{})
	if c := after.Cell(0, 0); c.Style.Link != "https://example.org" || c.Style.LinkID != "a" || c.Style.Fg != RGB(1, 2, 3) {
		t.Errorf("the link's cell is %+v", c)
	}
	if c := after.Cell(5, 0); c.Text != "👩\u200d💻" {
		t.Errorf("the cluster is %q", c.Text)
	}
}

// TestNoAllocations holds that parsing and drawing allocate nothing once the
// scrollback has its size.
func TestNoAllocations(t *testing.T) {
	for _, w := range workloads() {
		tm := New(120, 40, Config{Scrollback: 500})
		feed := func(p []byte) {
			for ; len(p) > 0; p = p[min(len(p), 4096):] {
				_, _ = tm.Write(p[:min(len(p), 4096)])
			}
		}
		feed(w.bytes[:1<<20])
		if n := testing.AllocsPerRun(1, func() { feed(w.bytes[1<<20 : 2<<20]) }); n > 1 {
			t.Errorf("%s: %v allocations in 1 MiB", w.name, n)
		}
		var f Frame
		var row []byte
		draw := func() {
			feed(w.bytes[:4096])
			tm.Frame(&f, View{})
			for y := range f.Rows {
				row = f.AppendRow(row[:0], y)
			}
		}
		draw()
		if n := testing.AllocsPerRun(20, draw); n > 0 {
			t.Errorf("%s: %v allocations a frame", w.name, n)
		}
	}
}
