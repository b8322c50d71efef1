package vt

import (
	"bytes"
	"fmt"
	"math/rand"
)

// A workload is a stream of one kind of output for a screen of 120×40.
type workload struct {
	name  string
	bytes []byte
}

const workloadSize = 8 << 20

func workloads() []workload {
	return []workload{
		{"plain", fillUp(plainLine)},
		{"sgr", fillUp(sgrLine)},
		{"redraw", fillUp(redrawStep)},
		{"cjk", fillUp(cjkLine)},
	}
}

func fillUp(add func(b *bytes.Buffer, r *rand.Rand, i int)) []byte {
	var b bytes.Buffer
	r := rand.New(rand.NewSource(1))
	for i := 0; b.Len() < workloadSize; i++ {
		add(&b, r, i)
	}
	return b.Bytes()
}

const filler = "the quick brown fox jumps over the lazy dog while the pane keeps on scrolling and nobody reads a word of it all "

func plainLine(b *bytes.Buffer, r *rand.Rand, i int) {
	fmt.Fprintf(b, "%08d %s\r\n", i, filler[:40+r.Intn(70)])
}

// sgrLine is a line of a highlighted diff: a colour every few letters.
func sgrLine(b *bytes.Buffer, r *rand.Rand, _ int) {
	for col := 0; col < 100; {
		n := 2 + r.Intn(8)
		switch r.Intn(5) {
		case 0:
			fmt.Fprintf(b, "\x1b[38;2;%d;%d;%dm", r.Intn(8)*32, r.Intn(8)*32, r.Intn(8)*32)
		case 1:
			fmt.Fprintf(b, "\x1b[1;3%d;4%dm", r.Intn(8), r.Intn(8))
		case 2:
			fmt.Fprintf(b, "\x1b[38;5;%dm", r.Intn(256))
		case 3:
			b.WriteString("\x1b[0m\x1b[4m")
		case 4:
			fmt.Fprintf(b, "\x1b[48;5;%d;7m", r.Intn(256))
		}
		b.WriteString(filler[col%60 : col%60+n])
		col += n
	}
	b.WriteString("\x1b[0m\r\n")
}

// redrawStep is a full-screen program that draws here and there.
func redrawStep(b *bytes.Buffer, r *rand.Rand, i int) {
	n := 10 + r.Intn(40)
	fmt.Fprintf(b, "\x1b[%d;%dH%s\x1b[K", 1+r.Intn(40), 1+r.Intn(70), filler[:n])
	if i%50 == 0 {
		b.WriteString("\x1b[?25l\x1b[2J")
	}
}

var cjkParts = []string{
	"日本語のテキスト", "漢字かな交じり文", "한국어 문장입니다", "中文文本测试", "👩‍💻", "🚀", "🇩🇪", "➡️", "👍🏽", " mixed ", "é", "ﾊﾝｶｸ",
}

func cjkLine(b *bytes.Buffer, r *rand.Rand, _ int) {
	for range 8 {
		b.WriteString(cjkParts[r.Intn(len(cjkParts))])
	}
	b.WriteString("\r\n")
}
