package tui_test

import (
	"fmt"
	"strings"
	"testing"

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
