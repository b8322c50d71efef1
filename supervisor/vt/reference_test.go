package vt

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// A refCell is a cell as any of the emulators shows it; a blank one has a space.
type refCell struct {
	text  string
	width int
	look  string // foreground;background;attributes
}

type refScreen struct {
	at    int
	cells [][]refCell // by column; the right half of a wide character is the zero cell
	x, y  int
	past  []string // the text of the scrollback, where it is compared
}

type recording struct {
	name       string
	bytes      []byte
	Cols, Rows int
	Resizes    [][3]int
}

func recordings(t testing.TB) []recording {
	t.Helper()
	b, err := os.ReadFile("testdata/recordings.json")
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]recording
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	var out []recording
	for name, r := range m {
		r.name = name
		if r.bytes, err = os.ReadFile(filepath.Join("testdata", name+".raw")); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// A stop is a place in a recording: a checkpoint, or a resize, which is looked
// at before and after.
type stop struct{ at, cols, rows int }

func (r *recording) stops() []stop {
	var out []stop
	for _, p := range []int{25, 50, 75, 100} {
		out = append(out, stop{at: len(r.bytes) * p / 100})
	}
	for _, z := range r.Resizes {
		out = append(out, stop{z[0], z[1], z[2]})
	}
	slices.SortStableFunc(out, func(a, b stop) int { return a.at - b.at })
	return out
}

// play writes the recording in pieces and resizes where it did, and calls look
// at each stop.
func (r *recording) play(tm *Terminal, piece int, look func(at int)) {
	from := 0
	for _, s := range r.stops() {
		for from < s.at {
			n := min(piece, s.at-from)
			_, _ = tm.Write(r.bytes[from : from+n])
			from += n
		}
		look(s.at)
		if s.cols > 0 {
			tm.Resize(s.cols, s.rows)
			look(s.at)
		}
	}
}

var lookLetters = []struct {
	attr Attr
	s    string
}{
	{Bold, "b"},
	{Faint, "d"},
	{Italic, "i"},
	{UnderlineMask, "u"},
	{Blink | RapidBlink, "k"},
	{Inverse, "r"},
	{Conceal, "c"},
	{Strike, "s"},
	{Overline, "o"},
}

func lookOf(st style) string {
	var b strings.Builder
	for _, c := range []Color{st.fg, st.bg} {
		if i, ok := c.Index(); ok {
			fmt.Fprint(&b, i)
		} else if r, g, bl, ok := c.RGB(); ok {
			fmt.Fprintf(&b, "#%02x%02x%02x", r, g, bl)
		}
		b.WriteByte(';')
	}
	for _, l := range lookLetters {
		if st.attr&l.attr != 0 {
			b.WriteString(l.s)
		}
	}
	return b.String()
}

func ours(tm *Terminal, at int) *refScreen {
	s := &refScreen{at: at, x: tm.cur.x, y: tm.cur.y}
	for _, r := range tm.scr.rows {
		row := make([]refCell, len(r.cells))
		for x, c := range r.cells {
			if c.isTail() {
				continue
			}
			text := string(tm.in.appendText(nil, c))
			if text == "" {
				text = " "
			}
			w := 1
			if c.isHead() {
				w = 2
			}
			row[x] = refCell{text, w, lookOf(tm.in.styles[c.st])}
		}
		s.cells = append(s.cells, row)
	}
	if tm.cur.wrap {
		s.x++ // the references show a pending wrap as the column after the last
	}
	return s
}

// pastOf returns the text of the scrollback.
func pastOf(tm *Terminal) []string {
	var f Frame
	out := []string{}
	for i := range tm.hist.n {
		tm.Frame(&f, View{Scrolled: true, Top: tm.hist.first + int64(i)})
		var b strings.Builder
		for x := range f.Cols {
			if c := f.Cell(x, 0); c.Text == "" && c.Width == 1 {
				b.WriteByte(' ')
			} else {
				b.WriteString(c.Text)
			}
		}
		out = append(out, b.String())
	}
	return trimmed(out)
}

// trimmed cuts the blanks at the ends of rows, which may have been painted.
func trimmed(rows []string) []string {
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return rows
}

// xtermGolden reads what record.mjs wrote.
func xtermGolden(t testing.TB, name string) []*refScreen {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata/xterm", name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var raw []struct {
		At, Cols int
		Cursor   [2]int
		Rows     [][][2]json.RawMessage
		History  []string
	}
	if err := json.NewDecoder(z).Decode(&raw); err != nil {
		t.Fatal(err)
	}
	var out []*refScreen
	for _, g := range raw {
		s := &refScreen{at: g.At, x: g.Cursor[0], y: g.Cursor[1], past: trimmed(g.History)}
		for _, runs := range g.Rows {
			s.cells = append(s.cells, goldenRow(t, runs, g.Cols))
		}
		out = append(out, s)
	}
	return out
}

func goldenRow(t testing.TB, runs [][2]json.RawMessage, cols int) []refCell {
	row := make([]refCell, 0, cols+1)
	for _, run := range runs {
		var look, joined string
		var texts []string
		if json.Unmarshal(run[0], &look) != nil {
			t.Fatal("golden: bad run")
		}
		if json.Unmarshal(run[1], &joined) == nil {
			for _, u := range utf16.Encode([]rune(joined)) {
				texts = append(texts, string(utf16.Decode([]uint16{u})))
			}
		} else if json.Unmarshal(run[1], &texts) != nil {
			t.Fatal("golden: bad text")
		}
		i := strings.LastIndexByte(look, ';')
		w := int(look[i+1] - '0')
		for _, s := range texts {
			row = append(row, refCell{s, w, look[:i]})
			if w == 2 {
				row = append(row, refCell{})
			}
		}
	}
	return row
}
