package vt

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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

// checkpoints are the places the golden files look at.
func (r *recording) checkpoints() []int {
	var out []int
	for _, p := range []int{25, 50, 75, 100} {
		out = append(out, len(r.bytes)*p/100)
	}
	return out
}

// play writes the recording in pieces and resizes where it did, and calls look
// at each checkpoint.
func (r *recording) play(tm *Terminal, piece int, look func(at int)) {
	from := 0
	feed := func(to int) {
		for from < to {
			n := min(piece, to-from)
			_, _ = tm.Write(r.bytes[from : from+n])
			from += n
		}
	}
	resizes := r.Resizes
	for _, at := range r.checkpoints() {
		for len(resizes) > 0 && resizes[0][0] < at {
			feed(resizes[0][0])
			tm.Resize(resizes[0][1], resizes[0][2])
			resizes = resizes[1:]
		}
		feed(at)
		look(at)
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
	}
	if err := json.NewDecoder(z).Decode(&raw); err != nil {
		t.Fatal(err)
	}
	var out []*refScreen
	for _, g := range raw {
		s := &refScreen{at: g.At, x: g.Cursor[0], y: g.Cursor[1]}
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

// tmuxScreen feeds b to a pane of a tmux server without a client and returns
// what the pane shows.
type tmuxServer struct {
	t    testing.TB
	sock string
	dir  string
}

var tmuxServers atomic.Int32

func newTmux(t testing.TB) *tmuxServer {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	s := &tmuxServer{t: t, sock: fmt.Sprintf("vt-test-%d-%d", os.Getpid(), tmuxServers.Add(1)), dir: t.TempDir()}
	t.Cleanup(func() { _ = s.cmd("kill-server").Run() })
	s.run("new-session", "-d", "-s", "base", "exec sleep 1000")
	s.run("set", "-g", "status", "off")
	s.run("set", "-g", "escape-time", "0")
	return s
}

func (s *tmuxServer) cmd(args ...string) *exec.Cmd {
	c := exec.Command("tmux", append([]string{"-L", s.sock, "-f", "/dev/null", "-u"}, args...)...)
	c.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=")
	return c
}

func (s *tmuxServer) run(args ...string) string {
	s.t.Helper()
	out, err := s.cmd(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (s *tmuxServer) screen(b []byte, cols, rows int) *refScreen {
	s.t.Helper()
	file := filepath.Join(s.dir, "bytes")
	if err := os.WriteFile(file, append(b[:len(b):len(b)], "\x1b]2;all-read\x1b\\"...), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.run("new-session", "-d", "-s", "p", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows),
		"stty raw -echo; cat "+file+"; tmux -L "+s.sock+" wait-for -S read; exec sleep 1000")
	s.run("wait-for", "read") // then there is little left to parse
	defer s.run("kill-session", "-t", "p")
	for deadline := time.Now().Add(20 * time.Second); ; {
		out := s.run("display-message", "-p", "-t", "p", "#{pane_title} #{cursor_x} #{cursor_y} #{pane_width}x#{pane_height}")
		var x, y int
		var size string
		if rest, ok := strings.CutPrefix(out, "all-read "); ok {
			if _, err := fmt.Sscan(rest, &x, &y, &size); err != nil || size != fmt.Sprintf("%dx%d", cols, rows) {
				s.t.Fatalf("tmux says %q", out)
			}
			sc := s.parse(s.run("capture-pane", "-p", "-e", "-N", "-t", "p"), cols, rows)
			sc.x, sc.y, sc.at = x, y, len(b)
			return sc
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("tmux did not finish: %q", out)
		}
	}
}

// parse reads capture-pane's text and SGR.
func (s *tmuxServer) parse(text string, cols, rows int) *refScreen {
	sc := &refScreen{}
	lines := strings.Split(text, "\n")
	tm := New(cols, 1, Config{})
	for y := range rows {
		line := ""
		if y < len(lines) {
			line = lines[y]
		}
		// The look at a line's end goes on in the next one; SO and SI are the
		// line drawing set.
		line = strings.ReplaceAll(strings.ReplaceAll(line, "\x0e", "\x1b(0"), "\x0f", "\x1b(B")
		_, _ = tm.Write([]byte("\x1b7\x1b[m\x1b[H\x1b[2K\x1b8\x1b[G\x1b[?7l" + line))
		sc.cells = append(sc.cells, ours(tm, 0).cells[0])
	}
	return sc
}
