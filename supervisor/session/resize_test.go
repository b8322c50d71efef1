package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ccmux/ccmux/supervisor/vt"
)

func TestResizeTellsTheChild(t *testing.T) {
	s := startHelper(t, "sizes", Spec{Cols: 80, Rows: 24})
	waitFor(t, "the first size", s.shows("size 80x24"))
	if err := s.Resize(100, 30); err != nil {
		t.Fatal(err)
	}
	if c, r := s.screen.Size(); c != 100 || r != 30 {
		t.Errorf("the screen is %d×%d", c, r)
	}
	waitFor(t, "the second size", s.shows("size 100x30"))
	for _, bad := range [][2]int{{0, 10}, {10, 0}, {-1, 5}, {5000, 10}} {
		if err := s.Resize(bad[0], bad[1]); !errors.Is(err, ErrSize) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestResizeStorm: many resizes from many goroutines while the child floods;
// the last one asked for is the one that stands.
func TestResizeStorm(t *testing.T) {
	s := startHelper(t, "flood", Spec{Scrollback: 100})
	waitFor(t, "the flood", s.shows("0123456789"))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 50 {
				if err := s.Resize(40+(i*7+g)%80, 10+(i*3+g)%30); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := s.Resize(77, 33); err != nil {
		t.Fatal(err)
	}
	if c, r := s.screen.Size(); c != 77 || r != 33 {
		t.Errorf("the screen is %d×%d", c, r)
	}
	gen := s.screen.Generation()
	waitFor(t, "the flood to go on", func() bool { return s.screen.Generation() > gen+10 })
}

// TestResizeStormKeepsEveryLine: eight sessions flood while each is resized all
// the time; at the end every one has its last lines, each once and in order.
func TestResizeStormKeepsEveryLine(t *testing.T) {
	var wg sync.WaitGroup
	for n := range 8 {
		s := startHelper(t, "counter", Spec{Name: fmt.Sprint("c", n), Scrollback: 3 * counted})
		last := fmt.Sprintf("%8d word", counted-1)
		wg.Go(func() {
			for i := 0; !s.shows(last)(); i++ {
				if err := s.Resize(40+(i*7+n)%80, 10+(i*3+n)%30); err != nil {
					t.Error(err)
					return
				}
			}
			if err := s.Resize(120, 40); err != nil {
				t.Error(err)
			}
			for i := 0; i < counted; i += 97 {
				if found := s.screen.Search(fmt.Sprintf("%8d word", i), vt.SearchOptions{Limit: 2}); len(found) != 1 {
					t.Errorf("%s: line %d stands there %d times", s.Name(), i, len(found))
				}
			}
			lines := s.Lines()
			end := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, last) })
			for i := range end + 1 {
				if want := fmt.Sprintf("%8d word", counted-1-i); !strings.HasPrefix(lines[end-i], want) {
					t.Errorf("%s: %d rows above the last stands %q; want %q", s.Name(), i, lines[end-i], want)
					return
				}
			}
			if end < 20 {
				t.Errorf("%s: the last line is in row %d of 40", s.Name(), end)
			}
		})
	}
	wg.Wait()
}

func TestResizeAfterTheEnd(t *testing.T) {
	s := start(t, Spec{Argv: shell("echo bye")})
	<-s.Done()
	if err := s.Resize(44, 11); err != nil {
		t.Fatal(err)
	}
	if c, r := s.screen.Size(); c != 44 || r != 11 || !s.shows("bye")() {
		t.Errorf("the screen is %d×%d", c, r)
	}
}

// TestOldOutputKeepsTheOldSize: what lies in the pty when a resize comes was
// written for the old size and is drawn at it.
func TestOldOutputKeepsTheOldSize(t *testing.T) {
	held, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s := start(t, Spec{
		Argv: shell(`printf first; while [ ! -e go ]; do :; done; printf '\033[5;500Hx'; echo 1 > done; read x`),
		Cols: 80, Rows: 24,
		OnOutput: func() { once.Do(func() { close(held); <-release }) }, // the reader stands still
	})
	<-held
	if err := os.WriteFile(filepath.Join(s.spec.Dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pidIn(t, filepath.Join(s.spec.Dir, "done"))
	resized := make(chan error)
	go func() { resized <- s.Resize(120, 24) }()
	waitFor(t, "the resize to be asked for", func() bool {
		s.size.mu.Lock()
		defer s.size.mu.Unlock()
		return s.size.next != nil
	})
	close(release)
	if err := <-resized; err != nil {
		t.Fatal(err)
	}
	if line := s.screen.Line(4); line != strings.Repeat(" ", 79)+"x" {
		t.Errorf("the x stands in column %d: %q", len(line), line)
	}
}

func ExampleMoveTo() {
	d, _ := Recognise([]string{
		" Quick safety check: do you trust this folder?",
		"",
		" ❯ No, exit",
		"   Yes, I trust this folder",
		"",
		" Enter to confirm · Esc to cancel",
	})
	m, _ := MoveTo(d, 1)
	fmt.Println(d.Name, m.Key, m.Count)
	// Output: folder trust down 1
}
