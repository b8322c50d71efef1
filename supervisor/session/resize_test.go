package session

import (
	"errors"
	"fmt"
	"sync"
	"testing"
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

// TestOldOutputKeepsTheOldSize: what was written before a resize is drawn at
// the size it was written for.
func TestOldOutputKeepsTheOldSize(t *testing.T) {
	for i := range 20 {
		s := start(t, Spec{Argv: shell(`printf '\033[24;80Hcorner'; read x`), Cols: 80, Rows: 24})
		// the output may still lie in the pty: that is what the drain is for
		waitFor(t, "the child to have written", func() bool { return s.screen.Generation() > 0 })
		if err := s.Resize(120, 40); err != nil {
			t.Fatal(err)
		}
		if !s.shows("c")() {
			t.Fatalf("round %d: nothing on the screen", i)
		}
		if err := s.Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
		<-s.Done()
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
