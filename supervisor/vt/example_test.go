package vt_test

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/creack/pty"

	"github.com/ccmux/ccmux/supervisor/vt"
)

// A program's output becomes text and a cursor.
func ExampleTerminal() {
	t := vt.New(20, 3, vt.Config{})
	fmt.Fprint(t, "\x1b[1;32mready\x1b[m\r\n$ make")
	fmt.Println(t.Line(0))
	fmt.Println(t.Line(1))
	// Output:
	// ready
	// $ make
}

// A frame is copied under the lock, changed rows only, and drawn without it.
func ExampleTerminal_Frame() {
	t := vt.New(12, 2, vt.Config{})
	fmt.Fprint(t, "\x1b[31mred\x1b[m and 日本")

	var f vt.Frame // one for each reader, used again and again
	if t.Frame(&f, vt.View{}) {
		for y := range f.Rows {
			fmt.Printf("%q\n", f.AppendRow(nil, y))
		}
		fmt.Println("cursor", f.Cursor.X, f.Cursor.Y)
	}
	fmt.Println("changed:", t.Frame(&f, vt.View{}))
	// Output:
	// "\x1b[0;31mred\x1b[m and 日本"
	// "            "
	// cursor 11 0
	// changed: false
}

// What a key sends depends on what the program asked for.
func ExampleTerminal_EncodeKey() {
	t := vt.New(80, 24, vt.Config{})
	enter := vt.Key{Code: vt.KeyEnter, Mod: vt.ModShift}
	fmt.Printf("%q\n", t.EncodeKey(enter))
	fmt.Fprint(t, "\x1b[>1u") // the kitty keyboard protocol
	fmt.Printf("%q\n", t.EncodeKey(enter))
	// Output:
	// "\r"
	// "\x1b[13;2u"
}

// Scrolling back, searching and copying work on the same row numbers.
func ExampleTerminal_Search() {
	t := vt.New(30, 2, vt.Config{Scrollback: 100})
	for i := range 50 {
		fmt.Fprintf(t, "line %d of the build\r\n", i)
	}
	hits := t.Search("LINE 7 ", vt.SearchOptions{})
	fmt.Println(len(hits), "at row", hits[0].Start.Line)
	line := t.Select(vt.Lines, hits[0].Start, hits[0].Start, false)
	fmt.Println(t.CopyText(line))
	// Output:
	// 1 at row 7
	// line 7 of the build
}

// A child on a pty: its output goes to the terminal, answers go to its input.
func ExampleConfig() {
	cmd := exec.Command("printf", `hello`)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 80, Rows: 24})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer f.Close()
	t := vt.New(80, 24, vt.Config{
		Scrollback: 1000,
		Reply:      func(p []byte) { _, _ = f.Write(p) },
	})
	defer t.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := f.Read(buf)
		_, _ = t.Write(buf[:n])
		if err != nil {
			break
		}
	}
	_ = cmd.Wait()
	fmt.Println(t.Line(0))
	// Output: hello
}
