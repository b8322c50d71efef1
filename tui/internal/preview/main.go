// Preview shows the screen with a fake project behind it, to look at it:
//
//	go run ./tui/internal/preview
//
// It guarantees nothing and is no part of the product: keys typed into a pane
// are echoed there, answers close their request, and what the screen asked for
// is printed at the end. Whoever changes the screen runs it by hand; the tests
// use the same scene.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

func main() {
	calm := flag.Bool("calm", false, "no requests")
	none := flag.Bool("none", false, "no sessions")
	flag.Parse()
	d := fake.New("/home/u/webshop")
	if !*none {
		v := fake.Scene(time.Now())
		if *calm {
			v.Permissions = nil
		}
		d.Set(v)
		d.Fill()
		for _, p := range v.Peers {
			if pane, ok := d.Pane(p.ID).(*fake.Pane); ok && pane != nil {
				pane.OnType = func(b []byte) { go pane.Feed(strings.ReplaceAll(string(b), "\r", "\r\n")) }
			}
		}
	}
	d.OnAnswer = func(id string, _ wire.Behavior, _, _ string) { d.Set(fake.Answered(d.View(), id, time.Now())) }
	d.OnSubmit = func(c router.Command) (router.Result, error) { return router.Result{}, nil }
	cols, rows, _ := term.GetSize(os.Stdin.Fd())
	s := tui.New(d, tui.Options{In: os.Stdin, Out: os.Stdout, Env: os.Environ(), Size: wire.Size{Cols: cols, Rows: rows}})
	err := s.Run(context.Background())
	fmt.Println("ended:", err)
	for _, l := range d.Log() {
		fmt.Println(l)
	}
}
