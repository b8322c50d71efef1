package tui_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui"
	"github.com/ccmux/ccmux/tui/internal/fake"
)

// BenchmarkFrame draws and paints a screen of 200 by 60 with four panes, of which
// one, or all, changed completely since the last time.
func BenchmarkFrame(b *testing.B) {
	for name, busy := range map[string][]router.PeerID{
		"one":  {fake.Frontend},
		"four": {fake.Frontend, fake.Backend, fake.Docs, fake.Ops},
	} {
		b.Run(name, func(b *testing.B) {
			d := fake.New("/home/u/webshop")
			d.Set(fake.Scene(noon))
			d.Fill()
			x := tui.NewBench(d, noon, 200, 60, tui.Options{})
			defer x.Close()
			x.Settle()
			x.Frame()
			x.Paint()
			n, bytes := 0, 0
			for b.Loop() {
				n++
				for _, id := range busy {
					d.Pane(id).(*fake.Pane).Feed(strings.Repeat(fmt.Sprintf("\x1b[3%dmline %d of a busy build \x1b[m日本 and so on\r\n", n%8, n), 30))
				}
				x.Frame()
				bytes += len(x.Paint())
			}
			b.ReportMetric(float64(bytes)/float64(n), "B/frame")
		})
	}
}

// BenchmarkKeyToScreen types into one of four panes on a real terminal of 200 by
// 60 and waits for the echo to be on it, while the other three are flooded.
func BenchmarkKeyToScreen(b *testing.B) {
	d := fake.New("/home/u/webshop")
	v := fake.Scene(noon)
	v.Permissions = nil
	d.Set(v)
	d.Fill()
	pane := d.Pane(fake.Frontend).(*fake.Pane)
	echo := make(chan []byte, 100)
	pane.OnType = func(p []byte) { echo <- p }
	stop := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		for {
			select {
			case p := <-echo:
				pane.Feed("\x1b[H\x1b[K" + string(p))
			case <-stop:
				return
			}
		}
	})
	for _, id := range []router.PeerID{fake.Backend, fake.Docs, fake.Ops} {
		work.Go(func() { flood(d.Pane(id).(*fake.Pane), stop) })
	}
	x := newTerminal(b, 200, 60)
	x.watch()
	s := tui.New(d, x.options())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(context.Background()) }()
	x.waitFor("1 frontend")
	x.press("1i")
	x.waitFor("typing")

	x.fast = true
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		key := string(rune('a' + i%26))
		start := time.Now()
		x.press(key)
		x.wait("the echo", func(string) bool { return strings.Contains(x.screen.Line(2), "┃"+key+" ") })
		took = append(took, time.Since(start))
	}
	close(stop)
	s.Quit("")
	<-ended
	work.Wait()
	x.close()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-p50")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
}

// flood is a program that prints about a megabyte a second.
func flood(p *fake.Pane, stop chan struct{}) {
	tick := time.NewTicker(4 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		case <-tick.C:
			p.Feed(strings.Repeat(fmt.Sprintf("\x1b[3%dm%d building the thing and what it needs\x1b[m\r\n", i%8, i), 70))
		}
	}
}
