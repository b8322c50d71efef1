package vt

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// The same writer feeds both emulators: this test binary run again, which writes
// the file to its terminal, asks where the cursor is and stops its watch when
// the answer comes. The answer comes after everything before it was taken in.
const writerEnv = "VT_BENCH_WRITER"

func TestMain(m *testing.M) {
	if file := os.Getenv(writerEnv); file != "" {
		if err := runWriter(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func runWriter(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	start := time.Now()
	if _, err := os.Stdout.Write(append(b, "\x1b[6n"...)); err != nil {
		return err
	}
	if _, err := bufio.NewReader(os.Stdin).ReadString('R'); err != nil {
		return err
	}
	took := time.Since(start)
	return os.WriteFile(file+".took", []byte(strconv.FormatInt(int64(took), 10)), 0o600)
}

func writerCommand(file string) string {
	return fmt.Sprintf("stty raw -echo; %s=%s %s", writerEnv, file, os.Args[0])
}

func took(b *testing.B, file string) time.Duration {
	s, err := os.ReadFile(file + ".took")
	if err != nil {
		b.Fatal(err)
	}
	n, err := strconv.ParseInt(string(s), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(n)
}

// throughVT runs the writer on a pty read by a Terminal, or by nobody much.
func throughVT(b *testing.B, file string, parse bool) time.Duration {
	cmd := exec.Command("sh", "-c", writerCommand(file))
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	tm := New(120, 40, Config{Scrollback: 10000, Reply: func(p []byte) { _, _ = f.Write(p) }})
	defer tm.Close()
	w := struct{ io.Writer }{tm}
	if !parse {
		w.Writer = &queryOnly{to: f}
	}
	_, _ = io.CopyBuffer(w, struct{ io.Reader }{f}, make([]byte, 64<<10))
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return took(b, file)
}

// queryOnly answers the query at the end, in however many reads it comes.
type queryOnly struct {
	to   io.Writer
	tail []byte
}

func (q *queryOnly) Write(p []byte) (int, error) {
	q.tail = append(q.tail, p[max(0, len(p)-4):]...)
	if bytes.HasSuffix(q.tail, []byte("\x1b[6n")) {
		_, _ = q.to.Write([]byte("\x1b[1;1R"))
	}
	q.tail = q.tail[max(0, len(q.tail)-4):]
	return len(p), nil
}

func (s *tmuxServer) through(b *testing.B, file string) time.Duration {
	s.run("new-session", "-d", "-s", "w", "-x", "120", "-y", "40",
		writerCommand(file)+"; tmux -L "+s.sock+" wait-for -S done")
	s.run("wait-for", "done")
	_ = s.cmd("kill-session", "-t", "w").Run()
	return took(b, file)
}

// cpuTime is what the server has used, in ticks of 10 ms; zero where there is no /proc.
func (s *tmuxServer) cpuTime(b *testing.B) time.Duration {
	pid := strings.TrimSpace(s.run("display-message", "-p", "#{pid}"))
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	f := strings.Fields(rest)
	var ticks int64
	for _, v := range f[11:13] {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// BenchmarkPty compares with tmux, turn and turn about, through a pty: medians.
// The floor is the same pty read by who drops all but the last query.
func BenchmarkPty(b *testing.B) {
	for _, w := range workloads() {
		b.Run(w.name, func(b *testing.B) {
			s := newTmux(b)
			s.run("set", "-g", "history-limit", "10000")
			file := filepath.Join(b.TempDir(), w.name)
			if err := os.WriteFile(file, w.bytes, 0o600); err != nil {
				b.Fatal(err)
			}
			var vt, tmux, vtCPU, tmuxCPU, bare []time.Duration
			for b.Loop() {
				own, theirs := cpuTime(), s.cpuTime(b)
				vt = append(vt, throughVT(b, file, true))
				vtCPU = append(vtCPU, cpuTime()-own)
				tmux = append(tmux, s.through(b, file))
				tmuxCPU = append(tmuxCPU, s.cpuTime(b)-theirs)
				bare = append(bare, throughVT(b, file, false))
			}
			mb := float64(len(w.bytes)) / 1e6
			b.ReportMetric(mb/median(vt), "vt-MB/s")
			b.ReportMetric(mb/median(tmux), "tmux-MB/s")
			b.ReportMetric(mb/median(bare), "floor-MB/s")
			b.ReportMetric(median(tmux)/median(vt), "×tmux")
			b.ReportMetric(2, "aim-×tmux")
			// On a busy machine the clock says little; what each has used says more.
			b.ReportMetric(median(tmuxCPU)/median(vtCPU), "×tmux-cpu")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func median(all []time.Duration) float64 {
	slices.Sort(all)
	return all[len(all)/2].Seconds()
}

// BenchmarkParse is the emulator alone, without a pty.
func BenchmarkParse(b *testing.B) {
	for _, w := range workloads() {
		b.Run(w.name, func(b *testing.B) {
			tm := New(120, 40, Config{Scrollback: 10000})
			b.SetBytes(int64(len(w.bytes)))
			b.ReportAllocs()
			start := cpuTime()
			for b.Loop() {
				for p := w.bytes; len(p) > 0; {
					n := min(len(p), 64<<10)
					_, _ = tm.Write(p[:n])
					p = p[n:]
				}
			}
			// Other programs on the machine slow the clock down, not this.
			b.ReportMetric(float64(len(w.bytes))/1e6*float64(b.N)/(cpuTime()-start).Seconds(), "MB/cpu-s")
		})
	}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkXterm is xterm.js parsing the same bytes; VT_XTERM names its
// xterm-headless.js (see testdata/xterm/record.mjs).
func BenchmarkXterm(b *testing.B) {
	lib := os.Getenv("VT_XTERM")
	_, missing := os.Stat(lib)
	if _, err := exec.LookPath("node"); err != nil || missing != nil {
		b.Skip("needs node and VT_XTERM")
	}
	for _, w := range workloads() {
		b.Run(w.name, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), w.name)
			if err := os.WriteFile(file, w.bytes, 0o600); err != nil {
				b.Fatal(err)
			}
			var ms float64
			n := 0
			for b.Loop() {
				out, err := exec.Command("node", "testdata/xterm/bench.mjs", lib, file).Output()
				if err != nil {
					b.Fatal(err)
				}
				v, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
				if err != nil {
					b.Fatal(err)
				}
				ms += v
				n++
			}
			b.ReportMetric(float64(len(w.bytes))/1e3*float64(n)/ms, "MB/s")
		})
	}
}

// BenchmarkFrame draws a screen of 200×60 of which every row changed.
func BenchmarkFrame(b *testing.B) {
	for _, w := range workloads() {
		b.Run(w.name, func(b *testing.B) {
			tm := New(200, 60, Config{Scrollback: 100})
			_, _ = tm.Write(w.bytes[:256<<10])
			var f Frame
			var out []byte
			b.ReportAllocs()
			for b.Loop() {
				tm.mu.Lock()
				tm.touchAll()
				tm.gen.Add(1)
				tm.mu.Unlock()
				tm.Frame(&f, View{})
				out = out[:0]
				for y := range f.Rows {
					out = append(f.AppendRow(out, y), '\n')
				}
			}
			b.ReportMetric(float64(len(out)), "bytes/frame")
		})
	}
}

// BenchmarkFrameUnderFlood is how long a reader waits for a frame while the
// writer never rests.
func BenchmarkFrameUnderFlood(b *testing.B) {
	tm := New(120, 40, Config{Scrollback: 10000})
	stop, stopped := make(chan struct{}), make(chan struct{})
	in := fillUp(sgrLine)
	go func() {
		defer close(stopped)
		for at := 0; ; at = (at + 64<<10) % (len(in) - 64<<10) {
			select {
			case <-stop:
				return
			default:
				_, _ = tm.Write(in[at : at+64<<10])
			}
		}
	}()
	var f Frame
	var waits []time.Duration
	for b.Loop() {
		start := time.Now()
		if tm.Frame(&f, View{}) { // not those that had nothing to copy
			waits = append(waits, time.Since(start))
		}
	}
	close(stop)
	<-stopped
	slices.Sort(waits)
	b.ReportMetric(float64(waits[len(waits)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds()), "p99-µs")
}
